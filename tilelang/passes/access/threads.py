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

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import prove_equal, try_const
from tilelang.ir.stmt import Let, Store
from tilelang.ir.visit import walk
from tilelang.passes.access.collide import is_inside
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, holds
from tilelang.passes.access.trace import Trace, mentions_threads, thread_points
from tilelang.passes.access.values import Comparison, reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Launch
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Site, Sites
    from tilelang.passes.access.trace import Event

MAX_THREADS = 1024
WARP = 32
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
    if not _may_have(sites):
        return
    threads = thread_points(sites, MAX_THREADS)
    if threads is None or len(threads) < 2:
        return
    finder = _Finder(sites, threads, automatic)
    yield from finder.hazards()


def _may_have(sites: Sites) -> bool:
    """Whether a thread by itself writes memory that others see."""
    return any(
        isinstance(site.stmt, Store)
        and site.nest is None
        and site.access.mode == "write"
        and (site.access.buffer.is_shared or site.access.buffer.is_global)
        for site in sites.sites
    )


class _Use(NamedTuple):
    """One access at one event: which element each thread touches. ``statement`` numbers the events."""

    site: Site
    event: Event
    statement: int
    elements: Mapping[tuple[int, ...], tuple[int, ...]]


class _Finder:
    def __init__(self, sites: Sites, threads: list[dict[Var, int]], automatic: bool) -> None:
        self._sites = sites
        self._threads = threads
        self._automatic = automatic
        self._compare = Comparison(sites.evaluate, _unsettled(sites.launch))
        self._reported: set[tuple[int, int]] = set()
        self._ran: dict[int, _Use] = {}
        """The store of each statement when it was met last."""

    def hazards(self) -> Iterator[Hazard]:
        pending: list[_Use] = []
        for number, event in enumerate(Trace(self._sites).events()):
            if event.kind in ("barrier", "gap", "team", "wait"):
                pending = []
            if event.kind != "thread":
                continue
            uses = [use for site in event.sites if (use := self._use(site, event, number)) is not None]
            yield from self._within(uses)
            if self._automatic and any(self._separated(before, use) for before in pending for use in uses):
                pending = []
            for use in uses:
                for before in pending:
                    yield from self._between(before, use)
            pending = [*pending, *uses][-MAX_PENDING:]
            self._ran.update({id(event.stmt): use for use in uses if use.site.access.mode == "write"})

    def _use(self, site: Site, event: Event, number: int) -> _Use | None:
        """Which thread touches which element; None if that is not known, or if other threads cannot see it."""
        buffer = site.access.buffer
        if not (buffer.is_shared or buffer.is_global) or site.indices is None or not site.certain:
            return None
        if site.access.mode not in ("read", "write") or site.is_atomic:
            return None
        indices = self._sites.evaluate.all(site.indices)
        guards = compiled_guards(self._sites.evaluate, site.guards)
        if indices is None or guards is None:
            return None
        limits = [try_const(size) for size in buffer.shape]
        found: dict[tuple[int, ...], list[int]] = {}
        for thread, values in enumerate(self._threads):
            point = {**event.point, **values}
            if event.groups is not None and thread // 128 not in event.groups:
                continue
            try:
                element = tuple(index.at(point) for index in indices) if holds(guards, point) else None
                if element is not None and is_inside(element, limits):
                    found.setdefault(element, []).append(thread)
            except (KeyError, Unresolved):
                return None
        return _Use(site, event, number, {element: tuple(who) for element, who in found.items()})

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
        for element, threads in use.elements.items():
            some = (threads[0], *threads[1:2], threads[len(threads) // 2], threads[-1])
            for other in threads[-1:] if together else some:
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

    def _between(self, before: _Use, use: _Use) -> Iterator[Hazard]:
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
        pair = self._stale_read(before, use) if after else _crossing(before, use)
        if pair is not None and (after or not self._repeats(use, pair[0])):
            kind: HazardKind = "read-after-write" if after else "write-after-read"
            yield from self._once(self._hazard(kind, before, use, pair))

    def _stale_read(self, before: _Use, use: _Use) -> tuple[tuple[int, ...], int, int] | None:
        """A read of what another warp stored. Where the reader's own warp has stored the same value, it is there."""
        store = before.site.stmt
        for element, readers in use.elements.items():
            writers = before.elements.get(element, ())
            for reader in (*readers[:1], *readers[-1:]):
                writer = next((thread for thread in writers if thread // WARP != reader // WARP), None)
                if writer is None:
                    continue
                own = next((thread for thread in writers if thread // WARP == reader // WARP), None)
                if own is not None and isinstance(store, Store):
                    one, two = self._point(before, own), self._point(before, writer)
                    if self._compare.of(store.value, one, two) != "differ":
                        continue
                return element, writer, reader
        return None

    def _repeats(self, use: _Use, element: tuple[int, ...]) -> bool:
        """Whether a statement has stored the same value in the element before."""
        stmt, before = use.site.stmt, self._ran.get(id(use.site.stmt))
        if not isinstance(stmt, Store) or before is None or element not in before.elements:
            return False
        one, two = before.elements[element][0], use.elements[element][0]
        return self._compare.of(stmt.value, self._point(before, one), self._point(use, two)) == "same"

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
