"""An argument cannot be right: a bad name, type, number or memory, or one is missing.

## What it does
Reports arguments of language functions that are certainly wrong, such as an unknown reduction or memory scope, a
negative width, an integer where a buffer is needed, or a missing argument. It also checks the memories and types of
copies that insist on an instruction (`T.async_copy`, `T.tma_copy`), and that fragments enter `T.gemm` as a whole.

## Why is this bad?
The kernel does not compile.

## Example
```python
T.copy(A[0, 0], tile, prefer_instruction="tensor")
```

## Use instead
```python
T.copy(A[0, 0], tile, prefer_instruction="tma")
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.stmt import Copy, Gemm
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._text import declarations, entry, function, has_problem, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.buffer import Region
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import InstanceContext, ProblemContext

RULE = define(__name__, __doc__, group="language")


@RULE.check_problem
def report_argument(ctx: ProblemContext, problem: Problem) -> None:
    argument, expected, got = (entry(problem, key) for key in ("argument", "expected", "got"))
    message = entry(problem, "message")
    if message is None and argument is not None and expected is not None:
        message = f"`{argument}` must be {expected}" + (f", not {got}" if got else "")
    elif message is not None and argument is not None and argument not in message:
        message = f"`{argument}` {message}"
    message = message or "an argument cannot be right"
    ctx.report(problem.span, f"{function(problem)}: {message}", notes=problem_notes(problem), data=problem.data)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if isinstance(stmt, Copy):
            trouble = _copy_trouble(stmt)
            if trouble and not has_problem(ctx, stmt.span):
                notes = declarations(ctx, [stmt.src.buffer, stmt.dst.buffer])
                ctx.report(stmt.span, f"T.{stmt.op}: {trouble}", notes=notes)
        elif isinstance(stmt, Gemm):
            _check_gemm(ctx, stmt)


def _copy_trouble(copy: Copy) -> str:
    """Why an operation that stands for one instruction cannot be that instruction."""
    src, dst = copy.src.buffer, copy.dst.buffer
    memories = f"not from {src.scope} to {dst.scope}"
    if copy.op == "async_copy":
        if not (src.is_global and dst.is_shared):
            return f"cp.async copies from global to shared memory, {memories}"
        if src.dtype.is_known and dst.dtype.is_known and src.dtype != dst.dtype:
            return f"cp.async does not convert {src.dtype} to {dst.dtype}"
    if copy.op == "tma_copy":
        if not ((src.is_global and dst.is_shared) or (src.is_shared and dst.is_global)):
            return f"TMA copies between global and shared memory, {memories}"
        if src.is_global and copy.attr("barrier") is None:
            return "a load needs `barrier`"
    return ""


def _check_gemm(ctx: InstanceContext, gemm: Gemm) -> None:
    for side, region in zip("ABC", (gemm.a, gemm.b, gemm.c), strict=True):
        if region.buffer.is_fragment and _is_part(region):
            ctx.report(
                gemm.span,
                f"T.{gemm.op}: {side} must be a whole fragment, not the part `{ctx.text(region)}`",
                notes=declarations(ctx, [region.buffer]),
            )


def _is_part(region: Region) -> bool:
    """Whether a region certainly leaves out elements of its buffer."""
    extents = None if region.extents is None else dims.constants(region.extents)
    limits = dims.constants(region.buffer.shape)
    return region.has_slices and extents is not None and limits is not None and extents != limits
