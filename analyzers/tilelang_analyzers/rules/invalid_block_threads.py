"""A block has a number of threads that cannot be launched or that the kernel cannot use.

## What it does
Checks `threads=` of `T.Kernel`: the product of its extents against the largest block of the target, each extent against
the largest extent, and positive numbers. A kernel that multiplies tiles needs whole warps, and `T.wgmma_gemm` whole
warp groups of 128 threads. A wavefront of AMD's CDNA GPUs has 64 threads.

## Why is this bad?
The launch fails, or, where a warp is not full, the tensor cores read registers of threads that do not exist.

## Example
```python
with T.Kernel(T.ceildiv(N, 2048), threads=2048) as bx:
```

## Use instead
```python
with T.Kernel(T.ceildiv(N, 1024), threads=1024) as bx:
```

## Targets
CUDA allows 1024 threads a block, 64 of them in z; WebGPU allows 256.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tilelang.diagnostics import Note
from tilelang.ir.expr import const_int
from tilelang.passes import block_threads
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._gemm import gemm_plans, gemm_uses
from tilelang_analyzers.rules._text import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.ir.problem import Problem
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Gemm, Launch
    from tilelang_analyzers.rule import ProblemContext, TargetContext

RULE = define(__name__, __doc__, group="budget")

WARP_GROUP = 128
ORDINARY = 128
"""Threads that every GPU has in a block."""


@RULE.check_problem
def check_extents(ctx: ProblemContext, problem: Problem) -> None:
    threads = cast("tuple[object, ...]", problem.data.get("threads", ()))
    extents = " x ".join(str(extent) for extent in threads)
    ctx.report(problem.span, f"a block of {extents} threads is empty", data=problem.data)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        extents = [const_int(extent) for extent in launch.threads]
        known = [extent for extent in extents if extent is not None]
        if len(known) == len(extents) and all(extent > 0 for extent in known):
            _check_block(ctx, launch, known)


def _check_block(ctx: TargetContext, launch: Launch, extents: list[int]) -> None:
    limits = ctx.target.launch
    threads = 1
    for extent in extents:
        threads *= extent
    if limits.threads_per_block is not None and threads > limits.threads_per_block:
        given = _given_at(ctx, launch, threads, lambda count: count <= (limits.threads_per_block or 0))
        ctx.report(
            given or launch.span,
            f"a block of {number(threads)} threads exceeds",
            on=f"the {number(limits.threads_per_block)} of {{targets}}",
            notes=[Note("the block is launched here", launch.span)] if given else [],
            data={"need": threads, "have": limits.threads_per_block},
        )
        return
    for axis, extent, limit in zip("xyz", extents, limits.block_dims or (), strict=False):
        if extent > limit:
            ctx.report(
                launch.span,
                f"a block of {number(extent)} threads in {axis} exceeds",
                on=f"the {number(limit)} of {{targets}}",
                data={"need": extent, "have": limit},
            )
            return
    if limits.warp_size:
        _check_warps(ctx, launch, threads, limits.warp_size)


def _given_at(ctx: TargetContext, launch: Launch, threads: int, fits: Callable[[int], bool]) -> Span | None:
    """Where the call gives the number of threads, if another number there makes a block that fits."""
    instance = ctx.instance
    if instance.reevaluate is None or instance.tune is not None:
        return None
    number_of_launch = ctx.launches.index(launch)
    for name, span in instance.arg_spans.items():
        if instance.bindings.get(name) not in (threads, *map(const_int, launch.threads)):
            continue
        changed = instance.reevaluate({name: ORDINARY})
        launches = tuple(changed.program.launches()) if changed is not None else ()
        count = block_threads(launches[number_of_launch]) if number_of_launch < len(launches) else None
        if count is not None and fits(count):
            return span
    return None


def _check_warps(ctx: TargetContext, launch: Launch, threads: int, warp_size: int) -> None:
    for gemm in _matrix_products(ctx, launch):
        group = WARP_GROUP if gemm.op == "wgmma_gemm" else warp_size
        if threads % group == 0:
            continue
        unit = "warp group" if gemm.op == "wgmma_gemm" else "wavefront" if ctx.target.family == "rocm" else "warp"
        given = _given_at(ctx, launch, threads, lambda count, group=group: count % group == 0)
        notes = [Note("the block is launched here", launch.span)] if given else []
        ctx.report(
            given or launch.span,
            f"a block of {threads} threads is not a multiple of the {unit} of {group} that T.{gemm.op} needs",
            notes=[*notes, Note(f"T.{gemm.op} is here", gemm.span)],
            data={"threads": threads, "multiple": group},
        )
        return


def _matrix_products(ctx: TargetContext, launch: Launch) -> Iterator[Gemm]:
    """The products of a launch that all threads of the block compute together."""
    if ctx.target.family == "cuda":
        for plan in gemm_plans(ctx):
            if plan.use.launch is launch and plan.use.threads is not None and plan.instruction != "scalar":
                yield plan.gemm
    elif ctx.target.instructions:
        for use in ctx.shared(gemm_uses):
            if use.launch is launch and use.threads is not None and use.gemm.op == "gemm":
                yield use.gemm
