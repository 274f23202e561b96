"""Two operations need different layouts of one buffer.

## What it does
Infers, as the compiler does, which thread and register holds each element of every fragment, and how every shared tile
is laid out. Reports the operation at which two needs cannot be met together, and copies by TMA whose shared tile has a
layout, given by hand, that TMA does not know.

## Why is this bad?
The kernel does not compile. Elements would have to move between threads, and only shared memory can do that.

## Example
```python
s = T.alloc_fragment((64, 64), "float32")
p = T.alloc_fragment((64, 64), "float16")
T.gemm(q, k, s, transpose_B=True)  # 4 warps share s as 2 x 2
T.copy(s, p)
T.gemm(p, v, o)  # each warp needs whole rows of p
```

## Use instead
```python
T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
T.copy(s, p)
T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
```
Or copy the fragment to a shared tile and back.

## Targets
NVIDIA and AMD GPUs. What a `T.gemm` needs depends on the instruction: on Hopper the example compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.ir.layout import Fragment
from tilelang.ir.stmt import Copy, Effect, For, Gemm, Reduce, Scan
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._bulk import check_bulk_copies
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Stmt
    from tilelang.passes.layouts import Claim, Conflict
    from tilelang_analyzers.rule import TargetContext

RULE = define(__name__, __doc__, group="layout")


@RULE.check_target
def check(ctx: TargetContext) -> None:
    check_bulk_copies(ctx)
    for launch in ctx.launches:
        conflict = ctx.plan(launch).layouts.conflict
        if conflict is None or conflict.stmt is None or conflict.reason == "constant-index":
            continue
        if any(_mixes_types(stmt) for stmt in _needs(conflict)):
            continue  # no layout can be right; `gemm-dtype-mismatch` says why
        ctx.report(
            _place(conflict, conflict.stmt).span,
            _message(conflict),
            notes=(*_notes(ctx, conflict), *_remedy(conflict)),
            data={"reason": conflict.reason},
            severity=None if conflict.certain else Severity.INFO,
        )


def _needs(conflict: Conflict) -> Iterator[Stmt]:
    """The statement where inference stops, and those that asked for the layouts."""
    claims = (conflict.earlier, conflict.later)
    stmts = (conflict.stmt, *(claim.stmt for claim in claims if claim is not None))
    return (stmt for stmt in stmts if stmt is not None)


def _mixes_types(stmt: Stmt) -> bool:
    return isinstance(stmt, Gemm) and stmt.a.buffer.dtype != stmt.b.buffer.dtype


def _place(conflict: Conflict, stmt: Stmt) -> Stmt:
    """Where to report: at a product behind the loop that connects two fragments, since its need cannot be changed."""
    later = conflict.later.stmt if conflict.later is not None else None
    behind = isinstance(later, Gemm) and (later.span.line, later.span.col) > (stmt.span.line, stmt.span.col)
    return later if conflict.reason == "loop" and behind and later is not None else stmt


def _message(conflict: Conflict) -> str:
    name = conflict.buffer.name
    other = conflict.other.name if conflict.other is not None else "another fragment"
    what = _operation(conflict.stmt)
    if conflict.stmt is not None and (place := _place(conflict, conflict.stmt)) is not conflict.stmt:
        return f"{_operation(place)} needs a layout of `{other}` that {what} cannot fill from `{name}`"
    texts = {
        "different": f"{what} needs another layout of `{name}` than the one it has",
        "loop": f"{what} cannot follow the layouts of both `{name}` and `{other}`",
        "reduce": f"`{name}` does not lie where {what} leaves its result",
        "serial-index": f"the elements of `{name}` along `{_loop(conflict)}` lie in different threads",
        "not-invertible": f"{what} uses `{name}` in a way that no layout is known to allow",
        "not-injective": f"{what} cannot be spread over the threads as `{name}` needs it",
        "nothing": f"nothing says how `{name}` is spread over the threads",
        "scan": f"{what} needs `{name}` row by row, but it is swizzled",
        "replicated": f"{what} runs in several threads because of `{name}`, and stores to memory as well",
        "annotation": f"the layout given for `{name}` puts two elements at one place",
    }
    return texts.get(conflict.reason, f"no layout of `{name}` serves all its uses")


def _operation(stmt: Stmt | None) -> str:
    if isinstance(stmt, (Copy, Gemm, Scan)):
        return f"T.{stmt.op}"
    if isinstance(stmt, Reduce):
        return f"T.reduce_{stmt.op}"
    if isinstance(stmt, Effect):
        return f"T.{stmt.call.op}"
    return "the T.Parallel loop" if isinstance(stmt, For) else "this statement"


def _loop(conflict: Conflict) -> str:
    return conflict.loop.name if conflict.loop is not None else "a serial loop"


def _notes(ctx: TargetContext, conflict: Conflict) -> Iterator[Note]:
    other = conflict.other if conflict.other is not None else conflict.buffer
    for buffer, claim in ((conflict.buffer, conflict.earlier), (other, conflict.later)):
        if claim is not None and claim.stmt is not None:
            yield Note(f"{_operation(claim.stmt)} lays out `{buffer.name}`: {_formula(claim)}", claim.stmt.span)
    if conflict.stmt is not None and _place(conflict, conflict.stmt) is not conflict.stmt:
        yield Note(f"{_operation(conflict.stmt)} stands between them", conflict.stmt.span)
    yield from declarations(ctx, _buffers(conflict))


def _buffers(conflict: Conflict) -> tuple[Buffer, ...]:
    return (conflict.buffer,) if conflict.other is None else (conflict.buffer, conflict.other)


def _formula(claim: Claim) -> str:
    """Which thread has an element; for shared tiles, where it lies."""
    return claim.layout.owner() if isinstance(claim.layout, Fragment) else str(claim.layout)


def _remedy(conflict: Conflict) -> Iterator[Note]:
    """What to do. A fragment that one gemm computes and another one takes wants whole rows in each warp."""
    gemms = [claim.stmt for claim in (conflict.earlier, conflict.later) if claim is not None]
    gemms = [stmt for stmt in gemms if isinstance(stmt, Gemm)]
    if conflict.reason in ("loop", "different") and any(gemm.policy != "FullRow" for gemm in gemms):
        yield Note("policy=T.GemmWarpPolicy.FullRow in each T.gemm may give them one layout")
    if conflict.reason in ("loop", "different", "reduce"):
        yield Note("a shared tile between the two operations always works")
    elif conflict.reason == "serial-index":
        yield Note("use a T.reduce operation, a T.Parallel loop, or a shared tile")
    elif conflict.reason == "scan":
        yield Note("copy it to another shared tile first")
