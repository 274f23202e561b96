"""A name does not exist in the language.

## What it does
Reports `T.name` and `tilelang.name` where no release of the language has such a name. A near miss of a known name is
an error. A name that a release had, or that nothing resembles, is only an info.

## Why is this bad?
The program stops with an `AttributeError` when the kernel is built.

## Example
```python
tile = T.aloc_shared((64, 32), "float16")
```

## Use instead
```python
tile = T.alloc_shared((64, 32), "float16")
```

## Fix safety
The fix writes the nearest known name. It is unsafe, since another name may have been meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._names import report_name
from tilelang_analyzers.rules._text import entry

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="language", fixable=True)


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    name, module = entry(problem, "name") or "", entry(problem, "module") or "tilelang.language"
    report_name(ctx, problem, name.rpartition(".")[2], f"`{name}` does not exist in `{module}`")
