"""A `@tilelang.jit` function defines a kernel and does not return it.

## What it does
Reports a call of a kernel factory that returns `None` although a `@T.prim_func` stands in it: most often the `return`
at its end was forgotten.

## Why is this bad?
The call fails, since there is nothing to compile.

## Example
```python
@tilelang.jit
def scale(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")): ...
```

## Use instead
```python
@tilelang.jit
def scale(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")): ...

    return main
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="program")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    factory, kernel = entry(problem, "function"), entry(problem, "kernel")
    message = f"`{factory}` returns nothing; it should return the kernel `{kernel}`"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
