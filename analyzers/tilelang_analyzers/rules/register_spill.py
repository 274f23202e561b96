"""The compiled kernel keeps registers in memory.

## What it does
With `--compile`, reads from the assembler how many bytes a thread spills, and finds the line whose machine code uses
the spilled values most.

## Why is this bad?
A spilled value is stored to local memory and read back, which is as slow as global memory where the cache misses.
Arrays that are indexed by values known only at run time are in local memory as well; they are not counted.

## Example
```python
with T.Kernel(..., threads=128) as (bx, by):
    acc = T.alloc_fragment((256, 256), "float32")  # 512 registers a thread
```

## Use instead
Smaller tiles, more threads, or fewer tiles at the same time.

## Targets
NVIDIA GPUs from sm_70 on. The figures are the assembler's, so they hold for the compiler of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import number, plural

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="compile", severity=Severity.WARNING)
MAX_NOTES = 3


@RULE.check_target
def check(ctx: TargetContext) -> None:
    compiled = ctx.compiled
    if compiled is None:
        return
    for launch, result in zip(ctx.launches, compiled.results, strict=False):
        stores, loads = result.spill_stores or 0, result.spill_loads or 0
        if not stores and not loads:
            continue
        lines = compiled.spilled_lines()
        here = lines[0][0] if lines else launch.span
        ctx.report(
            here,
            f"a thread stores {number(stores)} B of registers to memory and reads {number(loads)} B back",
            on=f"with {result.registers} registers on {{targets}}",
            notes=[
                Note(f"{plural(count, 'instruction')} on local memory here", span) for span, count in lines[:MAX_NOTES]
            ],
            data={
                "need": stores,
                "spill_stores": stores,
                "spill_loads": loads,
                "registers": result.registers,
                "threads": ctx.plan(launch).resources.threads,
            },
        )
