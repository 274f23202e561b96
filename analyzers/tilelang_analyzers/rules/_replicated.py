"""Fragments that a serial loop writes out: every thread holds them whole, or they lie in different threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import Var
from tilelang.ir.layout import Fragment
from tilelang.ir.stmt import Store
from tilelang.ir.visit import loads, variables, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.passes import LaunchPlan


def written_out_serially(plan: LaunchPlan) -> Iterator[tuple[Buffer, Store, Fragment]]:
    """Fragments of more than one element with the store that a serial loop repeats in every thread."""
    for buffer, stmt in plan.layouts.floating.items():
        layout = plan.layouts.layout(buffer)
        if not isinstance(stmt, Store) or not isinstance(layout, Fragment) or not layout.is_fully_replicated:
            continue
        if layout.replicate > 1 and layout.register_count > 1 and _is_written_out(stmt, buffer):
            yield buffer, stmt, layout


def stored_from_other_threads(plan: LaunchPlan) -> Iterator[tuple[Buffer, Store]]:
    """Stores outside of parallel loops of an element that another thread has in each round of a serial loop. Upstream
    0.1.15 lets every thread up to the owner make such a store, each with what it has itself."""
    for stmt in walk(plan.opened.body):
        if not isinstance(stmt, Store) or plan.layouts.loop_of(stmt) is None:
            continue
        for load in loads(stmt.value) if stmt.buffer.is_global or stmt.buffer.is_shared else ():
            layout = plan.layouts.layout(load.buffer)
            if isinstance(layout, Fragment) and any(
                isinstance(var, Var) and var.kind == "loop"
                for dim in _spread_dims(layout)
                for var in variables((load.indices[dim],))
            ):
                yield load.buffer, stmt
                break


def _spread_dims(layout: Fragment) -> set[int]:
    """The dimensions along which elements lie in different threads."""
    keys = (one.key for one in layout.thread.inputs())
    return {key for key in keys if isinstance(key, int) and 0 <= key < len(layout.shape)}


def _is_written_out(store: Store, fragment: Buffer) -> bool:
    """Whether a store puts an element of a fragment, addressed by a loop, into memory that threads share."""
    if not (store.buffer.is_global or store.buffer.is_shared):
        return False
    reads = [load for load in loads(store.value) if load.buffer is fragment]
    return any(isinstance(var, Var) and var.kind == "loop" for load in reads for var in variables(load.indices))
