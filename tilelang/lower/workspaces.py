"""Tensors that kernels have for themselves in global memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.program import Program


def workspaces_of(program: Program) -> tuple[Buffer, ...]:
    """Tensors that a program allocates in global memory for itself."""
    allocated = (stmt.buffer for stmt in walk(program.body) if isinstance(stmt, Alloc) and stmt.buffer.is_global)
    return tuple(buffer for buffer in allocated if not any(buffer is param for param in program.params))
