"""A warp touches more of global memory than it uses.

## What it does
Evaluates accesses of global memory whose index names the threads for the 32 lanes of a warp, and counts the sectors of
32 bytes that they touch. Reports an access that touches at least twice as many as its bytes need.

## Why is this bad?
Memory moves whole sectors. The rest of each sector is paid for and thrown away.

## Example
```python
Y[tx, 0] = X[tx, 0]
```

## Use instead
```python
Y[0, tx] = X[0, tx]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
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
        if traffic.sectors < 2 * traffic.least or span in seen:
            continue
        seen.add(span)
        buffer = traffic.site.access.buffer
        ctx.report(
            span,
            f"a warp touches {traffic.sectors} sectors of `{buffer.name}` for data of {traffic.least}",
            notes=declarations(ctx, [buffer]),
            data={"need": traffic.sectors, "have": traffic.least},
        )
