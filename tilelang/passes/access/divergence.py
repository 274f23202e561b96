"""Barriers that not all threads reach.

A barrier of the block in a branch for whole warps becomes a barrier of those warps (upstream's partial
synchronisation), so it is fine. Where the threads of one warp part, there is no barrier for them: upstream stops, or
the result is undefined. A loop around a barrier must have the same number of iterations for all threads.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.expr import Load
from tilelang.ir.visit import subterms
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of
from tilelang.passes.access.trace import BARRIERS, VOTES, thread_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.expr import Var
    from tilelang.ir.span import Span
    from tilelang.passes.access.evaluate import Compiled, Point
    from tilelang.passes.access.sites import Axis, Place, Sites

WARP = 32
WARP_GROUP = 128
OUTER_POINTS = 8
"""Blocks and iterations tried for one barrier."""
MAX_THREADS = 1024

Kind = Literal["warp", "loop", "grid", "data"]


class Divergence(NamedTuple):
    """``warp``: ``present`` reaches the barrier and ``absent``, of the same warp, does not; ``passing`` threads of the
    block do. ``loop``: they reach it a different number of times. ``grid``: blocks of which one reaches a barrier of
    the whole grid. ``data``: the condition reads what may differ between threads; which ones pass is not known."""

    kind: Kind
    place: Place
    around: Span
    present: Mapping[Var, int]
    absent: Mapping[Var, int]
    passing: int = 0


def divergences(sites: Sites) -> Iterator[Divergence]:
    """The barriers of a launch that part of the threads miss, one finding for each."""
    places = [place for place in sites.effects if _is_block_barrier(place) or place.call.op == "sync_grid"]
    guarded = [place for place in places if place.guards or any(axis.kind not in _LAUNCH for axis in place.axes)]
    if not guarded:
        return
    threads = thread_points(sites, MAX_THREADS)
    for place in guarded:
        found = None
        if place.call.op == "sync_grid":
            found = _grid(sites, place)
        if found is None and threads is not None:
            found = _loop(sites, place, threads) or _branch(sites, place, threads)
        if found is not None:
            yield found


_LAUNCH = ("block", "thread")


def _is_block_barrier(place: Place) -> bool:
    if place.call.op in VOTES:
        return True
    return place.call.op in BARRIERS and place.call.op != "sync_grid" and "warp" not in place.call.args


def _branch(sites: Sites, place: Place, threads: list[dict[Var, int]]) -> Divergence | None:
    names = set(sites.launch.thread_vars)
    tested = [guard for guard in place.guards if _mentions(guard.cond, names)]
    if not tested or not place.certain:
        return None
    guards = compiled_guards(sites.evaluate, place.guards)
    if guards is None:
        unclear = next((guard for guard in tested if sites.evaluate(guard.cond) is None), None)
        reads = unclear is not None and any(isinstance(term, Load) for term in subterms(unclear.cond))
        return Divergence("data", place, unclear.span, {}, {}) if unclear is not None and reads else None
    outer = space_of(sites.evaluate, place.axes, guard_variables(guards) - names)
    if outer is None:
        return None
    for point in islice(outer.points({}), OUTER_POINTS):
        passed = [_passes(guards, point, values, number, place) for number, values in enumerate(threads)]
        for first in range(0, len(threads), WARP):
            warp = passed[first : first + WARP]
            if any(warp) and not all(warp):
                present, absent = first + warp.index(True), first + warp.index(False)
                return Divergence("warp", place, tested[-1].span, threads[present], threads[absent], sum(passed))
    return None


def _passes(
    guards: tuple[tuple[Compiled, bool], ...], point: Point, values: Mapping[Var, int], number: int, place: Place
) -> bool:
    if place.groups is not None and number // WARP_GROUP not in place.groups:
        return False
    return holds(guards, {**point, **values})


def _loop(sites: Sites, place: Place, threads: list[dict[Var, int]]) -> Divergence | None:
    """A loop around the barrier whose length differs between threads."""
    names = set(sites.launch.thread_vars)
    if not place.certain or compiled_guards(sites.evaluate, place.guards) is None:
        return None
    for axis in place.axes:
        if axis.kind in _LAUNCH or not _mentions((axis.start, axis.extent), names):
            continue
        extent = sites.evaluate(axis.extent)
        outer = None if extent is None else space_of(sites.evaluate, place.axes, extent.variables - names)
        if extent is None or outer is None:
            continue
        for point in islice(outer.points({}), OUTER_POINTS):
            lengths = _lengths(axis, extent, point, threads)
            if lengths and min(lengths) != max(lengths):
                most, least = lengths.index(max(lengths)), lengths.index(min(lengths))
                return Divergence("loop", place, axis.span, threads[most], threads[least])
    return None


def _lengths(axis: Axis, extent: Compiled, point: Point, threads: list[dict[Var, int]]) -> list[int]:
    """The number of iterations of each thread; nothing if that cannot be computed."""
    try:
        step = axis.step or 1
        return [max(0, -(-extent.at({**point, **values}) // step)) for values in threads]
    except (KeyError, Unresolved):
        return []


def _grid(sites: Sites, place: Place) -> Divergence | None:
    """A condition that some blocks pass and others do not."""
    guards = compiled_guards(sites.evaluate, place.guards)
    blocks = frozenset(sites.launch.block_vars)
    if guards is None or not place.certain or not guard_variables(guards) & blocks:
        return None
    space = space_of(sites.evaluate, place.axes, guard_variables(guards))
    present: dict[Var, int] | None = None
    absent: dict[Var, int] | None = None
    for point in space.points({}) if space is not None else ():
        chosen = {var: point[var] for var in point if var in blocks}
        if holds(guards, point):
            present = present or chosen
        else:
            absent = absent or chosen
    if present is None or absent is None:
        return None
    return Divergence("grid", place, place.guards[-1].span, present, absent)


def _mentions(value: object, names: set[Var]) -> bool:
    return any(term in names for term in subterms(value) if not isinstance(term, (list, tuple, int, float, str)))
