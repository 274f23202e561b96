"""A function of the language has no parameter of this name.

## What it does
Reports keyword arguments that no parameter takes: those of the language's functions, and those of calls of kernels and
macros. An argument of the language that a release had, or that nothing resembles, is only an info.

## Why is this bad?
The program stops with a `TypeError` when the kernel is built.

## Example
```python
T.gemm(a, b, acc, transpose_b=True)
```

## Use instead
```python
T.gemm(a, b, acc, transpose_B=True)
```

## Fix safety
The fix writes the nearest known parameter. It is unsafe, since another one may have been meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._names import report_name
from tilelang_analyzers.rules._text import entry, function

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language", fixable=True)


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    argument = entry(problem, "argument") or ""
    report_name(ctx, problem, argument, f"{function(problem)} has no parameter `{argument}`")
