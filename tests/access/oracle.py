"""Runs a small program of the tile IR in several orders that a GPU may choose, and says what depends on the order.

This shares nothing with the passes that it checks. Every block, thread and iteration is executed on real numbers. The
orders: blocks one after another, forwards, backwards, shuffled, or all from the same start; between two barriers the
warps one after another in any order, or statement by statement, where the threads of one warp always run together; the
iterations of ``T.Parallel`` in any order, statement by statement, or all from the same start.

The program has a race if some thread or iteration stores another value in another order, if what was stored between two
barriers ends with another value, or if two blocks or iterations, or two threads with one statement, store different
values in one element. Elements outside of their buffer are collected on the way.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Binary, Cast, Const, Load, Select, Unary, Var
from tilelang.ir.stmt import Alloc, Atomic, Copy, Effect, Fill, For, If, Launch, Scope, Stmt, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Block

WARP = 32
Env = dict[Var, int]
Cells = dict[tuple[Buffer, tuple[int, ...]], int]
Trail = dict[object, object]


@dataclass(frozen=True)
class Order:
    """One way to run a program. ``middle`` begins in the middle. ``blocks``: forward, backward, shuffled, middle,
    snapshot. ``warps``: by statement, forward,
    backward, shuffled, snapshot, mixed. ``iterations``: forward, backward, shuffled, lockstep, snapshot."""

    blocks: str
    warps: str
    iterations: str


ORDERS = (
    Order("forward", "statement", "forward"),
    Order("backward", "backward", "backward"),
    Order("shuffled", "forward", "shuffled"),
    Order("snapshot", "snapshot", "lockstep"),
    Order("forward", "shuffled", "snapshot"),
    Order("middle", "middle", "middle"),
    Order("forward", "mixed", "snapshot"),
    Order("backward", "mixed", "forward"),
    Order("shuffled", "mixed", "backward"),
    Order("forward", "mixed", "shuffled"),
)


@dataclass
class Outcome:
    """``race``: the contents of global memory depend on the order. ``outside``: buffers with an element that is outside
    of them in on-chip memory; ``tensor_outside``: the same for tensors, where the compiler skips the access."""

    race: bool
    outside: set[str] = field(default_factory=set)
    tensor_outside: set[str] = field(default_factory=set)


def outcome(program: Program, *, automatic: bool = True) -> Outcome:
    """What the orders have in common. ``automatic``: the compiler separates reads and writes of shared memory."""
    found = Outcome(race=False)
    for inputs in (0, 5000):  # so that a maximum is changed by what is read in one of them
        results: list[tuple[Cells, Cells, Trail]] = []
        for seed, order in enumerate(ORDERS):
            machine = _Machine(order, found, automatic, inputs, seed)
            results.append((machine.run(program), machine.ends, machine.trail))
        found.race = found.race or any(result != results[0] for result in results[1:])
    return found


@dataclass
class _Op:
    """One statement at one point of the uniform control flow of a block; ``tests`` are conditions on the thread."""

    stmt: Stmt
    env: Env
    tests: tuple[tuple[object, bool], ...] = ()
    shared: dict[object, tuple[set[int], set[int]]] | None = None
    """Shared elements with the threads that read and those that write them."""


class _Machine:
    def __init__(self, order: Order, found: Outcome, automatic: bool, inputs: int, seed: int) -> None:
        self.order = order
        self.found = found
        self.automatic = automatic
        self.random = random.Random(seed)
        self.inputs = inputs
        self.shared: Cells = {}
        self.tensors: Cells = {}
        self.stored: dict[tuple[Buffer, tuple[int, ...]], tuple[str, int]] = {}
        self.trail: Trail = {}
        """What each thread or iteration stored, by block, step and point."""
        self.ends: Cells = {}
        """What the elements that were stored in one step held at its end, by block and step."""
        self.touched: set[tuple[Buffer, tuple[int, ...]]] = set()
        self.merged: Cells = {}
        self.deferred: list[tuple[Atomic, Env]] | None = None
        self.block: object = None
        self.step = 0

    # --- the grid -----------------------------------------------------------------------------------------------

    def run(self, program: Program) -> Cells:
        tensors: Cells = {}
        for launch in program.launches():
            blocks = list(product(*(range(int(extent)) for extent in launch.grid)))  # type: ignore[call-overload]
            blocks = self._ordered(blocks, self.order.blocks)
            start = dict(tensors)
            self.merged = {}
            for block in blocks:
                self.shared = {}
                apart = self.order.blocks == "snapshot"
                self.tensors = dict(start) if apart else tensors
                self.stored = {}
                self.block, self.step = block, 0
                self._block(launch, dict(zip(launch.block_vars, block, strict=True)))
                if apart:
                    self._merge(tensors)
        return tensors

    def _merge(self, tensors: Cells) -> None:
        """What a block that started from a snapshot did to the tensors; atomic updates are not lost."""
        for (buffer, place), (op, value) in self.stored.items():
            if op == "store" and self.merged.setdefault((buffer, place), value) != value:
                self.found.race = True
            old = tensors.get((buffer, place), self.initial(buffer, place))
            tensors[buffer, place] = value if op == "store" else _updated(op, old, value)

    def _ordered(self, items: list[Any], how: str) -> list[Any]:
        items = list(items)
        if how == "backward":
            items.reverse()
        elif how == "middle":
            items = items[len(items) // 2 :] + items[: len(items) // 2]
        elif how == "shuffled":
            self.random.shuffle(items)
        return items

    # --- one block ----------------------------------------------------------------------------------------------

    def _block(self, launch: Launch, env: Env) -> None:
        threads = [
            dict(zip(reversed(launch.thread_vars), values, strict=True))
            for values in product(*(range(int(extent)) for extent in reversed(launch.threads)))  # type: ignore[call-overload]
        ]
        segment: list[_Op] = []
        for op in self._flat(launch, launch.body, env, ()):
            if isinstance(op.stmt, (Store, Atomic)):
                if self.automatic and self._conflicts(segment, op, threads):
                    self._segment(segment, threads)
                    segment = []
                segment.append(op)
                continue
            self._segment(segment, threads)
            segment = []
            if isinstance(op.stmt, For):
                self._parallel(op)
            elif isinstance(op.stmt, (Copy, Fill)):
                self._tile(op)
                self._end_step()
        self._segment(segment, threads)

    def _flat(self, launch: Launch, body: Block, env: Env, tests: tuple[tuple[object, bool], ...]) -> Iterator[_Op]:
        for stmt in body:
            if isinstance(stmt, Alloc):
                continue
            if isinstance(stmt, For) and stmt.kind != "parallel":
                start, extent, step = (self.number(part, env) for part in (stmt.starts[0], stmt.extents[0], stmt.step))
                for value in range(start, start + extent, step):
                    yield from self._flat(launch, stmt.body, {**env, stmt.vars[0]: value}, tests)
            elif isinstance(stmt, If):
                try:
                    taken = stmt.then if self.number(stmt.cond, env) else stmt.orelse
                    yield from self._flat(launch, taken, env, tests)
                except KeyError:
                    yield from self._flat(launch, stmt.then, env, (*tests, (stmt.cond, True)))
                    yield from self._flat(launch, stmt.orelse, env, (*tests, (stmt.cond, False)))
            elif isinstance(stmt, Scope):
                yield from self._flat(launch, stmt.body, env, tests)
            else:
                yield _Op(stmt, dict(env), tests)

    def _end_step(self) -> None:
        """A barrier: note what the elements hold that were stored since the last one."""
        for buffer, place in self.touched:
            cells = self.tensors if buffer.is_global else self.shared
            self.ends[self.block, self.step, buffer, place] = cells.get((buffer, place), self.initial(buffer, place))  # type: ignore[index]
        self.touched = set()
        self.step += 1

    def _conflicts(self, segment: list[_Op], op: _Op, threads: list[Env]) -> bool:
        """Whether the compiler puts a barrier before ``op``: another thread reads or writes what it writes or reads."""
        mine = self._shared(op, threads)
        for earlier in segment:
            theirs = self._shared(earlier, threads)
            for place, (reads, writes) in mine.items():
                their_reads, their_writes = theirs.get(place, (set[int](), set[int]()))
                for one, other in ((reads, their_writes), (writes, their_reads)):
                    if one and other and len(one | other) > 1:
                        return True
        return False

    def _shared(self, op: _Op, threads: list[Env]) -> dict[object, tuple[set[int], set[int]]]:
        if op.shared is None:
            op.shared = {}
            for number, thread in enumerate(threads):
                for side, places in enumerate(self._touched(op, thread)):
                    for place in places:
                        op.shared.setdefault(place, (set(), set()))[side].add(number)
        return op.shared

    def _touched(self, op: _Op, thread: Env) -> tuple[set[Any], set[Any]]:
        """Shared elements that a thread reads and writes."""
        env = {**op.env, **thread}
        if not self._holds(op, env) or not isinstance(op.stmt, Store):
            return set(), set()
        reads = {
            (load.buffer, tuple(self.number(index, env) for index in load.indices))
            for load in _loads(op.stmt.value, self, env)
            if load.buffer.is_shared
        }
        if not op.stmt.buffer.is_shared:
            return reads, set()
        return reads, {(op.stmt.buffer, tuple(self.number(index, env) for index in op.stmt.indices))}

    def _holds(self, op: _Op, env: Env) -> bool:
        return all(bool(self.number(cond, env)) == wanted for cond, wanted in op.tests)

    def _segment(self, ops: list[_Op], threads: list[Env]) -> None:
        """Statements between two barriers."""
        if ops:
            self._run_segment(ops, threads)
            self._end_step()

    def _run_segment(self, ops: list[_Op], threads: list[Env]) -> None:
        warps = [threads[first : first + WARP] for first in range(0, len(threads), WARP)]
        if self.order.warps in ("statement", "snapshot"):
            for op in ops:
                if self.order.warps == "snapshot":
                    self._together(op, threads, backward=True)
                else:
                    for warp in warps:
                        self._together(op, warp)
            return
        if self.order.warps == "mixed":
            self._mixed(ops, warps)
            return
        for warp in self._ordered(warps, self.order.warps):
            for op in ops:
                self._together(op, warp, backward=self.order.warps == "backward")

    def _mixed(self, ops: list[_Op], warps: list[list[Env]]) -> None:
        """Each warp runs the statements in order, at its own pace."""
        left = {number: list(ops) for number in range(len(warps))}
        while left:
            number = self.random.choice(sorted(left))
            self._together(left[number].pop(0), warps[number])
            if not left[number]:
                del left[number]

    def _together(self, op: _Op, threads: list[Env], *, backward: bool = False) -> None:
        """One statement by several threads at once: all of them read before one of them writes."""
        envs = [env for thread in threads if self._holds(op, env := {**op.env, **thread})]
        self._at_once([(op.stmt, env) for env in envs], backward=backward)

    def _at_once(self, runs: list[tuple[Stmt, Env]], *, backward: bool) -> None:
        stores: list[tuple[Buffer, tuple[int, ...], int]] = []
        values: dict[object, int] = {}
        for stmt, env in reversed(runs) if backward else runs:
            if isinstance(stmt, Store):
                place = tuple(self.number(index, env) for index in stmt.indices)
                value = self.number(stmt.value, env)
                stores.append((stmt.buffer, place, value))
                if values.setdefault((stmt.buffer, place), value) != value and self._inside(stmt.buffer, place):
                    self.found.race = True
                self.trail[self.block, self.step, id(stmt), frozenset(env.items())] = (place, value)
            elif isinstance(stmt, Atomic):
                self._atomic(stmt, env)
        for buffer, place, value in stores:
            self.write(buffer, place, value)

    # --- parallel loops -----------------------------------------------------------------------------------------

    def _parallel(self, op: _Op) -> None:
        loops, body = [], (op.stmt,)
        while len(body) == 1 and isinstance(body[0], For) and body[0].kind == "parallel":
            loops.append(body[0])
            body = body[0].body
        names = [var for loop in loops for var in loop.vars]
        extents = [self.number(extent, op.env) for loop in loops for extent in loop.extents]
        points = [{**op.env, **dict(zip(names, v, strict=True))} for v in product(*(range(e) for e in extents))]
        if self.order.iterations == "lockstep":
            self._lockstep(body, points)
        elif self.order.iterations == "snapshot":
            self._apart(body, points)
        else:
            for env in self._ordered(points, self.order.iterations):
                self._iteration(body, env)
        self._end_step()

    def _apart(self, body: Block, points: list[Env]) -> None:
        """Every iteration sees the memory from before the loop. Atomic updates go to the real memory at once."""
        real = self.shared, self.tensors
        start, ends = (dict(self.shared), dict(self.tensors)), []
        self.deferred = deferred = []
        values: Cells = {}
        for env in points:
            self.shared, self.tensors = dict(start[0]), dict(start[1])
            outer, self.touched = self.touched, set()
            self._iteration(body, env)
            ends.append((self.shared, self.tensors))
            for buffer, place in self.touched:
                value = (self.tensors if buffer.is_global else self.shared)[buffer, place]
                if values.setdefault((buffer, place), value) != value:
                    self.found.race = True
            self.touched |= outer
        self.deferred = None
        self.shared, self.tensors = real
        for atomic, env in deferred:
            self._atomic(atomic, env)
        for shared, tensors in ends:
            self.shared.update({key: value for key, value in shared.items() if start[0].get(key) != value})
            self.tensors.update({key: value for key, value in tensors.items() if start[1].get(key) != value})

    def _lockstep(self, body: Block, points: list[Env]) -> None:
        for stmt in body:
            if isinstance(stmt, If):
                passed = [env for env in points if self.number(stmt.cond, env)]
                self._lockstep(stmt.then, passed)
                self._lockstep(stmt.orelse, [env for env in points if env not in passed])
            elif isinstance(stmt, For):
                extents = {self.number(stmt.extents[0], env) for env in points}
                for value in range(max(extents, default=0)):
                    inside = [{**env, stmt.vars[0]: value} for env in points]
                    self._lockstep(stmt.body, [e for e in inside if value < self.number(stmt.extents[0], e)])
            else:
                self._at_once([(stmt, env) for env in points], backward=True)

    def _iteration(self, body: Block, env: Env) -> None:
        for stmt in body:
            if isinstance(stmt, If):
                self._iteration(stmt.then if self.number(stmt.cond, env) else stmt.orelse, env)
            elif isinstance(stmt, For):
                for value in range(self.number(stmt.extents[0], env)):
                    self._iteration(stmt.body, {**env, stmt.vars[0]: value})
            else:
                self._at_once([(stmt, env)], backward=False)

    # --- memory -------------------------------------------------------------------------------------------------

    def _tile(self, op: _Op) -> None:
        if isinstance(op.stmt, Fill):
            value = self.number(op.stmt.value, op.env)
            for place in self._places(op.stmt.dst, op.env):
                self.write(op.stmt.dst.buffer, place, value)
        elif isinstance(op.stmt, Copy):
            values = [self.read(op.stmt.src.buffer, p, clip=True) for p in self._places(op.stmt.src, op.env)]
            for place, value in zip(self._places(op.stmt.dst, op.env), values, strict=True):
                self.write(op.stmt.dst.buffer, place, value)
        elif isinstance(op.stmt, Effect):
            return

    def _places(self, region: Region, env: Env) -> list[tuple[int, ...]]:
        starts = [self.number(start, env) for start in region.mins]
        extents = [self.number(extent, env) for extent in region.extents or ()]
        return list(product(*(range(s, s + e) for s, e in zip(starts, extents, strict=True))))

    def _atomic(self, stmt: Atomic, env: Env) -> None:
        assert isinstance(stmt.dst, Load)
        if self.deferred is not None:
            self.deferred.append((stmt, env))
            return
        place = tuple(self.number(index, env) for index in stmt.dst.indices)
        buffer, value = stmt.dst.buffer, self.number(stmt.value, env)
        before = self.stored.get((buffer, place))
        outer = set(self.touched)
        self.write(buffer, place, _updated(stmt.op, self.read(buffer, place), value))
        self.touched = outer  # what others add meanwhile is no race
        if buffer.is_global and (before is None or before[0] == stmt.op):
            total = value if before is None else _updated(stmt.op, before[1], value)
            self.stored[buffer, place] = (stmt.op, total)

    def read(self, buffer: Buffer, place: tuple[int, ...], *, clip: bool = False) -> int:
        if not self._inside(buffer, place, clip=clip):
            return 0
        cells = self.tensors if buffer.is_global else self.shared
        # Fresh memory holds a number of its own in each cell; variables start at 0.
        return cells.get((buffer, place), self.initial(buffer, place))

    def initial(self, buffer: Buffer, place: tuple[int, ...]) -> int:
        """What memory holds before anything is stored: another number in each cell, larger ones in the inputs."""
        number = sum(map(ord, buffer.name))
        for at in place:
            number = (number * 31 + at * 7 + 11) % 99991
        return number % 397 - 500 + (self.inputs if buffer.name.startswith("X") else 0)

    def write(self, buffer: Buffer, place: tuple[int, ...], value: int) -> None:
        if self._inside(buffer, place):
            cells = self.tensors if buffer.is_global else self.shared
            cells[buffer, place] = value
            self.touched.add((buffer, place))
            if buffer.is_global:
                self.stored[buffer, place] = ("store", value)

    def _inside(self, buffer: Buffer, place: tuple[int, ...], *, clip: bool = False) -> bool:
        inside = all(0 <= at < int(size) for at, size in zip(place, buffer.shape, strict=True))  # type: ignore[call-overload]
        if not inside and not (clip and buffer.is_global):
            (self.found.tensor_outside if buffer.is_global else self.found.outside).add(buffer.name)
        return inside

    # --- expressions --------------------------------------------------------------------------------------------

    def number(self, value: object, env: Env) -> int:
        if isinstance(value, (int, float)):
            return int(value)
        if isinstance(value, Const):
            return int(value.value)
        if isinstance(value, Var):
            return env[value]
        if isinstance(value, Cast):
            return self.number(value.value, env)
        if isinstance(value, Load):
            return self.read(value.buffer, tuple(self.number(index, env) for index in value.indices))
        if isinstance(value, Select):
            return self.number(value.then if self.number(value.cond, env) else value.other, env)
        if isinstance(value, Unary):
            inner = self.number(value.a, env)
            return {"-": -inner, "not": int(not inner), "~": ~inner}[value.op]
        assert isinstance(value, Binary), value
        if value.op == "and":
            return int(bool(self.number(value.a, env)) and bool(self.number(value.b, env)))
        if value.op == "or":
            return int(bool(self.number(value.a, env)) or bool(self.number(value.b, env)))
        return _binary(value.op, self.number(value.a, env), self.number(value.b, env))


def _updated(op: str, old: int, value: int) -> int:
    return {"add": old + value, "max": max(old, value), "min": min(old, value)}[op]


def _binary(op: str, a: int, b: int) -> int:
    if op in ("//", "%"):
        return a // b if op == "//" else a % b
    plain = {"+": a + b, "-": a - b, "*": a * b, "min": min(a, b), "max": max(a, b), "^": a ^ b, "&": a & b}
    if op in plain:
        return plain[op]
    return int({"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op])


def _loads(value: object, machine: _Machine, env: Env) -> Iterator[Load]:
    """The elements that an expression reads at a point; only the chosen arm of a selection."""
    if isinstance(value, Load):
        yield value
    elif isinstance(value, Select):
        yield from _loads(value.cond, machine, env)
        yield from _loads(value.then if machine.number(value.cond, env) else value.other, machine, env)
    elif isinstance(value, Binary):
        yield from _loads(value.a, machine, env)
        yield from _loads(value.b, machine, env)
    elif isinstance(value, (Cast, Unary)):
        yield from _loads(value.value if isinstance(value, Cast) else value.a, machine, env)
