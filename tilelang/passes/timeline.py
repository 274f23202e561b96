"""The statements of a lowered kernel in the order in which they touch shared memory.

All shared memory of a kernel is allocated at its top, so what counts is the sequence of its outermost statements: a
loop is one moment, whatever it does inside. Pipelining puts a prologue before and an epilogue after its loop, warp
specialisation splits a loop in two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.stmt import Alloc, For, Gemm, If, Let, Reduce, Scope
from tilelang.ir.visit import children
from tilelang.passes.nests import loop_shape, nest_of, vector_of
from tilelang.passes.stage_uses import is_warp_region, units_of
from tilelang.passes.workspace import Workspace, workspaces_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Block, Launch, Stmt
    from tilelang.passes.active_threads import ActiveThreads
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.pipeline import Pipeline
    from tilelang.passes.specialise import Specialisation
    from tilelang.passes.thread_map import ThreadMap
    from tilelang.passes.warp_partition import WarpPartition


class Moment(NamedTuple):
    """One outermost statement and the shared memory that it touches, in the order of the program.

    ``level``: depth of loops over several statements, itself included if it becomes one. Upstream keeps a buffer that
    was first touched outside such loops until the end of a run of them.
    """

    stmt: Stmt
    touched: tuple[Buffer | Workspace, ...]
    level: int = 0


class Timeline(NamedTuple):
    """``whole``: what lives as long as the kernel, because a scalar outside every loop reads it."""

    moments: tuple[Moment, ...]
    whole: tuple[Buffer, ...]


class Schedules(NamedTuple):
    """What decides on the order: the pipelines of loops and the partitions of gemms, both by identity of the statement,
    and the split of the kernel. The layouts, the thread maps of fragments and reducers, and the threads of each
    statement tell how much scratch memory a reduction needs. ``aggressive``: the life of a buffer may end inside a
    loop."""

    pipelines: Mapping[int, Pipeline]
    partitions: Mapping[int, WarpPartition]
    special: Specialisation | None
    layouts: LayoutMap
    maps: Mapping[Buffer, ThreadMap]
    active: ActiveThreads
    aggressive: bool = False


def lay_out(launch: Launch, schedules: Schedules) -> Timeline:
    """The timeline of one launch."""
    layout = _Layout(schedules)
    return Timeline(tuple(layout.block(launch.body)), tuple(layout.whole))


class _Layout:
    def __init__(self, schedules: Schedules) -> None:
        self.schedules = schedules
        self.whole: dict[Buffer, None] = {}
        self.level = 0

    def block(self, block: Iterable[Stmt]) -> Iterator[Moment]:
        """The moments of statements that stand outside every loop."""
        special = self.schedules.special
        for stmt in block:
            if isinstance(stmt, Alloc) or (special is not None and special.prelude.moved(stmt)):
                continue
            yield from self.outer(stmt)

    def outer(self, stmt: Stmt) -> Iterator[Moment]:
        if isinstance(stmt, Let):
            self.whole.update(_shared(stmt))
        elif isinstance(stmt, Scope) and not is_warp_region(stmt):
            yield from self.block(stmt.body)
        elif isinstance(stmt, For):
            yield from self.loop(stmt)
        elif isinstance(stmt, If) and not stmt.orelse:
            for unit in units_of((stmt,)):
                yield from self.nested(unit)
        elif isinstance(stmt, Gemm):
            yield from self.gemm(stmt)
        else:
            yield from self.nested(stmt)

    def gemm(self, gemm: Gemm) -> Iterator[Moment]:
        """One moment, or two if operands are first put into scratch memory."""
        moment = self.moment(gemm)
        staged = tuple(slot for slot in moment.touched if isinstance(slot, Workspace))
        if staged:
            yield Moment(gemm, staged, self.level)
        yield moment

    def loop(self, loop: For) -> Iterator[Moment]:
        special = self.schedules.special
        pipeline = self.schedules.pipelines.get(id(loop))
        if special is not None and special.loop is loop:
            yield from self.split(loop, special)
        elif pipeline is not None and pipeline.overlaps:
            yield from self.pipelined(pipeline)
        elif runs_once(loop):
            yield from self.block(loop.body)
        else:
            yield from self.nested(loop)

    def pipelined(self, pipeline: Pipeline) -> Iterator[Moment]:
        for unit in pipeline.prologue():
            yield from self.outer(unit.stmt)
        if pipeline.rounds == 1:
            for unit in pipeline.in_order():
                yield from self.outer(unit.stmt)
        elif pipeline.rounds != 0:
            stmts = [unit.stmt for unit in pipeline.units]
            yield from self.repeated(pipeline.loop, stmts, deeper=len(stmts) > 1)
        for unit in pipeline.epilogue():
            yield from self.outer(unit.stmt)

    def split(self, loop: For, special: Specialisation) -> Iterator[Moment]:
        """The producer branch, then the consumer branch, each after what moved into it."""
        for before, body in (
            (special.prelude.producer, special.producers),
            (special.prelude.consumer, special.consumers),
        ):
            for stmt in before:
                yield from self.outer(stmt)
            if runs_once(loop):
                for stmt in body:
                    yield from self.outer(stmt)
            else:
                yield from self.repeated(loop, body, deeper=True)

    def repeated(self, stmt: Stmt, body: Iterable[Stmt], *, deeper: bool) -> Iterator[Moment]:
        """A loop over statements: one moment, or one for each of them where merging is aggressive."""
        if not self.schedules.aggressive:
            yield Moment(stmt, self.touched_by(body), self.level + deeper)
            return
        self.level += deeper
        for inner in body:
            if isinstance(inner, Let):
                yield self.moment(inner)
            elif not isinstance(inner, Alloc):
                yield from self.outer(inner)
        self.level -= deeper

    def nested(self, stmt: Stmt) -> Iterator[Moment]:
        """A statement with others inside it."""
        leaf = not any(True for _ in children(stmt)) or (isinstance(stmt, For) and stmt.kind == "parallel")
        if leaf or not self.schedules.aggressive:
            yield self.moment(stmt)
            return
        yield Moment(stmt, tuple(dict(_shared(stmt))), self.level)
        for body in children(stmt):
            yield from self.repeated(stmt, body, deeper=isinstance(stmt, For) and _count(body) > 1)

    def moment(self, stmt: Stmt) -> Moment:
        return Moment(stmt, self.touched_by((stmt,)), self.level + self.is_compound(stmt))

    def touched_by(self, block: Iterable[Stmt]) -> tuple[Buffer | Workspace, ...]:
        touched: dict[Buffer | Workspace, None] = {}
        for stmt in block:
            self.touch(stmt, touched)
        return tuple(touched)

    def touch(self, stmt: Stmt, touched: dict[Buffer | Workspace, None]) -> None:
        """Adds what a statement and everything below it touches. Each copy that pipelining makes of a statement has
        scratch memory of its own."""
        touched.update(_shared(stmt))
        split = self.schedules.partitions.get(id(stmt))
        threads = self.schedules.active.of(stmt)
        touched.update(dict.fromkeys(workspaces_of(stmt, self.schedules.maps, threads, split)))
        pipeline = self.schedules.pipelines.get(id(stmt))
        if pipeline is not None and pipeline.overlaps:
            body = pipeline.units if pipeline.rounds != 0 else ()
            for unit in (*pipeline.prologue(), *body, *pipeline.epilogue()):
                self.touch(unit.stmt, touched)
            return
        for body in children(stmt):
            for inner in body:
                self.touch(inner, touched)

    def is_compound(self, stmt: Stmt) -> bool:
        """Whether a statement becomes a loop whose body is a sequence. A gemm does without tensor cores, and with them
        if its tile is deeper than one instruction; a reduction through shared memory does if a thread has several
        results."""
        if isinstance(stmt, Gemm):
            split = self.schedules.partitions.get(id(stmt))
            if split is None:
                return False
            return split.instruction == "scalar" or (split.instruction == "mma" and (split.tile.k or 0) > split.depth)
        if isinstance(stmt, Reduce):
            spread = self.schedules.layouts.layout(stmt.dst.buffer)
            return isinstance(spread, Fragment) and spread.register_count > 1
        if not isinstance(stmt, For):
            return False
        return self.repeats_a_sequence(stmt) if stmt.kind == "parallel" else _count(stmt.body) > 1

    def repeats_a_sequence(self, loop: For) -> bool:
        """Whether a thread runs several statements of a parallel loop more than once, neighbours taken together."""
        shape = loop_shape(loop)
        if shape is None or _count(shape.body) < 2:
            return False
        nest = nest_of(loop, self.schedules.active.of(loop))
        spread = self.schedules.layouts.loop_of(loop)
        if nest is None or spread is None:
            return True
        return spread.register_count > vector_of(nest)


def runs_once(loop: For) -> bool:
    """A loop of one iteration leaves its body behind."""
    return loop.kind not in ("parallel", "vectorized") and all(try_const(extent) == 1 for extent in loop.extents)


def _count(block: Block) -> int:
    """Statements of a loop body after branches are guarded one by one."""
    return sum(_count(stmt.body) if isinstance(stmt, Scope) else 1 for stmt in units_of(block))


def _shared(stmt: Stmt) -> Iterator[tuple[Buffer, None]]:
    """The shared memory that a statement itself uses, in order, as the keys of an ordered set."""
    return ((access.buffer.root, None) for access in accesses(stmt) if access.buffer.root.is_shared)
