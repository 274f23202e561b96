"""The file is not valid Python.

## What it does
Reports what the parser reports.

## Why is this bad?
Python cannot load the file. The checker reads around the error, so kernels elsewhere in the file are still checked, but
the broken statement is not.

## Example
```python
T.copy(A[by * 64, k * 32, a_tile)
```

## Use instead
```python
T.copy(A[by * 64, k * 32], a_tile)
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
    ctx.report(problem.span, entry(problem, "message") or "invalid syntax", notes=problem_notes(problem))
