"""Pipeline stages that overlap nothing.

## What it does
Reports `T.Pipelined(..., num_stages=n)` with `n` above 1 on a target without asynchronous copies.

## Why is this bad?
Each stage keeps its own copy of the staged tiles in shared memory. Without `cp.async` or TMA the loads are not
overlapped with the computation, so the extra stages only cost shared memory, and with it occupancy.

## Example
```python
for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
```

## Use instead
A smaller `num_stages` for old targets, for example as a parameter of the factory.

## Targets
NVIDIA GPUs before sm_80 (V100, T4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import For
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="pipeline", severity=Severity.INFO)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    if ctx.target.family != "cuda" or ctx.target.has("cp_async"):
        return
    for stmt in ctx.walk():
        stages = const_int(stmt.attr("num_stages")) if isinstance(stmt, For) and stmt.kind == "pipelined" else None
        if stages is not None and stages > 1:
            ctx.report(
                stmt.span,
                f"num_stages={stages} keeps {stages} copies of the staged tiles but overlaps nothing",
                on="on {targets}, for want of an asynchronous copy",
                data={"stages": stages},
            )
