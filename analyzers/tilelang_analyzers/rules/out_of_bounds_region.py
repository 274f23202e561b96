"""A tile operation names a box that lies outside its buffer.

## What it does
Compares the box of `T.fill`, `T.gemm`, reductions, scans and atomics with the shape of the buffer, in every block and
iteration that is certainly reached; the message names one. Copies are clipped at the edge of a tensor, which is how
edge tiles work, and so are fills and atomic updates of tensors, so there only these are reported: a written slice that
ends outside of on-chip memory, a box that always begins outside, and a single index outside.

## Why is this bad?
The operation reads or writes memory of something else, or silently does nothing.

## Example
```python
buf = T.alloc_shared((8,), "int32")
T.fill(buf[6:12], 7)
```

## Use instead
```python
T.fill(buf[6:8], 7)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import bounds
from tilelang.ir.expr import Slice, const_int
from tilelang.ir.stmt import Atomic, Copy, Fill, Gemm, Reduce, Scan
from tilelang.passes.access.bounds import extremes, stays_within
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._sites import launch_sites, point
from tilelang_analyzers.rules._text import declarations, number, shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Region
    from tilelang.ir.expr import Var
    from tilelang.ir.span import Span
    from tilelang.passes.access.sites import Site, Sites
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds")


class Trouble(NamedTuple):
    """What is wrong with one dimension of a box, and where."""

    axis: int
    text: str
    point: Mapping[Var, int]


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[tuple[Span, str]] = set()
    for sites in ctx.shared(launch_sites):
        for site in sites.sites:
            region = _written_box(site)
            trouble = _trouble(sites, site, region) if region is not None else None
            if region is None or trouble is None or (region.span, region.buffer.name) in seen:
                continue
            seen.add((region.span, region.buffer.name))
            ctx.report(
                region.span,
                f"`{ctx.snippet(region.span) or region.buffer.name}` {trouble.text} in dimension {trouble.axis} of "
                f"`{region.buffer.name}` {shape(ctx, region.buffer.shape)}"
                + (f", for {point(trouble.point)}" if trouble.point else ""),
                notes=declarations(ctx, [region.buffer]),
            )


def _written_box(site: Site) -> Region | None:
    """The box that a tile operation names with indices."""
    region = site.box
    if region is None or region.indices is None or dims.is_stepped(region):
        return None
    return region if isinstance(site.stmt, (Copy, Reduce, Scan, Gemm, Fill, Atomic)) else None


def _trouble(sites: Sites, site: Site, region: Region) -> Trouble | None:
    for axis in range(region.buffer.rank):
        found = _outside(sites, site, region, axis)
        if found is not None:
            return found
    return None


def _outside(sites: Sites, site: Site, region: Region, axis: int) -> Trouble | None:
    assert region.indices is not None
    assert region.extents is not None
    start, limit = region.mins[axis], const_int(region.buffer.shape[axis])
    extent = const_int(region.extents[axis])
    if limit is None or stays_within(sites, start, extent or 1, limit):
        return None
    span = bounds(start, sites.ranges)
    reached = extremes(sites, site, start)
    if span.lo is not None and span.lo >= limit:
        at = reached.low if reached is not None else None
        if at is None and (site.guards or not site.certain):
            return None
        value = at.value if at is not None else span.lo
        return Trouble(axis, f"begins at {number(value)}, past the end", at.point if at is not None else {})
    if extent is None or _is_clipped(site, region, axis):
        return None
    if reached is not None:
        end = reached.high.value + extent
        return Trouble(axis, f"ends at {number(end)}", reached.high.point) if end > limit else None
    # The start is not computed, but its least value is known.
    if span.lo is not None and span.lo + extent > limit and site.certain and not site.guards:
        return Trouble(axis, f"ends at {number(span.lo + extent)}", {})
    return None


def _is_clipped(site: Site, region: Region, axis: int) -> bool:
    """Whether the part of a box that lies beyond the end is skipped."""
    assert region.indices is not None
    if isinstance(site.stmt, Copy):
        return region.buffer.is_global or not isinstance(region.indices[axis], Slice)
    # A box with a fixed place is refused by the compiler; one that moves is guarded.
    return region.buffer.is_global and const_int(region.mins[axis]) is None
