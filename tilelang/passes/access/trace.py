"""The statements of one block in the order in which its threads run them.

Loops whose bounds are the same for all threads are unrolled for their first iterations and the last one. A *gap* stands
for what is left out or not understood: nothing before it is compared with anything behind it. So every stretch between
two gaps is a piece of a real execution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.expr import Call
from tilelang.ir.stmt import Alloc, Atomic, Effect, For, If, Jump, Let, Scope, Stmt, Store, While
from tilelang.ir.visit import is_undecided, variables, walk
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.sites import PLAIN_SCOPES, warp_groups
from tilelang.passes.active_threads import WARP_GROUP_SCOPES
from tilelang.passes.pipeline import is_pipelined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Block
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Site, Sites

MAX_EVENTS = 600
"""Statements of one trace; longer ones end in a gap."""
FIRST_ITERATIONS = 3
"""Iterations of a loop that are unrolled before the last one: as many as the stages of a usual pipeline."""

BARRIERS = ("sync_threads", "tvm_storage_sync", "sync_grid")
VOTES = ("syncthreads_count", "syncthreads_and", "syncthreads_or")
HARMLESS = frozenset(
    ("print", "device_assert", "assume", "fence_proxy_async", "set_max_nreg", "no_set_max_nreg", "warpgroup_arrive")
)
"""Effects that neither wait for other threads nor touch memory that kernels share."""
WAITS = frozenset(
    (
        "ptx_commit_group",
        "ptx_wait_group",
        "wait_wgmma",
        "warpgroup_wait",
        "warpgroup_commit_batch",
        "warpgroup_fence_operand",
        "tma_store_arrive",
        "tma_store_wait",
        "barrier_arrive",
        "barrier_wait",
        "mbarrier_arrive",
        "mbarrier_wait_parity",
        "mbarrier_expect_tx",
        "mbarrier_arrive_expect_tx",
    )
)
"""Effects on asynchronous work and memory barriers. They may order threads, in ways that are not followed here."""


class Event(NamedTuple):
    """``thread``: each thread runs the statement by itself, for ``sites``. ``team``: a tile operation or a
    ``T.Parallel`` loop, spread over the threads. ``barrier``: all threads wait for each other. ``wait``: one of
    ``WAITS``. ``point``: the block and the loop indices. ``arms``: the branches around it that only some threads
    take."""

    kind: Literal["thread", "team", "barrier", "wait", "gap", "other"]
    stmt: Stmt
    point: Point
    sites: tuple[Site, ...] = ()
    arms: tuple[tuple[If, bool], ...] = ()
    groups: tuple[int, ...] | None = None


class Trace:
    """Walks the body of a launch. The block is the first of the grid."""

    def __init__(self, sites: Sites, *, pipelines: bool = True) -> None:
        """``pipelines``: enter software pipelines too, whose asynchronous copies the compiler waits for by itself."""
        self._sites = sites
        self._pipelines = pipelines
        self._by_stmt: dict[int, list[Site]] = {}
        for site in sites.sites:
            self._by_stmt.setdefault(id(site.stmt), []).append(site)
        self._threads = frozenset(sites.launch.thread_vars)
        self._left = MAX_EVENTS

    def events(self) -> Iterator[Event]:
        """Every event of the block, gaps included."""
        start: Point = dict.fromkeys(self._sites.launch.block_vars, 0)
        yield from self._block(self._sites.launch.body, start, (), None)

    def _block(
        self, block: Block, point: Point, arms: tuple[tuple[If, bool], ...], groups: tuple[int, ...] | None
    ) -> Iterator[Event]:
        for stmt in block:
            self._left -= 1
            if self._left <= 0:
                yield Event("gap", stmt, point)
                return
            if isinstance(stmt, Jump):
                yield Event("gap", stmt, point)
                return
            yield from self._statement(stmt, point, arms, groups)

    def _statement(
        self, stmt: Stmt, point: Point, arms: tuple[tuple[If, bool], ...], groups: tuple[int, ...] | None
    ) -> Iterator[Event]:
        sites = tuple(self._by_stmt.get(id(stmt), ()))
        if isinstance(stmt, Alloc):
            return
        if isinstance(stmt, For):
            yield from self._loop(stmt, point, arms, groups)
        elif isinstance(stmt, If):
            yield from self._branch(stmt, point, sites, arms, groups)
        elif isinstance(stmt, (Store, Let, Atomic)) and not _is_vote(stmt):
            known = not (isinstance(stmt, Let) and _has_effect(stmt.value))
            yield Event("thread" if known else "gap", stmt, dict(point), sites, arms, groups)
        elif isinstance(stmt, Effect) or _is_vote(stmt):
            yield self._effect(stmt, point, sites, arms, groups)
        elif isinstance(stmt, Scope):
            inner = warp_groups(stmt) if stmt.op in WARP_GROUP_SCOPES else groups
            runs = stmt.op in PLAIN_SCOPES or (stmt.op in WARP_GROUP_SCOPES and inner is not None)
            if stmt.op in WARP_GROUP_SCOPES:
                yield Event("gap", stmt, point)
            if runs:
                yield from self._block(stmt.body, point, arms, inner)
            yield Event("gap", stmt, point)
        elif isinstance(stmt, While):
            yield Event("gap", stmt, point)
        else:
            yield Event("team", stmt, dict(point), sites, arms, groups)

    def _effect(
        self,
        stmt: Stmt,
        point: Point,
        sites: tuple[Site, ...],
        arms: tuple[tuple[If, bool], ...],
        groups: tuple[int, ...] | None,
    ) -> Event:
        call = stmt.call if isinstance(stmt, Effect) else None
        if call is None or (call.op in BARRIERS and not (call.op == "sync_threads" and call.args)):
            whole = not arms and groups is None and (call is None or "warp" not in call.args)
            return Event("barrier" if whole else "gap", stmt, dict(point), (), arms, groups)
        kind = "wait" if call.op in WAITS else "other" if call.op in HARMLESS else "gap"
        return Event(kind, stmt, dict(point), sites, arms, groups)

    def _branch(
        self,
        stmt: If,
        point: Point,
        sites: tuple[Site, ...],
        arms: tuple[tuple[If, bool], ...],
        groups: tuple[int, ...] | None,
    ) -> Iterator[Event]:
        if sites:
            yield Event("thread", stmt, dict(point), sites, arms, groups)
        cond = self._sites.evaluate(stmt.cond)
        free = None if cond is None else cond.variables - point.keys()
        if cond is None or free is None or is_undecided(stmt) or not free <= self._threads:
            yield Event("gap", stmt, point)
            return
        if free:
            yield from self._block(stmt.then, point, (*arms, (stmt, True)), groups)
            yield from self._block(stmt.orelse, point, (*arms, (stmt, False)), groups)
            return
        try:
            taken = stmt.then if cond.at(point) else stmt.orelse
        except Unresolved:
            yield Event("gap", stmt, point)
            return
        yield from self._block(taken, point, arms, groups)

    def _loop(
        self, loop: For, point: Point, arms: tuple[tuple[If, bool], ...], groups: tuple[int, ...] | None
    ) -> Iterator[Event]:
        if loop.kind == "parallel":
            inner = tuple(site for stmt in walk((loop,)) for site in self._by_stmt.get(id(stmt), ()))
            yield Event("team", loop, dict(point), inner, arms, groups)
            return
        if not self._pipelines and is_pipelined(loop):
            yield Event("gap", loop, point)
            return
        values = None if loop.kind in ("persistent", "thread") or len(loop.vars) != 1 else self._values(loop, point)
        if values is None or any(isinstance(stmt, Jump) for stmt in walk(loop.body)):
            yield Event("gap", loop, point)
            return
        var = loop.vars[0]
        before: int | None = None
        for number, value in values:
            if before is not None and number != before + 1:
                yield Event("gap", loop, point)
            before = number
            yield from self._block(loop.body, {**point, var: value}, arms, groups)

    def _values(self, loop: For, point: Point) -> list[tuple[int, int]] | None:
        """Number and index of the iterations that are unrolled."""
        parts = self._sites.evaluate.all((loop.starts[0], loop.extents[0], loop.step))
        if parts is None or any(not part.variables <= point.keys() for part in parts):
            return None
        try:
            start, extent, step = (part.at(point) for part in parts)
        except Unresolved:
            return None
        if step <= 0:
            return None
        count = -(-extent // step)
        numbers = [*range(min(count, FIRST_ITERATIONS))]
        if count > FIRST_ITERATIONS:
            numbers.append(count - 1)
        return [(number, start + number * step) for number in numbers]


def _is_vote(stmt: Stmt) -> bool:
    return isinstance(stmt, Let) and isinstance(stmt.value, Call) and stmt.value.op in VOTES


def _has_effect(value: object) -> bool:
    """Whether a bound value comes from a call that does more than compute."""
    from tilelang.ir.visit import subterms

    return any(isinstance(term, Call) and any(name == "effect" for name, _ in term.attrs) for term in subterms(value))


def mentions_threads(sites: Sites, value: object) -> bool:
    """Whether a value differs between the threads of a block by its text."""
    threads = set(sites.launch.thread_vars)
    return any(var in threads for var in variables(value))


def thread_points(sites: Sites, limit: int) -> list[dict[Var, int]] | None:
    """The index of every thread of a block, x fastest; None if there are more than ``limit`` or it is not known."""
    extents: list[int] = []
    for extent in sites.launch.threads:
        compiled = sites.evaluate(extent)
        if compiled is None or compiled.variables:
            return None
        extents.append(compiled.at({}))
    total = 1
    for extent in extents:
        total *= extent
    if not 0 < total <= limit:
        return None
    points: list[dict[Var, int]] = []
    for number in range(total):
        point: dict[Var, int] = {}
        rest = number
        for var, extent in zip(sites.launch.thread_vars, extents, strict=False):
            point[var] = rest % extent
            rest //= extent
        points.append(point)
    return points
