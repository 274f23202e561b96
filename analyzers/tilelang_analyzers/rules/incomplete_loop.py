"""The number of iterations is rounded down, so the last elements of a tensor are left out.

## What it does
Reports loops over `K // tile` where `tile` does not divide `K`, if the loop index steps through a dimension of that
size and no access reaches its last elements.

## Why is this bad?
The last elements never enter the result. `T.ceildiv` adds an iteration for them; tile operations fill the part beyond
the edge with zeros.

## Example
```python
for k in T.Pipelined(K // 32, num_stages=2):  # K = 1000
    T.copy(A[by * 64, k * 32], a_tile)
```

## Use instead
```python
for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
    T.copy(A[by * 64, k * 32], a_tile)
```

## Fix safety
The fix writes `T.ceildiv`. It is unsafe: zeros may be wrong for what the loop computes, and element accesses of the
last iteration may need a condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang.ir.stmt import For
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._tails import round_up, tails
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds", severity=Severity.WARNING, fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if not isinstance(stmt, For) or stmt.kind == "thread":
            continue
        # One variable runs over `stop` or from `start` to `stop`; several have one extent each.
        order = stmt.vars if len(stmt.vars) > 1 else stmt.vars * 2
        for tail in tails(ctx, stmt.span, dict(enumerate(order))):
            edit = round_up(ctx, stmt.span, tail.floor)
            ctx.report(
                stmt.span,
                tail.message,
                notes=declarations(ctx, [tail.tensor]),
                fix=Fix("Round up with `T.ceildiv`", (Edit(*edit),)) if edit else None,
            )
