"""Races between the blocks of a launch: two of them store in the same element of a tensor.

Blocks run in any order, and nothing synchronises them but a barrier of the whole grid. Kernels with such a barrier,
with clusters or with persistent loops are left out.
"""

from __future__ import annotations

from itertools import chain, islice, product
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from tilelang.ir.arith import affine, try_const
from tilelang.ir.stmt import Copy, Effect, Fill, Store
from tilelang.ir.visit import walk
from tilelang.passes.access.collide import determined
from tilelang.passes.access.contents import BlockComparison, Contents
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.parallel import sizes
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.ir.expr import Var
    from tilelang.passes.access.evaluate import Compiled, Point
    from tilelang.passes.access.sites import Site, Sites

MAX_BLOCKS = 512
"""Points looked at for one store. Blocks that collide are near each other, or differ in one index only."""
MAX_STORES = 8
"""Stores to one tensor that are compared with each other."""

GRID_BARRIERS = ("sync_grid", "cluster_sync", "cluster_arrive", "cluster_wait")
COPIES = ("copy", "tma_copy", "transpose")


class BlockRace(NamedTuple):
    """``update``: both blocks change the element from what it was; ``write``: they store different values. ``first``
    and ``second`` at the points ``one`` and ``other`` both store ``element``."""

    kind: Literal["update", "write"]
    first: Site
    second: Site
    one: Mapping[Var, int]
    other: Mapping[Var, int]
    element: tuple[int, ...]


def block_races(sites: Sites) -> Iterator[BlockRace]:
    """The first race of every store to a tensor."""
    launch = sites.launch
    if launch.attr("cluster_dims") is not None or _meets(sites):
        return
    stores: dict[object, list[Site]] = {}
    for site in sites.sites:
        if _is_store(site):
            stores.setdefault(site.access.buffer, []).append(site)
    if not stores:
        return
    search = _Search(sites)
    for group in stores.values():
        for number, site in enumerate(group):
            others = group[number : number + MAX_STORES] if len(group) <= MAX_STORES else [site]
            found = next(filter(None, (search.race(site, other) for other in others)), None)
            if found is not None:
                yield found


def _meets(sites: Sites) -> bool:
    return any(isinstance(stmt, Effect) and stmt.call.op in GRID_BARRIERS for stmt in walk(sites.launch.body))


def _is_store(site: Site) -> bool:
    """A plain store of an element or box of a tensor that certainly happens."""
    if not (site.access.buffer.is_global and site.access.mode == "write" and site.certain):
        return False
    if any(axis.kind == "persistent" for axis in site.axes):
        return False
    return isinstance(site.stmt, (Store, Fill)) or (isinstance(site.stmt, Copy) and site.stmt.op in COPIES)


class _Store(NamedTuple):
    """A store with its place and conditions as functions of a point."""

    site: Site
    starts: tuple[Compiled, ...]
    extents: tuple[int, ...]
    limits: tuple[int | None, ...]
    guards: tuple[tuple[Compiled, bool], ...]

    def place(self, point: Point) -> tuple[int, ...] | None:
        """Where it stores; None if it does not, or not inside of the tensor."""
        if not holds(self.guards, point):
            return None
        try:
            place = tuple(start.at(point) for start in self.starts)
        except Unresolved:
            return None
        inside = all(
            at + extent > 0 and (limit is None or at < limit)
            for at, extent, limit in zip(place, self.extents, self.limits, strict=True)
        )
        return place if inside else None


