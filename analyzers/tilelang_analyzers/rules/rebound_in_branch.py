"""A Python name is bound to another value under a run-time condition.

## What it does
Reports an assignment to a Python name inside `if`, `while` or a loop that runs on the GPU, where the name had a value
before and is used after.

## Why is this bad?
Python names are bound while the kernel is built, once. Whether the branch is taken is known only later, on the GPU, so
the later use has one value whatever the condition says. `T.alloc_var` makes a variable that lives on the GPU.

## Example
```python
scale = 1.0
if bx > 0:
    scale = 2.0
C[i] = A[i] * scale
```

## Use instead
```python
scale = T.alloc_var("float32")
scale = 1.0
if bx > 0:
    scale = 2.0
C[i] = A[i] * scale
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    message = f"`{entry(problem, 'name')}` is rebound under a run-time condition; use T.alloc_var"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
