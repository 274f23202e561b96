"""`T.gemm` adds to an accumulator that nothing has cleared.

## What it does
Reports a `T.gemm` whose accumulator nothing has written before: no `T.clear`, `T.fill`, `T.copy`, assignment or other
operation, under whatever condition. `clear_accum=True`, or a condition in its place, counts as clearing.

## Why is this bad?
`T.gemm` computes `C += A @ B`. The result then contains what the registers held before: NaN on one GPU, right by luck
on another.

## Example
```python
acc = T.alloc_fragment((64, 64), "float32")
for k in T.Pipelined(K // 32):
    ...
    T.gemm(a, b, acc)
```

## Use instead
```python
acc = T.alloc_fragment((64, 64), "float32")
T.clear(acc)
for k in T.Pipelined(K // 32):
    ...
    T.gemm(a, b, acc)
```

## Fix safety
The fix adds `T.clear` after the allocation. It is unsafe: inside an outer loop the accumulator may have to be cleared
again for every tile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note
from tilelang.ir.span import Span
from tilelang.ir.stmt import Gemm
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._initialisation import stale_reads

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="initialisation", fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for read in ctx.shared(stale_reads):
        if read.accumulates and isinstance(read.stmt, Gemm):
            buffer = read.access.buffer.root
            ctx.report(
                read.stmt.span,
                f"T.{read.stmt.op} adds to `{buffer.name}`, which nothing has cleared",
                notes=[
                    Note(f"`{buffer.name}` is allocated here", buffer.span),
                    Note(f"write T.clear({buffer.name}) before the first T.{read.stmt.op}, or clear_accum=True"),
                ],
                fix=_clear(ctx, buffer),
            )


def _clear(ctx: InstanceContext, buffer: Buffer) -> Fix | None:
    """A line with ``T.clear`` below the allocation, if that is an assignment on lines of its own."""
    place = buffer.span
    call = ctx.snippet(place)
    module = call.partition(".alloc_")[0]
    if place.line == 0 or not module.isidentifier():
        return None
    before = ctx.snippet(Span(place.path, place.line, 0, place.line, place.col))
    after = ctx.snippet(Span(place.path, place.end_line, place.end_col, place.end_line + 1, 0))
    indent = before[: len(before) - len(before.lstrip())]
    if before.strip() != f"{buffer.name} =" or not (after.strip() + "#").startswith("#"):
        return None
    column = place.end_col + len(after.rstrip("\r\n").encode())
    end = Span(place.path, place.end_line, column, place.end_line, column)
    return Fix(f"Clear `{buffer.name}` after its allocation", (Edit(end, f"\n{indent}{module}.clear({buffer.name})"),))
