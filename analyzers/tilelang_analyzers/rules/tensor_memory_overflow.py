"""Tensor memory does not fit a block.

## What it does
Adds up the tensor memory of `T.alloc_tmem`: 128 rows (lanes) of 512 columns of 32 bits. Kernels that release buffers
with `T.deallocate_tmem` are checked buffer by buffer.

## Why is this bad?
The kernel does not compile, or stops when it allocates the memory.

## Example
```python
acc = T.alloc_tmem((128, 1024), "float32")
```

## Use instead
```python
acc = T.alloc_tmem((128, 512), "float32")
```

## Targets
NVIDIA GPUs with tensor memory: sm_100, sm_103, sm_110.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import Alloc, Effect
from tilelang.ir.visit import walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import number, shape

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Launch
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="budget")

ROWS = 128
COLUMN_BITS = 32


@RULE.check_target
def check(ctx: TargetContext) -> None:
    columns = ctx.target.tensor_memory_columns
    if columns is not None:
        for launch in ctx.launches:
            _check_launch(ctx, launch, columns)


def _check_launch(ctx: TargetContext, launch: Launch, have: int) -> None:
    needs = _needs(launch)
    for buffer, need in needs.items():
        rows = const_int(buffer.shape[0]) if buffer.rank == 2 else None
        if rows is not None and rows > ROWS:
            message = f"`{buffer.name}` has {number(rows)} rows of tensor memory, above {ROWS}"
            ctx.report(buffer.span, message, data={"need": rows, "have": ROWS})
            return
        if need > have:
            message = f"`{buffer.name}` needs {number(need)} columns of tensor memory, above"
            ctx.report(buffer.span, message, on=_limit(have), data={"need": need, "have": have})
            return
    total = sum(needs.values())
    if total > have and not _releases(launch):
        largest = max(needs, key=lambda buffer: needs[buffer])
        ctx.report(
            largest.span,
            f"tensor memory of {number(total)} columns exceeds",
            on=_limit(have),
            notes=[
                Note(f"`{buffer.name}` {shape(ctx, buffer.shape)} takes {number(need)} columns", buffer.span)
                for buffer, need in needs.items()
            ],
            data={"need": total, "have": have},
        )


def exceeds_tensor_memory(launch: Launch, have: int | None) -> bool:
    """Whether the tensor memory of a launch certainly does not fit."""
    return have is not None and not _releases(launch) and sum(_needs(launch).values()) > have


def _needs(launch: Launch) -> dict[Buffer, int]:
    """The columns of each buffer in tensor memory."""
    allocations = (stmt for stmt in walk(launch.body) if isinstance(stmt, Alloc))
    return {stmt.buffer: _columns(stmt.buffer) for stmt in allocations if stmt.buffer.scope == "shared.tmem"}


def _columns(buffer: Buffer) -> int:
    """The columns that a buffer takes at least, if all 128 rows of each are used; 0 if its size is not known."""
    bytes_ = buffer.nbytes()
    return 0 if bytes_ is None else -(-bytes_ * 8 // (ROWS * COLUMN_BITS))


def _limit(have: int) -> str:
    return f"the {number(have)} of a block on {{targets}}"


def _releases(launch: Launch) -> bool:
    return any(isinstance(stmt, Effect) and stmt.call.op == "deallocate_tmem" for stmt in walk(launch.body))
