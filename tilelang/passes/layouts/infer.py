"""Layout inference: which thread and register holds each element of a fragment, where each element of a shared tile is.

The order is upstream's, so that the results are. First every instruction claims the layouts that it needs. Then layouts
spread from settled buffers through the operations that touch them. What no instruction reaches is tried, group by
group, starting from each operation in turn. The attempt wins in which fewest loops number registers by the thread, then
that with the fewest registers, then the earliest.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from tilelang.ir.layout import swizzles
from tilelang.ir.layout.fragment import Fragment, fully_replicated
from tilelang.ir.layout.layout import Layout
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk
from tilelang.passes.configs import NO_CONFIGS
from tilelang.passes.layouts.annotated import annotated_layout
from tilelang.passes.layouts.collect import Collected, Context, collect
from tilelang.passes.layouts.operations import NestOperation, Progress, known_shape
from tilelang.passes.layouts.result import Claim, Conflict, IgnoredWidth, LayoutMap
from tilelang.passes.layouts.spread import TooLarge, Unsuitable, covers, indexes_by_thread
from tilelang.passes.layouts.vector_width import vector_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Launch, Stmt
    from tilelang.passes.active_threads import ActiveThreads
    from tilelang.passes.configs import PassConfigs
    from tilelang.passes.layouts.operations import Level, Operation, Update
    from tilelang.passes.warp_partition import WarpPartition
    from tilelang.targets import Target

MAX_THREADS = 4096
"""No block has more than 1,024; nothing is said about those that ask for absurd numbers."""
SURE = frozenset(("loop", "reduce", "serial-index", "scan", "constant-index"))
"""Reasons that are facts about the layouts. Others depend on how far a prover gets."""
MAX_ROOTS = 64
"""Operations of one group that are tried as a start. Groups of real kernels have fewer."""
MAX_STATEMENTS = 1_500
"""A kernel with more statements, which some unrolled loop made, has no layouts here: each takes about a millisecond."""


def infer_layouts(
    launch: Launch,
    target: Target,
    active: ActiveThreads,
    partitions: Mapping[int, WarpPartition],
    *,
    loads: Iterable[Stmt] = (),
    configs: PassConfigs = NO_CONFIGS,
    complete: bool = True,
) -> LayoutMap:
    """The layouts of one launch whose operations are opened up.

    ``active``: the threads that run each statement. ``partitions``: how the warps share each gemm, by identity.
    ``loads``: the copies that TMA brings. ``complete``: whether the whole body could be followed.
    """
    context = Context(active, partitions, frozenset(map(id, loads)), target, configs)
    if not 0 < active.block <= MAX_THREADS:
        return LayoutMap({}, {})
    statements = list(islice(walk(launch.body), MAX_STATEMENTS + 1))
    if len(statements) > MAX_STATEMENTS:
        return LayoutMap({}, {}, frozenset(stmt.buffer for stmt in walk(launch.body) if isinstance(stmt, Alloc)))
    found = collect(launch, context)
    found.open |= not complete
    return _Inference(found).run()


class _Stop(Exception):
    """An obligatory layout cannot be had."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.reason)
        self.conflict = conflict


@dataclass(slots=True)
class _State:
    """The claims so far and the progress of the operations; copied for each attempt."""

    claims: dict[Buffer, Claim] = field(default_factory=dict["Buffer", Claim])
    layouts: dict[Buffer, Layout | Fragment] = field(default_factory=dict["Buffer", "Layout | Fragment"])
    progress: Progress = field(default_factory=Progress)

    def put(self, buffer: Buffer, claim: Claim) -> None:
        self.claims[buffer] = claim
        self.layouts[buffer] = claim.layout

    def copy(self) -> _State:
        return _State(dict(self.claims), dict(self.layouts), self.progress.copy())

    def registers(self) -> int:
        return sum(one.layout.register_count for one in self.claims.values() if isinstance(one.layout, Fragment))


