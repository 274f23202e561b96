"""The lanes of a warp want different words of one bank of shared memory.

## What it does
Evaluates accesses of shared memory whose index names the threads for the 32 lanes of a warp, with the rows of the
buffer one after another. Reports how many words one bank has to give. Tiles that `T.copy`, `T.gemm` and other tile
operations use are left out: the compiler lays them out.

## Why is this bad?
A bank gives one word at a time, so an access with an n-way conflict takes n times as long.

## Example
```python
tile = T.alloc_shared((32, 32), "float32")
Y[tx] = tile[tx, 0]
```

## Use instead
```python
tile = T.alloc_shared((32, 33), "float32")
Y[tx] = tile[tx, 0]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import thread_traffic
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="layout", severity=Severity.INFO)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[Span] = set()
    for traffic in ctx.shared(thread_traffic):
        span = traffic.site.access.span
        if traffic.conflict < 2 or span in seen:
            continue
        seen.add(span)
        buffer = traffic.site.access.buffer
        ctx.report(
            span,
            f"{traffic.conflict}-way bank conflict: the lanes of a warp want {traffic.conflict} words of one bank "
            f"of `{buffer.name}`",
            notes=[*declarations(ctx, [buffer]), Note("pad the rows by one element, or swizzle them")],
            data={"ways": traffic.conflict},
        )
