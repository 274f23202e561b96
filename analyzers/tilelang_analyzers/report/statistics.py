"""How many findings each rule has, and how many of them a fix removes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.escape import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Severity
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style

FORMATS = ("full", "concise", "grouped", "json")
"""Values of ``--format`` that go with ``--statistics``."""


class Count(NamedTuple):
    """Findings of one rule at one level. ``safe`` and ``unsafe`` count those that have such a fix."""

    rule: str
    severity: Severity
    findings: int
    safe: int
    unsafe: int

    @property
    def mark(self) -> str:
        """``[*]`` if `--fix` removes all, ``[-]`` if a fix removes some or only `--unsafe-fixes` does, ``[ ]`` if
        none does."""
        if self.safe == self.findings:
            return "[*]"
        return "[-]" if self.safe or self.unsafe else "[ ]"


def counts(run: Run) -> list[Count]:
    """The counts, most findings first."""
    found: dict[tuple[str, Severity], Count] = {}
    for finding in run.findings():
        key = (finding.rule, finding.severity)
        known = found.get(key, Count(*key, 0, 0, 0))
        fix = finding.fix if finding.fix and finding.fix.edits else None
        found[key] = known._replace(
            findings=known.findings + 1,
            safe=known.safe + (fix is not None and fix.safe),
            unsafe=known.unsafe + (fix is not None and not fix.safe),
        )
    return sorted(found.values(), key=lambda it: (-it.findings, it.rule, it.severity))


def text_lines(run: Run, style: Style) -> Iterator[str]:
    """A line for each rule, then how many findings can be fixed, then what every report ends with."""
    found = counts(run)
    width = max((len(str(it.findings)) for it in found), default=1)
    for it in found:
        level = style.paint(f"{it.severity.label:<7}", it.severity.label)
        yield f"{it.findings:>{width}}  {level}  {it.mark} {it.rule}"
    safe, unsafe = sum(it.safe for it in found), sum(it.unsafe for it in found)
    if safe:
        yield f"[*] {safe} fixable with --fix"
    if unsafe:
        yield f"[-] {unsafe}{' more' if safe else ''} fixable with --fix --unsafe-fixes"
    yield from failures(run, style)
    yield from summary(run, style)


def json_lines(run: Run) -> Iterator[str]:
    """The counts as a JSON list."""
    yield json_text(
        [
            {
                "rule": it.rule,
                "severity": it.severity.label,
                "count": it.findings,
                "fixable": it.safe,
                "unsafe_fixable": it.unsafe,
            }
            for it in counts(run)
        ]
    )
