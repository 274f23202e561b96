"""One line a finding: ``path:line:column: severity[rule] message (sm_75, sm_86)``.

Targets that the message names are not repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.places import location
from tilelang_analyzers.report.remarks import message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style


def render(run: Run, style: Style) -> Iterator[str]:
    for finding in run.findings():
        place = style.paint(location(finding.span, run.sources), "bold")
        kind = style.paint(f"{finding.severity.label}[{finding.rule}]", finding.severity.label)
        yield f"{place}: {kind} {message(finding)}"
    yield from failures(run, style)
    yield from summary(run, style)
