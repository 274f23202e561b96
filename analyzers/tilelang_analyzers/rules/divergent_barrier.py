"""A barrier that some threads do not reach.

## What it does
Reports `T.sync_threads` and other barriers of the block in a branch that parts the threads of a warp, or in a loop
whose number of iterations differs between threads; `T.sync_grid` in a branch that parts the blocks; and a wait at a
`T.alloc_barrier` that counts more arrivals than all threads of the kernel make. The message names a thread that
reaches the barrier and one that does not.

A branch for whole warps is fine: the compiler makes it a barrier of those warps. If the condition reads memory at an
index that depends on the thread, the finding is a warning.

## Why is this bad?
Threads that reach the barrier wait for those that never come. The compiler refuses some of these kernels; others hang,
or go on without waiting.

## Example
```python
if tx < 16:
    total[tx] += total[tx + 16]
    T.sync_threads()
```

## Use instead
```python
if tx < 16:
    total[tx] += total[tx + 16]
T.sync_threads()
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import launch_sites, point
from tilelang_analyzers.rules._text import plural

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.passes.access.divergence import Divergence
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="race")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    if not any(sites.effects for sites in ctx.shared(launch_sites)):
        return
    from tilelang.passes.access.arrivals import unreachable_counts
    from tilelang.passes.access.divergence import divergences

    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for found in divergences(sites):
            if found.place.stmt.span not in seen:
                seen.add(found.place.stmt.span)
                _report(ctx, found)
        for short in unreachable_counts(sites):
            name = short.barrier.name
            ctx.report(
                short.wait.stmt.span,
                f"`{name}` waits for {plural(short.wanted, 'arrival')}, but the kernel makes {short.made}",
                notes=[Note(f"`{name}` counts {plural(short.wanted, 'arrival')}", short.barrier.span)],
                data={"need": short.wanted, "have": short.made},
            )


def _report(ctx: InstanceContext, found: Divergence) -> None:
    name = f"T.{found.place.call.op}"
    severity = None
    if found.kind == "warp":
        message = (
            f"{name} is reached by the thread {point(found.present)} but not by {point(found.absent)} of the same warp"
        )
        around = f"only {plural(found.passing, 'thread')} of the block pass this condition"
    elif found.kind == "loop":
        message = f"{name} is reached more often by the thread {point(found.present)} than by {point(found.absent)}"
        around = "the number of iterations of this loop differs between threads"
    elif found.kind == "grid":
        message = f"{name} is reached by the block {point(found.present)} but not by {point(found.absent)}"
        around = "only some blocks pass this condition"
    else:
        message = f"{name} is reached only by threads that pass a condition on memory"
        around, severity = "each thread reads another element here", Severity.WARNING
    notes = [Note(around, found.around), Note("move the barrier out of the branch")]
    ctx.report(found.place.stmt.span, message, notes=notes, severity=severity)
