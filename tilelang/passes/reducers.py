"""How the partial results of ``T.alloc_reducer`` are spread over threads.

Upstream has two plans. The narrow one keeps, in each thread, what its own iterations added, and combines along the
threads that differ only in the loops that were summed over. Where it cannot prove that this works, every thread keeps a
part for the whole result, and all threads of the block combine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var
from tilelang.ir.layout.digits import ZERO, of
from tilelang.ir.layout.fragment import REP, of_thread
from tilelang.ir.stmt import Copy, Effect, For, Store
from tilelang.ir.visit import operands, subterms, walk
from tilelang.passes.nests import is_reducer, loop_shape, outer_statements, updated_reducer
from tilelang.passes.thread_map import REDUCED, Digit, ThreadMap, of_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tilelang.ir.layout.fragment import Fragment
    from tilelang.ir.stmt import Launch, Stmt
    from tilelang.passes.active_threads import ActiveThreads
    from tilelang.passes.configs import PassConfigs
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.nests import LoopShape
    from tilelang.passes.thread_map import Maps


def settle_reducers(
    launch: Launch, active: ActiveThreads, layouts: LayoutMap, maps: Maps, configs: PassConfigs
) -> Maps:
    """The map of each reducer that is updated, given the layouts of loops and the maps of fragments. Digits of the
    summed loops have ``dim=REDUCED``. One without a map is updated in a loop that could not be followed."""
    sites: dict[Buffer, list[ThreadMap | None]] = {}
    wide: Maps = {}
    unknown: set[Buffer] = set()
    for loop in outer_statements(launch.body):
        if not isinstance(loop, For) or loop.kind != "parallel":
            continue
        shape, layout = loop_shape(loop), layouts.loop_of(loop)
        for stmt in walk(loop.body):
            reducer = updated_reducer(stmt)
            if reducer is None:
                continue
            spread = None if layout is None else of_fragment(layout)
            if shape is None or spread is None:
                unknown.add(reducer)
            else:
                wide[reducer] = ThreadMap((Digit(REDUCED, 1, active.of(loop), 1),))
                narrow = (
                    None if _fuses(shape, loop) and _is_spread(stmt, shape) else _narrow(stmt, reducer, shape, spread)
                )
                sites.setdefault(reducer, []).append(narrow)
    forced = configs.flag("reducer_force_baseline")
    found: Maps = {}
    for reducer, plans in sites.items():
        if reducer in unknown:
            continue
        first = plans[0]
        same = first is not None and all(other == first for other in plans)
        fits = not forced and same and first is not None and _published(reducer, first, launch.body, maps)
        found[reducer] = first if first is not None and fits else wide[reducer]
    return found


def partial_fragments(maps: Maps) -> dict[Buffer, Fragment]:
    """The layouts of the reducers among the buffers of ``maps``: a copy of an element for each thread that adds to it,
    and registers for what a thread adds up."""
    found: dict[Buffer, Fragment] = {}
    for buffer, spread in maps.items():
        shape = tuple(number for number in map(try_const, buffer.shape) if number is not None)
        if is_reducer(buffer) and len(shape) == buffer.rank and min(shape, default=1) > 0:
            found[buffer] = _fragment(shape, spread)
    return found


def _fragment(shape: tuple[int, ...], spread: ThreadMap) -> Fragment:
    copies = 1
    for digit in spread.along(REDUCED):
        copies *= digit.extent
    thread, lower, copy = ZERO, 1, of(REP, copies)
    for digit in spread.digits:
        if digit.dim == REDUCED:
            thread += copy // lower % digit.extent * digit.scale
            lower *= digit.extent
        else:
            thread += of(digit.dim, shape[digit.dim]) // digit.lower % digit.extent * digit.scale
    return of_thread(shape, thread, copies)


def _fuses(shape: LoopShape, loop: For) -> bool:
    """Whether upstream makes one loop of a nest: it uses no fragments, and its extents are powers of two."""
    if len(shape.vars) < 2 or any(extent & (extent - 1) for extent in shape.extents):
        return False
    used = (access.buffer for stmt in (loop, *walk(shape.body)) for access in accesses(stmt))
    return not any(buffer.is_fragment and not is_reducer(buffer) for buffer in used)


def _is_spread(stmt: Stmt, shape: LoopShape) -> bool:
    """Whether an update goes to elements that depend on the loops. In a fused loop their indices are quotients."""
    return any(term in shape.vars for index in _target(stmt) for term in subterms(index))


def _narrow(stmt: Stmt, reducer: Buffer, shape: LoopShape, spread: ThreadMap) -> ThreadMap | None:
    """The narrow plan of one update: each index is a loop variable of its own that covers the dimension."""
    dims: dict[int, int] = {}
    for at, index in enumerate(_target(stmt)):
        extent = try_const(reducer.shape[at]) if at < reducer.rank else None
        if isinstance(index, Var) and index in shape.vars:
            dim = shape.vars.index(index)
            if dim in dims or shape.extents[dim] != extent:
                return None
            dims[dim] = at
        elif try_const(index) != 0 or extent != 1:
            return None
    digits = tuple(digit._replace(dim=dims.get(digit.dim, REDUCED)) for digit in spread.digits)
    even = all(digit.extent & (digit.extent - 1) == 0 for digit in digits if digit.dim == REDUCED)
    return ThreadMap(digits) if even and not _reads_private(stmt, reducer) else None


def _target(stmt: Stmt) -> Sequence[object]:
    if isinstance(stmt, Store):
        return stmt.indices
    target = stmt.call.args[0] if isinstance(stmt, Effect) else None
    if isinstance(target, Load):
        return target.indices
    return target.mins if isinstance(target, Region) else ()


def _reads_private(stmt: Stmt, reducer: Buffer) -> bool:
    """Whether the added value depends on arrays of the thread, which copies of an iteration may not share."""
    loads = (term for value in operands(stmt) for term in subterms(value) if isinstance(term, Load))
    return any(load.buffer.is_local and load.buffer is not reducer for load in loads)


def _published(reducer: Buffer, plan: ThreadMap, body: Sequence[Stmt], maps: Mapping[Buffer, ThreadMap]) -> bool:
    """Whether the threads that need the result have it: the fragment it goes to is spread at least as finely, or has no
    other purpose than to be copied out."""
    result = _result(reducer, body)
    if result is None or result not in maps or _only_copied(result, body):
        return True
    kept = {digit for digit in plan.digits if digit.dim != REDUCED and digit.extent > 1}
    return kept <= set(maps[result].digits)


def _result(reducer: Buffer, body: Sequence[Stmt]) -> Buffer | None:
    """What ``T.finalize_reducer`` writes into."""
    closing = False
    for stmt in walk(tuple(body)):
        if not isinstance(stmt, Effect) or not stmt.call.args:
            continue
        target = stmt.call.args[0]
        buffer = target.buffer if isinstance(target, Region) else target
        if closing and stmt.call.op == "reducer_result" and isinstance(buffer, Buffer):
            return buffer
        closing = stmt.call.op == "finalize_reducer" and buffer is reducer
    return None


def _only_copied(fragment: Buffer, body: Sequence[Stmt]) -> bool:
    """Whether all uses of a fragment are copies of it to global memory or to fragments of the same fate."""
    for stmt in walk(tuple(body)):
        if isinstance(stmt, Copy):
            if stmt.src.buffer is fragment:
                target = stmt.dst.buffer
                if not target.is_global and not (target.is_fragment and _only_copied(target, body)):
                    return False
        elif isinstance(stmt, Effect) and stmt.call.op == "reducer_result":
            continue
        elif (isinstance(stmt, Store) and stmt.buffer is fragment) or _mentions(operands(stmt), fragment):
            return False
    return True


def _mentions(values: Iterable[object], fragment: Buffer) -> bool:
    return any(
        term is fragment or (isinstance(term, (Load, Region)) and term.buffer is fragment)
        for value in values
        for term in subterms(value)
    )
