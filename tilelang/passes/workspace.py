"""Scratch shared memory that lowering a tile operation asks for.

On CUDA a reduction whose partners are more than a warp apart goes through shared memory, one element for each thread.
So does the end of a reducer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.stmt import Effect, Reduce, Stmt
from tilelang.passes.thread_map import REDUCED

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    if isinstance(stmt, Reduce) and stmt.dst.buffer.is_fragment:
        source, result = stmt.src.buffer, stmt.dst.buffer
        dim = stmt.dim % max(source.rank, 1)
    elif isinstance(stmt, Effect) and stmt.call.op == "finalize_reducer" and stmt.call.args:
        target = stmt.call.args[0]
        buffer = target.buffer if isinstance(target, Region) else target
        if not isinstance(buffer, Buffer):
            return ()
        source, result, dim = buffer, buffer, REDUCED
    else:
        return ()
    spread = maps.get(source)
    if spread is None:
        return ()
    batch = stmt.attr("batch", 1)
    elements = threads * (batch if isinstance(batch, int) else 1)
    return tuple(
        Workspace("workspace", elements, result.dtype, stmt.span) for digit in spread.along(dim) if digit.span > WARP
    )
