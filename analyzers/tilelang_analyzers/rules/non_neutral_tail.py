"""Zeros from beyond the end of a tensor enter a reduction for which 0 is not neutral.

## What it does
Copies and element reads bring 0 for what lies beyond the end of a tensor. Follows tiles with such a tail through
copies, elementwise loops and products, and reports a maximum, a minimum, a bitwise and, or a sum of exponentials over
the dimension with the tail. The message names the iteration that reads beyond the end. A condition, `T.if_then_else`
or a fill on the way counts as a mask.

## Why is this bad?
The result of the last tile is wrong where all real elements are negative (maximum) or positive (minimum), and a sum of
exponentials counts `exp(0)` for every element that does not exist.

## Example
```python
for k in T.serial(T.ceildiv(1000, 64)):
    T.copy(X[row, k * 64], tile)
    T.reduce_max(tile, top, dim=1, clear=False)
```

## Use instead
```python
for k in T.serial(T.ceildiv(1000, 64)):
    T.copy(X[row, k * 64], tile)
    for i, j in T.Parallel(1, 64):
        tile[i, j] = T.if_then_else(k * 64 + j < 1000, tile[i, j], -T.infinity("float32"))
    T.reduce_max(tile, top, dim=1, clear=False)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.ir.stmt import Reduce
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import launch_sites, point
from tilelang_analyzers.rules._text import number

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.passes.access.tails import TailedReduction
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds", severity=Severity.WARNING)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    if not any(isinstance(stmt, Reduce) for stmt in ctx.walk()):
        return
    from tilelang.passes.access.tails import tailed_reductions

    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for found in tailed_reductions(sites):
            if found.stmt.span not in seen:
                seen.add(found.stmt.span)
                _report(ctx, found)


def _report(ctx: InstanceContext, found: TailedReduction) -> None:
    tail, tile = found.tail, found.stmt.src.buffer.name
    tensor = tail.site.access.buffer.name
    beyond = tail.end - tail.size
    kind = "exponentials of zeros" if tail.raised else "zeros"
    at = f" at {point(tail.reach.point)}" if tail.reach.point else ""
    ctx.report(
        found.stmt.span,
        f"T.reduce_{found.stmt.op} of `{tile}` includes {number(beyond)} {kind} from beyond the end of `{tensor}`{at}",
        notes=[
            Note(
                f"dimension {tail.axis} of `{tensor}` has {number(tail.size)} elements, "
                f"this reads up to {number(tail.end)}",
                tail.site.access.span,
            ),
            Note("replace them with a neutral value first: T.if_then_else(..., tile[i, j], -T.infinity(dtype))"),
        ],
        data={"elements": beyond},
    )
