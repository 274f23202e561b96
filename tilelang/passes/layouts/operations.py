"""The statements that take part in layout inference, and what each asks for at each level.

Levels, from obligatory to optional: at ``strict`` an instruction names the layouts that it needs; at ``common`` layouts
spread from settled buffers to their neighbours; at ``free`` what is left is dealt out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Sum, of, substitute
from tilelang.ir.layout.fragment import REP, Fragment, fully_replicated, of_thread
from tilelang.ir.layout.layout import Layout, linear_layout
from tilelang.passes.layouts.nest import MAX_EXTENT, Nest
from tilelang.passes.layouts.spread import Situation, Threads, Unsuitable, covers, derived, settle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Reduce, Scan, Stmt

    Layouts = Mapping[Buffer, Layout | Fragment]

Level = Literal["strict", "common", "free"]


class Update(NamedTuple):
    """A layout that an operation asks for. ``origin``: the fragment that decided it."""

    buffer: Buffer
    layout: Layout | Fragment
    origin: Buffer | None = None


Updates = tuple[Update, ...]


class _Settled(NamedTuple):
    """What a nest answers: its spread and what follows from it, or nothing yet, or a problem."""

    spread: Fragment | None = None
    updates: Updates = ()
    problem: Unsuitable | None = None


@dataclass(slots=True)
class Progress:
    """What is settled about the operations themselves; copied for each attempt. ``loops``: spreads of nests, by number
    of the operation. ``done``: operations that have nothing more to say."""

    loops: dict[int, Fragment] = field(default_factory=dict[int, Fragment])
    done: set[int] = field(default_factory=set[int])

    def copy(self) -> Progress:
        return Progress(dict(self.loops), set(self.done))


@dataclass(frozen=True, slots=True)
class Operation:
    """A statement that touches ``fragments`` but asks for nothing: a fill, the end of a reducer."""

    number: int
    stmt: Stmt
    fragments: tuple[Buffer, ...]

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        """The layouts that the operation asks for now. Raises :class:`Unsuitable`."""
        return ()


@dataclass(frozen=True, slots=True)
class NestOperation(Operation):
    """A parallel loop nest, written or implied by a copy or an atomic."""

    nest: Nest
    situation: Situation
    memo: dict[object, _Settled] = field(default_factory=dict["object", "_Settled"], compare=False, repr=False)
    """Answers so far, by level and by the layouts of the buffers of the nest: attempts ask again and again."""

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        if self.number in progress.done:
            return ()
        if level == "strict":
            return self._replicated_elements(layouts)
        key = level, *(layouts.get(buffer) for buffer in self.nest.buffers)
        if key not in self.memo:
            self.memo[key] = self._settled(level, layouts)
        answer = self.memo[key]
        if answer.problem is not None:
            raise answer.problem
        if answer.spread is not None:
            progress.loops[self.number] = answer.spread
            progress.done.add(self.number)
        return answer.updates

    def _settled(self, level: Level, layouts: Layouts) -> _Settled:
        try:
            return self._settle(level, layouts)
        except Unsuitable as problem:
            return _Settled(problem=problem)

    def _settle(self, level: Level, layouts: Layouts) -> _Settled:
        found = settle(self.nest, layouts, self.situation, free=level == "free")
        if found is None:
            return _Settled()
        spread, source = found
        threads = self.situation.threads
        updates: list[Update] = []
        for buffer in self.nest.fragments():
            if buffer in layouts:
                continue
            shape = known_shape(buffer)
            layout = None if shape is None else derived(self.nest, buffer, shape, spread)
            if layout is not None:
                updates.append(Update(buffer, layout.bound(*threads), source))
        return _Settled(spread, tuple(updates))

    def _replicated_elements(self, layouts: Layouts) -> Updates:
        """A fragment of which a loop uses only the first element is needed by all threads."""
        updates: list[Update] = []
        for buffer in self.nest.fragments():
            indices = self.nest.uses(buffer)[0].indices
            shape = known_shape(buffer)
            if buffer in layouts:
                continue
            if any(index.is_const and index.base for index in indices):
                raise Unsuitable("constant-index", buffer)
            if shape is None or not all(index.is_const for index in indices):
                continue
            threads = self.situation.threads
            layout = of_thread(shape, of(REP, threads.number), threads.number).bound(*threads)
            updates.append(Update(buffer, layout))
        return tuple(updates)


@dataclass(frozen=True, slots=True)
class FixedOperation(Operation):
    """An instruction that names the layouts it needs: a gemm. ``keeps_shared``: it takes shared operands as they are
    laid out already."""

    wanted: Updates
    keeps_shared: bool = False

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        if self.number in progress.done:
            return ()
        progress.done.add(self.number)
        return tuple(
            one for one in self.wanted if not (self.keeps_shared and one.buffer.is_shared and one.buffer in layouts)
        )


@dataclass(frozen=True, slots=True)
class SuggestedOperation(Operation):
    """An instruction that has a layout for a fragment that no other one claims: a copy from tensor memory."""

    wanted: Updates

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        return () if level == "strict" else tuple(one for one in self.wanted if one.buffer not in layouts)


@dataclass(frozen=True, slots=True)
class BoxOperation(Operation):
    """A copy by TMA. Fragments in its indices are needed by all threads; a shared tile that nothing else lays out gets
    the layout that is ``wanted``."""

    wanted: Updates
    threads: Threads

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        updates: list[Update] = []
        for buffer in self.fragments:
            shape = known_shape(buffer)
            if buffer not in layouts and shape is not None:
                updates.append(Update(buffer, fully_replicated(shape, self.threads.number).bound(*self.threads)))
        if level == "free":
            updates += [one for one in self.wanted if one.buffer not in layouts]
        return tuple(updates)


@dataclass(frozen=True, slots=True)
class ReduceOperation(Operation):
    """A reduction from fragment to fragment: the result lies where the reduced elements were."""

    stmt: Reduce

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        source, result = self.stmt.src.buffer, self.stmt.dst.buffer
        layout = layouts.get(source)
        if level == "strict" or not isinstance(layout, Fragment) or not result.is_fragment:
            return ()
        wanted = reduced(layout, self.stmt.dim % max(len(layout.shape), 1))
        present = layouts.get(result)
        if present is None:
            shape = known_shape(result)
            if shape is None:
                return ()
            fitted = wanted if shape == wanted.shape else wanted.reshape(shape)
            return () if fitted is None else (Update(result, fitted, source),)
        if isinstance(present, Fragment) and present.shape == wanted.shape:
            if not wanted.is_fully_replicated and not wanted.is_bijective():
                raise Unsuitable("not-invertible", result, source)
            if not covers(present, wanted):
                raise Unsuitable("reduce", result, source)
        return ()


def reduced(layout: Fragment, dim: int) -> Fragment:
    """The layout of the result of a reduction along ``dim``."""
    extent = layout.shape[dim]
    copies = extent * layout.replicate
    copy = of(REP, copies)
    kept = (*layout.shape[:dim], *layout.shape[dim + 1 :])
    values: dict[object, Sum] = {
        old: of(old - (old > dim), size) for old, size in enumerate(layout.shape) if old != dim
    }
    values[dim] = copy % extent
    values[REP] = copy // extent
    shape = kept or (1,)
    found = of_thread(shape, substitute(layout.thread, values), copies).condensed()
    return found.bound(layout.first_thread, layout.threads)


@dataclass(frozen=True, slots=True)
class ScanOperation(Operation):
    """A scan in shared memory, which takes row-major tiles only."""

    stmt: Scan

    def infer(self, level: Level, layouts: Layouts, progress: Progress) -> Updates:
        updates: list[Update] = []
        for buffer in dict.fromkeys((self.stmt.src.buffer, self.stmt.dst.buffer)):
            shape = known_shape(buffer)
            if level != "strict" or not buffer.is_shared or shape is None:
                continue
            wanted, present = linear_layout(shape), layouts.get(buffer)
            if present is None:
                updates.append(Update(buffer, wanted))
            elif isinstance(present, Fragment) or not present.same_as(wanted):
                raise Unsuitable("scan", buffer)
        return tuple(updates)


def known_shape(buffer: Buffer) -> tuple[int, ...] | None:
    """The extents of a buffer; ``None`` if one is symbolic or absurd."""
    numbers = tuple(number for number in map(try_const, buffer.shape) if number is not None)
    sensible = len(numbers) == buffer.rank and all(0 < number <= MAX_EXTENT for number in numbers)
    return numbers if sensible else None
