"""Tile operations and the code of single threads, with the barriers of the compiler turned off.

Which thread moves which element of a copy is the compiler's choice: chunks of 1 to 16 elements go to the threads in
turn. A hazard counts only if it exists for every width of the chunks. A product of several warps reads each tile with
more warps than wrote it, whichever way it is split: so both of its tiles must have been made visible before.
Copies by TMA come with a barrier of their own.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Region
from tilelang.ir.stmt import Copy, Fill, For, Gemm, Stmt
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, holds, space_of
from tilelang.passes.access.threads import MAX_THREADS, WARP
from tilelang.passes.access.trace import Trace, thread_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Site, Sites
    from tilelang.passes.access.trace import Event

WIDTHS = (1, 2, 4, 8, 16)
"""Elements that one thread may move at a time."""
MAX_ELEMENTS = 4096
"""Elements of one tile that are looked at; where a hazard exists, it exists among the first rows."""

Owners = dict[tuple[int, ...], tuple[int, ...]]
"""The threads that touch each element."""


class TeamHazard(NamedTuple):
    """``second`` reads elements of ``buffer`` that other warps stored with ``first``. ``element`` is one of them, if
    the reader is known; ``writer`` and ``reader`` are the threads."""

    buffer: Buffer
    first: Stmt
    second: Stmt
    element: tuple[int, ...] | None = None
    writer: int = 0
    reader: int = 0


def team_hazards(sites: Sites, by_tma: Callable[[Copy], bool]) -> Iterator[TeamHazard]:
    """The first read of each tile that is not separated from what wrote it. ``by_tma``: whether TMA does a copy."""
    threads = thread_points(sites, MAX_THREADS)
    if threads is None or len(threads) <= WARP:
        return
    finder = _Teams(sites, threads, by_tma)
    for event in Trace(sites).events():
        yield from finder.step(event)


class _Teams:
    def __init__(self, sites: Sites, threads: list[dict[Var, int]], by_tma: Callable[[Copy], bool]) -> None:
        self._sites = sites
        self._threads = threads
        self._by_tma = by_tma
        self._pending: dict[Buffer, tuple[Stmt, tuple[Owners, ...], bool]] = {}
        """What was stored since the last barrier: by which statement, by which threads for each width, and whether that
        was a tile operation."""
        self._reported: set[int] = set()

    def step(self, event: Event) -> Iterator[TeamHazard]:
        stmt = event.stmt
        if event.kind in ("barrier", "gap", "wait") or event.arms or event.groups is not None:
            self._pending.clear()
        elif isinstance(stmt, Gemm):
            yield from self._product(stmt)
            self._pending.clear()
        elif event.kind == "thread" or isinstance(stmt, (Copy, Fill, For)):
            yield from self._reads(event)
            self._writes(event)
        elif event.kind == "team":
            self._pending.clear()

    def _product(self, stmt: Gemm) -> Iterator[TeamHazard]:
        tiles = (stmt.a.buffer, stmt.b.buffer)
        if all(tile.is_shared and tile in self._pending for tile in tiles):
            yield from self._once(TeamHazard(tiles[0], self._pending[tiles[0]][0], stmt))

    def _reads(self, event: Event) -> Iterator[TeamHazard]:
        for site in event.sites:
            buffer = site.access.buffer
            if site.access.mode != "read" or buffer not in self._pending:
                continue
            first, written, by_team = self._pending[buffer]
            if by_team == (event.kind == "team"):
                continue  # tile operations are spread alike; two single threads are looked at elsewhere
            read = self._owners(event, site)
            crossings = [_crossing(one, other) for one in written for other in read]
            if crossings and all(crossings) and crossings[0] is not None:
                element, writer, reader = crossings[0]
                yield from self._once(TeamHazard(buffer, first, event.stmt, element, writer, reader))

    def _writes(self, event: Event) -> None:
        stmt = event.stmt
        for site in event.sites:
            buffer = site.access.buffer
            if not site.access.writes or not buffer.is_shared:
                continue
            owners = self._owners(event, site)
            if isinstance(stmt, Copy) and self._by_tma(stmt):
                owners = ()
            if owners:
                self._pending[buffer] = (site.stmt, owners, event.kind == "team")
            else:
                self._pending.pop(buffer, None)

    def _once(self, hazard: TeamHazard) -> Iterator[TeamHazard]:
        if id(hazard.second) not in self._reported:
            self._reported.add(id(hazard.second))
            yield hazard

    # --- who touches what ---------------------------------------------------------------------------------------

    def _owners(self, event: Event, site: Site) -> tuple[Owners, ...]:
        """The threads of each element, for every width of the chunks; nothing if that is not known."""
        if event.kind == "thread":
            return self._by_thread(event, site)
        stmt = event.stmt
        if stmt.attr("loop_layout") is not None or (isinstance(stmt, Copy) and _has_fragment(stmt)):
            return ()  # spread as the layout says
        if isinstance(stmt, For):
            touched = self._by_iteration(event, site, stmt)
        else:
            place = site.access.place
            touched = self._box(place, event.point) if isinstance(place, Region) and place.is_resolved else None
        if not touched:
            return ()
        elements, row = touched
        return tuple(_spread(elements, width, len(self._threads)) for width in WIDTHS if row % width == 0)

    def _by_thread(self, event: Event, site: Site) -> tuple[Owners, ...]:
        indices = self._sites.evaluate.all(site.indices or ())
        guards = compiled_guards(self._sites.evaluate, site.guards)
        if not indices or guards is None or not site.certain:
            return ()
        found: dict[tuple[int, ...], list[int]] = {}
        try:
            for number, values in enumerate(self._threads):
                point = {**event.point, **values}
                if holds(guards, point):
                    found.setdefault(tuple(index.at(point) for index in indices), []).append(number)
        except (KeyError, Unresolved):
            return ()
        return ({element: tuple(who) for element, who in found.items()},)

    def _by_iteration(self, event: Event, site: Site, loop: For) -> tuple[list[tuple[int, ...]], int] | None:
        """The elements that the iterations of a parallel loop touch, in order. Loops with fragments are spread as those
        are, and a condition may leave iterations out."""
        inside = [each for each in self._sites.sites if each.nest is loop]
        if any(each.access.buffer.is_fragment for each in inside) or len(site.guards) > 0:
            return None
        start = next((i for i, axis in enumerate(site.axes) if axis.var is loop.vars[0]), None)
        axes = site.axes[start:] if start is not None else ()
        if not axes or any(axis.kind != "parallel" for axis in axes):
            return None
        indices = self._sites.evaluate.all(site.indices or ())
        space = space_of(self._sites.evaluate, axes, {axis.var for axis in axes}, event.point)
        row = try_const(axes[-1].extent)
        if not indices or space is None or row is None or not space.is_within(event.point, MAX_ELEMENTS):
            return None
        try:
            return [tuple(i.at(point) for i in indices) for point in space.points(event.point, MAX_ELEMENTS)], row
        except (KeyError, Unresolved):
            return None

    def _box(self, region: Region, point: Point) -> tuple[list[tuple[int, ...]], int] | None:
        """The elements of a box in the order of memory, the first rows of a large one."""
        starts = self._sites.evaluate.all(tuple(region.mins))
        extents = [try_const(extent) for extent in region.extents or ()]
        if starts is None or None in extents or not extents:
            return None
        try:
            first = [start.at(point) for start in starts]
        except (KeyError, Unresolved):
            return None
        ranges = [range(at, at + extent) for at, extent in zip(first, extents, strict=True) if extent is not None]
        return list(islice(product(*ranges), MAX_ELEMENTS)), extents[-1] or 1


def _has_fragment(copy: Copy) -> bool:
    return copy.src.buffer.is_fragment or copy.dst.buffer.is_fragment


def _spread(elements: list[tuple[int, ...]], width: int, threads: int) -> Owners:
    return {element: (number // width % threads,) for number, element in enumerate(elements)}


def _crossing(written: Owners, read: Owners) -> tuple[tuple[int, ...], int, int] | None:
    """An element that one warp stored and another one reads, which has not stored it too."""
    for element, readers in read.items():
        writers = written.get(element, ())
        warps = {writer // WARP for writer in writers}
        for reader in readers:
            if writers and reader // WARP not in warps:
                return element, writers[0], reader
    return None
