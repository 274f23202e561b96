"""The statements of a lowered kernel in the order in which they touch shared memory.

All shared memory of a kernel is allocated at its top, so what counts is the sequence of its outermost statements: a loop
is one moment, whatever it does inside. Pipelining puts a prologue before and an epilogue after its loop, warp
specialisation splits a loop in two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Alloc, Block, For, If, Launch, Let, Scope, Stmt
from tilelang.ir.visit import walk
from tilelang.passes.stage_uses import units_of
from tilelang.passes.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.passes.pipeline import Pipeline, Unit
    from tilelang.passes.specialise import Specialisation


@dataclass(frozen=True, slots=True)
class Moment:
    """One outermost statement and the shared memory that it touches.

    ``compound``: it becomes a loop over several statements. Upstream keeps a buffer that was first touched outside such
    loops until the end of a run of them.
    """

    stmt: Stmt
    touched: frozenset[Buffer | Workspace]
    compound: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """``whole``: what lives as long as the kernel, because a scalar outside every loop reads it."""

    moments: tuple[Moment, ...]
    whole: frozenset[Buffer]


class TimelineBuilder:
    """Lays out one launch. ``workspaces`` gives the scratch memory that lowering one statement asks for; it is called
    once for each copy of a statement, so a reduction in an epilogue has its own."""

    def __init__(
        self,
        pipelines: Mapping[int, Pipeline],
        specialisation: Specialisation | None,
        workspaces: Callable[[Stmt], Iterable[Workspace]],
        compound: Callable[[Stmt], bool],
    ) -> None:
        self.pipelines = pipelines
        self.specialisation = specialisation
        self.workspaces = workspaces
        self.compound = compound
        self.whole: set[Buffer] = set()

    def build(self, launch: Launch) -> Timeline:
        return Timeline(tuple(self._block(launch.body)), frozenset(self.whole))

    def _block(self, block: Block) -> Iterator[Moment]:
        for stmt in block:
            if isinstance(stmt, Alloc):
                continue
            if isinstance(stmt, Let):
                self.whole |= {access.buffer.root for access in accesses(stmt) if access.buffer.root.is_shared}
            elif isinstance(stmt, Scope):
                yield from self._block(stmt.body)
            elif isinstance(stmt, For):
                yield from self._loop(stmt)
            elif isinstance(stmt, If) and not stmt.orelse:
                yield from map(self._moment, units_of((stmt,)))
            else:
                yield self._moment(stmt)

    def _loop(self, loop: For) -> Iterator[Moment]:
        special = self.specialisation
        if special is not None and special.loop is loop:
            yield from self._split(loop, special)
            return
        pipeline = self.pipelines.get(id(loop))
        if pipeline is None or not pipeline.overlaps:
            yield from self._plain(loop)
            return
        ordered, depth = pipeline.in_order(), pipeline.max_stage
        trips = try_const(loop.extents[0])
        for time in range(depth):
            yield from self._round(unit for unit in ordered if _runs(time - unit.stage, trips))
        if trips is None or trips > depth + 1:
            yield self._moment(loop, compound=True)
        elif trips == depth + 1:
            yield from self._round(ordered)
        for time in range(depth):
            yield from self._round(unit for unit in ordered if _runs_late(time - unit.stage, trips))

    def _round(self, units: Iterable[Unit]) -> Iterator[Moment]:
        for unit in units:
            yield from self._block((unit.stmt,))

    def _split(self, loop: For, special: Specialisation) -> Iterator[Moment]:
        """The producer loop touches what its copies fill, the consumer loop touches everything."""
        yield Moment(loop, frozenset(buffer.root for buffer in special.produced), compound=True)
        yield self._moment(loop, compound=True)

    def _plain(self, loop: For) -> Iterator[Moment]:
        """A loop that runs once leaves its body behind."""
        if len(loop.vars) == 1 and loop.kind != "parallel" and try_const(loop.extents[0]) == 1:
            yield from self._block(loop.body)
        else:
            yield self._moment(loop)

    def _moment(self, stmt: Stmt, compound: bool | None = None) -> Moment:
        touched: set[Buffer | Workspace] = set()
        for inner in walk((stmt,)):
            touched |= {access.buffer.root for access in accesses(inner) if access.buffer.root.is_shared}
            touched.update(self.workspaces(inner))
        return Moment(stmt, frozenset(touched), self.compound(stmt) if compound is None else compound)


def _runs(iteration: int, trips: int | None) -> bool:
    """Whether a prologue has this iteration of a statement."""
    return iteration >= 0 and (trips is None or iteration < trips)


def _runs_late(lag: int, trips: int | None) -> bool:
    """Whether an epilogue has the iteration ``lag`` after the last."""
    return lag < 0 and (trips is None or trips + lag >= 0)
