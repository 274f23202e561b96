"""A reduction over a number of threads that is no power of two.

## What it does
Infers how the source of a reduction is spread over the threads and counts those that hold parts of one result.

## Why is this bad?
Threads combine their parts in rounds, each with a partner at half the distance, so their number must be a power of two.
The kernel does not compile.

## Example
```python
with T.Kernel(1, threads=96):
    row = T.alloc_fragment((96,), "float32")
    total = T.alloc_fragment((1,), "float32")
    T.copy(X, row)
    T.reduce_sum(row, total)  # 96 threads hold one element each
```

## Use instead
```python
with T.Kernel(1, threads=32):  # 32 threads hold three elements each
```

## Targets
NVIDIA GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.ir.layout import Fragment, Input
from tilelang.ir.stmt import Reduce
from tilelang.ir.visit import walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import declared

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout", severity=Severity.WARNING)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        plan = ctx.plan(launch)
        for stmt in walk(plan.opened.body):
            if not isinstance(stmt, Reduce) or not stmt.dst.buffer.is_fragment:
                continue
            layout = plan.layouts.layout(stmt.src.buffer)
            if not isinstance(layout, Fragment):
                continue
            count = uneven_partners(layout, stmt.dim % max(len(layout.shape), 1))
            if count is None:
                continue
            claim = plan.layouts.claims[stmt.src.buffer]
            places = [] if claim.stmt is None else [Note("it is spread like this because of this", claim.stmt.span)]
            ctx.report(
                stmt.span,
                f"T.reduce_{stmt.op} combines the parts of {count} threads, which is no power of two",
                notes=[*places, declared(ctx, stmt.src.buffer)],
                data={"threads": count},
            )


def uneven_partners(layout: Fragment, dim: int) -> int | None:
    """The number of threads that share one result along ``dim``, if it is no power of two."""
    for source, _, extent, _ in layout.thread.digits:
        if isinstance(source, Input) and source.key == dim and extent & (extent - 1):
            return extent
    return None
