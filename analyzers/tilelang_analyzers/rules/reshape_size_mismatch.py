"""`T.reshape` or `T.view` changes the number of bits.

## What it does
Compares the size of a buffer with the size of the view that `T.reshape(buffer, shape)` or
`T.view(buffer, shape, dtype)` makes of it.

## Why is this bad?
A view names the same memory, so it cannot be larger or smaller. The kernel does not compile.

## Example
```python
tile = T.alloc_shared((64, 32), "float16")
flat = T.reshape(tile, (1024,))
```

## Use instead
```python
flat = T.reshape(tile, (2048,))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, function, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="shape")


@RULE.check_problem
def report(ctx: ProblemContext, problem: Problem) -> None:
    message = f"{function(problem)}: {entry(problem, 'message')}"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
