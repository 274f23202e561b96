"""A `T.gemm` is computed in scalar code.

## What it does
Reports products for which the compiler does not use the tensor cores of the target, and says why.

## Why is this bad?
Each thread multiplies single elements. That is correct, but many times slower than the matrix instructions.

## Example
```python
a = T.alloc_shared((64, 32), "bfloat16")
b = T.alloc_shared((32, 64), "bfloat16")
T.gemm(a, b, acc)  # for a T4, whose tensor cores do not know bfloat16
```

## Use instead
```python
a = T.alloc_shared((64, 32), "float16")
b = T.alloc_shared((32, 64), "float16")
T.gemm(a, b, acc)
```

## Targets
sm_70, whose tensor cores know float16 only, and sm_75, which knows float16 and 4- and 8-bit integers. Later GPUs have
no scalar code for `T.gemm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import GemmPlan, gemm_plans
from tilelang_analyzers.rules._text import declarations_with_dtype

if TYPE_CHECKING:
    from tilelang.targets import Target
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype", severity=Severity.WARNING)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for plan in gemm_plans(ctx):
        if plan.instruction == "scalar" and plan.verdict != "mixed":
            gemm = plan.gemm
            ctx.report(
                gemm.span,
                f"T.{gemm.op} is computed in scalar code: {_reason(plan, ctx.target)}",
                on="on {targets}",
                notes=declarations_with_dtype(gemm.a.buffer, gemm.b.buffer, gemm.c.buffer),
            )


def _reason(plan: GemmPlan, target: Target) -> str:
    a, b, c = plan.dtypes
    if not any(found.unit == "mma" for found in target.matrix_instructions(a, b, c)):
        return f"no matrix instruction multiplies {a} by {b} into {c}"
    if plan.gemm.trans_a:
        return "its instruction does not take a transposed A"
    if not plan.gemm.b.buffer.is_shared:
        return "its instruction takes B from shared memory only"
    tile = plan.tile
    return f"M {tile.m} and N {tile.n} must be multiples of 16, and K {tile.k} of 4"
