"""The software pipeline of ``T.Pipelined``: which statements run ahead, and how many copies each buffer gets.

A statement that brings global memory to shared memory is a *copy*; what prepares a copy is a *producer*; the rest
*computes*. Copies and producers run ``num_stages`` iterations ahead of the last statement that uses their result. A
buffer that is written in one stage and used in a later one needs a copy for every iteration in flight.

Which targets overlap the copies (``cp.async`` from sm_80 on, TMA on sm_90) makes no difference to the number of copies:
upstream stages them on sm_75 too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Expr, Var, const_int
from tilelang.ir.stmt import For
from tilelang.ir.visit import walk
from tilelang.passes.stage_uses import (
    Use,
    Uses,
    is_conditional,
    is_replayable,
    may_overlap,
    moves_global_to_shared,
    statements,
    units_of,
    uses_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tilelang.ir.access import Access
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Block, Stmt

Role = Literal["copy", "producer", "compute"]


class Unit(NamedTuple):
    """One statement of the schedule. ``stage``: how many iterations it lags behind the newest one in flight; ``order``:
    its place within one round; ``last_use``: the number of the last unit that uses what a copy or producer wrote."""

    number: int
    stmt: Stmt
    uses: Uses
    role: Role
    conditional: bool
    stage: int = 0
    order: int = 0
    last_use: int | None = None

    @property
    def runs_ahead(self) -> bool:
        return self.role != "compute"


class OrderProblem(NamedTuple):
    """``written-twice``: two statements fill overlapping parts of one staged buffer in one iteration, which upstream
    rejects. ``read-before-fill``: a statement uses a buffer before the copy of the same iteration fills it, so it sees
    the tile of the iteration before, or what was filled before the loop. ``order-length``: an explicit order or stage
    list does not match the statements. ``reordered``: such a list runs a statement before what it reads is written,
    which upstream rejects."""

    kind: Literal["written-twice", "read-before-fill", "order-length", "reordered"]
    buffer: Buffer | None
    first: Span
    second: Span


_UNROLLED = 64
"""Stages up to which each round before and behind the loop is followed; more stages fit no GPU."""


class Pipeline(NamedTuple):
    """The schedule of one pipelined loop. ``versions`` has the buffers with more than one copy. ``overlaps`` is False
    if all statements share one stage, so nothing runs ahead."""

    loop: For
    num_stages: int
    units: tuple[Unit, ...]
    versions: Mapping[Buffer, int]
    overlaps: bool
    trips: int | None = None
    problems: tuple[OrderProblem, ...] = ()

    @property
    def max_stage(self) -> int:
        return max((unit.stage for unit in self.units), default=0)

    def in_order(self) -> tuple[Unit, ...]:
        return tuple(sorted(self.units, key=lambda unit: unit.order))

    def prologue(self) -> Iterator[Unit]:
        """Every statement that runs before the loop, in order: the first iterations of the early stages."""
        for time in self._times():
            yield from (unit for unit in self.in_order() if self._runs(time - unit.stage))

    def epilogue(self) -> Iterator[Unit]:
        """Every statement that runs after the loop: the last iterations of the late stages."""
        for time in self._times():
            for unit in self.in_order():
                lag = time - unit.stage
                if lag < 0 and (self.trips is None or self.trips + lag >= 0):
                    yield unit

    @property
    def rounds(self) -> int | None:
        """Iterations that stay in the loop; ``None`` if unknown."""
        return None if self.trips is None else max(self.trips - self.max_stage, 0)

    def _times(self) -> Iterable[int]:
        """The rounds before the loop, and likewise behind it. Of very many, only those at which a statement begins or
        ends to run, with their neighbours: the others repeat what these do."""
        last = self.max_stage
        if last <= _UNROLLED:
            return range(last)
        turns = {0, last, *(unit.stage for unit in self.units)}
        if self.trips is not None:
            turns |= {turn + self.trips for turn in turns} | {turn - self.trips for turn in turns}
        near = {turn + step for turn in turns for step in (-2, -1, 0, 1, 2)}
        return sorted(time for time in near if 0 <= time < last)

    def _runs(self, iteration: int) -> bool:
        return iteration >= 0 and (self.trips is None or iteration < self.trips)


def stages_of(loop: For) -> int | None:
    """``num_stages`` of a pipelined loop, 0 if it does not ask for one, ``None`` if it is unknown."""
    value = loop.attr("num_stages", 0)
    return 0 if value is None else const_int(value)


def explicit_order(loop: For) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The ``order`` and ``stage`` lists of a loop that gives both."""
    order, stage = _numbers(loop.attr("order")), _numbers(loop.attr("stage"))
    return None if order is None or stage is None else (order, stage)


