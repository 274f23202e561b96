"""The tensors of a call do not fit the kernel's parameters.

## What it does
Compares the tensors that a call passes with the annotations of the kernel's parameters: number of dimensions, extents,
and a size such as `M` that two parameters share.

## Why is this bad?
The call fails when it checks its arguments, after the kernel was compiled.

## Example
```python
@tilelang.jit
def add(A, B):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float32)
    B: T.Tensor((M, N), T.float32)
    ...

add(torch.empty(128, 64), torch.empty(64, 128))
```

## Use instead
```python
add(torch.empty(128, 64), torch.empty(128, 64))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="shape")


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    parameter, expected, got = entry(problem, "parameter"), entry(problem, "expected"), entry(problem, "got")
    if entry(problem, "what") == "arguments":
        message = f"`{parameter}` takes {expected}, but is called with {got}"
    else:
        message = f"`{parameter}` has {got or 'another shape'}, but the kernel takes {expected or 'another'}"
    notes = problem_notes(problem)
    given = ctx.instance.arg_spans.get(parameter) if ctx.instance is not None and parameter else None
    if given is not None and given != problem.span:
        notes = (Note(f"`{parameter}` is declared here", problem.span), *notes)
    ctx.report(given or problem.span, message, notes=notes, data=problem.data)
