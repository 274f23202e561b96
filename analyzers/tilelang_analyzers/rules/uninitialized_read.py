"""On-chip memory is read before anything writes it.

## What it does
Reports the first read of a buffer in shared memory, tensor memory or registers that nothing has written before, neither
a copy, a fill, an assignment, an atomic, nor an operation whose effect is not known. In memory that threads share, a
write anywhere in the kernel counts. `T.reduce_*(..., clear=False)` reads its destination.

## Why is this bad?
The value is whatever the memory last held.

## Example
```python
tile = T.alloc_shared((64, 64), "float16")
T.copy(tile, C[0, 0])
```

## Use instead
```python
tile = T.alloc_shared((64, 64), "float16")
T.copy(A[0, 0], tile)
T.copy(tile, C[0, 0])
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._initialisation import stale_reads

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="initialisation", severity=Severity.WARNING)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for read in ctx.shared(stale_reads):
        if not read.accumulates:
            buffer = read.access.buffer.root
            ctx.report(
                read.stmt.span,
                f"`{buffer.name}` is read before anything writes it",
                notes=[Note(f"`{buffer.name}` is allocated here", buffer.span)],
            )
