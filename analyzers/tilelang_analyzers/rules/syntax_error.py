"""The file is not valid Python.

## What it does
Reports what the parser reports. Text that is too large or nests too deeply for the checker is a warning: it may be a
fine program, but it was not checked.

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

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    message = entry(problem, "message") or "invalid syntax"
    # What is too large or too deep for the checker may still be a fine program.
    severity = Severity.WARNING if entry(problem, "kind") == "limit" else None
    ctx.report(problem.span, message, notes=problem_notes(problem), severity=severity)