def _numbers(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, (tuple, list)) or not value:
        return None
    numbers = [const_int(entry) for entry in cast("Sequence[object]", value)]
    return None if None in numbers else tuple(number for number in numbers if number is not None)


def is_pipelined(loop: For) -> bool:
    """Whether upstream makes a software pipeline of this loop."""
    return loop.kind == "pipelined" and (bool(stages_of(loop)) or explicit_order(loop) is not None)


def open_copies(block: Block) -> dict[Buffer, Expr]:
    """Staged buffers of loops whose stage count is not known, with that count."""
    found: dict[Buffer, Expr] = {}
    for stmt in walk(block):
        if isinstance(stmt, For) and stmt.kind == "pipelined" and stages_of(stmt) is None and not explicit_order(stmt):
            given = stmt.attr("num_stages")
            count = given if isinstance(given, Expr) else Var(INT32, "?", "unknown")
            others = tuple(entry for entry in stmt.attrs if entry[0] != "num_stages")
            assumed = plan_pipeline(replace(stmt, attrs=(*others, ("num_stages", 2))))
            found |= {buffer.root: count for buffer in assumed.versions}
    return found


def plan_pipeline(loop: For) -> Pipeline:
    """The schedule of one loop. Loops inside its body stay as they are."""
    num_stages = stages_of(loop) or 0
    units = _units(loop)
    given = explicit_order(loop)
    problems = [*_order_problems(units)]
    if given is not None:
        units, mismatch = _explicit(loop, units, *given)
        problems += mismatch
    else:
        units = _schedule(_last_uses(_mark_producers(units)), num_stages)
    overlaps = len({unit.stage for unit in units}) > 1
    versions = _versions(units) if overlaps else {}
    return Pipeline(loop, num_stages, units, versions, overlaps, try_const(loop.extents[0]), tuple(problems))


def _units(loop: For) -> tuple[Unit, ...]:
    stmts = units_of(loop.body)
    uses = [uses_of(stmt) for stmt in stmts]
    written = {use.buffer for each in uses for use in each.writes}
    kept = [(stmt, each) for stmt, each in zip(stmts, uses, strict=True) if not is_replayable(stmt, written)]
    return tuple(
        Unit(index, stmt, each, "copy" if moves_global_to_shared(stmt) else "compute", is_conditional(stmt))
        for index, (stmt, each) in enumerate(kept)
    )


