"""Reads Markdown suites and compares the checker's findings with the comments in their code. See ``README.md``."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic

tomllib: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

PRELUDE = "import tilelang\nimport tilelang.language as T\n"
DEFAULT_TARGETS = ("sm_80",)

_HEADING = re.compile(r"(#+)\s+(.*)")
_FENCE = re.compile(r"```(\w*)\s*(.*)")
_EXPECTATION = re.compile(
    r"#\s*(?P<severity>error|warning|info):\s*\[(?P<rule>[\w-]+)\]"
    r"(?:\s+on\s+(?P<targets>\w+(?:,\s*\w+)*))?"
    r"(?:\s+\"(?P<text>[^\"]*)\")?"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One Python block. ``line``: where its code starts in the suite. ``settings``: what ``toml`` blocks said."""

    suite: str
    title: str
    code: str
    line: int
    settings: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(self.settings.get("targets", DEFAULT_TARGETS))


@dataclass(frozen=True, slots=True)
class Expectation:
    """``line`` counts in the block, from 1."""

    line: int
    severity: str
    rule: str
    targets: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        where = f" on {', '.join(self.targets)}" if self.targets else ""
        return f"{self.severity}: [{self.rule}]{where}" + (f' "{self.text}"' if self.text else "")

    def fits(self, finding: Diagnostic, line: int) -> bool:
        return (
            (line, finding.severity.label, finding.rule) == (self.line, self.severity, self.rule)
            and (not self.targets or set(self.targets) == set(finding.targets))
            and self.text in finding.message
        )


def read_suite(path: Path) -> Iterator[Block]:
    """The Python blocks of a suite, in order."""
    titles: list[str] = []
    scopes: list[dict[str, Any]] = [{}]
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    for _, text in lines:
        heading = _HEADING.fullmatch(text)
        if heading:
            depth = len(heading[1])
            titles[depth - 1 :] = [*[""] * (depth - 1 - len(titles)), heading[2]]
            del scopes[depth:]
            scopes += [dict(scopes[-1]) for _ in range(depth + 1 - len(scopes))]
            continue
        fence = _FENCE.fullmatch(text)
        if not fence:
            continue
        code: list[str] = []
        start = 0
        for number, line in lines:
            start = start or number
            if line.rstrip() == "```":
                break
            code.append(line)
        body = "\n".join(code) + "\n"
        if fence[1] == "toml":
            scopes[-1].update(tomllib.loads(body))
        elif fence[1] == "python" and fence[2] != "ignore":
            yield Block(path.stem, " / ".join(filter(None, titles[1:])) or path.stem, body, start, dict(scopes[-1]))


def expectations(code: str) -> Iterator[Expectation]:
    """What the comments of a block expect."""
    waiting: list[re.Match[str]] = []
    for number, line in enumerate(code.splitlines(), start=1):
        found = list(_EXPECTATION.finditer(line))
        if line.lstrip().startswith("#"):
            waiting += found
            continue
        if not line.strip():
            continue
        for match in (*waiting, *found):
            targets = tuple(filter(None, re.split(r",\s*", match["targets"] or "")))
            yield Expectation(number, match["severity"], match["rule"], targets, match["text"] or "")
        waiting = []


def check_block(block: Block, folder: Path) -> list[str]:
    """How the findings of a block differ from its comments, one sentence each."""
    wanted = list(expectations(block.code))
    own_imports = re.search(r"^(import|from)\s", block.code, re.MULTILINE)
    prelude = "" if own_imports else PRELUDE
    path = folder / "kernel.py"
    data = (prelude + block.code).encode()
    path.write_bytes(data)
    settings = Settings(
        root=str(folder),
        target=block.targets,
        extend_select=tuple(block.settings.get("select", ())),
        environment=dict(block.settings.get("environment", {})),
        cache=False,
    )
    report = Checker().check(str(path), data, settings)
    if report.failure is not None:
        return [report.failure.detail or report.failure.message]
    shift = prelude.count("\n")
    problems: list[str] = []
    for finding in report.findings:
        line = finding.span.line - shift
        match = next((one for one in wanted if one.fits(finding, line)), None)
        if match is not None:
            wanted.remove(match)
        elif finding.severity.label != "info":
            targets = f" on {', '.join(finding.targets)}" if finding.targets else ""
            text = f"{finding.severity.label}: [{finding.rule}]{targets} {finding.message}"
            problems.append(f"{block.suite}.md:{block.line + line - 1}: unexpected {text}")
    problems += [f"{block.suite}.md:{block.line + one.line - 1}: missing {one}" for one in wanted]
    return problems
