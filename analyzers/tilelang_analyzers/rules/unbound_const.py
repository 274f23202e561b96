"""A `T.const` name is bound by no parameter.

## What it does
Reports names of `T.const("M, N")` that stand alone in no extent or stride of a tensor parameter.

## Why is this bad?
The value of such a name comes from the tensors of a call. With no tensor to read it from, the kernel cannot be built.

## Example
```python
@tilelang.jit
def scale(X):
    M, N = T.const("M, N")
    X: T.Tensor((M, 128), T.float32)
    ...  # nothing says what N is
```

## Use instead
```python
    X: T.Tensor((M, N), T.float32)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="shape")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    message = f"no parameter has the extent `{entry(problem, 'name')}`, so a call cannot give its value"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
