"""Fragments that every thread holds whole because a serial loop writes them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import Var
from tilelang.ir.layout import Fragment
from tilelang.ir.stmt import Store
from tilelang.ir.visit import loads, variables

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


def _is_written_out(store: Store, fragment: Buffer) -> bool:
    """Whether a store puts an element of a fragment, addressed by a loop, into memory that threads share."""
    if not (store.buffer.is_global or store.buffer.is_shared):
        return False
    reads = [load for load in loads(store.value) if load.buffer is fragment]
    return any(isinstance(var, Var) and var.kind == "loop" for load in reads for var in variables(load.indices))
