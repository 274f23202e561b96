"""All kernels of a file on all chosen targets, a row for each launch of each instance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.span import Span
from tilelang_lsp.ide.tiles import arguments_text

if TYPE_CHECKING:
    from tilelang_analyzers.results import TargetResult
    from tilelang_lsp.session import Snapshot

MAX_INSTANCES = 64
"""Of one kernel: a tuner may list thousands."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """A part of a block's shared memory. ``bytes`` has all copies."""

    name: str
    bytes: int | None
    copies: int
    place: Span | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One launch on one target, as `TargetResult` has it. ``blocks_per_sm`` and ``limiter``: the occupancy."""

    target: str
    arch: str
    verdict: str
    shared_bytes: int | None
    shared_limit: int | None
    registers: int | None
    threads: int | None
    blocks_per_sm: int | None
    limiter: str
    errors: tuple[str, ...]
    buffers: tuple[Buffer, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """``line``: of the ``def``, from 1. ``instance`` and ``launch`` count from 0. ``shown``: it is the instance
    that the editor's views show."""

    kernel: str
    line: int
    instance: int
    launch: int
    arguments: str
    certain: bool
    shown: bool
    grid: str
    block: str
    place: Span
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """``targets`` are the columns. ``left_out``: instances beyond ``MAX_INSTANCES`` of a kernel. ``unchecked``: kernels
    without instances, with the reason."""

    targets: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: int = 0
    unchecked: tuple[tuple[str, int, str], ...] = ()


def targets_table(snapshot: Snapshot) -> Table:
    """The table of a file; empty before its first check has ended."""
    analysis = snapshot.analysis
    if analysis is None:
        return Table((), ())
    path = snapshot.file.path
    results = [row for row in analysis.report.instances if row.path == path]
    rows: list[Row] = []
    left_out = 0
    for kernel in analysis.kernels:
        shown, _ = kernel.chosen(snapshot.picks.get((path, kernel.name)))
        mine = [row for row in results if (row.line, row.kernel) == (kernel.line, kernel.name)]
        if sum(len(tuple(each.program.launches())) for each in kernel.instances) != len(mine):
            continue
        launches = iter(mine)
        for index, instance in enumerate(kernel.instances):
            for number, _ in enumerate(instance.program.launches()):
                result = next(launches)
                if index >= MAX_INSTANCES and index != shown:
                    left_out += 1
                    continue
                cells = tuple(_cell(each) for each in result.targets)
                grid, block = ("x".join(map(str, extents)) for extents in (result.grid, result.threads))
                text = arguments_text(instance, 200)
                place = Span(path, kernel.line, 0, kernel.line, 0)
                rows.append(
                    Row(
                        kernel.name, kernel.line, index, number, text, result.certain, index == shown, grid, block,
                        place, cells,
                    )
                )  # fmt: skip
    columns = Counter(cell.target for row in rows for cell in row.cells)
    unchecked = tuple(
        (each.name, each.line, each.reason)
        for each in analysis.report.kernels
        if each.path == path and each.state == "unchecked"
    )
    return Table(tuple(columns), tuple(rows), left_out, unchecked)


def _cell(each: TargetResult) -> Cell:
    buffers = tuple(
        Buffer(part.name, part.bytes, part.copies, Span(part.path, part.line, 0, part.line, 0) if part.line else None)
        for part in each.buffers
    )
    return Cell(
        each.label, each.arch, each.verdict, each.shared_bytes, each.shared_limit, each.registers, each.threads,
        each.blocks_per_sm, each.limiter, each.errors, buffers,
    )  # fmt: skip
