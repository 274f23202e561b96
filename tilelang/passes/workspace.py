"""Scratch shared memory that lowering a tile operation asks for.

On CUDA a reduction whose partners are more than a warp apart goes through shared memory, one element for each thread.
So does the end of a reducer. A gemm without tensor cores puts operands that lie in fragments where all threads read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.stmt import Effect, Gemm, Reduce, Stmt
from tilelang.ir.visit import walk
from tilelang.passes.thread_map import REDUCED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.dtype import DType
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.thread_map import ThreadMap
    from tilelang.passes.warp_partition import WarpPartition

WARP = 32


class Workspace:
    """``elements`` of ``dtype`` for one lowered statement. Compared by identity."""

    __slots__ = ("dtype", "elements", "name", "purpose", "span")

    def __init__(self, name: str, elements: int, dtype: DType, span: Span, purpose: str) -> None:
        self.name = name
        self.elements = elements
        self.dtype = dtype
        self.span = span
        self.purpose = purpose


class _Combining(NamedTuple):
    """A statement that combines values of threads: where they lie, along which dimension, and the type."""

    source: Buffer
    dim: int
    dtype: DType


def workspaces_of(
    stmt: Stmt, maps: Mapping[Buffer, ThreadMap], threads: int, split: WarpPartition | None = None
) -> tuple[Workspace, ...]:
    """What lowering this one statement asks for, new each time. ``split``: how the warps divide it, if it is a gemm."""
    if isinstance(stmt, Gemm):
        return _staged_operands(stmt) if split is not None and split.instruction == "scalar" else ()
    combining = _combining(stmt)
    spread = None if combining is None else maps.get(combining.source)
    if combining is None or spread is None:
        return ()
    batch = _option(stmt, "batch")
    elements = threads * (batch if isinstance(batch, int) else 1)
    return tuple(
        Workspace("workspace", elements, combining.dtype, stmt.span, "a reduction across warps")
        for digit in spread.along(combining.dim)
        if digit.span > WARP
    )


def _staged_operands(gemm: Gemm) -> tuple[Workspace, ...]:
    staged: list[Workspace] = []
    for name, region in (("A_stage", gemm.a), ("B_stage", gemm.b)):
        extents = region.extents if region.extents is not None else region.buffer.shape
        rows, columns = (try_const(extent) for extent in (extents[-2:] if len(extents) > 1 else (None, None)))
        if region.buffer.is_fragment and rows is not None and columns is not None:
            staged.append(Workspace(name, rows * columns, region.buffer.dtype, gemm.span, "an operand in fragments"))
    return tuple(staged)


def all_settled(launch: Launch, layouts: LayoutMap, maps: Mapping[Buffer, ThreadMap], threads: int) -> bool:
    """Whether it is known for every reduction how its source is spread."""
    combining = [found for stmt in walk(launch.body) if (found := _combining(stmt)) is not None]
    known = all(each.source in maps and each.source not in layouts.unknown for each in combining)
    return threads <= WARP or not combining or known


def _combining(stmt: Stmt) -> _Combining | None:
    if isinstance(stmt, Reduce) and stmt.src.buffer.is_fragment and stmt.dst.buffer.is_fragment:
        source = stmt.src.buffer
        return _Combining(source, stmt.dim % max(source.rank, 1), stmt.dst.buffer.dtype)
    if isinstance(stmt, Effect) and stmt.call.op == "finalize_reducer" and stmt.call.args:
        target = stmt.call.args[0]
        buffer = target.buffer if isinstance(target, Region) else target
        if isinstance(buffer, Buffer):
            return _Combining(buffer, REDUCED, buffer.dtype)
    return None


def _option(stmt: Stmt, name: str) -> object:
    """An option of an operation; one that is a call keeps them in the call."""
    return dict(stmt.call.attrs).get(name) if isinstance(stmt, Effect) else stmt.attr(name)
