"""`T.reshape` or `T.view` changes the number of bits.

## What it does
Compares the size of a buffer with the size of the view that `T.reshape(buffer, shape)` or
`T.view(buffer, shape, dtype)` makes of it.

## Why is this bad?
A view names the same memory, so it cannot be larger or smaller. The kernel does not compile.

## Example
```python
tile = T.alloc_shared((64, 32), "float16")
flat = T.reshape(tile, (1024,))
```

## Use instead
```python
flat = T.reshape(tile, (2048,))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import Effect
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._dims import covers
from tilelang_analyzers.rules._text import declarations, number, shape

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if not isinstance(stmt, Effect) or stmt.call.op not in ("reshape", "view"):
            continue
        view = dict(stmt.call.attrs).get("view")
        if isinstance(view, Buffer) and view.source is not None and not covers(view, view.source):
            ctx.report(
                stmt.span,
                f"T.{stmt.call.op}: {_described(ctx, view)} does not cover {_described(ctx, view.source)}",
                notes=declarations(ctx, [view.source]),
            )


def _described(ctx: InstanceContext, buffer: Buffer) -> str:
    count = buffer.element_count()
    size = f" of {number(count * buffer.dtype.total_bits)} bits" if count is not None else ""
    return f"{shape(ctx, tuple(const_int(dim) or dim for dim in buffer.shape))} {buffer.dtype}{size}"
