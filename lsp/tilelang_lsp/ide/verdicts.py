"""The checker's verdicts on one instance of a kernel: one row a launch, one result a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang_analyzers.results import TargetResult
    from tilelang_lsp.analysis import Analysis, Kernel


def results_of(analysis: Analysis, kernel: Kernel, index: int) -> list[tuple[TargetResult, ...]]:
    """By launch. The report lists the launches of a kernel's instances one after the other."""
    path = analysis.file.path
    counts = [len(tuple(each.program.launches())) for each in kernel.instances]
    rows = [row for row in analysis.report.instances if (row.path, row.line) == (path, kernel.line)]
    first = sum(counts[:index])
    return [row.targets for row in rows[first : first + counts[index]]] if index < len(counts) else []
