"""One line a finding: ``path:line:column: severity[rule] message (sm_75, sm_86)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.places import location
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style


def render(run: Run, style: Style) -> Iterator[str]:
    for finding in run.findings():
        place = style.paint(location(finding.span, run.sources), "bold")
        kind = style.paint(f"{finding.severity.label}[{finding.rule}]", finding.severity.label)
        targets = f" ({', '.join(finding.targets)})" if finding.targets else ""
        yield f"{place}: {kind} {clean(finding.message)}{targets}"
    yield from failures(run, style)
    yield from summary(run, style)
