"""Where the threads of a block must wait for each other.

A barrier goes before a statement that touches shared memory which an earlier statement, since the last barrier, uses in
a way that does not agree: a write and a read, or two writes, of some of the same bytes. Buffers that the memory plan
puts into the same bytes count as one. A loop is looked at twice, so that its last statements meet its first ones.

Inside of a branch that only some threads take there is no barrier of the block: what is in there is one statement to
the code around it. If a known range of threads takes it, the barriers inside are for these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Region
from tilelang.ir.expr import Load, Var
from tilelang.ir.stmt import Alloc, Atomic, Effect, For, If, Let, Reduce, Scan, Scope, Stmt, Store, While
from tilelang.ir.visit import operands, subterms, walk
from tilelang.passes.active_threads import WARP_GROUP_SCOPES, ActiveThreads, active_threads
from tilelang.passes.stage_uses import units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.passes import LaunchPlan
    from tilelang.passes.pipeline import Pipeline
    from tilelang.passes.smem_plan import Allocation

WHOLE_BLOCK = frozenset(("sync_threads", "syncthreads", "sync_grid", "cluster_sync"))
"""Effects after which everything that the block did before is done."""


class Touch(NamedTuple):
    """One use of bytes of shared memory. ``place``: start and end in the arena, or a static array. ``box``: constant
    start and end of each dimension, where known. ``mode``: ``r``, ``w`` or ``a`` for atomics."""

    buffer: Buffer | None
    place: tuple[int, int] | Buffer
    box: tuple[tuple[int, int], ...] | None
    mode: str

    def meets(self, other: Touch) -> bool:
        """Whether the order of the two matters."""
        if self.mode == other.mode and self.mode in ("r", "a"):
            return False
        if isinstance(self.place, tuple) != isinstance(other.place, tuple):
            return False
        if not isinstance(self.place, tuple) or not isinstance(other.place, tuple):
            if self.place is not other.place:
                return False
        elif not (self.place[0] < other.place[1] and other.place[0] < self.place[1]):
            return False
        return not (self.buffer is other.buffer and _apart(self.box, other.box))


def _apart(a: tuple[tuple[int, int], ...] | None, b: tuple[tuple[int, int], ...] | None) -> bool:
    if a is None or b is None or len(a) != len(b):
        return False
    return any(end <= begin or stop <= start for (start, end), (begin, stop) in zip(a, b, strict=True))


@dataclass(frozen=True, slots=True)
class Barriers:
    """``before``: statements that a barrier comes before, by identity. ``active``: the threads of each statement.
    ``staged``: the buffers that each software pipeline fills ahead, by identity of its loop: the pipeline waits for
    those itself."""

    before: frozenset[int]
    active: ActiveThreads
    staged: Mapping[int, frozenset[Buffer]] = field(default_factory=dict[int, "frozenset[Buffer]"])


def place_barriers(plan: LaunchPlan, thread_vars: frozenset[Var] = frozenset()) -> Barriers:
    """The barriers of one launch. ``thread_vars``: variables besides those of the launch that number threads."""
    threads = 1
    for extent in plan.opened.threads:
        threads *= try_const(extent) or 1
    active = active_threads(plan.opened, threads)
    found = {id(each.loop): staged_buffers(each, plan.versions) for each in pipelines_of(plan)}
    staged = {loop: buffers for loop, buffers in found.items() if buffers}
    placer = _Placer(plan, active, staged, thread_vars)
    placer.block(plan.opened.body)
    return Barriers(frozenset(placer.before), active, staged)


def pipelines_of(plan: LaunchPlan) -> tuple[Pipeline, ...]:
    """Every software pipeline, that of a loop which other compilers split into producer and consumer included."""
    from tilelang.passes.pipeline import plan_pipeline

    special = plan.specialisation
    if special is None or special.loop is None:
        return plan.pipelines
    return (*plan.pipelines, plan_pipeline(special.loop))


def staged_buffers(pipeline: Pipeline, versions: Mapping[Buffer, int]) -> frozenset[Buffer]:
    """The shared buffers with several copies that the copies of a pipeline fill ahead. None if something that runs
    ahead leaves a result in a single place which the rest of the round reads: then nothing can run ahead."""
    staged: set[Buffer] = set()
    for unit in pipeline.units:
        if not unit.runs_ahead:
            continue
        for use in unit.uses.writes:
            root = use.buffer.root
            if versions.get(root, 1) > 1:
                if root.is_shared and unit.role == "copy":
                    staged.add(root)
            elif any(any(other.uses.reads_of(use.buffer)) for other in pipeline.units if not other.runs_ahead):
                return frozenset()
    return frozenset(staged)


class _Placer:
    def __init__(
        self,
        plan: LaunchPlan,
        active: ActiveThreads,
        staged: Mapping[int, frozenset[Buffer]],
        thread_vars: frozenset[Var],
    ) -> None:
        self._thread_vars = thread_vars
        self.before: set[int] = set()
        self._plan = plan
        self._active = active
        self._staged = staged
        self._pending: list[Touch] = []
        self._slots: dict[Buffer, Allocation] = {
            slot.buffer: slot for slot in plan.memory.allocations if slot.buffer is not None
        }
        self._scratch: dict[int, list[Allocation]] = {}
        for slot in plan.memory.allocations:
            if slot.kind == "scratch" and slot.first is not None:
                self._scratch.setdefault(id(slot.first), []).append(slot)
        self._lets: dict[Var, object] = {}

    # --- statements ---

    def block(self, body: Iterable[Stmt]) -> None:
        for stmt in body:
            self._stmt(stmt)

    def _stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, Alloc):
            return
        if isinstance(stmt, Effect) and stmt.call.op in WHOLE_BLOCK:
            self._pending.clear()
            return
        if isinstance(stmt, Let):
            self._lets[stmt.var] = stmt.value
        if isinstance(stmt, For) and stmt.kind not in ("parallel", "vectorized") and not stmt.attr("parallel"):
            self._loop(stmt)
        elif isinstance(stmt, While):
            self._twice(lambda: self.block(stmt.body))
        elif isinstance(stmt, Scope):
            self._scope(stmt)
        elif isinstance(stmt, If) and self._is_uniform(stmt):
            self._branch(stmt)
        elif isinstance(stmt, If) and any(id(inner) in self._active.narrowed for inner in (*stmt.then, *stmt.orelse)):
            # Known threads take each way: inside, they wait for each other only.
            self._meet(stmt, list(self._touched(stmt)))
            for body in (stmt.then, stmt.orelse):
                self._apart(body)
        else:
            self._meet(stmt, list(self._touched(stmt)))

    def _scope(self, stmt: Scope) -> None:
        if stmt.op in WARP_GROUP_SCOPES:
            self._meet(stmt, list(self._touched(stmt)))
            self._apart(stmt.body)
        else:
            self.block(stmt.body)

    def _apart(self, body: Iterable[Stmt]) -> None:
        """Code of some of the threads, which knows nothing of what the others do."""
        outer, self._pending = self._pending, []
        self.block(body)
        self._pending = outer

    def _branch(self, stmt: If) -> None:
        self._meet_reads(stmt)
        before = list(self._pending)
        self.block(stmt.then)
        after = self._pending
        self._pending = before
        self.block(stmt.orelse)
        self._pending = list(dict.fromkeys((*after, *self._pending)))

    def _meet_reads(self, stmt: If) -> None:
        """The condition itself may read shared memory."""
        own = [touch for access in accesses(stmt) for touch in self._touches(access)]
        self._meet(stmt, own)

    def _loop(self, loop: For) -> None:
        staged = self._staged.get(id(loop))
        if staged:
            self._pipelined(loop, staged)
        else:
            self._twice(lambda: self.block(loop.body))

    def _twice(self, body: object) -> None:
        body()  # type: ignore[operator]  # a callable
        body()  # type: ignore[operator]

    def _pipelined(self, loop: For, staged: frozenset[Buffer]) -> None:
        """The copies run before the loop and at the top of each round, where the pipeline has a barrier. What the
        copies before the loop overwrite may still be in use."""
        copies = [
            touch for stmt in walk(loop.body) for touch in self._touched_by(stmt) if self._is_staged(touch, staged)
        ]
        self._meet(loop, [touch for touch in copies if touch.mode != "r"])
        for _ in range(2):
            # The barrier at the top of a round.
            self._pending = []
            for unit in units_of(loop.body):
                self._unit(unit, staged)
        self._pending += [touch for touch in copies if touch.mode == "r"]

    def _unit(self, unit: Stmt, staged: frozenset[Buffer]) -> None:
        outer = self._pending
        self._pending = [touch for touch in outer if not self._is_staged(touch, staged)]
        self._stmt(unit)
        self._pending = [touch for touch in self._pending if not self._is_staged(touch, staged)]

    @staticmethod
    def _is_staged(touch: Touch, staged: frozenset[Buffer]) -> bool:
        return touch.buffer is not None and touch.buffer.root in staged

    # --- conflicts ---

    def _meet(self, stmt: Stmt, touched: list[Touch]) -> None:
        if any(one.meets(other) for one in touched for other in self._pending):
            self.before.add(id(stmt))
            self._pending.clear()
        self._pending += [one for one in touched if one not in self._pending]

    def _touched(self, stmt: Stmt) -> Iterator[Touch]:
        """The shared memory that a statement and all below it use."""
        for inner in walk((stmt,)):
            yield from self._touched_by(inner)

    def _touched_by(self, stmt: Stmt) -> Iterator[Touch]:
        for access in accesses(stmt):
            yield from self._touches(access, atomic=isinstance(stmt, Atomic))
        for slot in self._scratch.get(id(stmt), ()):
            if slot.offset is not None and slot.bytes is not None:
                yield Touch(None, (slot.offset, slot.offset + slot.bytes), None, "w")

    def _touches(self, access: object, *, atomic: bool = False) -> Iterator[Touch]:
        from tilelang.ir.access import Access

        assert isinstance(access, Access)
        buffer = access.buffer
        if not buffer.is_shared:
            return
        slot = self._slots.get(buffer.root)
        place: tuple[int, int] | Buffer = buffer.root
        if slot is not None and slot.dynamic and slot.offset is not None and slot.bytes is not None:
            place = (slot.offset, slot.offset + slot.bytes)
        box = _constant_box(access.place)
        if access.reads and not (atomic and access.writes):
            yield Touch(buffer, place, box, "r")
        if access.writes:
            yield Touch(buffer, place, box, "a" if atomic else "w")

    # --- conditions ---

    def _is_uniform(self, stmt: If) -> bool:
        """Whether all threads of the block take the same way, as far as the condition shows: it depends on sizes, on
        indices of the block and of serial loops, and on global memory at such places."""
        return self._same(stmt.cond, 0)

    def _same(self, value: object, depth: int) -> bool:
        if depth > 20:
            return False
        for term in subterms(value):
            if isinstance(term, Var):
                if term.kind in ("thread", "unknown") or term in self._thread_vars:
                    return False
                if term in self._lets and not self._same(self._lets[term], depth + 1):
                    return False
            elif isinstance(term, Load) and not (term.buffer.is_global or term.buffer.is_shared):
                if term.buffer.is_local and not self._varies(term.buffer):
                    continue
                return False
        return True

    def _varies(self, buffer: Buffer) -> bool:
        """Whether threads may keep different values in a local array."""
        root = buffer.root
        for stmt in walk(self._plan.opened.body):
            if isinstance(stmt, Store) and stmt.buffer.root is root:
                parts = (stmt.value, *stmt.indices)
                for term in subterms(parts):
                    if isinstance(term, Var) and (term.kind in ("thread", "unknown") or term in self._thread_vars):
                        return True
                    if isinstance(term, Load) and term.buffer.root is not root and not term.buffer.is_global:
                        return True
            elif (isinstance(stmt, (Reduce, Scan)) and stmt.dst.buffer.root is root) or (
                isinstance(stmt, Effect)
                and any(
                    isinstance(term, (Load, Region)) and term.buffer.root is root
                    for value in operands(stmt)
                    for term in subterms(value)
                )
            ):
                return True
        return False


def _constant_box(place: object) -> tuple[tuple[int, int], ...] | None:
    """Start and end of each dimension of a box whose corners are numbers."""
    if not isinstance(place, Region) or not place.is_resolved or place.extents is None:
        return None
    found: list[tuple[int, int]] = []
    for start, extent in zip(place.mins, place.extents, strict=True):
        low, size = try_const(start), try_const(extent)
        if low is None or size is None:
            return None
        found.append((low, low + size))
    return tuple(found)


__all__ = ["Barriers", "pipelines_of", "place_barriers", "staged_buffers"]
