"""Why a launch cannot be lowered although the language takes it, in words: layouts and splits that do not exist."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from tilelang.ir.layout.layout import Layout
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.passes import LaunchPlan
    from tilelang.passes.layouts.result import Conflict
    from tilelang.passes.warp_partition import WarpPartition


def require_layouts(found: LaunchPlan) -> None:
    """Raise :class:`Unsupported` where inference stopped, and for a product whose accumulator no split of the warps
    covers."""
    conflict = found.layouts.conflict
    for gemm, split in found.partitions:
        if split.problem is not None and found.layouts.layout(gemm.c.buffer) is None:
            raise Unsupported(f"T.{gemm.op}: No valid warp partition: {_uncovered(split, gemm.policy)}", gemm.span)
    if conflict is not None:
        span = conflict.stmt.span if conflict.stmt is not None else conflict.buffer.span
        raise Unsupported(_contradiction(conflict), span)


def _uncovered(split: WarpPartition, policy: str) -> str:
    assert split.problem is not None
    rows, columns = split.problem.rows_per_warp, split.problem.columns_per_warp
    return (
        f"{split.warps} warps cannot share the {split.tile.m} x {split.tile.n} tile in pieces of {rows} x {columns} "
        f"(policy {policy})"
    )


def _contradiction(conflict: Conflict) -> str:
    name = conflict.buffer.name
    if conflict.reason == "annotation" and conflict.later is not None and isinstance(conflict.later.layout, Layout):
        return f"the layout of the shared buffer `{name}` must be injective, but {_shared(conflict.later.layout)}"
    if conflict.reason == "serial-index":
        loop = f" along `{conflict.loop.name}`" if conflict.loop is not None else ""
        return (
            f"`{name}` is a thread-distributed fragment, whose elements{loop} lie in other threads than the one that "
            "runs the serial loop; use T.reduce_sum and its relatives, or go through shared memory"
        )
    return f"no layout of {name} suits all of its uses ({conflict.reason})"


def _shared(layout: Layout) -> str:
    """The first two elements at one place."""
    first: dict[int, tuple[int, ...]] = {}
    for index, place in zip(product(*map(range, layout.shape)), layout.table(), strict=True):
        if place in first:
            where = tuple(one.at(dict(enumerate(index))) for one in layout.outputs)
            return f"elements {first[place]} and {index} both map to physical coordinates {where}"
        first[place] = index
    return "two elements both map to physical coordinates that are the same"
