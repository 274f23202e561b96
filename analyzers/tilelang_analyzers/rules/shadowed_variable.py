"""A variable of the kernel hides another one of the same name.

## What it does
Reports a loop variable, or a name bound in the kernel, that has the name of a `T.alloc_var` or of a loop variable which
is still in use.

## Why is this bad?
Releases of the language differ: some refuse it, some take the new variable. A reader may take one for the other.

## Example
```python
pos = T.alloc_var("int32")
...
for pos in T.Parallel(64):
    Y[pos] = 0
```

## Use instead
```python
for i in T.Parallel(64):
    Y[i] = 0
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language", severity=Severity.INFO)


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    message = f"`{entry(problem, 'name')}` hides another variable of the same name"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
