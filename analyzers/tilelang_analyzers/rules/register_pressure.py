"""Fragments need more registers than a thread can have.

## What it does
Divides each fragment over the threads of the block, adds `T.alloc_local` arrays, and compares the registers that are
needed at the same time with the 255 that a thread can have. The finding is at the largest of the arrays.

## Why is this bad?
What does not fit is spilled to local memory, which is as slow as global memory.

## Example
```python
with T.Kernel(..., threads=128) as (bx, by):
    acc = T.alloc_fragment((256, 256), "float32")  # 512 registers a thread
```

## Use instead
```python
with T.Kernel(..., threads=256) as (bx, by):
    acc = T.alloc_fragment((128, 256), "float32")  # 128 registers a thread
```

## Targets
NVIDIA GPUs. The count is an estimate, made before the kernel is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._memory import excess
from tilelang_analyzers.rules._registers import peak
from tilelang_analyzers.rules._replicated import written_out_serially
from tilelang_analyzers.rules._text import number, plural
from tilelang_analyzers.rules.tensor_memory_overflow import exceeds_tensor_memory

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="budget", severity=Severity.WARNING)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    have = ctx.target.registers.per_thread
    if have is None or ctx.target.family != "cuda":
        return
    for launch in ctx.launches:
        plan = ctx.plan(launch)
        # A block that cannot be launched has no registers to worry about, and one of unknown size no share of them.
        # Of tiles that every thread holds whole, `serial-fragment-index` tells the reason.
        if (
            plan.resources.threads is None
            or excess(plan.memory, ctx.target.shared_memory.budget)
            or exceeds_tensor_memory(launch, ctx.target.tensor_memory_columns)
            or any(written_out_serially(plan))
        ):
            continue
        found = peak(launch, plan.registers)
        if found.registers <= have:
            continue
        largest = max(found.arrays, key=lambda entry: entry[1])[0]
        ctx.report(
            largest.span,
            f"tiles need {number(found.registers)} registers a thread, above the {have} that a thread can have",
            notes=[
                Note(f"`{buffer.name}` takes {plural(count, 'register')}", buffer.span)
                for buffer, count in found.arrays
            ],
            data={"need": found.registers, "have": have},
        )
