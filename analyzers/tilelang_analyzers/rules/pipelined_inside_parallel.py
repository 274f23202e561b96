"""A loop nest that the language forbids: tile operations or loops of their own inside `T.Parallel`.

## What it does
Inside a `T.Parallel` loop it reports tile operations (`T.copy`, `T.gemm`, `T.fill`, `T.reduce_*`, ...), `T.Pipelined`
loops, and further `T.Parallel` loops. `T.Parallel` loops may nest only perfectly, with nothing but the inner loop in
the outer one. `T.serial` loops, and a `T.copy` of one element to another, are fine anywhere.

## Why is this bad?
The iterations of `T.Parallel` are spread over the threads of the block, and a tile operation needs all of them. The
kernel does not compile.

## Example
```python
for i in T.Parallel(64):
    T.copy(A[i, 0], tile)
```

## Use instead
```python
for i in T.serial(64):
    T.copy(A[i, 0], tile)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.buffer import Region
from tilelang.ir.stmt import Atomic, Copy, Effect, Fill, For, Gemm, Reduce, Scan
from tilelang.ir.visit import children
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._dims import is_start

if TYPE_CHECKING:
    from tilelang.ir.stmt import Block, Stmt
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="pipeline")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    _check_block(ctx, ctx.program.body, None)


def _check_block(ctx: InstanceContext, block: Block, parallel: For | None) -> None:
    """``parallel`` is the ``T.Parallel`` loop around ``block``, if any."""
    for stmt in block:
        trouble = _forbidden(stmt) if parallel is not None else None
        if parallel is not None and trouble is not None:
            ctx.report(
                stmt.span,
                f"{trouble} cannot stand inside T.Parallel",
                notes=[Note("the T.Parallel loop starts here", parallel.span)],
            )
            continue
        inner = parallel
        if isinstance(stmt, For) and stmt.kind == "parallel" and not _nests_perfectly(stmt):
            inner = stmt
        for body in children(stmt):
            _check_block(ctx, body, inner)


def _nests_perfectly(loop: For) -> bool:
    """Whether a T.Parallel loop has another one as its whole body; the two are one loop then."""
    return len(loop.body) == 1 and isinstance(loop.body[0], For) and loop.body[0].kind == "parallel"


def _forbidden(stmt: Stmt) -> str | None:
    """What a statement is, if it may not stand inside T.Parallel."""
    if isinstance(stmt, For):
        return {"parallel": "another T.Parallel loop", "pipelined": "a T.Pipelined loop"}.get(stmt.kind)
    if isinstance(stmt, Copy):
        moves_element = stmt.op in ("copy", "async_copy") and is_start(stmt.src) and is_start(stmt.dst)
        return None if moves_element else f"T.{stmt.op}"
    if isinstance(stmt, Gemm):
        return f"T.{stmt.op}"
    if isinstance(stmt, Fill):
        return "T.fill"
    if isinstance(stmt, Reduce):
        return f"T.reduce_{stmt.op}"
    if isinstance(stmt, Scan):
        return f"T.{stmt.op}"
    if isinstance(stmt, Effect) and stmt.call.op in ("reducer_init", "finalize_reducer"):
        return f"T.{stmt.call.op}"
    if isinstance(stmt, Atomic) and isinstance(stmt.dst, Region) and not is_start(stmt.dst):
        return f"T.atomic_{stmt.op} on a tile"
    return None
