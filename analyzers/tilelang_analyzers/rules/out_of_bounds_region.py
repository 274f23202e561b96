"""A tile operation names a box that lies outside its buffer.

## What it does
Compares the box of `T.fill`, `T.gemm`, reductions and atomics with the shape of the buffer, as far as start and extent
are known. Copies are clipped at the edge of a tensor, which is how edge tiles work, so there only these are reported: a
written slice that ends outside of on-chip memory, a box that begins outside, and a single index outside.

## Why is this bad?
The operation reads or writes memory of something else, or silently does nothing.

## Example
```python
buf = T.alloc_shared((8,), "int32")
T.fill(buf[6:12], 7)
```

## Use instead
```python
T.fill(buf[6:8], 7)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import UNBOUNDED, Interval
from tilelang.ir.arith.interval import interval_of
from tilelang.ir.buffer import Region
from tilelang.ir.expr import Slice, const_int
from tilelang.ir.stmt import Atomic, Copy, Fill, For, Gemm, If, Launch, Reduce, Scan
from tilelang.ir.visit import variables, walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._text import declarations, number, shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    ranges = ctx.shared(index_ranges)
    guards = ctx.shared(_guards)
    for stmt in ctx.walk():
        for region in _regions(stmt):
            if guards.get(id(stmt), frozenset()) & {id(var) for start in region.mins for var in variables(start)}:
                # A condition on the same index may keep it inside, or keep the statement from running at all.
                continue
            for axis in range(region.buffer.rank):
                trouble = _outside(stmt, region, axis, ranges)
                if trouble:
                    ctx.report(
                        region.span,
                        f"`{ctx.snippet(region.span) or region.buffer.name}` {trouble} in dimension {axis} of "
                        f"`{region.buffer.name}` {shape(ctx, region.buffer.shape)}",
                        notes=declarations(ctx, [region.buffer]),
                    )
                    break


def _guards(ctx: InstanceContext) -> dict[int, frozenset[int]]:
    """The variables of the run-time conditions around each statement that is under one, by identity."""
    found: dict[int, frozenset[int]] = {}
    for stmt in ctx.walk():
        if isinstance(stmt, If):
            tested = frozenset(id(var) for var in variables(stmt.cond))
            for inner in walk((*stmt.then, *stmt.orelse)):
                found[id(inner)] = found.get(id(inner), frozenset()) | tested
    return found


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


def _regions(stmt: Stmt) -> Iterator[Region]:
    if isinstance(stmt, (Copy, Reduce, Scan)):
        parts: tuple[object, ...] = (stmt.src, stmt.dst)
    elif isinstance(stmt, Gemm):
        parts = (stmt.a, stmt.b, stmt.c)
    elif isinstance(stmt, (Fill, Atomic)):
        parts = (stmt.dst,)
    else:
        return
    for part in parts:
        if isinstance(part, Region) and part.indices is not None and part.is_resolved and not dims.is_stepped(part):
            yield part


def _outside(stmt: Stmt, region: Region, axis: int, ranges: dict[Var, Interval]) -> str:
    """What is wrong with one dimension of a box, in every iteration and block; empty if nothing certainly is."""
    assert region.indices is not None
    assert region.extents is not None
    start = interval_of(region.mins[axis], ranges)
    extent, limit = const_int(region.extents[axis]), const_int(region.buffer.shape[axis])
    is_slice = isinstance(region.indices[axis], Slice)
    if limit is None or start.lo is None:
        return ""
    if start.lo >= limit:
        return f"begins at {number(start.lo)}, past the end"
    if extent is None or start.lo + extent <= limit:
        return ""
    clipped = isinstance(stmt, Copy) and (region.buffer.is_global or not is_slice)
    return "" if clipped else f"ends at {number(start.lo + extent)}"
