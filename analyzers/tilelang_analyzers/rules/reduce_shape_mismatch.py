"""The result of a reduction or scan has the wrong shape, or its `dim` does not exist.

## What it does
Checks `T.reduce_*(src, dst, dim)`: `dst` must have the shape of `src` without dimension `dim`, or with an extent of 1
there. `T.cumsum` and `T.cummax` keep the shape. `dim` must be a dimension of the source.

## Why is this bad?
The kernel does not compile. Often the destination was given the size of the axis that goes away instead of the one
that stays.

## Example
```python
tile = T.alloc_fragment((64, 128), "float32")
best = T.alloc_fragment((128,), "float32")
T.reduce_max(tile, best, dim=1)
```

## Use instead
```python
best = T.alloc_fragment((64,), "float32")
T.reduce_max(tile, best, dim=1)
```

## Fix safety
The fix writes the one `dim` with which the shapes agree. It is unsafe, since the result may have been given the wrong
shape instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Note
from tilelang.ir.stmt import Reduce, Scan
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._source import call_at, span_of
from tilelang_analyzers.rules._text import declarations, shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Dim
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape", fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if isinstance(stmt, Reduce):
            _check_reduce(ctx, stmt)
        elif isinstance(stmt, Scan):
            _check_scan(ctx, stmt)


def _check_reduce(ctx: InstanceContext, reduce: Reduce) -> None:
    name = f"T.reduce_{reduce.op}"
    source = dims.written(reduce.src)
    if source is None or not reduce.dst.is_whole or not _has_dim(ctx, name, reduce):
        return
    dim = reduce.dim % len(source)
    rest, result = (*source[:dim], *source[dim + 1 :]), reduce.dst.buffer.shape
    kept = (*source[:dim], 1, *source[dim + 1 :])
    if dims.same_shape(rest, result) or dims.same_shape(kept, result):
        return
    other, fix = _other_dim(ctx, reduce, source, result)
    expected = shape(ctx, kept) if not rest else f"{shape(ctx, rest)} or {shape(ctx, kept)}"
    ctx.report(
        reduce.span,
        f"{name}: reducing {shape(ctx, source)} over dim {reduce.dim} gives {expected}, "
        f"but `{reduce.dst.buffer.name}` is {shape(ctx, result)}",
        notes=[*declarations(ctx, [reduce.src.buffer, reduce.dst.buffer]), *other],
        fix=fix,
    )


def _other_dim(
    ctx: InstanceContext, reduce: Reduce, source: Sequence[Dim], result: Sequence[Dim]
) -> tuple[tuple[Note, ...], Fix | None]:
    """The one dimension over which the reduction would give the result's shape, if there is only one; and the change of
    ``dim=...``, if that is written as a number."""
    fitting = [
        dim
        for dim in range(len(source))
        if dims.same_shape((*source[:dim], *source[dim + 1 :]), result)
        or dims.same_shape((*source[:dim], 1, *source[dim + 1 :]), result)
    ]
    if len(fitting) != 1:
        return (), None
    found = call_at(ctx, reduce.span)
    written = [word.value for word in found[0].keywords if word.arg == "dim"] if found else []
    note = Note(f"with dim={fitting[0]} the shapes agree")
    if not written or ctx.snippet(span_of(reduce.span.path, written[0])) not in (str(reduce.dim), f"-{-reduce.dim}"):
        return (note,), None
    edit = Edit(span_of(reduce.span.path, written[0]), str(fitting[0]))
    return (note,), Fix(f"Reduce over dim {fitting[0]}", (edit,))


def _check_scan(ctx: InstanceContext, scan: Scan) -> None:
    name = f"T.{scan.op}"
    source, result = dims.written(scan.src), dims.written(scan.dst)
    if source is None or not _has_dim(ctx, name, scan) or result is None or dims.same_shape(source, result):
        return
    ctx.report(
        scan.span,
        f"{name}: the source `{scan.src.buffer.name}` is {shape(ctx, source)} "
        f"but the destination `{scan.dst.buffer.name}` is {shape(ctx, result)}",
        notes=declarations(ctx, [scan.src.buffer, scan.dst.buffer]),
    )


def _has_dim(ctx: InstanceContext, name: str, stmt: Reduce | Scan) -> bool:
    source = dims.written(stmt.src) or ()
    if -len(source) <= stmt.dim < len(source):
        return True
    message = f"{name}: dim {stmt.dim} does not exist in `{stmt.src.buffer.name}` {shape(ctx, source)}"
    ctx.report(stmt.span, message, notes=declarations(ctx, [stmt.src.buffer]))
    return False
