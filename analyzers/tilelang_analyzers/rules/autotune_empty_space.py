"""The autotuner gets no config to try.

## What it does
Evaluates `configs=` of `@tilelang.autotune`, with the functions and filters that make it, and reports a list that is
certainly empty.

## Why is this bad?
The tuner stops with an error. The usual cause is a filter that no candidate passes, such as a fixed shared-memory
budget that is too small for the shape.

## Example
```python
def configs():
    limit = 48 * 1024 // (2 * 16384 * 2)
    return [{"rows": r} for r in (1, 2, 4) if r <= limit]  # limit is 0

@tilelang.autotune(configs=configs())
```

## Use instead
Make the filter depend on the device, or keep a smallest candidate that always fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="program")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    ctx.report(problem.span, "the list of autotune configs is empty", notes=problem_notes(problem), data=problem.data)
