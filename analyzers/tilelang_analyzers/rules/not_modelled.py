"""The checker does not follow this construct, so part of the kernel is unchecked.

## What it does
Reports operations whose effect is not modelled, and Python that the evaluator does not follow, at most once a name and
kernel.

## Why is this bad?
It is not: the code may be right. But rules that need the whole body, such as `uninitialized-read` and `unused-buffer`,
say nothing about a kernel that has one, and what the construct does is not checked.

## Example
```python
T.call_extern("handle", "my_device_function", T.address_of(tile[0]))
```

## Use instead
Nothing has to change. Turn the rule off, or on in an editor only, if it is in the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="program", severity=Severity.INFO)


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    name = entry(problem, "name")
    if ctx.instance is not None:
        same = [one for one in ctx.instance.problems if one.kind == problem.kind and one.data == problem.data]
        if same and same[0] is not problem:
            return
    subject = f"`{name}` is" if name else f"{entry(problem, 'construct') or 'this'} is"
    message = f"{subject} not followed; what depends on it is unchecked"
    ctx.report(problem.span, message, notes=problem_notes(problem), data=problem.data)
