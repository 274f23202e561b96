"""Indices that leave their buffer, each with a point that leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import Interval, bounds
from tilelang.ir.arith.interval import interval_of
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.expr import Var
    from tilelang.passes.access.evaluate import Compiled, Point
    from tilelang.passes.access.points import Space
    from tilelang.passes.access.sites import Site, Sites


class Reach(NamedTuple):
    """A value that an index takes, and the variables that give it, outermost first."""

    value: int
    point: Mapping[Var, int]


def stays_within(sites: Sites, index: object, extent: int, limit: int) -> bool:
    """Whether ``0 <= index`` and ``index + extent <= limit`` by ranges alone. Most accesses are done with here."""
    allowed = Interval(0, limit - extent)
    return interval_of(index, sites.ranges).within(allowed) or bounds(index, sites.ranges).within(allowed)


class Extremes(NamedTuple):
    """The least and the largest value of an index over the points looked at."""

    low: Reach
    high: Reach


def extremes(sites: Sites, site: Site, index: object) -> Extremes | None:
    """Values of ``index`` at ``site`` that the program certainly reaches; None if that cannot be told, or if no point
    satisfies the conditions. Other values may exist; where all points were looked at, these are the extremes."""
    if not site.certain:
        return None
    compiled = sites.evaluate(index)
    guards = compiled_guards(sites.evaluate, site.guards)
    if compiled is None or guards is None:
        return None
    space = space_of(sites.evaluate, site.axes, compiled.variables | guard_variables(guards))
    return None if space is None else _scan(space, compiled, guards, site)


def _scan(space: Space, index: Compiled, guards: tuple[tuple[Compiled, bool], ...], site: Site) -> Extremes | None:
    low: Reach | None = None
    high: Reach | None = None
    for point in _candidates(space):
        if not holds(guards, point) or not _runs(site, point):
            continue
        try:
            value = index.at(point)
        except Unresolved:
            continue
        if low is None or value < low.value:
            low = Reach(value, _relevant(space, point))
        if high is None or value > high.value:
            high = Reach(value, _relevant(space, point))
    return None if low is None or high is None else Extremes(low, high)


def _candidates(space: Space) -> Iterator[Point]:
    """The corners first: they decide for most indices, and an enumeration may not reach them."""
    corners = 2 ** len(space.dimensions)
    if corners <= 256:
        yield from space.points({}, corners)
    yield from space.points({})


def _runs(site: Site, point: Mapping[Var, int]) -> bool:
    """Whether the warp group of the point's thread runs the statement."""
    if site.groups is None:
        return True
    thread = next((axis.var for axis in site.axes if axis.kind == "thread"), None)
    return thread is None or thread not in point or point[thread] // 128 in site.groups


def _relevant(space: Space, point: Mapping[Var, int]) -> dict[Var, int]:
    return {dimension.axis.var: point[dimension.axis.var] for dimension in space.dimensions}
