"""The grid is rounded down, so the last elements of a tensor have no block.

## What it does
Reports extents of `T.Kernel` that are written `N // tile` where `tile` does not divide `N`, if the block index steps
through a dimension of that size and no access reaches its last elements.

## Why is this bad?
The last rows or columns are never computed. `T.ceildiv` adds a block for them; tile operations clip it at the edge of
the tensor.

## Example
```python
with T.Kernel(N // 128, threads=128) as bx:  # N = 1000
    T.copy(A[bx * 128], tile)
```

## Use instead
```python
with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
    T.copy(A[bx * 128], tile)
```

## Fix safety
The fix writes `T.ceildiv`. It is unsafe: element accesses of the last block may need a condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._tails import round_up, tails
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds", severity=Severity.WARNING, fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for launch in ctx.launches:
        found = list(tails(ctx, launch.span, dict(enumerate(launch.block_vars))))
        if found:
            edits = [edit for tail in found if (edit := round_up(ctx, launch.span, tail.floor))]
            ctx.report(
                launch.span,
                "; ".join(tail.message for tail in found),
                notes=declarations(ctx, [tail.tensor for tail in found]),
                fix=Fix("Round up with `T.ceildiv`", tuple(Edit(*edit) for edit in edits)) if edits else None,
            )
