"""The K tile of a `T.gemm` is not a multiple of the instruction's K.

## What it does
Compares the inner extent of the tiles with the K extent of the matrix instruction: 16 for 16-bit types, 32 for 8-bit
ones, 8 for float32 (TF32), 4 for float64, 64 for 4-bit integers. sm_75 has smaller instructions: 8 for float16, 16 for
8-bit and 32 for 4-bit integers.

## Why is this bad?
The kernel does not compile; older releases left out the rest of the tile without a word.

## Example
```python
a = T.alloc_shared((64, 24), "float16")
b = T.alloc_shared((24, 64), "float16")
T.gemm(a, b, acc)
```

## Use instead
```python
a = T.alloc_shared((64, 32), "float16")
b = T.alloc_shared((32, 64), "float16")
T.gemm(a, b, acc)
```

## Targets
The step depends on the generation of the GPU, so a tile may fit one target and not another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import GemmPlan, gemm_plans, k_step
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from tilelang.targets import Target
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for plan in gemm_plans(ctx):
        k = plan.tile.k
        if plan.instruction != "mma" or plan.verdict != "fine" or k is None or ctx.target.compute_capability is None:
            continue
        dtype = plan.dtypes[0]
        step = k_step(dtype, ctx.target)
        if ctx.target.compute_capability < (7, 5) or k % step == 0 or _has_instruction(plan, k, ctx.target):
            continue
        gemm = plan.gemm
        ctx.report(
            gemm.span,
            f"T.{gemm.op}: the K tile of {k} is not a multiple of {step},",
            on=f"the K of the {dtype} instruction on {{targets}}",
            notes=declarations(ctx, [gemm.a.buffer, gemm.b.buffer]),
            data={"k": k, "step": step},
        )


def _has_instruction(plan: GemmPlan, k: int, target: Target) -> bool:
    """Whether a smaller instruction takes the whole K tile at once."""
    found = target.matrix_instructions(*plan.dtypes)
    return any(instruction.unit == "mma" and instruction.k == k for instruction in found)
