"""The K tile of a `T.gemm` is not a multiple of the instruction's K.

## What it does
Compares the inner extent of the tiles with the K extent of the matrix instruction: 16 for 16-bit types, 32 for 8-bit
ones, 8 for float32 (TF32), 4 for float64, 64 for 4-bit integers. sm_75 has smaller instructions: 8 for float16, 16 for
8-bit and 32 for 4-bit integers. On AMD's CDNA it is 16 for 16-bit types, 32 for 8-bit ones and 4 for float32, on RDNA
16, on Apple GPUs 8.

## Why is this bad?
The kernel does not compile. Older releases, and those for Apple GPUs, leave out the rest of the tile without a word.

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

from tilelang.passes.warp_partition import partition
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import GemmPlan, gemm_plans, gemm_uses, k_step
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from tilelang.ir.stmt import Gemm
    from tilelang.targets import Target
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype")

SHALLOWEST = 8
"""The compiler has no instruction with a smaller K for types below 64 bits, though sm_80 has one for TF32."""
ASSUMED_THREADS = 256
"""The K of an instruction does not depend on the block; this is for blocks whose size is not known."""


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for plan in gemm_plans(ctx):
        k = plan.tile.k
        if plan.instruction != "mma" or plan.verdict != "fine" or k is None or ctx.target.compute_capability is None:
            continue
        step = k_step(plan.dtypes[0], ctx.target)
        if ctx.target.compute_capability >= (7, 5) and k % step and not _has_instruction(plan, k, ctx.target):
            _report(ctx, plan.gemm, k, step)
    if ctx.target.family not in ("rocm", "metal"):
        return
    for use in ctx.shared(gemm_uses):
        split = partition(use.gemm, use.threads or ASSUMED_THREADS, ctx.target)
        if split is not None and split.tile.k is not None and split.tile.k % split.depth:
            _report(ctx, use.gemm, split.tile.k, split.depth)


def _report(ctx: TargetContext, gemm: Gemm, k: int, step: int) -> None:
    ctx.report(
        gemm.span,
        f"T.{gemm.op}: the K tile of {k} is not a multiple of {step},",
        on=f"the K of the {gemm.a.buffer.dtype} instruction on {{targets}}",
        notes=declarations(ctx, [gemm.a.buffer, gemm.b.buffer]),
        data={"k": k, "step": step},
    )


def _has_instruction(plan: GemmPlan, k: int, target: Target) -> bool:
    """Whether the compiler has a smaller instruction that takes the whole K tile at once."""
    found = target.matrix_instructions(*plan.dtypes)
    return k >= SHALLOWEST and any(instruction.unit == "mma" and instruction.k == k for instruction in found)
