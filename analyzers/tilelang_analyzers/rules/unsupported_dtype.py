"""The target cannot compute with this element type.

## What it does
Reports a `T.gemm` whose types have a matrix instruction on other GPUs but not on the target, where there is no scalar
code to fall back to.

## Why is this bad?
The kernel does not compile for the target, or stops when it runs.

## Example
```python
a = T.alloc_shared((128, 64), "float8_e4m3fn")
b = T.alloc_shared((128, 64), "float8_e4m3fn")
T.gemm(a, b, acc, transpose_B=True)  # for an A100
```

## Use instead
Cast the tiles to float16 before the product, or make the type a parameter that depends on the device.

## Targets
8-bit floats need sm_89. 6- and 4-bit floats need sm_100 or sm_120. sm_70 and sm_75 compute what they lack in scalar
code, see `no-tensor-core`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import first_arch, gemm_plans
from tilelang_analyzers.rules._text import declarations_with_dtype

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for plan in gemm_plans(ctx):
        if plan.verdict != "unsupported":
            continue
        a, b, c = plan.dtypes
        gemm = plan.gemm
        notes = list(declarations_with_dtype(gemm.a.buffer, gemm.b.buffer, gemm.c.buffer))
        arch = first_arch(a, b, c)
        if arch:
            notes.append(Note(f"the first target with such an instruction is {arch}"))
        ctx.report(
            gemm.span,
            f"T.{gemm.op}: no matrix instruction multiplies {a} by {b} into {c}",
            on="on {targets}",
            notes=notes,
            data={"dtype": str(a)},
        )
