"""The compiler or the assembler refuses the kernel.

## What it does
With `--compile`, compiles each instance for each target down to machine code and reports what stops it, on the line of
the kernel that the code comes from. Errors in CUDA source that is embedded in Python are located in that string.

What is no fault of the kernel is a warning: a construct that this compiler does not support yet, a compile that takes
too long, a crash of LLVM or NVRTC. Each costs only the kernel that it happens to.

## Why is this bad?
The kernel cannot run on that target.

## Example
```python
@T.prim_func
def kernel(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128) as bx:
        T.call_extern("handle", "no_such_function", A[0])
```

## Use instead
```python
T.import_source('extern "C" __device__ void no_such_function(float a) { ... }')
```

## Targets
NVIDIA GPUs from sm_70 on, and the CPU. Kernels with parts or values that are not known are not compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.span import Span
from tilelang.ir.visit import walk
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="compile")

NOT_THE_KERNEL = ("unsupported", "internal", "crash", "timeout", "cancelled")
"""Keys in a problem's data that say whose fault it is."""


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    text = str(problem.data.get("message", "it is not known why"))
    # The target is named behind it.
    text = text.replace(f" on {problem.data.get('target')}", "")
    ours = next((key for key in NOT_THE_KERNEL if problem.data.get(key)), None)
    instance = ctx.instance
    span = problem.span if problem.span.line or instance is None else instance.program.span
    data: dict[str, object] = {"message": text}
    data |= {key: problem.data[key] for key in ("code", "column") if key in problem.data}
    if ours is not None:
        data["reason"] = ours
    ctx.report(
        _widened(ctx, span),
        f"does not compile: {text};" if ours is None else f"was not compiled: {text};",
        on="for {targets}",
        data=data,
        severity=None if ours is None else Severity.WARNING,
    )


def _widened(ctx: ProblemContext, span: Span) -> Span:
    """The statement on a line, or the text of the line where there is none: compilers name lines only."""
    if (span.line, span.col) != (span.end_line, span.end_col):
        return span
    body = walk(ctx.instance.program.body) if ctx.instance is not None else ()
    found = [stmt.span for stmt in body if stmt.span.path == span.path and stmt.span.line == span.line]
    if found:
        return max(found, key=lambda each: (each.end_line, each.end_col))
    text = ctx.snippet(Span(span.path, span.line, 0, span.line + 1, 0)).rstrip()
    start = len(text) - len(text.lstrip())
    return Span(span.path, span.line, start, span.line, max(len(text.encode()), start + 1), span.via)
