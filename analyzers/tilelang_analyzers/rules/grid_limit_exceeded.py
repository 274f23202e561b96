"""A grid dimension is above the target's limit, or empty.

## What it does
Compares each constant extent of `T.Kernel(x, y, z)` with the largest grid of the target.

## Why is this bad?
The launch fails. CUDA takes 2 147 483 647 blocks in x but only 65 535 in y and z. A grid with an extent of 0 cannot be
launched either.

## Example
```python
with T.Kernel(T.ceildiv(N, 128), rows, threads=128) as (bx, by):  # 100 000 rows
```

## Use instead
```python
with T.Kernel(rows, T.ceildiv(N, 128), threads=128) as (by, bx):
```

## Targets
Targets with a known limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import const_int
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import number

if TYPE_CHECKING:
    from tilelang.ir.stmt import Launch
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="budget")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        _check_launch(ctx, launch)


def _check_launch(ctx: TargetContext, launch: Launch) -> None:
    limits = ctx.target.launch.grid_dims or (None, None, None)
    for axis, extent, limit in zip("xyz", launch.grid, limits, strict=False):
        blocks = const_int(extent)
        if blocks is None:
            continue
        if blocks <= 0:
            ctx.report(launch.span, f"the grid has {blocks} blocks in {axis}", data={"need": blocks})
        elif limit is not None and blocks > limit:
            ctx.report(
                launch.span,
                f"the grid has {number(blocks)} blocks in {axis}, more than",
                on=f"the {number(limit)} of {{targets}}",
                data={"need": blocks, "have": limit},
            )
