"""Asynchronous work whose result is used before anything waits for it.

Followed are ``T.async_copy`` (each call is one group of ``cp.async`` copies), ``T.tma_copy`` in both directions,
``T.wgmma_gemm`` (each call is one group) and ``T.tcgen05_gemm`` with a barrier. Software pipelines and written warp
schedules are left out: there the compiler adds the waits.
Facts: upstream's output for small kernels of each kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Call, Load
from tilelang.ir.stmt import Copy, Effect, For, Gemm
from tilelang.ir.visit import subterms, walk
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.trace import Event, Trace
from tilelang.passes.pipeline import is_pipelined
from tilelang.passes.written_schedule import written_schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.ir.stmt import Launch, Stmt
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Site, Sites

Work = Literal["cp.async", "tma", "store", "wgmma", "tcgen05"]

BARRIER_WAITS = ("mbarrier_wait_parity", "barrier_wait")
ARRIVALS = ("mbarrier_arrive", "barrier_arrive", "mbarrier_expect_tx", "mbarrier_arrive_expect_tx")


class Pending(NamedTuple):
    """Work under way: ``site`` is the memory that it fills, or reads if it is a ``store``. ``barrier``: what it
    completes."""

    work: Work
    site: Site
    event: Event
    barrier: tuple[Buffer, int | None] | None = None


class MissingWait(NamedTuple):
    """``use`` touches what ``pending`` has not finished. ``late``: a wait before it that does not cover the work, or
    None. ``never``: nothing in the kernel waits for the barrier."""

    pending: Pending
    use: Site
    late: Stmt | None = None
    never: bool = False


def missing_waits(sites: Sites) -> Iterator[MissingWait]:
    """The first use of unfinished work, one for each statement that starts some."""
    if not any(_starts_work(stmt) for stmt in walk(sites.launch.body)) or written_schedule(sites.launch) is not None:
        return
    seen: set[int] = set()
    for found in (*_Waits(sites).run(), *_never_waited(sites)):
        key = id(found.pending.site.stmt)
        if key not in seen:
            seen.add(key)
            yield found


def _starts_work(stmt: Stmt) -> bool:
    return _work_of(stmt) is not None


def _work_of(stmt: Stmt) -> Work | None:
    if isinstance(stmt, Copy):
        if stmt.op == "async_copy":
            return "cp.async"
        if stmt.op == "tma_copy":
            return "tma" if stmt.src.buffer.is_global else "store" if stmt.dst.buffer.is_global else None
    if isinstance(stmt, Gemm):
        if stmt.op == "wgmma_gemm":
            return "wgmma"
        if stmt.op == "tcgen05_gemm" and stmt.attr("mbar") is not None:
            return "tcgen05"
    return None


_Role = tuple[tuple[tuple[int, bool], ...], "tuple[int, ...] | None"]


_EVERYONE: _Role = ((), None)


class _Waits:
    """Follows one block. Each role (the branches and warp groups around a statement) has work of its own."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._groups: dict[tuple[_Role, Work], list[list[Pending]]] = {}
        self._late: dict[tuple[_Role, Work], Stmt] = {}
        self._phases: dict[tuple[Buffer, int | None], int] = {}
        self._counted = True
        """Whether all waits so far were seen, so that phases of barriers are known."""

    def run(self) -> Iterator[MissingWait]:
        for event in Trace(self._sites, pipelines=False).events():
            if event.kind == "gap":
                self._groups.clear()
                self._counted = False
                continue
            yield from self._uses(event)
            if event.kind == "wait" and isinstance(event.stmt, Effect):
                self._wait(event, event.stmt.call)
            else:
                self._start(event)

    def _uses(self, event: Event) -> Iterator[MissingWait]:
        role = _role(event)
        for (owner, work), groups in self._groups.items():
            if owner != role:
                continue
            for pending in (one for group in groups for one in group):
                for site in event.sites:
                    if self._touches(pending, site, event):
                        yield MissingWait(pending, site, self._late.get((role, work)))

    def _touches(self, pending: Pending, site: Site, event: Event) -> bool:
        if site.access.buffer is not pending.site.access.buffer or not site.certain or site.access.mode == "unknown":
            return False
        if pending.work == "store":
            if not site.access.writes:
                return False
        elif not site.access.reads:
            return False
        if isinstance(site.stmt, Gemm) and _work_of(site.stmt) == pending.work:
            return False  # products in flight accumulate in order
        return self._overlap(pending, site, event)

    def _overlap(self, pending: Pending, site: Site, event: Event) -> bool:
        """Whether both certainly share an element."""
        work, use = _intervals(pending.site), _intervals(site)
        if work is None:
            return pending.site.access.place is pending.site.access.buffer
        if use is None:
            return _covers(pending.site)
        for (start, extent, size), (other, length, _) in zip(work, use, strict=True):
            if extent is not None and extent == size:
                continue
            one, two = self._at(start, pending.event.point), self._at(other, event.point)
            if one is None or two is None or extent is None or length is None:
                return False
            if one + extent <= two or two + length <= one:
                return False
        return True

    def _at(self, value: object, point: Point) -> int | None:
        compiled = self._sites.evaluate(value)
        if compiled is None or not compiled.variables <= point.keys():
            return None
        try:
            return compiled.at(point)
        except Unresolved:
            return None

    def _start(self, event: Event) -> None:
        work = _work_of(event.stmt)
        if work is None:
            return
        wanted = "read" if work == "store" else "write"
        stmt = event.stmt
        place = stmt.src if isinstance(stmt, Copy) and work == "store" else None
        for site in event.sites:
            is_result = site.access.place is place if place is not None else site.access.mode in (wanted, "update")
            if is_result and not site.access.buffer.is_global:
                barrier = self._barrier(stmt.attr("mbar" if work == "tcgen05" else "barrier"), event.point)
                if work in ("tma", "tcgen05") and barrier is None:
                    return
                self._groups.setdefault((_role(event), work), []).append([Pending(work, site, event, barrier)])

    def _barrier(self, value: object, point: Point) -> tuple[Buffer, int | None] | None:
        if isinstance(value, Buffer):
            return value, 0
        if isinstance(value, Load) and len(value.indices) == 1:
            return value.buffer, self._at(value.indices[0], point)
        return None

    def _wait(self, event: Event, call: Call) -> None:
        role = _role(event)
        if call.op == "ptx_commit_group":
            self._groups.setdefault((role, "cp.async"), []).append([])
        elif call.op == "ptx_wait_group":
            self._keep((role, "cp.async"), event, call)
        elif call.op in ("wait_wgmma", "warpgroup_wait"):
            self._keep((role, "wgmma"), event, call)
        elif call.op == "tma_store_wait":
            self._keep((role, "store"), event, call)
        elif call.op in BARRIER_WAITS and call.args:
            self._complete(role, event, call)

    def _keep(self, key: tuple[_Role, Work], event: Event, call: Call) -> None:
        """Leaves the newest groups under way."""
        left = self._at(call.args[0], event.point) if call.args else 0
        groups = self._groups.get(key, [])
        if left is None or left < 0:
            groups.clear()
        else:
            del groups[: max(0, len(groups) - left)]
            if groups:
                self._late[key] = event.stmt

    def _complete(self, role: _Role, event: Event, call: Call) -> None:
        """A wait at a memory barrier. With the parity of the phase before, it does not wait at all. Where roles differ,
        another one may have waited first and then arrived at this barrier, so it stands for all."""
        barrier = self._barrier(call.args[0], event.point)
        parity = self._at(call.args[1], event.point) if len(call.args) > 1 else None
        if barrier is None or role != _EVERYONE:
            self._groups.clear()
            self._counted = False
            return
        phase = self._phases.get(barrier, 0)
        if self._counted and parity is not None and barrier[1] is not None and parity % 2 != phase % 2:
            for work in ("tma", "tcgen05"):
                self._late[role, work] = event.stmt
            return
        self._phases[barrier] = phase + 1
        for groups in self._groups.values():
            for group in groups:
                group[:] = [one for one in group if not _matches(one.barrier, barrier)]


