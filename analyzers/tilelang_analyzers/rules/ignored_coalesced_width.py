"""A `coalesced_width` that cannot apply.

## What it does
Works out how many neighbouring elements one thread can move at a time, from the shapes, the types and the alignment,
and compares the hint with it.

## Why is this bad?
The hint has no effect. The compiler up to 0.1.13 stopped at it.

## Example
```python
buf = T.alloc_shared((128, 3), "float32")
T.copy(X[0:128, 0:3], buf, coalesced_width=2)  # rows of 3 elements: one at a time
```

## Use instead
```python
T.copy(X[0:128, 0:3], buf)
```

## Targets
NVIDIA GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import plural

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout", severity=Severity.INFO)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        for hint in ctx.plan(launch).layouts.ignored:
            ctx.report(
                hint.stmt.span,
                f"coalesced_width={hint.asked} has no effect: one thread moves "
                f"{plural(hint.possible, 'element')} at a time here",
                data={"asked": hint.asked, "possible": hint.possible},
            )
