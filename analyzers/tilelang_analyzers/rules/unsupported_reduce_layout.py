"""A reduction that the threads of the block cannot combine.

## What it does
Infers how the source of a reduction, or a reducer, is spread over the threads. Reports if

- the threads that hold parts of one result are no power of two,
- more than a warp takes part, and the threads from the first to the last are no whole warps,
- `batch=` is no divisor of the results that each thread holds,
- each thread would keep more than 256 parts, since the loop that adds them up says too little about who needs what.

## Why is this bad?
Threads combine their parts in rounds, each with a partner at half the distance, and wait for each other by warps. The
kernel does not compile.

## Example
```python
with T.Kernel(1, threads=96):
    row = T.alloc_fragment((96,), "float32")
    total = T.alloc_fragment((1,), "float32")
    T.copy(X, row)
    T.reduce_sum(row, total)  # 96 threads hold one element each
```

## Use instead
```python
with T.Kernel(1, threads=32):  # 32 threads hold three elements each
```

## Targets
NVIDIA and AMD GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Region
from tilelang.ir.layout import Fragment, Input
from tilelang.ir.stmt import Effect, Reduce
from tilelang.ir.visit import walk
from tilelang.passes.layouts.operations import reduced
from tilelang.passes.thread_map import REDUCED
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import declared

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout", severity=Severity.WARNING)

MAX_PARTS = 256
"""Partial results that upstream 0.1.15 lets each thread keep where every thread keeps one for every result."""


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        plan = ctx.plan(launch)
        for stmt in walk(plan.opened.body):
            if isinstance(stmt, Reduce) and stmt.dst.buffer.is_fragment:
                _check_reduce(ctx, plan, stmt)
            elif isinstance(stmt, Effect) and stmt.call.op == "finalize_reducer":
                _check_reducer(ctx, plan, stmt)


def _check_reduce(ctx: TargetContext, plan: LaunchPlan, stmt: Reduce) -> None:
    layout = plan.layouts.layout(stmt.src.buffer)
    if not isinstance(layout, Fragment):
        return
    dim = stmt.dim % max(len(layout.shape), 1)
    name, result = f"T.reduce_{stmt.op}", reduced(layout, dim)
    count, ends, batch = uneven_partners(layout, dim), _cut_warps(layout, result, dim, ctx.target), stmt.attr("batch")
    if count is not None:
        text = f"{name} combines the parts of {count} threads, which is no power of two"
    elif ends is not None:
        text = f"{name} combines the parts of the threads {ends[0]} to {ends[1]}, which are no whole warps"
    elif (wrong := _wrong_batch(batch, result.register_count)) is not None:
        text = f"{name}: batch={wrong} is no divisor of the {result.register_count} results that each thread holds"
    else:
        return
    claim = plan.layouts.claims[stmt.src.buffer]
    places = [] if claim.stmt is None else [Note("it is spread like this because of this", claim.stmt.span)]
    data = {} if count is None else {"threads": count}
    ctx.report(stmt.span, text, notes=[*places, declared(ctx, stmt.src.buffer)], data=data)


def _check_reducer(ctx: TargetContext, plan: LaunchPlan, stmt: Effect) -> None:
    reducer = _reducer(stmt)
    layout = None if reducer is None else plan.layouts.reducers.get(reducer)
    if reducer is None or layout is None:
        return
    name, spread = "T.finalize_reducer", plan.maps[reducer]
    uneven = [digit.extent for digit in spread.along(REDUCED) if digit.extent & (digit.extent - 1)]
    whole = all(digit.dim == REDUCED for digit in spread.digits)
    if uneven:
        text = f"{name} combines the parts of {uneven[0]} threads, which is no power of two"
    elif whole and layout.register_count > MAX_PARTS:
        text = f"each thread would keep {layout.register_count} parts of `{reducer.name}`, more than {MAX_PARTS}"
    elif (wrong := _wrong_batch(dict(stmt.call.attrs).get("batch"), layout.register_count)) is not None:
        text = f"{name}: batch={wrong} is no divisor of the {layout.register_count} results that each thread holds"
    else:
        return
    ctx.report(stmt.span, text, notes=[declared(ctx, reducer)], data={"threads": uneven[0]} if uneven else {})


def _reducer(stmt: Effect) -> Buffer | None:
    target = stmt.call.args[0] if stmt.call.args else None
    return target.buffer if isinstance(target, Region) else None


def uneven_partners(layout: Fragment, dim: int) -> int | None:
    """The number of threads that share one result along ``dim``, if it is no power of two."""
    for source, _, extent, _ in layout.thread.digits:
        if isinstance(source, Input) and source.key == dim and extent & (extent - 1):
            return extent
    return None


def _cut_warps(layout: Fragment, result: Fragment, dim: int, target: Target) -> tuple[int, int] | None:
    """The first and the last thread that take part, if a barrier is needed and they do not begin and end with warps."""
    warp = target.launch.warp_size
    span = [
        extent * scale
        for source, _, extent, scale in layout.thread.digits
        if isinstance(source, Input) and source.key == dim
    ]
    if target.family != "cuda" or warp is None or max(span, default=0) <= warp:
        return None
    first, last = result.first_thread + result.thread.low, result.first_thread + result.thread.high
    return (first, last) if first % warp or (last + 1 - first) % warp else None


def _wrong_batch(batch: object, results: int) -> int | None:
    number = try_const(batch)
    return number if number is not None and number > 1 and results % number else None
