"""Threads use each other's memory without a barrier between.

## What it does
Follows the statements of a block in order, for code that names its threads (`T.get_thread_binding`) or that every
thread runs alike, and looks for two threads that touch one element with no barrier between, at least one of them
storing. Where the order of two statements is the question, the threads are of different warps. The message names both
threads and the element.

The compiler inserts barriers of its own, so what it covers is not reported: a read and a store of shared memory in
different statements. It does not separate two stores to one element, it cannot separate what one statement does, it
does not look at global memory, and the pass config `tl.disable_thread_storage_sync` turns it off.

## Why is this bad?
Warps run at their own pace. A thread may read the value from before or after the other one's store.

## Example
```python
@tilelang.jit(pass_configs={tilelang.PassConfigKey.TL_DISABLE_THREAD_STORAGE_SYNC: True})
...
buf[tx] = X[tx]
Y[tx] = buf[255 - tx]
```

## Use instead
```python
buf[tx] = X[tx]
T.sync_threads()
Y[tx] = buf[255 - tx]
```

## Fix safety
The fix adds `T.sync_threads()` before the second statement, if all threads run it. It is safe: a barrier that all
threads reach changes no result.

## Targets
With the barriers of the compiler turned off, tile operations are looked at too: a `T.gemm` or a thread that reads a
tile right after a copy. Copies by TMA (sm_90 and later) come with a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note
from tilelang.ir.span import Span
from tilelang.passes.configs import PassConfigs
from tilelang.passes.copy_path import loads_by_tma
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import element, has_thread_code, language_name, launch_sites, places

if TYPE_CHECKING:
    from tilelang.passes.access.teams import TeamHazard
    from tilelang.passes.access.threads import Hazard
    from tilelang_analyzers.rule import InstanceContext, TargetContext

RULE = define(__name__, __doc__, group="race", fixable=True)

SWITCH = "disable_thread_storage_sync"
CONFIG = f"tl.{SWITCH}"


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    if not ctx.shared(has_thread_code):
        return
    from tilelang.passes.access.threads import thread_hazards

    automatic = not PassConfigs.of(ctx.instance.jit.pass_configs).flag(SWITCH)
    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for hazard in thread_hazards(sites, automatic=automatic):
            if hazard.second.stmt.span not in seen:
                seen.add(hazard.second.stmt.span)
                _report(ctx, hazard, automatic=automatic)


@RULE.check_target
def check_tiles(ctx: TargetContext) -> None:
    """Tile operations, which differ between targets: copies by TMA come with a barrier."""
    if not PassConfigs.of(ctx.instance.jit.pass_configs).flag(SWITCH) or ctx.target.compute_capability is None:
        return
    from tilelang.passes.access.teams import team_hazards

    target = ctx.target
    for sites in ctx.shared(launch_sites):
        for hazard in team_hazards(sites, lambda copy: loads_by_tma(copy, target)):
            _report_tiles(ctx, hazard)


def _report_tiles(ctx: TargetContext, hazard: TeamHazard) -> None:
    name = hazard.buffer.name
    if hazard.element is None:
        message = f"warps read `{name}` with no barrier after other warps store it"
    else:
        what = element(hazard.buffer, hazard.element)
        message = f"the thread {hazard.reader} reads `{what}` with no barrier after another warp stores it"
    notes = [
        Note(f"`{name}` is stored here", hazard.first.span),
        Note(f"{CONFIG} turns off the barriers that the compiler inserts"),
    ]
    fix = _sync_before(ctx, hazard.second.span)
    ctx.report(hazard.second.span, message, notes=notes, fix=fix)


def _report(ctx: InstanceContext, hazard: Hazard, *, automatic: bool) -> None:
    buffer = hazard.first.access.buffer
    threads = {axis.var for axis in hazard.first.axes if axis.kind == "thread"}
    one, other = places(hazard.one, hazard.other, threads)
    what = element(buffer, hazard.element)
    apart = hazard.first.stmt is not hazard.second.stmt
    notes: list[Note] = []
    if hazard.kind == "update":
        message = f"threads update `{what}` at the same time: {one}, and {other}"
        notes.append(Note("use an atomic operation, or a condition for one thread"))
    elif hazard.kind == "collision":
        message = f"threads store different values in `{what}`: {one}, and {other}"
    elif hazard.kind == "exchange":
        message = f"the thread {other} reads `{what}`, which {one} stores in the same statement"
        notes.append(Note("read into a variable first, then T.sync_threads(), then store"))
    elif hazard.kind == "overwrite":
        message = f"threads store different values in `{what}` with no barrier between: {one}, and {other}"
        notes.append(Note(f"the thread {one} stores it here", hazard.first.access.span))
    elif hazard.kind == "read-after-write":
        message = f"the thread {other} reads `{what}` with no barrier after {one} stores it"
        notes.append(Note(f"the thread {one} stores it here", hazard.first.access.span))
    else:
        message = f"the thread {other} stores `{what}` with no barrier after {one} reads it"
        notes.append(Note(f"the thread {one} reads it here", hazard.first.access.span))
    if apart and not automatic:
        notes.append(Note(f"{CONFIG} turns off the barriers that the compiler inserts"))
    elif apart and buffer.is_global:
        notes.append(Note("the barriers that the compiler inserts are for shared memory only"))
    elif apart:
        notes.append(Note("the compiler inserts no barrier between two stores"))
    guarded = hazard.first.guards or hazard.second.guards
    fix = _sync_before(ctx, hazard.second.stmt.span) if apart and not guarded else None
    ctx.report(hazard.second.stmt.span, message, notes=notes, fix=fix)


def _sync_before(ctx: InstanceContext, place: Span) -> Fix | None:
    """A barrier on a line of its own before a statement, if that begins a line."""
    module = language_name(ctx, place.path)
    before = ctx.snippet(Span(place.path, place.line, 0, place.line, place.col))
    if not module or before.strip() or place.via is not None:
        return None
    start = Span(place.path, place.line, place.col, place.line, place.col)
    return Fix("Wait for the other threads", (Edit(start, f"{module}.sync_threads()\n{before}"),), safe=True)
