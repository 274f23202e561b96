"""No matrix instruction takes these operand and accumulator types.

## What it does
Checks the element types of `T.gemm(A, B, C)`. A and B must have the same type (on tensor memory, 8-, 6- and 4-bit
floats may be mixed). Together with the type of C they must be one of the combinations that tensor cores compute:
float16 with a float16 or float32 accumulator, bfloat16 and float32 (as TF32) with float32, float64 with float64, 8-bit
floats with float16 or float32, and 4- and 8-bit integers with int32.

## Why is this bad?
The kernel does not compile, often with a message from the CUDA compiler about a template.

## Example
```python
a = T.alloc_shared((64, 32), "bfloat16")
b = T.alloc_shared((32, 64), "bfloat16")
acc = T.alloc_fragment((64, 64), "float16")
T.gemm(a, b, acc)
```

## Use instead
```python
acc = T.alloc_fragment((64, 64), "float32")
T.gemm(a, b, acc)
```

## Targets
Where a combination exists on other GPUs but not on the target, `unsupported-dtype` is reported instead. sm_70 and
sm_75 compute combinations without an instruction in scalar code, see `no-tensor-core`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import gemm_plans
from tilelang_analyzers.rules._text import declarations_with_dtype

if TYPE_CHECKING:
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="dtype")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for plan in gemm_plans(ctx):
        a, b, c = plan.dtypes
        if plan.verdict == "mixed":
            message = f"A is {a} but B is {b}; the operands must have the same type"
        elif plan.verdict == "nonexistent":
            message = f"no matrix instruction multiplies {a} by {b} into {c}"
        else:
            continue
        gemm = plan.gemm
        ctx.report(
            gemm.span,
            f"T.{gemm.op}: {message}",
            notes=declarations_with_dtype(gemm.a.buffer, gemm.b.buffer, gemm.c.buffer),
            data={"a": str(a), "b": str(b), "c": str(c)},
        )
