"""Hover as data: what is under a position, with its figures. `hover_text` renders it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.printer import text_of
from tilelang.ir.span import Span
from tilelang.ir.stmt import For, Launch
from tilelang_analyzers import rules
from tilelang_lsp.ide.language import item_at
from tilelang_lsp.ide.tile_layout import TileLayout, tile_layouts
from tilelang_lsp.ide.tiles import Tile, arguments_text, buffer_at, loop_of, tile_of, trips, value_of
from tilelang_lsp.ide.workload import Roofline, Workload, roofline, workload

if TYPE_CHECKING:
    from tilelang.frontend.instance import Instance
    from tilelang.ir.buffer import Buffer
    from tilelang.language.registry import LanguageItem
    from tilelang_lsp.analysis import Analysis, Kernel, Map
    from tilelang_lsp.session import Snapshot

MAX_VALUES = 6
"""Instances whose value of a name is listed."""


@dataclass(frozen=True, slots=True)
class ItemHover:
    """A name of the language."""

    item: LanguageItem
    span: Span


@dataclass(frozen=True, slots=True)
class TileHover:
    """``conflicts``: ways and line of accesses whose lanes want several words of one bank."""

    tile: Tile
    arguments: str
    span: Span
    layouts: tuple[TileLayout, ...] = ()
    conflicts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LoopHover:
    """A variable of a loop or launch. ``trips`` has its iterations or extent; ``stages`` those of a pipeline."""

    name: str
    kind: str
    trips: str
    stages: int | None
    arguments: str
    span: Span


@dataclass(frozen=True, slots=True)
class ValueHover:
    """A size: its value in each instance, as (value, arguments)."""

    name: str
    values: tuple[tuple[str, str], ...]
    more: int
    span: Span


@dataclass(frozen=True, slots=True)
class TargetFigures:
    """One launch on one target; see ``TargetResult``."""

    label: str
    shared: int | None
    limit: int | None
    registers: int | None
    blocks: int | None
    limiter: str
    threads: int | None
    roofline: Roofline | None


@dataclass(frozen=True, slots=True)
class LaunchFigures:
    grid: tuple[str, ...]
    threads: tuple[str, ...]
    workload: Workload | None
    targets: tuple[TargetFigures, ...]


@dataclass(frozen=True, slots=True)
class KernelHover:
    name: str
    arguments: str
    instance: int
    instances: int
    launches: tuple[LaunchFigures, ...]
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class RuleHover:
    """A rule that a comment names."""

    name: str
    summary: str
    doc: str
    span: Span


Hover = ItemHover | TileHover | LoopHover | ValueHover | KernelHover | RuleHover

_RULE = re.compile(r"[a-z][a-z0-9-]+")


def hover(snapshot: Snapshot, line: int, col: int) -> Hover | None:
    """What is under a position; None where there is nothing to say."""
    file = snapshot.file
    item = item_at(file, line, col)
    if item is not None:
        return ItemHover(*item)
    occurrence = file.names.at(line, col)
    if occurrence is None:
        return _rule_at(snapshot, line, col)
    kernel = _kernel_named(snapshot, occurrence.symbol.function.lineno) if occurrence.symbol.function else None
    if kernel is not None and snapshot.analysis is not None:
        return kernel_hover(snapshot, snapshot.analysis, kernel, occurrence.span)
    found = snapshot.map_at(line)
    if found is None or snapshot.analysis is None:
        return None
    buffer = buffer_at(occurrence, found)
    arguments = arguments_text(found.instance)
    if buffer is not None:
        return _tile(snapshot.analysis, found, buffer, occurrence.span)
    stmt = loop_of(occurrence.symbol, found)
    if stmt is not None:
        return _loop(stmt, occurrence.symbol.name, arguments, occurrence.span)
    return _value(snapshot, line, occurrence.symbol, occurrence.span)


def _tile(analysis: Analysis, found: Map, buffer: Buffer, span: Span) -> TileHover:
    tile = tile_of(analysis, found, buffer)
    lines = {(use.span.path, use.span.line) for use in tile.uses}
    ways = [
        (each.data.get("ways"), each.span.line)
        for each in analysis.report.findings
        if each.rule == "bank-conflict" and (each.span.path, each.span.line) in lines and buffer.is_shared
    ]
    conflicts = tuple((count, line) for count, line in ways if isinstance(count, int))
    layouts = tile_layouts(analysis, found.instance, buffer)
    return TileHover(tile, arguments_text(found.instance), span, layouts, conflicts)


def kernel_hover(snapshot: Snapshot, analysis: Analysis, kernel: Kernel, span: Span) -> KernelHover:
    """The figures of the shown instance of a kernel."""
    index, instance = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
    status = next((each for each in analysis.report.kernels if each.line == kernel.line), None)
    launches = tuple(figures(analysis, instance, launch) for launch in instance.program.launches())
    reason = status.reason if status is not None else ""
    return KernelHover(kernel.name, arguments_text(instance), index, len(kernel.instances), launches, reason, span)


def figures(analysis: Analysis, instance: Instance, launch: Launch) -> LaunchFigures:
    work = workload(launch)
    targets: list[TargetFigures] = []
    for target in analysis.targets(instance):
        cost = analysis.plan(instance, launch, target).resources
        occupancy = cost.occupancy
        targets.append(
            TargetFigures(
                target.label,
                cost.shared_total,
                target.shared_memory.budget,
                cost.registers,
                occupancy.blocks if occupancy else None,
                ", ".join(occupancy.limiters) if occupancy else "",
                cost.threads,
                roofline(work, target) if work is not None else None,
            )
        )
    return LaunchFigures(_extents(launch.grid), _extents(launch.threads), work, tuple(targets))


def _extents(extents: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(text_of(each) for each in extents)


def _kernel_named(snapshot: Snapshot, line: int) -> Kernel | None:
    """The kernel that a function defines or, for a factory, returns."""
    kernels = snapshot.analysis.kernels if snapshot.analysis is not None else ()
    direct = next((each for each in kernels if each.line == line), None)
    return direct or next((each for each in kernels if each.instances[0].factory_line == line), None)


def _loop(stmt: For | Launch, name: str, arguments: str, span: Span) -> LoopHover:
    if isinstance(stmt, For):
        names = [var.name for var in stmt.vars]
        counts = trips(stmt)
        index = names.index(name) if name in names else 0
        count = counts[index] if index < len(counts) else None
        text = str(count) if count is not None else text_of(stmt.extents[index])
        stages = stmt.attr("num_stages")
        return LoopHover(name, stmt.kind, text, try_const(stages) if isinstance(stages, int) else None, arguments, span)
    variables = [*stmt.block_vars, *stmt.thread_vars]
    extents = [*stmt.grid, *stmt.threads]
    index = next((number for number, var in enumerate(variables) if var.name == name), 0)
    kind = "block index" if index < len(stmt.block_vars) else "thread index"
    return LoopHover(name, kind, text_of(extents[index]) if index < len(extents) else "?", None, arguments, span)


def _value(snapshot: Snapshot, line: int, symbol: object, span: Span) -> ValueHover | None:
    from tilelang_lsp.ide.names import Symbol

    kernel = snapshot.analysis.kernel_at(line) if snapshot.analysis is not None else None
    if kernel is None or not isinstance(symbol, Symbol):
        return None
    found: dict[str, str] = {}
    for instance in kernel.instances:
        value = value_of(symbol, instance)
        if value is not None:
            found.setdefault(value, arguments_text(instance))
    values = tuple(found.items())
    return ValueHover(symbol.name, values[:MAX_VALUES], max(len(values) - MAX_VALUES, 0), span) if values else None


def _rule_at(snapshot: Snapshot, line: int, col: int) -> RuleHover | None:
    text = snapshot.file.source.line_text(line)
    comment = text.find("# tl:")
    column = snapshot.file.source.char_column(line, col)
    if comment < 0 or column < comment:
        return None
    for match in _RULE.finditer(text, comment):
        if match.start() <= column <= match.end() and match[0] in rules.names():
            rule = rules.load(match[0])
            start = snapshot.file.source.byte_column(line, match.start())
            span = Span(snapshot.file.path, line, start, line, start + len(match[0]))
            return RuleHover(rule.name, rule.summary, rule.doc, span)
    return None
