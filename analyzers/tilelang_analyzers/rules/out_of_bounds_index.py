"""An element access lies outside its buffer.

## What it does
Reports `buf[i]` where an index certainly leaves the buffer. For shared memory, fragments and local arrays one iteration
is enough; the message names the block, thread and loop indices that lead there. Conditions around the access,
`T.if_then_else` included, are evaluated; where that is not possible, nothing is reported. The compiler guards accesses
to tensors in global memory at the edges, so there only accesses that are outside in every block and iteration are
reported, unless the pass config `tl.disable_safe_memory_legalize` turns the guards off. An index that is always
negative counts from the end; one that is negative in some iterations does not.

## Why is this bad?
The access reads or overwrites memory of something else.

## Example
```python
buf = T.alloc_shared((128,), "float32")
for i in T.serial(128):
    buf[i + 1] = 0
```

## Use instead
```python
for i in T.serial(127):
    buf[i + 1] = 0
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import bounds
from tilelang.ir.expr import const_int
from tilelang.passes.access.bounds import Reach, extremes, stays_within
from tilelang.passes.configs import PassConfigs
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._sites import launch_sites, point
from tilelang_analyzers.rules._text import declarations, number, shape

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.passes.access.sites import Site, Sites
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds")

UNGUARDED = "disable_safe_memory_legalize"


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    masked = not PassConfigs.of(ctx.instance.jit.pass_configs).flag(UNGUARDED)
    seen: set[Span] = set()
    for sites in ctx.shared(launch_sites):
        for site in sites.sites:
            span = site.access.place.span if site.indices is not None else None
            if span is None or span in seen:
                continue
            found = _first_outside(sites, site, masked=masked)
            if found is not None:
                seen.add(span)
                _report(ctx, site, span, *found)


def _report(ctx: InstanceContext, site: Site, span: Span, axis: int, reach: Reach) -> None:
    buffer = site.access.buffer
    ctx.report(
        span,
        f"index {number(reach.value)} is outside dimension {axis} of `{buffer.name}` {shape(ctx, buffer.shape)}"
        + (f", for {point(reach.point)}" if reach.point else ""),
        notes=declarations(ctx, [buffer]),
        data={"index": reach.value, "axis": axis},
    )


def _first_outside(sites: Sites, site: Site, *, masked: bool) -> tuple[int, Reach] | None:
    """The first dimension whose index leaves the buffer, and where it does."""
    buffer = site.access.buffer
    for axis, index in enumerate(site.indices or ()):
        limit = const_int(buffer.shape[axis])
        if limit is None or stays_within(sites, index, 1, limit):
            continue
        reach = _outside(sites, site, index, limit, masked=masked and buffer.is_global)
        if reach is not None:
            return axis, reach
    return None


def _outside(sites: Sites, site: Site, index: object, limit: int, *, masked: bool) -> Reach | None:
    """A value of ``index`` outside of ``0 <= index < limit`` that is certainly reached. ``masked``: the compiler skips
    what is outside, so all values have to be."""
    span = bounds(index, sites.ranges)
    above = span.lo is not None and span.lo >= limit
    below = span.hi is not None and span.hi < -limit
    found = extremes(sites, site, index)
    if found is None:
        plain = site.certain and not site.guards
        end = span.lo if above else span.hi if below else None
        return Reach(end, {}) if plain and end is not None else None
    if above or below:
        return found.low if above else found.high
    if masked:
        return None
    if found.high.value >= limit:
        return found.high
    # An index that is negative wherever it is used counts from the end.
    mixed = found.low.value < 0 <= found.high.value
    return found.low if mixed or found.low.value < -limit else None
