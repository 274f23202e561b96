"""An argument cannot be right: a bad name, type, number or memory, or one is missing.

## What it does
Reports arguments of language functions that are certainly wrong, such as an unknown reduction or memory scope, a
negative width, an integer where a buffer is needed, or a missing argument. It also checks the memories that operations
work on: the operands of `T.gemm` and of reductions, copies that insist on an instruction (`T.async_copy`,
`T.tma_copy`), and fragments that enter `T.gemm` in part. The `order` and `stage` lists of `T.Pipelined` must fit each
other.

## Why is this bad?
The kernel does not compile.

## Example
```python
T.copy(A[0, 0], tile, prefer_instruction="tensor")
```

## Use instead
```python
T.copy(A[0, 0], tile, prefer_instruction="tma")
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tilelang.ir.problem import argument_text
from tilelang.ir.stmt import Copy, Fill, For, Gemm, Reduce, Store
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._gemm import gemm_plans
from tilelang_analyzers.rules._text import declarations, has_problem, plural, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.buffer import Region
    from tilelang.ir.problem import Problem
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext, ProblemContext, TargetContext

RULE = define(__name__, __doc__, group="language")

_NOT_FILLED = ("shared.tmem", "shared.barrier", "shared.cluster_barrier")
"""Memories that `T.fill` and `T.clear` cannot set."""


@RULE.check_problem
def report_argument(ctx: ProblemContext, problem: Problem) -> None:
    ctx.report(problem.span, argument_text(problem.data), notes=problem_notes(problem), data=problem.data)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if isinstance(stmt, Copy):
            _report(ctx, stmt, f"T.{stmt.op}", _copy_trouble(stmt), stmt.src, stmt.dst)
        elif isinstance(stmt, Gemm):
            for side, region in zip("ABC", (stmt.a, stmt.b, stmt.c), strict=True):
                if region.buffer.is_fragment and _is_part(region):
                    trouble = f"{side} must be a whole fragment, not the part `{ctx.text(region)}`"
                    _report(ctx, stmt, f"T.{stmt.op}", trouble, region)
        elif isinstance(stmt, Fill) and stmt.dst.buffer.scope in _NOT_FILLED:
            trouble = f"`{stmt.dst.buffer.name}` is in {stmt.dst.buffer.scope} memory, which it cannot set"
            _report(ctx, stmt, "T.fill", trouble, stmt.dst)
        elif isinstance(stmt, Store) and stmt.buffer.scope == "shared.tmem":
            message = f"`{stmt.buffer.name}` is tensor memory, which has no elements to assign to; use T.copy"
            ctx.report(stmt.span, message, notes=declarations(ctx, [stmt.buffer]))
        elif isinstance(stmt, For) and stmt.kind == "pipelined":
            _report(ctx, stmt, "T.Pipelined", _schedule_trouble(stmt))
        elif isinstance(stmt, Reduce):
            _report(ctx, stmt, f"T.reduce_{stmt.op}", _reduce_trouble(stmt), stmt.src, stmt.dst)


@RULE.check_target
def check_operands(ctx: TargetContext) -> None:
    """Products in scalar code read their operands from anywhere, matrix instructions do not."""
    for plan in gemm_plans(ctx):
        gemm = plan.gemm
        if plan.instruction not in ("mma", "wgmma"):
            continue
        for side, region in (("A", gemm.a), ("B", gemm.b), ("C", gemm.c)):
            buffer = region.buffer
            if not (buffer.is_fragment or (buffer.is_shared and side != "C")):
                wanted = "a fragment" if side == "C" else "shared memory or a fragment"
                trouble = f"{side} must be in {wanted}, but `{buffer.name}` is in {buffer.scope} memory"
                _report(ctx, gemm, f"T.{gemm.op}", trouble, region)


def _report(ctx: InstanceContext, stmt: Stmt, function: str, trouble: str, *regions: Region) -> None:
    if trouble and not has_problem(ctx, stmt.span):
        notes = declarations(ctx, [region.buffer for region in regions])
        ctx.report(stmt.span, f"{function}: {trouble}", notes=notes)


def _reduce_trouble(reduce: Reduce) -> str:
    """Reductions work on tiles; in memory private to a thread both sides have to be."""
    src, dst = reduce.src.buffer, reduce.dst.buffer
    if all(buffer.is_shared or buffer.is_fragment for buffer in (src, dst)) or (src.is_local and dst.is_local):
        return ""
    return f"reduces shared memory or fragments, not {src.scope} memory into {dst.scope} memory"


def _schedule_trouble(loop: For) -> str:
    """What is wrong with a schedule written by hand: a stage and a place in the order for each statement."""
    order, stage = loop.attr("order"), loop.attr("stage")
    if order is None and stage is None:
        return ""
    if order is None or stage is None:
        given, missing = ("stage", "order") if order is None else ("order", "stage")
        return f"`{given}` needs `{missing}` beside it"
    if not isinstance(order, tuple) or not isinstance(stage, tuple):
        return ""
    places, stages = cast("tuple[object, ...]", order), cast("tuple[object, ...]", stage)
    if len(places) != len(stages):
        return f"`order` is for {plural(len(places), 'statement')}, but `stage` for {plural(len(stages), 'statement')}"
    twice = next((place for place in places if isinstance(place, int) and place >= 0 and places.count(place) > 1), None)
    return "" if twice is None else f"`order` gives two statements the place {twice}"


def _copy_trouble(copy: Copy) -> str:
    """Why an operation that stands for one instruction cannot be that instruction."""
    src, dst = copy.src.buffer, copy.dst.buffer
    if copy.op == "im2col":
        if src.rank != 4 and dims.has_known_rank(src):
            return f"needs an image of 4 dimensions, but `{src.name}` has {src.rank}"
        if src.dtype.is_known and dst.dtype.is_known and src.dtype != dst.dtype:
            return f"does not convert {src.dtype} to {dst.dtype}"
    memories = f"not from {src.scope} to {dst.scope}"
    if copy.op == "async_copy":
        if not (src.is_global and dst.is_shared):
            return f"cp.async copies from global to shared memory, {memories}"
        if src.dtype.is_known and dst.dtype.is_known and src.dtype != dst.dtype:
            return f"cp.async does not convert {src.dtype} to {dst.dtype}"
    if copy.op == "tma_copy":
        if not ((src.is_global and dst.is_shared) or (src.is_shared and dst.is_global)):
            return f"TMA copies between global and shared memory, {memories}"
        if src.is_global and copy.attr("barrier") is None:
            return "a load needs `barrier`"
    return ""


def _is_part(region: Region) -> bool:
    """Whether a region certainly leaves out elements of its buffer."""
    extents = None if region.extents is None else dims.constants(region.extents)
    limits = dims.constants(region.buffer.shape)
    return region.has_slices and extents is not None and limits is not None and extents != limits