class _Inference:
    def __init__(self, found: Collected) -> None:
        self._operations = found.operations
        self._aliases = found.buffers
        self._found = found
        self._uses: dict[Buffer, list[int]] = {}
        for operation in found.operations:
            for buffer in operation.fragments:
                self._uses.setdefault(buffer, []).append(operation.number)
        self._unknown = self._tainted()
        self._strict: frozenset[Buffer] = frozenset()
        self._queue: deque[int] = deque()

    def run(self) -> LayoutMap:
        state = _State()
        conflict: Conflict | None = None
        try:
            self._start(state)
            for operation in self._operations:
                self._step(operation, "strict", state, spread=False)
            self._strict = frozenset(state.claims)
            self._queue.extend(one.number for one in self._operations)
            self._drain("common", state)
            if self._found.open:
                # What is dealt out freely depends on all that a nest reads.
                self._unknown |= {buffer for buffer in self._uses if buffer not in state.claims}
            state = self._free(state)
            self._complete_aliases(state)
            self._check_complete(state)
        except _Stop as stop:
            conflict = stop.conflict
        except TooLarge:
            self._unknown |= set(self._uses)
        return self._result(state, conflict)

    def _result(self, state: _State, conflict: Conflict | None) -> LayoutMap:
        claims = {buffer: claim for buffer, claim in state.claims.items() if buffer not in self._unknown}
        loops = {
            id(self._operations[number].stmt): spread
            for number, spread in state.progress.loops.items()
            if not any(buffer in self._unknown for buffer in self._operations[number].fragments)
        }
        floating = {buffer: stmt for buffer, (stmt, _) in self._found.floating.items()}
        ignored = tuple(self._ignored_widths(state)) if conflict is None else ()
        if conflict is not None and self._found.open:
            conflict = conflict._replace(certain=False)
        return LayoutMap(claims, loops, frozenset(self._unknown), conflict, floating, ignored)

    def _ignored_widths(self, state: _State) -> Iterator[IgnoredWidth]:
        """Hints of nests that are dealt out by themselves, which no fragment decides."""
        for operation in self._operations:
            if not isinstance(operation, NestOperation) or operation.nest.fragments() or operation.nest.open:
                continue
            asked = operation.situation.coalesced
            if asked is not None:
                possible = vector_width(operation.nest, state.layouts, wide=operation.situation.wide)
                if possible % asked:
                    yield IgnoredWidth(operation.stmt, asked, possible)

    # --- what cannot be followed ---

    def _tainted(self) -> set[Buffer]:
        """Buffers about which nothing can be said: those that something unknown touches, and, of fragments, all that
        are joined with them by operations or views."""
        unknown = set(self._found.unknown)
        for buffer, layout, _ in self._found.annotated:
            if annotated_layout(layout, buffer) is None:
                unknown.add(buffer)
        groups = [one.fragments for one in self._operations] + [tuple(one) for one in self._aliases.values()]
        growing = True
        while growing:
            before = len(unknown)
            for group in groups:
                if any(buffer in unknown for buffer in group):
                    unknown.update(group)
            growing = len(unknown) > before
        return unknown

    # --- one step ---

    def _start(self, state: _State) -> None:
        """Layouts given by hand, and fragments that code outside of operations uses."""
        for buffer, value, stmt in self._found.annotated:
            layout = annotated_layout(value, buffer)
            if layout is None:
                continue
            for alias in self._aliases.get(buffer.root, [buffer]):
                fitted = _fitted(layout, buffer, alias)
                if fitted is None:
                    continue
                if alias.is_shared and not fitted.is_injective() and alias not in self._unknown:
                    raise _Stop(Conflict("annotation", alias, stmt, later=Claim(fitted, stmt)))
                state.put(alias, Claim(fitted, stmt))
        for buffer, (stmt, threads) in self._found.floating.items():
            shape = known_shape(buffer)
            if buffer not in state.claims and shape is not None:
                layout = fully_replicated(shape, threads.number).bound(*threads)
                state.put(buffer, Claim(layout, stmt))

    def _step(self, operation: Operation, level: Level, state: _State, *, spread: bool, trial: bool = False) -> None:
        """Asks one operation. In a ``trial`` an operation that cannot be satisfied raises :class:`Unsuitable`."""
        if any(buffer in self._unknown for buffer in operation.fragments) and isinstance(operation, NestOperation):
            return
        try:
            updates = operation.infer(level, state.layouts, state.progress)
        except Unsuitable as problem:
            if problem.stmt is None:
                problem.stmt = operation.stmt
            if trial:
                raise
            raise _Stop(self._conflict(problem, operation, state)) from None
        for update in updates:
            self._claim(update, operation, level, state, spread=spread)

    def _claim(self, update: Update, operation: Operation, level: Level, state: _State, *, spread: bool) -> None:
        buffer, layout = update.buffer, update.layout
        claim = Claim(layout, operation.stmt, update.origin)
        present = state.claims.get(buffer)
        if present is None:
            self._set(buffer, claim, operation, state, spread=spread)
            return
        if isinstance(layout, Fragment) and isinstance(present.layout, Fragment):
            relaxed = level != "strict" and buffer not in self._strict
            if relaxed and layout.shape == present.layout.shape and covers(present.layout, layout):
                self._set(buffer, claim, operation, state, spread=False)
            elif layout.shape == present.layout.shape and not layout.same_as(present.layout):
                raise _Stop(Conflict("different", buffer, operation.stmt, present, claim))
            return
        if isinstance(layout, Layout) and isinstance(present.layout, Layout):
            if layout.same_as(present.layout):
                return
            shape = known_shape(buffer)
            merged = None if shape is None else swizzles.merged(present.layout, layout, shape, buffer.dtype.bits)
            if merged is not None:
                self._set(buffer, Claim(merged, operation.stmt), operation, state, spread=False)
                return
        raise _Stop(Conflict("different", buffer, operation.stmt, present, claim))

    def _set(self, buffer: Buffer, claim: Claim, operation: Operation, state: _State, *, spread: bool) -> None:
        """Settles a buffer and its views, and wakes the operations that touch them."""
        state.put(buffer, claim)
        changed = [buffer]
        for alias in self._aliases.get(buffer.root, ()):
            if alias is buffer:
                continue
            fitted = _fitted(claim.layout, buffer, alias)
            if fitted is None:
                continue
            present = state.claims.get(alias)
            if present is None:
                state.put(alias, Claim(fitted, claim.stmt, buffer))
                changed.append(alias)
        if spread:
            for one in changed:
                self._wake(one, operation.number, state)

    def _wake(self, buffer: Buffer, asking: int, state: _State) -> None:
        for number in self._uses.get(buffer, ()):
            if number == asking or number in self._queue:
                continue
            if any(one in state.claims for one in self._operations[number].fragments):
                self._queue.appendleft(number)
            else:
                self._queue.append(number)

    def _drain(self, level: Level, state: _State, *, trial: bool = False) -> None:
        while self._queue:
            operation = self._operations[self._queue.popleft()]
            self._step(operation, level, state, spread=True, trial=trial)

    # --- free attempts ---

    def _free(self, state: _State) -> _State:
        for members in self._groups():
            if any(buffer in self._unknown for number in members for buffer in self._operations[number].fragments):
                continue
            best: tuple[tuple[int, int], _State] | None = None
            problem: Unsuitable | None = None
            failed, certain = state, True
            for root in members[:MAX_ROOTS]:
                attempt = state.copy()
                self._queue.clear()
                try:
                    for number in (root, *(one for one in members if one != root)):
                        self._step(self._operations[number], "free", attempt, spread=True, trial=True)
                        self._drain("free", attempt, trial=True)
                except Unsuitable as failure:
                    certain &= failure.reason in SURE
                    if problem is None:
                        problem, failed = failure, attempt
                    continue
                cost = self._spills(members, attempt), attempt.registers()
                if best is None or cost < best[0]:
                    best = cost, attempt
                if len(members) == 1:
                    break
            self._queue.clear()
            if best is None:
                assert problem is not None, "an attempt that fails says why"
                conflict = self._conflict(problem, self._operations[members[0]], failed)
                raise _Stop(conflict._replace(certain=certain and len(members) <= MAX_ROOTS))
            state = best[1]
        return state

    def _spills(self, members: list[int], state: _State) -> int:
        """Nests that would number registers by the thread."""
        found = 0
        for number in members:
            operation, spread = self._operations[number], state.progress.loops.get(number)
            if spread is not None and isinstance(operation, NestOperation) and spread.is_bijective():
                found += indexes_by_thread(operation.nest, spread, state.layouts)
        return found

    def _groups(self) -> list[list[int]]:
        """Operations joined by the fragments, or views of them, that they share; each in order."""
        parent = list(range(len(self._operations)))

        def find(number: int) -> int:
            while parent[number] != number:
                parent[number] = parent[parent[number]]
                number = parent[number]
            return number

        by_root: dict[Buffer, int] = {}
        for operation in self._operations:
            for buffer in operation.fragments:
                first = by_root.setdefault(buffer.root, operation.number)
                parent[find(operation.number)] = find(first)
        groups: dict[int, list[int]] = {}
        for number in range(len(self._operations)):
            groups.setdefault(find(number), []).append(number)
        return list(groups.values())

    # --- the end ---

    def _complete_aliases(self, state: _State) -> None:
        for aliases in self._aliases.values():
            settled = next((one for one in aliases if one in state.claims), None)
            if settled is None:
                continue
            claim = state.claims[settled]
            for alias in aliases:
                fitted = None if alias in state.claims else _fitted(claim.layout, settled, alias)
                if fitted is not None:
                    state.put(alias, Claim(fitted, claim.stmt, settled))

    def _check_complete(self, state: _State) -> None:
        for buffer, users in self._uses.items():
            if buffer not in state.claims and buffer not in self._unknown:
                raise _Stop(Conflict("nothing", buffer, self._operations[users[0]].stmt))

    def _conflict(self, problem: Unsuitable, operation: Operation, state: _State) -> Conflict:
        earlier = state.claims.get(problem.buffer)
        later = None if problem.other is None else state.claims.get(problem.other)
        certain = problem.reason in SURE
        stmt = problem.stmt or operation.stmt
        return Conflict(problem.reason, problem.buffer, stmt, earlier, later, problem.other, problem.loop, certain)


def _fitted(layout: Layout | Fragment, buffer: Buffer, alias: Buffer) -> Layout | Fragment | None:
    """The layout of a view of a buffer, or of the buffer behind a view. ``None`` if it has none."""
    shape = known_shape(alias)
    if shape is None:
        return None
    if shape == layout.shape and (alias is buffer or alias.dtype.total_bits == buffer.dtype.total_bits):
        return layout
    return layout.reshape(shape, buffer.dtype.total_bits, alias.dtype.total_bits)
