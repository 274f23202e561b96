"""The findings of each file below its name."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.places import place, shown_path
from tilelang_analyzers.report.remarks import message
from tilelang_analyzers.report.style import wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style


def render(run: Run, style: Style) -> Iterator[str]:
    for path, group in groupby(run.findings(), key=lambda finding: finding.span.path):
        yield style.paint(f"{shown_path(path)}:", "bold")
        findings = list(group)
        positions = [_position(finding.span, run) for finding in findings]
        width = max(map(len, positions))
        for finding, position in zip(findings, positions, strict=True):
            kind = f"{finding.severity.label}[{finding.rule}]"
            start = f"  {position:>{width}}  "
            lines = wrap(f"{kind} {message(finding)}", style.width, start, " " * len(start))
            for line in lines:
                yield line.replace(kind, style.paint(kind, finding.severity.label), 1)
        yield ""
    yield from failures(run, style)
    yield from summary(run, style)


def _position(span: Span, run: Run) -> str:
    here = place(span, run.sources)
    return f"{f'cell {here.cell}:' if here.cell else ''}{here.line}:{here.column}"
