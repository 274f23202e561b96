"""Only one block fits a multiprocessor at a time.

## What it does
Works out how many blocks a multiprocessor holds, from threads, shared memory and the estimated registers, and names the
resource that allows no second one.

## Why is this bad?
It need not be: large pipelined products run well with one block. But then nothing else hides the latency of memory, so
kernels that are limited by it are faster with more blocks.

## Example
```python
tile = T.alloc_shared((256, 128), "float32")  # 128 KiB of the 164 KiB of an A100
```

## Use instead
```python
tile = T.alloc_shared((128, 128), "float32")
```

## Targets
NVIDIA GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import listed

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="budget", severity=Severity.OFF)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        found = ctx.plan(launch).resources.occupancy
        if found is not None and found.blocks == 1:
            ctx.report(
                launch.span,
                f"one block a multiprocessor, limited by {listed(found.limiters)}",
                on="on {targets}",
                data={"blocks": found.blocks, "warps": found.warps},
            )
