"""Races between the iterations of one ``T.Parallel`` loop.

Iterations are spread over the threads of the block in a way that the program does not choose, and run in any order. So
two of them must not store different values in one element, and none may read what another one writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import prove_equal
from tilelang.ir.stmt import Let, Store
from tilelang.ir.visit import variables, walk
from tilelang.passes.access.collide import collision
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.values import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import For
    from tilelang.passes.access.collide import Collision
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Axis, Site, Sites

SIZE = 1 << 16
"""What a symbolic size is taken as: large, and a multiple of every tile."""
MAX_ALIKE = 32
"""Accesses of one buffer in one nest that are compared with each other; real bodies have a handful."""


class ParallelRace(NamedTuple):
    """``update``: an element is changed by several iterations, each from what it was. ``write``: they store different
    values. ``read``: the first stores an element that the second reads; ``within`` says that one statement does both,
    so that no barrier can come between."""

    kind: Literal["update", "write", "read"]
    nest: For
    first: Site
    second: Site
    found: Collision
    within: bool = True


def parallel_races(sites: Sites) -> Iterator[ParallelRace]:
    """The first race of every statement inside ``T.Parallel`` loops on shared and global memory."""
    nests: dict[int, list[Site]] = {}
    for site in sites.sites:
        if site.nest is not None and (site.access.buffer.is_shared or site.access.buffer.is_global):
            nests.setdefault(id(site.nest), []).append(site)
    for group in nests.values():
        if any(site.access.writes for site in group):
            yield from _Nest(sites, group).races()


class _Nest:
    """The accesses of one nest of parallel loops."""

    def __init__(self, sites: Sites, group: list[Site]) -> None:
        nest = group[0].nest
        assert nest is not None
        self._sites = sites
        self._loop = nest
        self._group = group
        written = {site.access.buffer.root for site in group if site.access.writes}
        lets = {stmt.var for stmt in walk(nest.body) if isinstance(stmt, Let)}
        self._compare = Comparison(sites.evaluate, {*lets, *written, *_stored_locals(nest)})
        self._reported: set[tuple[int, int]] = set()

    def races(self) -> Iterator[ParallelRace]:
        for site in self._group:
            if site.access.mode == "write" and isinstance(site.stmt, Store) and not site.is_atomic:
                race = self._write(site, site.stmt) or self._read(site, site.stmt)
                if race is not None:
                    yield race

    def _write(self, site: Site, store: Store) -> ParallelRace | None:
        """Another iteration that stores in the same element."""
        compare = self._compare
        writers = {
            id(one.stmt) for one in self._group if one.access.buffer.root is store.buffer.root and one.access.writes
        }
        alone = len(writers) == 1
        for other in self._others(site):
            again = other.stmt
            if not isinstance(again, Store) or other.access.mode != "write" or other.number < site.number:
                continue

            def differ(one: Point, two: Point, again: Store = again, other: Site = other) -> bool:
                if self._is_settled_later(site, other, one, two):
                    return False
                if again is store and alone and not compare.is_update(store, one):
                    return compare.of_lockstep(store, one, two) == "differ"
                if again is store:
                    return compare.of_store(store, one, two) == "differ"
                return compare.of_two(store.value, again.value, one, two) == "differ"

            found = self._collision(site, other, differ)
            if found is not None:
                kind = "update" if site is other and compare.is_update(store, dict(found.first)) else "write"
                return ParallelRace(kind, self._loop, site, other, found)
        return None

    def _is_settled_later(self, site: Site, other: Site, one: Point, two: Point) -> bool:
        """Whether the iteration of ``one`` also runs ``other`` on the same element, later: then what it leaves there is
        compared where both run ``other``, and not here. The same for two steps of a loop inside."""
        loops = {axis.var for axis in (*self._private(site), *self._private(other)) if axis.kind != "parallel"}
        steps = {var for var in loops if one.get(var) != two.get(var)}
        if site is other and not steps:
            return False
        pairs = [(one, two)] if site is not other else [(one, two), (two, one)]
        for mine, theirs in pairs:
            moved = {**mine, **{var: theirs[var] for var in loops if var in theirs}}
            if self._element(other, moved) == self._element(other, theirs):
                return True
        return False

    def _element(self, site: Site, point: Point) -> tuple[int, ...] | None:
        indices = self._sites.evaluate.all(site.indices or ())
        try:
            return None if indices is None else tuple(index.at(point) for index in indices)
        except (KeyError, Unresolved):
            return None

    def _read(self, site: Site, store: Store) -> ParallelRace | None:
        """Another iteration that reads what this one stores."""
        for other in self._others(site):
            if other.access.mode != "read" or (other.stmt is site.stmt and _same_element(site, other)):
                continue
            found = self._collision(site, other, lambda one, _: not self._compare.is_identity(store, one))
            if found is not None:
                return ParallelRace("read", self._loop, site, other, found, within=other.stmt is site.stmt)
        return None

    def _others(self, site: Site) -> Iterator[Site]:
        """Accesses of the same buffer, those of the same statement first. Views of one buffer are not compared, nor are
        the statements of long unrolled bodies with each other."""
        alike = [other for other in self._group if other.access.buffer is site.access.buffer and not other.is_atomic]
        if len(alike) > MAX_ALIKE:
            alike = [other for other in alike if other.stmt is site.stmt]
        yield from sorted(alike, key=lambda other: other.stmt is not site.stmt)

    def _collision(self, site: Site, other: Site, accept: Accept) -> Collision | None:
        private = self._private(site)
        theirs = self._private(other)
        axes = (*private, *(axis for axis in theirs if axis not in private))
        differ = frozenset(axis.var for axis in axes if axis.kind == "parallel" and axis in private and axis in theirs)
        threads = {axis.var for axis in site.axes if axis.kind == "thread"}
        mentioned = {var for part in (site, other) for var in variables(part.indices or ())}
        if threads & mentioned:
            return None
        return collision(self._sites, (site, other), axes, differ, sizes(site, other), accept)

    def _private(self, site: Site) -> tuple[Axis, ...]:
        """The axes of the nest and of the loops inside it."""
        start = next(i for i, axis in enumerate(site.axes) if axis.var is self._loop.vars[0])
        return site.axes[start:]


def _same_element(site: Site, other: Site) -> bool:
    """Whether a read is of the element that its own statement stores: then it is an update, not an exchange."""
    one, two = site.indices, other.indices
    return one is not None and two is not None and all(prove_equal(a, b) for a, b in zip(one, two, strict=True))


def _stored_locals(nest: For) -> set[Buffer]:
    return {stmt.buffer.root for stmt in walk(nest.body) if isinstance(stmt, Store) and stmt.buffer.is_local}


def sizes(*sites: Site) -> Mapping[Var, int]:
    """A value for each symbolic size that the accesses, their conditions and loops mention."""
    mentioned: set[Var] = set()
    for site in sites:
        parts = (site.indices or (), *(guard.cond for guard in site.guards), *((a.start, a.extent) for a in site.axes))
        mentioned |= {var for part in parts for var in variables(part) if var.kind == "dim"}  # type: ignore[attr-defined]  # variables() yields Var
    return dict.fromkeys(mentioned, SIZE)


if TYPE_CHECKING:
    from tilelang.passes.access.collide import Accept
