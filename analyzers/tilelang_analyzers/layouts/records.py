"""The layouts of a launch as plain records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.layout import swizzles
from tilelang.ir.layout.digits import text
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.layout import AXES, axis_name
from tilelang.ir.printer import text_of_stmt
from tilelang.ir.stmt import Alloc, Effect
from tilelang.ir.visit import walk
from tilelang_analyzers.results import BufferLayout, ConflictResult, LayoutsResult, LoopLayout, StatementResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout.digits import Sum
    from tilelang.ir.layout.layout import Layout
    from tilelang.ir.stmt import Stmt
    from tilelang.passes import LaunchPlan
    from tilelang.passes.layouts import Conflict, LayoutMap

UNIT_BYTES = swizzles.UNIT_BITS // 8


def layouts_of(plan: LaunchPlan) -> LayoutsResult:
    """Everything that is known about the layouts of one launch, in the order of the source."""
    found = plan.layouts
    return LayoutsResult(
        buffers=tuple(buffer_layout(buffer, found) for buffer in settled(plan)),
        loops=tuple(_loop(stmt, spread) for stmt, spread in spreads(plan)),
        unknown=tuple(dict.fromkeys(buffer.name for buffer in sorted(found.unknown, key=_place))),
        conflict=None if found.conflict is None else _conflict(found.conflict),
    )


def settled(plan: LaunchPlan) -> list[Buffer]:
    """The buffers with a layout, reducers included: in order of allocation, views after what they are views of."""
    order = [stmt.buffer for stmt in walk(plan.opened.body) if isinstance(stmt, Alloc)]
    rank = {id(buffer): number for number, buffer in enumerate(order)}
    known = (*plan.layouts.claims, *plan.layouts.reducers)
    return sorted(known, key=lambda one: (rank.get(id(one.root), len(order)), one is not one.root))


def spreads(plan: LaunchPlan) -> Iterator[tuple[Stmt, Fragment]]:
    """The parallel statements with their spreads, in order."""
    for stmt in walk(plan.opened.body):
        spread = plan.layouts.loop_of(stmt)
        if spread is not None:
            yield stmt, spread


def swizzle_bytes(buffer: Buffer, layout: Layout | Fragment) -> int:
    """The width of the standard swizzle that a layout is; 0 for other layouts."""
    if isinstance(layout, Fragment):
        return 0
    return UNIT_BYTES * (swizzles.bank_width(layout, layout.shape, buffer.dtype.bits) or 0)


def _place(buffer: Buffer) -> tuple[str, int, int]:
    return buffer.span.path, buffer.span.line, buffer.span.col


def _statement(stmt: Stmt | None) -> StatementResult | None:
    if stmt is None:
        return None
    # The arguments of annotate_layout are all layouts of the kernel.
    text = stmt.call.op if isinstance(stmt, Effect) else text_of_stmt(stmt)
    return StatementResult(text, stmt.span.path, stmt.span.line)


def _texts(outputs: tuple[Sum, ...]) -> tuple[str, ...]:
    return tuple(text(one, axis_name) for one in outputs)


def layout_of(buffer: Buffer, layouts: LayoutMap) -> Layout | Fragment:
    """The layout of a settled buffer."""
    claim = layouts.claims.get(buffer)
    return layouts.reducers[buffer] if claim is None else claim.layout


def buffer_layout(buffer: Buffer, layouts: LayoutMap) -> BufferLayout:
    claim, layout = layouts.claims.get(buffer), layout_of(buffer, layouts)
    held = isinstance(layout, Fragment)
    return BufferLayout(
        name=buffer.name,
        scope=buffer.scope,
        dtype=str(buffer.dtype),
        shape=layout.shape,
        axes=tuple(AXES[: len(layout.shape)]),
        thread=text(layout.thread, axis_name) if held else None,
        places=_texts(layout.index if held else layout.outputs),
        extents=layout.registers if held else layout.output_shape,
        copies=layout.replicate if held else 1,
        first_thread=layout.first_thread if held else 0,
        threads=(layout.threads or layout.thread_extent) if held else 0,
        swizzle=swizzle_bytes(buffer, layout),
        path=buffer.span.path,
        line=buffer.span.line,
        asked=None if claim is None else _statement(claim.stmt),
        source=None if claim is None or claim.origin is None else claim.origin.name,
        reduced=buffer in layouts.reducers,
    )


def _loop(stmt: Stmt, spread: Fragment) -> LoopLayout:
    statement = _statement(stmt)
    assert statement is not None
    return LoopLayout(
        statement=statement,
        shape=spread.shape,
        axes=tuple(AXES[: len(spread.shape)]),
        thread=text(spread.thread, axis_name),
        places=_texts(spread.index),
        extents=spread.registers,
        copies=spread.replicate,
        first_thread=spread.first_thread,
        threads=spread.threads or spread.thread_extent,
    )


def _conflict(conflict: Conflict) -> ConflictResult:
    return ConflictResult(
        reason=conflict.reason,
        buffer=conflict.buffer.name,
        statement=_statement(conflict.stmt),
        other=None if conflict.other is None else conflict.other.name,
        certain=conflict.certain,
    )
