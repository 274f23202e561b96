"""Memory barriers at which fewer threads arrive than they count.

Only barriers whose every use is understood are counted: arrivals of this block's threads, waits, loads by TMA (which
add bytes, not arrivals). Such a barrier never completes its first phase if the whole kernel has too few arrivals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.expr import Load
from tilelang.ir.stmt import Alloc, Effect
from tilelang.ir.visit import operands, subterms, walk
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of
from tilelang.passes.access.trace import thread_points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Stmt
    from tilelang.passes.access.sites import Place, Sites

ARRIVE = ("mbarrier_arrive", "barrier_arrive", "mbarrier_arrive_expect_tx")
WAIT = ("mbarrier_wait_parity", "barrier_wait")
QUIET = (*ARRIVE, *WAIT, "mbarrier_expect_tx")
MAX_THREADS = 1024
MAX_ROUNDS = 256
"""Iterations counted for one arrival; a loop that is longer has arrivals enough."""


class TooFew(NamedTuple):
    """``wait`` is for ``wanted`` arrivals at ``barrier``, of which the kernel makes ``made``."""

    barrier: Buffer
    wait: Place
    wanted: int
    made: int


def unreachable_counts(sites: Sites) -> Iterator[TooFew]:
    """Every barrier of one element that cannot complete."""
    barriers = [stmt.buffer for stmt in walk(sites.launch.body) if isinstance(stmt, Alloc) and _is_single(stmt.buffer)]
    threads = thread_points(sites, MAX_THREADS) if barriers else None
    for barrier in barriers if threads is not None else ():
        wanted = _count_of(barrier)
        places = [place for place in sites.effects if place.call.args and _names(place.call.args[0], barrier)]
        waits = [place for place in places if place.call.op in WAIT and place.certain and not place.guards]
        if wanted is None or not waits or not _is_understood(sites, barrier):
            continue
        made = 0
        for place in places:
            if place.call.op in ARRIVE:
                found = _arrivals(sites, place, threads or [])
                if found is None:
                    break
                made += found
        else:
            if made < wanted:
                yield TooFew(barrier, waits[0], wanted, made)


def _is_single(buffer: Buffer) -> bool:
    return buffer.scope == "shared.barrier" and len(buffer.shape) == 1 and try_const(buffer.shape[0]) == 1


def _count_of(barrier: Buffer) -> int | None:
    counts = barrier.attr("arrive_counts")
    return try_const(counts[0]) if isinstance(counts, (tuple, list)) and len(counts) == 1 else None  # type: ignore[arg-type]  # entries are operands


def _names(arg: object, barrier: Buffer) -> bool:
    return arg is barrier or (isinstance(arg, Load) and arg.buffer is barrier)


def _is_understood(sites: Sites, barrier: Buffer) -> bool:
    """Whether nothing else may arrive: no operation that is not listed, no other block, no product."""
    if sites.launch.attr("cluster_dims") is not None:
        return False
    for stmt in walk(sites.launch.body):
        if not _mentions(stmt, barrier):
            continue
        if isinstance(stmt, Effect):
            extra = 2 if stmt.call.op in WAIT or "expect_tx" in stmt.call.op else 1
            if stmt.call.op not in QUIET or len(stmt.call.args) > extra:
                return False
        elif stmt.attr("barrier") is None or stmt.attr("mbar") is not None:
            return False
    return True


def _mentions(stmt: Stmt, barrier: Buffer) -> bool:
    values = (*operands(stmt), *(value for _, value in stmt.attrs))
    if isinstance(stmt, Alloc):
        return False
    return any(_names(term, barrier) for value in values for term in subterms(value))


def _arrivals(sites: Sites, place: Place, threads: list[dict[Var, int]]) -> int | None:
    """How often threads arrive at one statement over the whole run of a block; None if that is not known."""
    guards = compiled_guards(sites.evaluate, place.guards)
    if guards is None or not place.certain:
        return None
    names = frozenset(sites.launch.thread_vars)
    blocks = frozenset(sites.launch.block_vars)
    loops = {axis.var for axis in place.axes if axis.kind not in ("block", "thread")}
    if any(axis.kind in ("parallel", "pipelined", "persistent", "thread") and axis.var in loops for axis in place.axes):
        return None
    used = guard_variables(guards)
    if used & blocks:
        return None
    space = space_of(sites.evaluate, place.axes, (used | loops) - names)
    if space is None or not space.is_within({}, MAX_ROUNDS):
        return None
    total = 0
    for point in space.points({}, MAX_ROUNDS):
        for number, values in enumerate(threads):
            if place.groups is None or number // 128 in place.groups:
                total += holds(guards, {**point, **values})
    return total
