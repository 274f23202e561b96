"""What threads of one block do to each other in code that names them (``T.get_thread_binding``), or that every thread
runs alike.

By default the compiler puts barriers between statements where one thread reads what another one wrote, or writes what
another one read, in shared memory. It does not separate two writes, nor the read and the write of one statement, and it
does not look at global memory. With ``tl.disable_thread_storage_sync`` it puts none.
Facts: upstream's ``ThreadSync`` pass, and its output for small kernels.

The threads of one warp run straight code together, so that an order between statements holds among them in practice.
Only threads of different warps count where the order of statements is the question.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import Affine, affine, prove_equal, try_const
from tilelang.ir.expr import Load
from tilelang.ir.stmt import If, Let, Store
from tilelang.ir.visit import walk
from tilelang.passes.access.collide import determined, is_inside
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, guard_variables, holds
from tilelang.passes.access.trace import Trace, mentions_threads, thread_points
from tilelang.passes.access.values import Comparison, reads
from tilelang.passes.active_threads import WARP_GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Launch
    from tilelang.passes.access.evaluate import Compiled, Point
    from tilelang.passes.access.sites import Site, Sites
    from tilelang.passes.access.trace import Event

MAX_THREADS = 1024
WARP = 32
MAX_ELEMENTS = 128
"""Elements of one store for which the values of several threads are compared."""
MAX_PENDING = 48
"""Accesses between two barriers that are compared with each other."""

HazardKind = Literal["update", "collision", "exchange", "overwrite", "read-after-write", "write-after-read"]


class Hazard(NamedTuple):
    """Two threads and an element. ``update``: all threads change it, each from what it was; ``collision``: one
    statement stores different values from several threads; ``exchange``: one statement reads what another thread stores
    with it; ``overwrite``: two statements store different values; the others are a write and a read with no barrier
    between. ``one`` and ``other`` are the points of ``first`` and ``second``."""

    kind: HazardKind
    first: Site
    second: Site
    one: Mapping[Var, int]
    other: Mapping[Var, int]
    element: tuple[int, ...]


def thread_hazards(sites: Sites, *, automatic: bool) -> Iterator[Hazard]:
    """Every hazard between threads, one for each pair of statements. ``automatic``: the compiler inserts barriers."""
    watched = frozenset(_watched(sites))
    threads = thread_points(sites, MAX_THREADS) if watched else None
    if threads is None or len(threads) < 2:
        return
    finder = _Finder(sites, threads, watched, automatic)
    yield from finder.hazards()


def _watched(sites: Sites) -> Iterator[Buffer]:
    """The buffers that single threads write and that others see, without those whose elements belong to one thread
    each: all accesses are at one index, in which the thread is a digit."""
    found: dict[Buffer, list[Site]] = {}
    for site in sites.sites:
        buffer = site.access.buffer
        if site.nest is None and isinstance(site.stmt, _BY_THREAD) and (buffer.is_shared or buffer.is_global):
            found.setdefault(buffer, []).append(site)
    for buffer, group in found.items():
        written = any(isinstance(site.stmt, Store) and site.access.mode == "write" for site in group)
        if written and not _belongs_to_threads(sites, group):
            yield buffer


_BY_THREAD = (Store, Let, If)


def _belongs_to_threads(sites: Sites, group: list[Site]) -> bool:
    forms: set[tuple[Affine, ...]] = set()
    for site in group:
        if site.indices is None:
            return False
        forms.add(tuple(affine(index) for index in site.indices))
    if len(forms) != 1:
        return False
    own = frozenset(axis.var for site in group for axis in site.axes if axis.kind != "block")
    found: set[Var] = set()
    for form in next(iter(forms)):
        found |= determined(form, sites.ranges, own)
    ranges = sites.ranges
    return all(var in found or (var in ranges and ranges[var].value is not None) for var in sites.launch.thread_vars)


class _Use(NamedTuple):
    """One access at one event: which element each thread touches. ``statement`` numbers the events."""

    site: Site
    event: Event
    statement: int
    elements: Mapping[tuple[int, ...], tuple[int, ...]]


class _Finder:
    def __init__(
        self, sites: Sites, threads: list[dict[Var, int]], watched: frozenset[Buffer], automatic: bool
    ) -> None:
        self._sites = sites
        self._threads = threads
        self._watched = watched
        self._known: dict[object, Mapping[tuple[int, ...], tuple[int, ...]] | None] = {}
        self._automatic = automatic
        self._compare = Comparison(sites.evaluate, _unsettled(sites.launch))
        self._names = frozenset(sites.launch.thread_vars)
        self._reported: set[tuple[int, int]] = set()
        self._held: dict[tuple[Buffer, tuple[int, ...]], tuple[Store, Point]] = {}
        """What elements held at the last barrier, as far as that is known: which statement stored it, and where."""

    def hazards(self) -> Iterator[Hazard]:
        pending: list[_Use] = []
        for number, event in enumerate(Trace(self._sites).events()):
            if event.kind in ("barrier", "gap", "team", "wait"):
                self._settle(pending if event.kind == "barrier" else None)
                pending = []
            if event.kind != "thread":
                continue
            uses = [use for site in event.sites if (use := self._use(site, event, number)) is not None]
            yield from self._within(uses)
            if self._automatic and any(self._separated(before, use) for before in pending for use in uses):
                self._settle(pending)
                pending = []
            for use in uses:
                for before in pending:
                    yield from self._between(before, use, pending)
            pending = [*pending, *uses][-MAX_PENDING:]

    def _use(self, site: Site, event: Event, number: int) -> _Use | None:
        """Which thread touches which element; None if that is not known, or if other threads cannot see it."""
        buffer = site.access.buffer
        if buffer not in self._watched or site.indices is None or not site.certain:
            return None
        if site.access.mode not in ("read", "write") or site.is_atomic or _is_identity(site):
            return None
        indices = self._sites.evaluate.all(site.indices)
        guards = compiled_guards(self._sites.evaluate, site.guards)
        if indices is None or guards is None:
            return None
        used = guard_variables(guards).union(*(index.variables for index in indices))
        if not used <= event.point.keys() | self._names:
            return None
        # Iterations that differ in nothing that the access depends on touch the same.
        key = (id(site.access), *((var, event.point[var]) for var in used if var in event.point))
        if key not in self._known:
            self._known[key] = self._elements(site, event, indices, guards)
        found = self._known[key]
        return None if found is None else _Use(site, event, number, found)

    def _elements(
        self, site: Site, event: Event, indices: tuple[Compiled, ...], guards: tuple[tuple[Compiled, bool], ...]
    ) -> Mapping[tuple[int, ...], tuple[int, ...]] | None:
        limits = [try_const(size) for size in site.access.buffer.shape]
        found: dict[tuple[int, ...], list[int]] = {}
        point = dict(event.point)
        for thread, values in enumerate(self._threads):
            if event.groups is not None and thread // WARP_GROUP not in event.groups:
                continue
            point.update(values)
            try:
                element = tuple(index.at(point) for index in indices) if holds(guards, point) else None
            except Unresolved:
                return None
            if element is not None and is_inside(element, limits):
                found.setdefault(element, []).append(thread)
        return {element: tuple(who) for element, who in found.items()}

    def _within(self, uses: list[_Use]) -> Iterator[Hazard]:
        """Hazards inside one statement: no barrier can come between."""
        for use in uses:
            stmt = use.site.stmt
            if use.site.access.mode != "write" or not isinstance(stmt, Store):
                continue
            found = self._collision(use, stmt)
            if found is not None:
                yield from self._once(found)
                continue
            for read in uses:
                if read.site.access.mode == "read" and read.site.access.buffer is stmt.buffer:
                    pair = _crossing(use, read)
                    if pair is None or _same_form(use.site, read.site):
                        continue
                    if not self._compare.is_identity(stmt, self._point(use, pair[1])):
                        yield from self._once(self._hazard("exchange", use, read, pair))

    def _collision(self, use: _Use, store: Store) -> Hazard | None:
        """Threads that store different values with one statement. A warp whose threads all make the same update makes
        it once."""
        updates = reads(store.value, store.buffer)
        together = updates and not mentions_threads(self._sites, (*store.indices, store.value))
        for element, threads in islice(use.elements.items(), MAX_ELEMENTS):
            if len(threads) < 2:
                continue
            for other in threads[-1:] if together else {threads[1], threads[len(threads) // 2], threads[-1]}:
                one, two = self._point(use, threads[0]), self._point(use, other)
                alike = other // WARP == threads[0] // WARP
                if together and alike:
                    continue
                verdict = self._compare.of_lockstep if updates and alike else self._compare.of_store
                if verdict(store, one, two) == "differ":
                    return Hazard("update" if updates else "collision", use.site, use.site, one, two, element)
        return None

    def _separated(self, before: _Use, use: _Use) -> bool:
        """Whether the compiler puts a barrier before ``use`` because of ``before``: a read and a write of shared memory
        by different threads."""
        one, two = before.site.access, use.site.access
        if one.buffer.root is not two.buffer.root or not one.buffer.is_shared or one.mode == two.mode:
            return False
        return one.buffer is not two.buffer or _crossing(before, use, apart=1) is not None

    def _between(self, before: _Use, use: _Use, pending: list[_Use]) -> Iterator[Hazard]:
        one, two = before.site.access, use.site.access
        if one.buffer is not two.buffer or (one.mode == "read" and two.mode == "read"):
            return
        if before.statement == use.statement:
            return
        if one.mode == "write" and two.mode == "write":
            found = self._overwrite(before, use)
            if found is not None:
                yield from self._once(found)
            return
        after = one.mode == "write"
        pair = self._stale_read(before, use, pending) if after else self._early_write(before, use, pending)
        write = before if after else use
        if pair is not None and not self._is_held(write, pair[0]) and not self._changes_nothing(write, pair[0]):
            kind: HazardKind = "read-after-write" if after else "write-after-read"
            yield from self._once(self._hazard(kind, before, use, pair))

    def _stale_read(self, before: _Use, use: _Use, pending: list[_Use]) -> tuple[tuple[int, ...], int, int] | None:
        """A read of what another warp stored. Where the reader's own warp has stored the same value, it is there."""
        store = before.site.stmt
        for element, readers in use.elements.items():
            writers = before.elements.get(element, ())
            for reader in (*readers[:1], *readers[-1:]):
                writer = next((thread for thread in writers if thread // WARP != reader // WARP), None)
                if writer is None:
                    continue
                if isinstance(store, Store):
                    there = self._point(before, writer)
                    if any(self._has_stored(own, element, reader // WARP, store, there) for own in pending):
                        continue
                return element, writer, reader
        return None

    def _early_write(self, before: _Use, use: _Use, pending: list[_Use]) -> tuple[tuple[int, ...], int, int] | None:
        """A store to what another warp reads before it. Where that warp has stored the same value before it reads, the
        reader sees nothing of it."""
        store = use.site.stmt
        own = [one for one in pending if one.statement < before.statement]
        for element, writers in use.elements.items():
            readers = before.elements.get(element, ())
            for reader in (*readers[:1], *readers[-1:]):
                writer = next((thread for thread in writers if thread // WARP != reader // WARP), None)
                if writer is None:
                    continue
                if isinstance(store, Store):
                    there = self._point(use, writer)
                    if any(self._has_stored(one, element, reader // WARP, store, there) for one in own):
                        continue
                return element, reader, writer
        return None

    def _has_stored(self, use: _Use, element: tuple[int, ...], warp: int, store: Store, there: Point) -> bool:
        """Whether a warp itself has put in an element what ``store`` puts there at the point ``there``."""
        stmt = use.site.stmt
        if use.site.access.mode != "write" or not isinstance(stmt, Store) or stmt.buffer is not store.buffer:
            return False
        own = next((thread for thread in use.elements.get(element, ()) if thread // WARP == warp), None)
        if own is None:
            return False
        return self._compare.of_two(stmt.value, store.value, self._point(use, own), there) != "differ"

    def _settle(self, pending: list[_Use] | None) -> None:
        """A barrier: what was stored before it is there now. None: nothing is known any more."""
        if pending is None:
            self._held.clear()
        for use in pending or ():
            stmt = use.site.stmt
            if use.site.access.mode == "write" and isinstance(stmt, Store):
                for element, threads in use.elements.items():
                    self._held[stmt.buffer, element] = (stmt, self._point(use, threads[-1]))

    def _changes_nothing(self, use: _Use, element: tuple[int, ...]) -> bool:
        """Whether a store puts in an element what it reads from it."""
        stmt = use.site.stmt
        return isinstance(stmt, Store) and self._compare.is_identity(stmt, self._point(use, use.elements[element][0]))

    def _is_held(self, use: _Use, element: tuple[int, ...]) -> bool:
        """Whether a store puts in an element what it held at the last barrier."""
        stmt, before = use.site.stmt, self._held.get((use.site.access.buffer, element))
        if before is None or not isinstance(stmt, Store):
            return False
        point = self._point(use, use.elements[element][0])
        return self._compare.of_two(before[0].value, stmt.value, before[1], point) == "same"

    def _overwrite(self, before: _Use, use: _Use) -> Hazard | None:
        """Two statements that store different values in one element from different threads. A warp that runs both ends
        with the second value; one that runs only the first may come last."""
        a, b = before.site.stmt, use.site.stmt
        if not isinstance(a, Store) or not isinstance(b, Store):
            return None
        for element, threads in use.elements.items():
            for earlier in before.elements.get(element, ()):
                if any(thread // WARP == earlier // WARP for thread in threads):
                    continue
                later = threads[0]
                one, two = self._point(before, earlier), self._point(use, later)
                if self._is_held(before, element):
                    break
                if self._compare.of_two(a.value, b.value, one, two) == "differ":
                    return Hazard("overwrite", before.site, use.site, one, two, element)
                break
        return None

    def _hazard(self, kind: HazardKind, one: _Use, two: _Use, pair: tuple[tuple[int, ...], int, int]) -> Hazard:
        element, first, second = pair
        return Hazard(kind, one.site, two.site, self._point(one, first), self._point(two, second), element)

    def _point(self, use: _Use, thread: int) -> Point:
        return {**use.event.point, **self._threads[thread]}

    def _once(self, hazard: Hazard) -> Iterator[Hazard]:
        key = (id(hazard.first.stmt), id(hazard.second.stmt))
        if key not in self._reported:
            self._reported.add(key)
            yield hazard


def _crossing(one: _Use, two: _Use, apart: int = WARP) -> tuple[tuple[int, ...], int, int] | None:
    """An element that threads of different warps touch, and those two threads. ``apart``: threads that count as one."""
    for element, threads in two.elements.items():
        others = one.elements.get(element, ())
        for first in (*others[:1], *others[-1:]):
            for second in (*threads[:1], *threads[-1:]):
                if first // apart != second // apart:
                    return element, first, second
    return None


def _is_identity(site: Site) -> bool:
    """Whether a statement stores in each element what it reads from it."""
    stmt = site.stmt
    if site.access.mode != "write" or not isinstance(stmt, Store) or not isinstance(stmt.value, Load):
        return False
    value = stmt.value
    return value.buffer is stmt.buffer and all(
        prove_equal(a, b) for a, b in zip(value.indices, stmt.indices, strict=False)
    )


def _same_form(one: Site, other: Site) -> bool:
    a, b = one.indices or (), other.indices or ()
    return len(a) == len(b) and all(prove_equal(x, y) for x, y in zip(a, b, strict=True))


def _unsettled(launch: Launch) -> set[object]:
    """Scalars and local memory: each thread has its own."""
    found: set[object] = set()
    for stmt in walk(launch.body):
        if isinstance(stmt, Let):
            found.add(stmt.var)
        elif isinstance(stmt, Store) and not stmt.buffer.is_global:
            found.add(stmt.buffer.root)
    return found
