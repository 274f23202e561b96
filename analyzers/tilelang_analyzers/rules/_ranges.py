"""The ranges of the indices of an instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import UNBOUNDED, Interval
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import For, Launch

if TYPE_CHECKING:
    from tilelang.ir.expr import Var
    from tilelang_analyzers.rule import InstanceContext


def index_ranges(ctx: InstanceContext) -> dict[Var, Interval]:
    """The ranges of all loop, block and thread indices whose extents are constants."""
    found: dict[Var, Interval] = {}
    for stmt in ctx.walk():
        if isinstance(stmt, Launch):
            extents = ((*stmt.block_vars, *stmt.thread_vars), (*stmt.grid, *stmt.threads), (0,) * 6)
        elif isinstance(stmt, For):
            extents = (stmt.vars, stmt.extents, stmt.starts)
        else:
            continue
        for var, extent, start in zip(*extents, strict=False):
            count, first = const_int(extent), const_int(start)
            if count is not None and first is not None and count > 0:
                step = const_int(stmt.step) if isinstance(stmt, For) else 1
                found[var] = Interval(first, first + count - 1) if step == 1 else UNBOUNDED
    return found
