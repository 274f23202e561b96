"""One tile of the shown instance, element by element: which thread and register, or which bytes of shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Literal

from tilelang.ir.arith import try_const
from tilelang.ir.layout import Fragment, Layout, linear_layout
from tilelang.ir.stmt import Gemm
from tilelang.ir.visit import walk
from tilelang_lsp.ide.tiles import buffer_at, occurrence_at, scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.passes import LaunchPlan
    from tilelang_lsp.session import Snapshot

MAX_ELEMENTS = 1 << 16
"""Larger tiles are shown in part: the elements at the start of the first dimensions."""


@dataclass(frozen=True, slots=True)
class LayoutView:
    """A tile on one target.

    ``shape``: of the part that the tables cover. Tables are in row-major order of the elements. A fragment has
    ``threads`` (``replicate`` of them for each element, side by side) and ``registers``; a shared tile has
    ``addresses``: bytes from the start of the block's shared memory if ``placed``, else of the tile, of its first copy.
    ``operand``: matrix instructions read it. ``formula``: the map in the notation of reports.
    """

    kind: Literal["fragment", "shared"]
    name: str
    dtype: str
    bits: int
    scope: str
    target: str
    targets: tuple[str, ...]
    kernel: str
    whole_shape: tuple[int, ...]
    shape: tuple[int, ...]
    formula: str
    reason: str
    span: Span
    claimed_at: Span | None
    threads: tuple[int, ...] = ()
    registers: tuple[int, ...] = ()
    replicate: int = 1
    thread_count: int = 0
    register_count: int = 0
    addresses: tuple[int, ...] = ()
    placed: bool = False
    copies: int = 1
    bytes: int = 0
    operand: bool = False


@dataclass(frozen=True, slots=True)
class NoLayout:
    """Why there is nothing to show, in a sentence. ``tiles``: names that have a layout in this kernel."""

    problem: str
    tiles: tuple[tuple[str, Span], ...] = ()


def layout_view(snapshot: Snapshot, line: int, col: int, target_label: str | None = None) -> LayoutView | NoLayout:
    """The tile whose name is at a place. Without a target: the first one of the instance."""
    found = snapshot.map_at(line)
    analysis = snapshot.analysis
    if found is None or analysis is None:
        return NoLayout("the cursor is not in a kernel that was evaluated")
    targets = analysis.targets(found.instance)
    target = next((each for each in targets if each.label == target_label), targets[0] if targets else None)
    if target is None:
        return NoLayout("no target is chosen")
    occurrence = occurrence_at(snapshot, line, col)
    buffer = buffer_at(occurrence, found) if occurrence is not None else found.tiles.get((line, col))
    plans = [analysis.plan(found.instance, launch, target) for launch in found.instance.program.launches()]
    if buffer is None or buffer.is_global:
        return NoLayout("the cursor is not on a tile in shared memory or registers", tuple(_tiles(plans)))
    labels = tuple(each.label for each in targets)
    for plan in plans:
        layout = _layout(plan, buffer.root)
        if layout is not None:
            return _view(plan, buffer.root, layout, labels, found.instance.kernel)
    return NoLayout(f"the layout of `{buffer.name}` is not known on {target.label}", tuple(_tiles(plans)))


def _tiles(plans: list[LaunchPlan]) -> Iterator[tuple[str, Span]]:
    for plan in plans:
        for buffer in plan.layouts.claims:
            if not buffer.is_global:
                yield buffer.name, buffer.span


def _layout(plan: LaunchPlan, buffer: Buffer) -> Layout | Fragment | None:
    known = plan.layouts.layout(buffer)
    if known is not None:
        return known
    shape = tuple(each for extent in buffer.shape if (each := try_const(extent)) is not None)
    is_shared = any(each.buffer is buffer for each in plan.memory.allocations)
    if len(shape) != buffer.rank or not is_shared or buffer in plan.layouts.unknown:
        return None
    return linear_layout(shape)


def _view(
    plan: LaunchPlan, buffer: Buffer, layout: Layout | Fragment, targets: tuple[str, ...], kernel: str
) -> LayoutView:
    claim = plan.layouts.claims.get(buffer)
    shape = _part(layout.shape)
    count = prod(shape)
    bits = buffer.dtype.bits * buffer.dtype.lanes
    operand = any(buffer in (stmt.a.buffer.root, stmt.b.buffer.root) for stmt in _gemms(plan))
    stated = claim is not None and claim.stmt is not None
    reason = "as the statement asks for it" if stated else "row-major: nothing asks for another layout"
    common = (buffer.name, str(buffer.dtype), bits, scope_of(buffer), plan.target.label, targets, kernel)
    formula = str(layout)
    where = claim.span if claim is not None else None
    if isinstance(layout, Fragment):
        return LayoutView(
            "fragment", *common, layout.shape, shape, formula, reason, buffer.span, where,
            threads=tuple(layout.first_thread + each for each in layout.thread_table()[: count * layout.replicate]),
            registers=layout.register_table()[:count],
            replicate=layout.replicate,
            thread_count=layout.thread_extent,
            register_count=layout.register_count,
            operand=operand,
        )  # fmt: skip
    slot = next((each for each in plan.memory.allocations if each.buffer is buffer), None)
    offset = slot.offset if slot is not None and slot.offset is not None else None
    return LayoutView(
        "shared", *common, layout.shape, shape, formula, reason, buffer.span, where,
        addresses=tuple((offset or 0) + place * bits // 8 for place in layout.table()[:count]),
        placed=offset is not None,
        copies=slot.copies if slot is not None else 1,
        bytes=(slot.bytes or 0) if slot is not None else layout.size * bits // 8,
        operand=operand,
    )  # fmt: skip


def _gemms(plan: LaunchPlan) -> Iterator[Gemm]:
    return (stmt for stmt in walk(plan.opened.body) if isinstance(stmt, Gemm))


def _part(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape of at most ``MAX_ELEMENTS`` elements: whole rows are left out, from the first dimension on."""
    part = list(shape)
    for dim in range(len(part)):
        rest = prod(part[dim + 1 :])
        if prod(part) > MAX_ELEMENTS:
            part[dim] = max(1, MAX_ELEMENTS // max(rest, 1))
    return tuple(part)
