"""The source and the destination of a `T.copy` have different extents.

## What it does
Compares what the two sides of a copy state. Two whole buffers must have the same shape. Two boxes (`A[0:64, 0:32]`)
must agree after dimensions of extent 1 are left out, so `(64, 32)` and `(1, 64, 32)` fit. An index without slices
(`A[by * 64, 0]`) only marks a start and takes the extents of the other side; it needs at least as many indices as the
other side has dimensions. A box that ends at the edge of its buffer may be smaller: the rest is filled with zeros, or
not stored.

## Why is this bad?
Most of these copies do not compile. Others touch elements outside the box that they name, or leave out a part of it,
which is only a warning.

## Example
```python
tile = T.alloc_shared((64, 32), "float16")
T.copy(A[0:128, 0:32], tile)
```

## Use instead
```python
T.copy(A[0:64, 0:32], tile)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.arith import prove_ne
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import Copy
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._text import declarations, has_problem, plural, shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Dim, Region
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape")

_ELEMENTWISE = ("copy", "async_copy", "tma_copy", "copy_cluster")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if not isinstance(stmt, Copy) or any(
            dims.is_stepped(side) or dims.has_wrong_rank(side) for side in (stmt.src, stmt.dst)
        ):
            continue
        if stmt.op in _ELEMENTWISE:
            trouble, severity = _copy_trouble(ctx, stmt)
        elif stmt.op == "transpose":
            trouble, severity = _transpose_trouble(ctx, stmt), Severity.ERROR
        else:
            continue
        if trouble and not has_problem(ctx, stmt.span):
            notes = declarations(ctx, [stmt.src.buffer, stmt.dst.buffer])
            ctx.report(stmt.span, f"T.{stmt.op}: {trouble}", notes=notes, severity=severity)


def _copy_trouble(ctx: InstanceContext, copy: Copy) -> tuple[str, Severity]:
    """What is wrong with a copy, empty if nothing certainly is."""
    src, dst = dims.written(copy.src), dims.written(copy.dst)
    if copy.src.is_whole and copy.dst.is_whole and src is not None and dst is not None:
        return "" if dims.same_shape(src, dst) else _differ(ctx, copy, src, dst), Severity.ERROR
    for start, box in ((copy.src, dst), (copy.dst, src)):
        if not (dims.is_start(start) and dims.has_known_rank(start.buffer)):
            continue
        if box is not None and len(box) > start.buffer.rank:
            given = plural(start.buffer.rank, "index")
            name = ctx.snippet(start.span) or start.buffer.name
            return f"`{name}` has {given} for a box of {len(box)} dimensions", Severity.ERROR
    if src is None or dst is None:
        return "", Severity.OFF
    severity = _difference(copy, src, dst)
    return _differ(ctx, copy, src, dst) if severity else "", severity


def _difference(copy: Copy, src: Sequence[Dim], dst: Sequence[Dim]) -> Severity:
    """How bad it is that two boxes differ; ``OFF`` if they do not, or may not."""
    moved_src, moved_dst = _moved(src), _moved(dst)
    if len(moved_src) != len(moved_dst):
        # A symbolic extent may be 1, so only constants settle how many dimensions move.
        certain = dims.constants(src) is not None and dims.constants(dst) is not None
        return Severity.ERROR if certain else Severity.OFF
    pairs = zip(moved_src, moved_dst, strict=True)
    return max((_pair_difference(copy, one, two) for one, two in pairs), default=Severity.OFF)


def _moved(extents: Sequence[Dim]) -> list[tuple[int, Dim]]:
    """The dimensions that the copy runs over, with their extents."""
    return [(axis, extent) for axis, extent in enumerate(extents) if const_int(extent) != 1]


def _pair_difference(copy: Copy, src: tuple[int, Dim], dst: tuple[int, Dim]) -> Severity:
    """A copy runs over the box in the memory nearer to the threads, of the source if both are equally near. It cannot
    be compiled if that is the destination's and smaller. It leaves the other box if that is smaller, which is fine at
    the edge of a buffer, where copies are clipped. It leaves out a part of the other box if that is larger."""
    from_extent, to_extent = const_int(src[1]), const_int(dst[1])
    if from_extent is None or to_extent is None or from_extent == to_extent:
        return Severity.OFF
    over_destination = _nearness(copy.dst) > _nearness(copy.src)
    if over_destination and from_extent > to_extent:
        return Severity.ERROR
    if not over_destination and to_extent > from_extent:
        return Severity.OFF if _reaches_edge(copy.src, src[0], from_extent) else Severity.WARNING
    smaller, axis = (copy.src, src[0]) if over_destination else (copy.dst, dst[0])
    return Severity.OFF if _reaches_edge(smaller, axis, min(from_extent, to_extent)) else Severity.ERROR


def _nearness(region: Region) -> int:
    buffer = region.buffer
    if buffer.is_fragment or buffer.is_local:
        return 2
    return 1 if buffer.is_shared or buffer.scope == "shared.tmem" else 0


def _reaches_edge(region: Region, axis: int, extent: int) -> bool:
    """Whether a box may end at the end of its buffer, where copies are clipped."""
    if region.is_whole:
        return True
    start, limit = const_int(region.mins[axis]), const_int(region.buffer.shape[axis])
    return start is None or limit is None or start + extent >= limit


def _transpose_trouble(ctx: InstanceContext, copy: Copy) -> str:
    src, dst = dims.written(copy.src), dims.written(copy.dst)
    if src is None or dst is None:
        return ""
    if len(src) < 2 or len(dst) < 2:
        return f"needs two dimensions, but the shapes are {shape(ctx, src)} and {shape(ctx, dst)}"
    swapped = (*src[:-2], src[-1], src[-2])
    if len(src) != len(dst) or any(prove_ne(x, y) for x, y in zip(swapped, dst, strict=True)):
        return f"{shape(ctx, src)} becomes {shape(ctx, swapped)}, but the destination is {shape(ctx, dst)}"
    return ""


def _differ(ctx: InstanceContext, copy: Copy, src: Sequence[Dim], dst: Sequence[Dim]) -> str:
    return (
        f"the source `{copy.src.buffer.name}` has the extents {shape(ctx, src)} "
        f"but the destination `{copy.dst.buffer.name}` has {shape(ctx, dst)}"
    )
