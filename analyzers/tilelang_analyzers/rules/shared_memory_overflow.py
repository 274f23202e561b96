"""A block needs more shared memory than the target gives it.

## What it does
Adds up the shared memory of a block as the compiler allocates it: the copies that a pipeline keeps of its staged tiles,
reuse of memory between buffers that are not needed at the same time, scratch memory of reductions, alignment, barriers.
If the sum is above the budget of the target, the finding is at the argument that makes the difference (the stage count,
else a tile size, else the one argument in which another call differs that fits), or at the largest buffer where no
argument is to blame. The notes list every buffer.

A kernel that nothing calls has no sizes; its formula is an info, unless every value is too large.

## Why is this bad?
The kernel compiles, but its launch fails.

## Example
```python
a = T.alloc_shared((128, 64), "float16")  # 16 384 B
b = T.alloc_shared((64, 128), "float16")  # 16 384 B
for k in T.Pipelined(T.ceildiv(K, 64), num_stages=4):  # four copies of each: 131 072 B
```

## Use instead
```python
for k in T.Pipelined(T.ceildiv(K, 64), num_stages=1):
```

## Fix safety
The fix writes the largest number of stages, or the largest tile size, with which the block fits. It is unsafe: it
changes the speed of the kernel on every target, and a tile size may have to match others.

## Targets
48 KiB on sm_75 (64 KiB if a kernel asks for it; the option `shared-memory-optin` allows that), 96 KiB on sm_70,
163 KiB on sm_80, 99 KiB on sm_86, sm_89 and sm_120, 227 KiB on sm_90 and sm_100. For devices of other makers the sum is
an estimate, and the finding a warning, unless the least that the block can take is too much already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note, Severity
from tilelang.ir.span import NOWHERE
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._memory import Excess, Remedy, differing_argument, excess, literal_span, remedy
from tilelang_analyzers.rules._text import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang.passes.smem_plan import Allocation, SharedMemoryPlan
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="budget", fixable=True)


@RULE.check_target
def check(ctx: TargetContext) -> None:
    for launch in ctx.launches:
        memory = ctx.plan(launch).memory
        found = excess(memory, ctx.target.shared_memory.budget)
        if found is not None:
            _report(ctx, launch, memory, found)
        elif memory.total is None and ctx.instance.origin == "symbolic":
            _report_formula(ctx, launch, memory)


def _report_formula(ctx: TargetContext, launch: Launch, memory: SharedMemoryPlan) -> None:
    """What a block of a kernel without a caller will need, if every size in it has a name."""
    buffers = [each for each in memory.allocations if each.buffer is not None]
    parts = [each.formula for each in sorted(buffers, key=lambda one: (one.span.line, one.span.col))]
    if parts and not any("?" in part or "unknown" in part for part in parts):
        message = f"nothing calls this kernel; a block needs up to {' + '.join(parts)} of shared memory"
        ctx.report(launch.span, message, severity=Severity.INFO)


def _report(ctx: TargetContext, launch: Launch, memory: SharedMemoryPlan, found: Excess) -> None:
    # Entries of a tuner are reported as a whole, whatever value in them is to blame.
    tuned = ctx.instance.tune is not None
    blamed = None if tuned else remedy(ctx, launch, found.have, explicit=True)
    cure = blamed or (None if tuned else remedy(ctx, launch, found.have, explicit=False))
    name = blamed.parameter if blamed else None if tuned else differing_argument(ctx, launch, found.have)
    place = ctx.instance.arg_spans.get(name) if name else None
    at_least = "at least " if memory.total is None else ""
    ctx.report(
        place or _largest(launch, memory) or launch.span,
        f"shared memory {at_least}{number(found.need)} B exceeds",
        on=f"the {number(found.have)} B of a block on {{targets}}",
        notes=[*_listing(memory), *_advice(ctx, found, cure)],
        fix=_fix(ctx, cure) if cure else None,
        data={"need": found.need, "have": found.have},
        severity=None if found.certain else Severity.WARNING,
    )


def _largest(launch: Launch, memory: SharedMemoryPlan) -> Span | None:
    """Where the buffer with the most bytes is allocated, the first one in the source if there are several."""
    sizes = {each.buffer: each.bytes or each.at_least for each in memory.allocations if each.buffer is not None}
    buffers = [stmt.buffer for stmt in walk(launch.body) if isinstance(stmt, Alloc) and stmt.buffer in sizes]
    return max(buffers, key=lambda buffer: sizes[buffer]).span if buffers else None


def _listing(memory: SharedMemoryPlan) -> Iterator[Note]:
    """Each allocation with its bytes, those of the source in the order of the source."""
    for each in sorted(memory.allocations, key=lambda one: (one.span.line, one.span.col)):
        yield Note(_cost(each), None if each.span is NOWHERE else each.span)


def _cost(each: Allocation) -> str:
    if each.bytes is None:
        return f"`{each.name}` takes {each.formula}"
    copies = f", {each.copies} copies of {number(each.bytes // each.copies)} B" if each.copies > 1 else ""
    what = {"scratch": " (scratch memory)", "barrier": " (barriers)"}.get(each.kind, "")
    shared = f", in the same bytes as {', '.join(f'`{name}`' for name in each.shares_with)}" if each.shares_with else ""
    return f"`{each.name}`{what} takes {number(each.bytes)} B{copies}{shared}"


def _advice(ctx: TargetContext, found: Excess, cure: Remedy | None) -> Iterator[Note]:
    if cure:
        yield Note(f"with {cure.parameter}={cure.value} a block needs {number(cure.bytes)} B")
    optin = ctx.target.shared_memory.optin
    if optin is not None and found.have < optin:
        if found.need <= optin:
            text = "which are enough: `shared-memory-optin = true` in the settings of the target allows that"
        else:
            text = "which are not enough either"
        yield Note(f"{ctx.target.label} has {number(optin)} B for kernels that ask for them, {text}")


def _fix(ctx: TargetContext, cure: Remedy) -> Fix | None:
    place = literal_span(ctx, cure.parameter)
    if place is None:
        return None
    how = "" if cure.is_stages else ", the largest by halving"
    title = f"Set `{cure.parameter}={cure.value}`{how} (fits in {number(cure.bytes)} B)"
    return Fix(title, (Edit(place, str(cure.value)),))
