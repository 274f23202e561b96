"""A tile operation stands outside `with T.Kernel(...)`.

## What it does
Reports `T.copy`, `T.gemm` and other operations of a kernel that no `T.Kernel` surrounds. An allocation just before the
launch is accepted; it is taken as one inside.

## Why is this bad?
There are no threads to run the operation. The kernel does not compile.

## Example
```python
@T.prim_func
def main(A: T.Tensor((1024,), "float32")):
    T.clear(A)
    with T.Kernel(8, threads=128) as bx:
        ...
```

## Use instead
```python
    with T.Kernel(8, threads=128) as bx:
        T.clear(A[bx * 128 : (bx + 1) * 128])
        ...
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, function, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    if ".alloc_" in function(problem):
        return  # An allocation before the launch is taken as one inside.
    name = entry(problem, "function") or "the call"
    subject = name if name.startswith("T.") else f"`{name}`"
    message = f"{subject} stands outside `with T.Kernel(...)`"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
