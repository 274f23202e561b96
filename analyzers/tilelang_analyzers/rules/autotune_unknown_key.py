"""An autotune config has a key that is no parameter of the function.

## What it does
Compares the keys of every config of `@tilelang.autotune(configs=...)` with the parameters of the function below it.

## Why is this bad?
The tuner passes the config as keyword arguments, so every entry with this key fails.

## Example
```python
@tilelang.autotune(configs=[{"tile_m": 64, "stage": 2}])
@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, tile_m=64, stages=2): ...
```

## Use instead
```python
@tilelang.autotune(configs=[{"tile_m": 64, "stages": 2}])
```

## Fix safety
The fix writes the nearest parameter. It is unsafe, since another one may have been meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._names import rename
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext

RULE = define(__name__, __doc__, group="program", fixable=True)


@RULE.check_problem
def check(ctx: ProblemContext, problem: Problem) -> None:
    key = entry(problem, "key") or ""
    message = f"no parameter of the tuned function is called `{key}`"
    suggestion = entry(problem, "suggestion") or _nearest(key, problem.data.get("parameters"))
    if suggestion:
        message += f"; did you mean `{suggestion}`?"
    fix = rename(ctx, problem, key, suggestion) if suggestion else None
    ctx.report(problem.span, message, notes=problem_notes(problem), fix=fix, data=problem.data)


def _nearest(key: str, parameters: object) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - needed for wrong keys only

    names = [str(name) for name in cast("tuple[object, ...]", parameters)] if isinstance(parameters, tuple) else []
    return next(iter(get_close_matches(key, names, 1)), None)
