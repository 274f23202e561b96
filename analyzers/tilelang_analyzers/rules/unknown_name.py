"""A name does not exist in the language.

## What it does
Reports `T.name` and `tilelang.name` where no release of the language has such a name, and names in a kernel that
nothing in the file binds. A name of the language that a release had, or that nothing resembles, is only an info.

A file with `from module import *`, `globals()` and the like may bind names that are not seen; there the rule is silent.

## Why is this bad?
The program stops with an `AttributeError` or a `NameError` when the kernel is built.

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
    name, module = entry(problem, "name") or "", problem.data.get("module")
    missing = f"`{name}` does not exist in `{module}`" if module else f"nothing defines `{name}`"
    report_name(ctx, problem, name.rpartition(".")[2], missing)
