"""Scratch shared memory that lowering a tile operation asks for.

On CUDA a reduction whose partners are more than a warp apart goes through shared memory, one element for each thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.stmt import Reduce, Stmt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.dtype import DType
    from tilelang.ir.span import Span
    from tilelang.passes.thread_map import ThreadMap

WARP = 32


class Workspace:
    """``elements`` of ``dtype`` for one lowered statement. Compared by identity."""

    __slots__ = ("dtype", "elements", "name", "span")

    def __init__(self, name: str, elements: int, dtype: DType, span: Span) -> None:
        self.name = name
        self.elements = elements
        self.dtype = dtype
        self.span = span


def workspaces_of(stmt: Stmt, maps: Mapping[Buffer, ThreadMap], threads: int) -> tuple[Workspace, ...]:
    """What lowering this one statement asks for, new each time."""
    if not isinstance(stmt, Reduce):
        return ()
    source = maps.get(stmt.src.buffer)
    if source is None or not stmt.dst.buffer.is_fragment:
        return ()
    batch = stmt.attr("batch", 1)
    elements = threads * (batch if isinstance(batch, int) else 1)
    dim = stmt.dim % max(stmt.src.buffer.rank, 1)
    return tuple(
        Workspace("workspace", elements, stmt.dst.buffer.dtype, stmt.span)
        for digit in source.along(dim)
        if digit.span > WARP
    )