def _mark_producers(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Marks what copies depend on: earlier statements that write a buffer which a copy uses, transitively."""
    needed = {use.buffer for unit in units if unit.role == "copy" for use in unit.uses.reads}
    producers: set[int] = set()
    for copy in units:
        if copy.role != "copy":
            continue
        growing = True
        while growing:
            growing = False
            for unit in units[: copy.number]:
                if unit.role == "copy" or not any(use.buffer in needed for use in unit.uses.writes):
                    continue
                before = len(producers), len(needed)
                producers.add(unit.number)
                needed |= {use.buffer for use in unit.uses.reads}
                growing = growing or before != (len(producers), len(needed))
    return tuple(unit._replace(role="producer") if unit.number in producers else unit for unit in units)


def _last_uses(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    found = [_with_last_use(unit, units) if unit.runs_ahead else unit for unit in units]
    return _scalar_producers(found)


def _with_last_use(unit: Unit, units: tuple[Unit, ...]) -> Unit:
    last: int | None = None
    for later in units[unit.number + 1 :]:
        for write in unit.uses.writes:
            if any(may_overlap(write.box, read.box) for read in later.uses.reads_of(write.buffer)):
                last = later.number
    return unit._replace(last_use=last)


def _scalar_producers(units: list[Unit]) -> tuple[Unit, ...]:
    """A scalar that is bound once and feeds a copy moves with it."""
    definitions = {var: unit.number for unit in reversed(units) for var in unit.uses.defined}
    growing = True
    while growing:
        growing = False
        for consumer in units:
            if not consumer.runs_ahead or consumer.last_use is None:
                continue
            for var in consumer.uses.mentioned:
                source = definitions.get(var)
                if source is None or source == consumer.number or units[source].role == "copy":
                    continue
                producer = units[source]
                later = producer.last_use is None or consumer.last_use < producer.last_use
                if producer.role == "compute" or later:
                    units[source] = producer._replace(role="producer", last_use=consumer.last_use)
                    growing = True
    return tuple(units)


def _schedule(units: tuple[Unit, ...], num_stages: int) -> tuple[Unit, ...]:
    """Gives each unit its stage and order: whatever runs ahead comes right after the unit that uses it last. If that
    puts all of it at the end of the round, it moves to the front and the others lag one iteration less."""
    order: dict[int, int] = {}
    stages: dict[int, int] = {}
    ahead = [unit for unit in units if unit.runs_ahead]
    for unit in units:
        if unit.runs_ahead and unit.last_use is not None:
            continue
        order[unit.number], stages[unit.number] = len(order), num_stages
        for producer in ahead:
            if producer.last_use == unit.number:
                order[producer.number], stages[producer.number] = len(order), 0
    scheduled = [unit for unit in units if unit.number in order]
    first_ahead = min((order[unit.number] for unit in scheduled if unit.runs_ahead), default=len(units))
    last_behind = max((order[unit.number] for unit in scheduled if not unit.runs_ahead), default=0)
    if first_ahead > last_behind and ahead and num_stages >= 2:
        for unit in scheduled:
            order[unit.number] = (order[unit.number] + len(ahead)) % len(units)
            stages[unit.number] -= not unit.runs_ahead
    return tuple(
        unit._replace(order=order.get(unit.number, unit.number), stage=stages.get(unit.number, num_stages))
        for unit in units
    )


def _explicit(
    loop: For, units: tuple[Unit, ...], order: tuple[int, ...], stage: tuple[int, ...]
) -> tuple[tuple[Unit, ...], list[OrderProblem]]:
    if not len(order) == len(stage) == len(units):
        return units, [OrderProblem("order-length", None, loop.span, loop.span)]
    placed = tuple(unit._replace(order=order[unit.number], stage=stage[unit.number]) for unit in units)
    return placed, [*_reordered(placed)]


def _reordered(units: tuple[Unit, ...]) -> Iterator[OrderProblem]:
    """Statements that a written schedule runs before what they read is written in the same iteration."""
    for number, unit in enumerate(units):
        written = {access.buffer: access.span for access in _certain(unit) if access.writes}
        for later in units[number + 1 :]:
            if (unit.stage, unit.order) < (later.stage, later.order):
                continue
            for access in _certain(later):
                if access.reads and access.buffer in written:
                    yield OrderProblem("reordered", access.buffer, written[access.buffer], access.span)
                    break


def _certain(unit: Unit) -> Iterator[Access]:
    return (use for stmt in statements(unit.stmt) for use in accesses(stmt) if use.mode != "unknown")


def _versions(units: tuple[Unit, ...]) -> dict[Buffer, int]:
    buffers = dict.fromkeys(use.buffer for unit in units for use in (*unit.uses.writes, *unit.uses.reads))
    found = {buffer: _versions_of(buffer, units) for buffer in buffers if not buffer.is_global}
    return {buffer: count for buffer, count in found.items() if count > 1}


def _versions_of(buffer: Buffer, units: tuple[Unit, ...]) -> int:
    """Stages from the first write to the last use. One copy fewer will do unless a later stage reads, after the write
    of the same round, what an earlier iteration wrote."""
    writers = [(unit, next(unit.uses.writes_of(buffer), None)) for unit in units]
    readers = [(unit, next(unit.uses.reads_of(buffer), None)) for unit in units]
    written = [unit.stage for unit, write in writers if write is not None]
    used = [unit.stage for unit, read in readers if read is not None]
    if not written or not used:
        return 1
    count = max(used) - min(written) + 1
    if count < 2:
        return 1
    crossed = any(
        write is not None
        and read is not None
        and writer.order < reader.order
        and writer.stage < reader.stage
        and may_overlap(write.box, read.box)
        for writer, write in writers
        for reader, read in readers
    )
    return count if crossed else count - 1


def _order_problems(units: tuple[Unit, ...]) -> list[OrderProblem]:
    problems: list[OrderProblem] = []
    filled: set[Buffer] = set()
    for unit in units:
        if unit.role == "copy":
            for write in unit.uses.writes:
                if write.buffer.is_shared:
                    problems += _conflicts(unit, write, units, filled)
        filled |= {write.buffer for write in unit.uses.writes}
    return problems


def _conflicts(copy: Unit, write: Use, units: tuple[Unit, ...], filled: set[Buffer]) -> Iterator[OrderProblem]:
    """The first later statement that fills the same elements, and the first earlier one that uses them unfilled."""
    for other in units[copy.number + 1 :]:
        for again in other.uses.writes_of(write.buffer):
            if again.sure and may_overlap(write.box, again.box):
                yield OrderProblem("written-twice", write.buffer, write.span, again.span)
                return
    if write.buffer in filled:
        return
    for other in units[: copy.number]:
        for read in other.uses.reads_of(write.buffer):
            if read.sure and may_overlap(write.box, read.box):
                yield OrderProblem("read-before-fill", write.buffer, read.span, write.span)
                return
