"""A buffer is allocated but never read.

## What it does
Reports shared memory, fragments and local arrays that no statement reads. Accumulating into a buffer counts as a read.

## Why is this bad?
The memory is wasted, and shared memory counts against the budget of the block. Often a later statement uses the wrong
buffer.

## Example
```python
b_tile = T.alloc_shared((32, 64), "float16")
T.copy(B[k * 32, 0], b_tile)
T.gemm(a_tile, a_tile, acc)
```

## Use instead
```python
T.gemm(a_tile, b_tile, acc)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.stmt import Alloc
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._uses import uses

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="language", severity=Severity.INFO)

_DATA_SCOPES = ("shared", "shared.dyn", "shared.tmem", "local.fragment", "local", "local.var")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    if not ctx.program.complete:
        return
    read: set[Buffer] = set()
    written: set[Buffer] = set()
    for found in ctx.shared(uses).values():
        for access in found:
            (read if access.reads else written).add(access.buffer.root)
    for stmt in ctx.walk():
        if isinstance(stmt, Alloc) and stmt.buffer.scope in _DATA_SCOPES and stmt.buffer not in read:
            buffer = stmt.buffer
            ctx.report(stmt.span, f"`{buffer.name}` is {'written but ' if buffer in written else ''}never read")
