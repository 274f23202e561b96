"""A serial loop writes out the elements of a fragment.

## What it does
Reports a store to shared or global memory, outside of `T.Parallel` loops, whose value comes from an element of a
fragment that a serial loop addresses.

## Why is this bad?
Serial code runs in every thread. If the store depends on the block or the thread, every thread needs the whole
fragment: it takes as many registers as it has elements, and each of the threads makes every store. If not, the elements
stay in different threads, and the compiler lets threads that do not have an element store one of theirs in its place.
Older compilers wrote wrong data in either case.

## Example
```python
tile = T.alloc_fragment((16, 16), "float32")
T.copy(X, tile)
for i in T.serial(16):
    for j in T.serial(16):
        Y[by * 16 + i, j] = tile[i, j]
```

## Use instead
```python
for i, j in T.Parallel(16, 16):
    Y[by * 16 + i, j] = tile[i, j]
```

## Targets
NVIDIA GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._replicated import stored_from_other_threads, written_out_serially
from tilelang_analyzers.rules._text import declared, number

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout", severity=Severity.WARNING)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        for buffer, store, layout in written_out_serially(ctx.plan(launch)):
            ctx.report(
                store.span,
                f"a serial loop writes out the fragment `{buffer.name}`: all {number(layout.replicate)} threads keep "
                f"its {number(layout.register_count)} elements and repeat every store",
                notes=[declared(ctx, buffer)],
                data={"registers": layout.register_count, "threads": layout.replicate},
            )
        for buffer, store in stored_from_other_threads(ctx.plan(launch)):
            ctx.report(
                store.span,
                f"a serial loop stores the elements of `{buffer.name}`, which lie in different threads: those that do "
                "not have an element store another one in its place",
                notes=[declared(ctx, buffer)],
            )