class _Search:
    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._blocks = frozenset(sites.launch.block_vars)
        self._compare = BlockComparison(sites, Contents(sites))
        self._known: dict[int, _Store | None] = {}

    def race(self, site: Site, other: Site) -> BlockRace | None:
        if self._keeps_apart(site, other):
            return None
        first, second = self._store(site), self._store(other)
        if first is None or second is None or first.extents != second.extents:
            return None
        sizes_of = sizes(site, other)
        seen: dict[tuple[int, ...], list[tuple[tuple[int, ...], Point]]] = {}
        for point, place in self._places(first, sizes_of):
            if site is other:
                found = self._meet(first, second, seen, point, place)
                if found is not None:
                    return found
            seen.setdefault(_cell(place, first.extents), []).append((place, dict(point)))
        for point, place in self._places(second, sizes_of) if site is not other else ():
            found = self._meet(first, second, seen, point, place)
            if found is not None:
                return found
        return None

    def _meet(
        self,
        first: _Store,
        second: _Store,
        seen: Mapping[tuple[int, ...], Sequence[tuple[tuple[int, ...], Point]]],
        point: Point,
        place: tuple[int, ...],
    ) -> BlockRace | None:
        for cell in _around(_cell(place, second.extents), second.extents):
            for there, before in seen.get(cell, ()):
                shared = _common(there, place, first.extents, first.limits)
                if shared is None or all(before.get(var) == point.get(var) for var in self._blocks):
                    continue
                shift = tuple(b - a for a, b in zip(there, place, strict=True))
                kind = self._conflict(first.site, second.site, before, point, shift)
                if kind is not None:
                    return BlockRace(kind, first.site, second.site, before, dict(point), shared)
        return None

    def _places(self, store: _Store, given: Mapping[Var, int]) -> Iterator[tuple[Point, tuple[int, ...]]]:
        used = frozenset(var for start in store.starts for var in start.variables) | guard_variables(store.guards)
        free = self._blocks - used
        space = space_of(self._sites.evaluate, store.site.axes, used | free, frozenset(given))
        if space is None:
            return
        budget = 4 * MAX_BLOCKS
        parts: list[Iterator[Point]] = [islice(space.points(given, MAX_BLOCKS, free, ends=False), budget)]
        if not space.is_within(given, MAX_BLOCKS):
            parts.extend(self._neighbours(store, used | free, given, free, budget))
        for point in chain.from_iterable(parts):
            place = store.place(point)
            if place is not None:
                yield point, place

    def _neighbours(
        self, store: _Store, needed: frozenset[Var], given: Mapping[Var, int], free: frozenset[Var], budget: int
    ) -> Iterator[Iterator[Point]]:
        """Points of the first blocks along each axis of the grid: whole tiles, so that those which overlap meet."""
        for var in (var for var in self._sites.launch.block_vars if var in needed):
            base = {**given, **dict.fromkeys(self._blocks - {var}, 0)}
            space = space_of(self._sites.evaluate, store.site.axes, needed, frozenset(base))
            if space is not None:
                yield islice(space.points(base, budget, free | {var}, ends=False), budget)

    def _store(self, site: Site) -> _Store | None:
        key = id(site.access)
        if key not in self._known:
            self._known[key] = self._compiled(site)
        return self._known[key]

    def _compiled(self, site: Site) -> _Store | None:
        starts, extents = _box(site)
        compiled = None if starts is None else self._sites.evaluate.all(tuple(starts))
        guards = compiled_guards(self._sites.evaluate, site.guards)
        if compiled is None or guards is None or extents is None:
            return None
        limits = tuple(try_const(dim) for dim in site.access.buffer.shape)
        return _Store(site, compiled, extents, limits, guards)

    def _keeps_apart(self, site: Site, other: Site) -> bool:
        """Whether every block certainly stores to elements of its own: the block indices are digits of the place."""
        starts, extents = _box(site)
        if starts is None or extents is None:
            return True
        forms = [affine(start) for start in starts]
        if site is not other and forms != [affine(start) for start in _box(other)[0] or ()]:
            return False
        own = frozenset(axis.var for axis in site.axes)
        ranges = self._sites.ranges
        found: set[Var] = {var for var in self._blocks if var in ranges and ranges[var].value is not None}
        for form, extent in zip(forms, extents, strict=True):
            found |= determined(form, ranges, own, extent - 1)
        return self._blocks <= found

    def _conflict(
        self, site: Site, other: Site, one: Point, two: Point, shift: tuple[int, ...]
    ) -> Literal["update", "write"] | None:
        a, b = site.stmt, other.stmt
        if isinstance(a, Store) and isinstance(b, Store):
            if a is b:
                if self._compare.of_store(a, one, two) != "differ":
                    return None
                return "update" if self._compare.is_update(a, one) else "write"
            return "write" if self._compare.of_two(a.value, b.value, one, two) == "differ" else None
        if isinstance(a, Fill) and isinstance(b, Fill):
            return "write" if self._compare.of_two(a.value, b.value, one, two) == "differ" else None
        if isinstance(a, Copy) and isinstance(b, Copy) and a is b:
            return "write" if _differs(self._source(site, one), self._source(site, two), shift) else None
        return None

    def _source(self, site: Site, point: Point) -> object:
        """Where what a copy stores comes from."""
        assert isinstance(site.stmt, Copy), "the caller looked"
        buffer = site.stmt.src.buffer
        if not buffer.is_global:
            return self._compare.contents.origin(buffer, point)
        source = next((s for s in self._sites.sites if s.stmt is site.stmt and s.access.place is site.stmt.src), None)
        return None if source is None else self._compare.contents.first_element(source, point)


def _differs(one: object, other: object, shift: tuple[int, ...]) -> bool:
    """Whether two tiles from these origins, one ``shift`` behind the other, have other elements where they overlap.
    Windows that move along with their place bring the same element to it."""
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return one != other
    moved = sorted(abs(step) for step in shift if step)
    for a, b in zip(cast("tuple[object, ...]", one), cast("tuple[object, ...]", other), strict=False):
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):  # pyright: ignore[reportUnknownArgumentType]
            steps = sorted(abs(y - x) for x, y in zip(a, b, strict=True) if x != y)  # type: ignore[operator]
            if steps != moved:
                return True
        elif a != b:
            return True
    return False


def _box(site: Site) -> tuple[Sequence[object] | None, tuple[int, ...] | None]:
    """Start and extent of what is stored; None for what is not known."""
    if site.indices is not None:
        return site.indices, (1,) * len(site.indices)
    box = site.box
    if box is None or box.extents is None:
        return None, None
    extents = tuple(try_const(extent) for extent in box.extents)
    known = tuple(extent for extent in extents if extent is not None and extent > 0)
    return box.mins, known if len(known) == len(extents) else None


def _cell(place: tuple[int, ...], extents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(at // extent for at, extent in zip(place, extents, strict=True))


def _around(cell: tuple[int, ...], extents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The cells whose boxes may overlap a box that begins in ``cell``."""
    yield from product(
        *(((at,) if extent == 1 else (at, at - 1, at + 1)) for at, extent in zip(cell, extents, strict=True))
    )


def _common(
    one: tuple[int, ...], other: tuple[int, ...], extents: tuple[int, ...], limits: tuple[int | None, ...]
) -> tuple[int, ...] | None:
    """The first element that two boxes share inside of the tensor."""
    shared: list[int] = []
    for a, b, extent, limit in zip(one, other, extents, limits, strict=True):
        start = max(a, b, 0)
        if start >= min(a, b) + extent or (limit is not None and start >= limit):
            return None
        shared.append(start)
    return tuple(shared)
