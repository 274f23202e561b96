"""A pipelined loop uses a tile before it is filled, or fills it twice.

## What it does
Looks at the statements of a `T.Pipelined` loop that run in several stages. Copies from global to shared memory run
ahead of the rest, so a statement that uses a tile must come after the copy that fills it in the same iteration, and
only one statement may fill it. With `order` and `stage` lists, a statement must come after those that write what it
reads: in an earlier stage, or earlier in the same one.

## Why is this bad?
The copy of a later iteration has run by the time the statement uses the tile, so it sees the wrong one. Two statements
that fill one staged tile are refused by the compiler, unless it splits the loop into a producer and a consumer.

## Example
```python
for k in T.Pipelined(16, num_stages=2):
    for i in T.Parallel(128):
        acc[i] += tile[i]
    T.copy(X[k, 0], tile)
```

## Use instead
```python
for k in T.Pipelined(16, num_stages=2):
    T.copy(X[k, 0], tile)
    for i in T.Parallel(128):
        acc[i] += tile[i]
```

## Targets
Where the compiler splits the loop between warp groups (TMA, sm_90 and later), two statements may fill one tile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.passes.pipeline import plan_pipeline
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from tilelang.passes.pipeline import OrderProblem, Pipeline
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="pipeline")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        plan = ctx.plan(launch)
        for pipeline in plan.pipelines:
            for problem in pipeline.problems:
                if problem.kind != "order-length":  # the evaluator has seen it: `invalid-argument`
                    _report(ctx, pipeline, problem)
        # A warp-specialised loop is not planned as a pipeline: its producer may fill a tile twice, but not late.
        split = plan.specialisation.loop if plan.specialisation is not None else None
        if split is not None:
            pipeline = plan_pipeline(split)
            for problem in pipeline.problems:
                if problem.kind == "read-before-fill":
                    _report(ctx, pipeline, problem)


def _report(ctx: TargetContext, pipeline: Pipeline, problem: OrderProblem) -> None:
    loop = Note("the pipelined loop starts here", pipeline.loop.span)
    name = problem.buffer.name if problem.buffer is not None else ""
    if problem.kind == "written-twice":
        ctx.report(
            problem.second,
            f"`{name}` is filled twice in one iteration of a pipelined loop",
            notes=[Note("it is filled here first", problem.first), loop],
        )
    elif problem.kind == "reordered":
        ctx.report(
            problem.second,
            f"`order` and `stage` run this before `{name}`, which it reads, is written",
            notes=[Note("it is written here", problem.first), loop],
        )
    else:
        ctx.report(
            problem.second,
            f"`{name}` is filled after it is used in the same iteration of a pipelined loop",
            notes=[Note("it is used here", problem.first), loop, Note("copy first, then use the tile")],
        )
