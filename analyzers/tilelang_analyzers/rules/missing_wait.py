"""The result of an asynchronous operation is used before anything waits for it.

## What it does
Follows the statements of a block in order and keeps count of what is under way: `T.async_copy` until
`T.ptx_wait_group`, loads by `T.tma_copy` until a wait at their barrier, stores by `T.tma_copy` until
`T.tma_store_wait`, `T.wgmma_gemm` until `T.wait_wgmma`, `T.tcgen05_gemm` until a wait at its barrier. Reports the first
statement that reads what is not there yet, or overwrites the source of a store. A wait that leaves too many groups
under way, or that waits for the wrong parity, is named in a note. `T.copy` and the copies of `T.Pipelined` loops
wait by themselves.

## Why is this bad?
The statement sees what the memory held before, all or part of it, depending on how fast the copy was.

## Example
```python
T.async_copy(X[bx * 512], tile)
T.copy(tile, Y[bx * 512])
```

## Use instead
```python
T.async_copy(X[bx * 512], tile)
T.ptx_wait_group(0)
T.copy(tile, Y[bx * 512])
```

## Fix safety
The fix adds the wait before the statement. It is safe: waiting changes no result.

## Targets
CUDA GPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note
from tilelang.ir.span import Span
from tilelang.ir.stmt import Copy, Gemm
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import language_name, launch_sites

if TYPE_CHECKING:
    from tilelang.passes.access.waits import MissingWait
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="race", fixable=True)

ASYNCHRONOUS = ("async_copy", "tma_copy", "wgmma_gemm", "tcgen05_gemm")

WHAT = {
    "cp.async": ("T.async_copy", "ptx_wait_group(0)"),
    "tma": ("T.tma_copy", ""),
    "store": ("T.tma_copy", "tma_store_wait(0)"),
    "wgmma": ("T.wgmma_gemm", "wait_wgmma(0)"),
    "tcgen05": ("T.tcgen05_gemm", ""),
}


@RULE.check_target
def check(ctx: TargetContext) -> None:
    if ctx.target.compute_capability is None:
        return  # other back ends wait by themselves
    if not any(isinstance(stmt, (Copy, Gemm)) and stmt.op in ASYNCHRONOUS for stmt in ctx.walk()):
        return
    from tilelang.passes.access.waits import missing_waits

    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for found in missing_waits(sites):
            if found.use.stmt.span not in seen:
                seen.add(found.use.stmt.span)
                _report(ctx, found)


def _report(ctx: TargetContext, found: MissingWait) -> None:
    pending = found.pending
    name = pending.site.access.buffer.name
    starter, wait = WHAT[pending.work]
    does, still = ("overwritten", "reads it") if pending.work == "store" else ("read", "fills it")
    notes = [Note(f"{starter} {still} from here on", pending.site.stmt.span)]
    if found.never and pending.barrier is not None:
        message = f"`{name}` is read, but nothing waits at `{pending.barrier[0].name}` for the {starter} that fills it"
    else:
        message = f"`{name}` is {does} before anything waits for the {starter} that {still}"
    if found.late is not None:
        text = "this wait has the parity of the phase before" if wait == "" else "this wait leaves it under way"
        notes.append(Note(text, found.late.span))
    elif wait:
        notes.append(Note(f"T.{wait} waits for it"))
    elif pending.barrier is not None:
        notes.append(Note(f"T.mbarrier_wait_parity({pending.barrier[0].name}, ...) waits for it"))
    fix = _wait(ctx, found, wait) if wait and found.late is None else None
    ctx.report(found.use.stmt.span, message, notes=notes, fix=fix)


def _wait(ctx: TargetContext, found: MissingWait, wait: str) -> Fix | None:
    """The wait on a line of its own before the statement, if that begins a line."""
    place = found.use.stmt.span
    module = language_name(ctx, place.path)
    before = ctx.snippet(Span(place.path, place.line, 0, place.line, place.col))
    if not module or before.strip() or place.via is not None:
        return None
    start = Span(place.path, place.line, place.col, place.line, place.col)
    return Fix(f"Wait with `{module}.{wait}`", (Edit(start, f"{module}.{wait}\n{before}"),), safe=True)