def _matches(one: tuple[Buffer, int | None] | None, other: tuple[Buffer, int | None]) -> bool:
    if one is None or one[0] is not other[0]:
        return False
    return one[1] is None or other[1] is None or one[1] == other[1]


def _role(event: Event) -> _Role:
    return tuple((id(branch), taken) for branch, taken in event.arms), event.groups


def _intervals(site: Site) -> list[tuple[object, int | None, int | None]] | None:
    """Start, extent and size of each dimension of what an access touches."""
    shape = [try_const(dim) for dim in site.access.buffer.shape]
    if site.indices is not None:
        inside = {axis.var for axis in site.axes if axis.kind in ("parallel", "vectorized")}
        known = [None if inside & set(_variables(index)) else 1 for index in site.indices]
        return [(index, one, size) for index, one, size in zip(site.indices, known, shape, strict=True)]
    box = site.box
    if box is None or box.extents is None:
        return None
    return [(start, try_const(extent), size) for start, extent, size in zip(box.mins, box.extents, shape, strict=True)]


def _covers(site: Site) -> bool:
    """Whether an access touches all of its buffer."""
    parts = _intervals(site)
    return parts is None or all(extent is not None and extent == size for _, extent, size in parts)


def _variables(value: object) -> Iterator[object]:
    return (term for term in subterms(value) if not isinstance(term, (Load, Call)))


# --- barriers that nothing waits at ---------------------------------------------------------------------------------


def _never_waited(sites: Sites) -> Iterator[MissingWait]:
    """Tiles that TMA fills and a statement reads, while no statement of the kernel mentions the barrier but to arrive
    at it."""
    in_pipelines = _inside(sites.launch, is_pipelined)
    for site in sites.sites:
        if site.access.mode != "write" or _work_of(site.stmt) != "tma" or id(site.stmt) in in_pipelines:
            continue
        barrier = site.stmt.attr("barrier")
        buffer = barrier.buffer if isinstance(barrier, Load) else barrier
        if not isinstance(buffer, Buffer) or _is_waited_at(sites.launch, buffer):
            continue
        for other in sites.sites:
            if other.access.buffer is site.access.buffer and other.access.mode in ("read", "update"):
                event = Event("team", site.stmt, {}, (site,))
                yield MissingWait(Pending("tma", site, event, (buffer, None)), other, never=True)
                break


def _is_waited_at(launch: Launch, barrier: Buffer) -> bool:
    for stmt in walk(launch.body):
        if isinstance(stmt, Effect) and stmt.call.op not in ARRIVALS and _mentions(stmt.call.args, barrier):
            return True
        if isinstance(stmt, (Gemm, Copy)) and stmt.attr("mbar") is not None:
            return True
    return False


def _mentions(args: tuple[object, ...], barrier: Buffer) -> bool:
    return any(
        term is barrier or (isinstance(term, Load) and term.buffer is barrier) for arg in args for term in subterms(arg)
    )


def _inside(launch: Launch, wanted: Callable[[For], bool]) -> set[int]:
    return {
        id(inner) for stmt in walk(launch.body) if isinstance(stmt, For) and wanted(stmt) for inner in walk(stmt.body)
    }
