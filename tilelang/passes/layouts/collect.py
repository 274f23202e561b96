"""Finds the operations of a launch that take part in layout inference, in the order in which they are visited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import launch_ranges, let_ranges, loop_ranges, try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var, const_int
from tilelang.ir.layout import swizzles
from tilelang.ir.layout.digits import of
from tilelang.ir.layout.fragment import Fragment, of_thread
from tilelang.ir.stmt import Alloc, Atomic, Copy, Effect, Fill, For, Gemm, If, Launch, Let, Reduce, Scan, Stmt, Store
from tilelang.ir.visit import children, is_undecided, operands, subterms
from tilelang.passes.copy_path import in_bounds, is_contiguous, stores_by_tma
from tilelang.passes.layouts.annotated import annotated_layout
from tilelang.passes.layouts.matrix import wanted_by
from tilelang.passes.layouts.nest import (
    Surroundings,
    implied_nest,
    is_parallel,
    is_spread,
    single_copy,
    single_store,
    written_nest,
)
from tilelang.passes.layouts.operations import (
    BoxOperation,
    FixedOperation,
    NestOperation,
    Operation,
    ReduceOperation,
    ScanOperation,
    SuggestedOperation,
    Update,
    known_shape,
)
from tilelang.passes.layouts.spread import Situation, Threads
from tilelang.passes.nests import is_reducer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.ir.arith import Interval
    from tilelang.ir.expr import Operand
    from tilelang.ir.layout.layout import Layout
    from tilelang.passes.active_threads import ActiveThreads
    from tilelang.passes.configs import PassConfigs
    from tilelang.passes.layouts.nest import Nest
    from tilelang.passes.warp_partition import WarpPartition
    from tilelang.targets import Target

ROWS = 128
"""Lanes of tensor memory, and threads of the warp group that reads them."""
LAID_OUT = frozenset((
    "gemm", "wgmma_gemm", "tcgen05_gemm", "gemm_sp", "wgmma_gemm_sp", "gemm_blockscaled", "tcgen05_gemm_blockscaled",
))  # fmt: skip
"""Products whose layouts are known. A block-scaled one is, in tensor memory."""
HARMLESS = frozenset(("finalize_reducer", "reducer_result", "reducer_init", "annotate_layout", "print", "use_swizzle"))
"""Effects that say nothing about where the elements of a fragment are."""


@dataclass(slots=True)
class Collected:
    """``unknown``: fragments that something touches which could not be followed. ``open``: a nest uses a value that is
    not known, which may read any fragment. ``floating``: fragments that code
    outside of operations uses, with the first such statement. ``annotated``: layouts given by hand. ``buffers``: all
    that are mentioned, by allocation."""

    operations: list[Operation] = field(default_factory=list["Operation"])
    unknown: set[Buffer] = field(default_factory=set["Buffer"])
    open: bool = False
    floating: dict[Buffer, tuple[Stmt, Threads]] = field(default_factory=dict["Buffer", "tuple[Stmt, Threads]"])
    annotated: list[tuple[Buffer, object, Stmt]] = field(default_factory=list["tuple[Buffer, object, Stmt]"])
    buffers: dict[Buffer, list[Buffer]] = field(default_factory=dict["Buffer", "list[Buffer]"])


@dataclass(frozen=True, slots=True)
class Context:
    """What the collection needs to know about the launch."""

    active: ActiveThreads
    partitions: Mapping[int, WarpPartition]
    loads: frozenset[int]
    target: Target
    configs: PassConfigs


def collect(launch: Launch, context: Context) -> Collected:
    collector = _Collector(context, launch)
    collector.block(launch.body)
    return collector.found


class _Collector:
    def __init__(self, context: Context, launch: Launch) -> None:
        self.found = Collected()
        self._context = context
        self._ranges: Mapping[Var, Interval] = launch_ranges(launch)
        self._launch_ranges = self._ranges
        self._launch_vars = frozenset((*launch.block_vars, *launch.thread_vars))
        self._pipelined = 0
        self._bound: dict[Var, Operand] = {}
        capability = context.target.compute_capability or (0, 0)
        self._wide = capability >= (10, 0) and not context.configs.flag("disable_vectorize_256")

    def block(self, body: Iterable[Stmt]) -> None:
        for stmt in body:
            self._stmt(stmt)

    def _stmt(self, stmt: Stmt) -> None:
        self._mention(stmt)
        if isinstance(stmt, Alloc):
            return
        if isinstance(stmt, For) and is_parallel(stmt):
            self._nest(stmt, written_nest(stmt, self._around()))
        elif isinstance(stmt, Gemm):
            self._gemm(stmt)
        elif isinstance(stmt, Copy):
            self._copy(stmt)
        elif isinstance(stmt, Atomic) and isinstance(stmt.dst, Region) and isinstance(stmt.value, Region):
            self._nest(stmt, implied_nest(stmt, self._around()))
        elif isinstance(stmt, Reduce):
            self._add(ReduceOperation(self._number, stmt, self._touched(stmt)))
        elif isinstance(stmt, Scan):
            self._add(ScanOperation(self._number, stmt, self._touched(stmt)))
        elif isinstance(stmt, (Fill, Effect)):
            self._other(stmt)
        elif isinstance(stmt, Store) and self._stands_alone(stmt):
            self._nest(stmt, single_store(stmt, self._around()))
        else:
            self._plain(stmt)

    # --- operations ---

    @property
    def _number(self) -> int:
        return len(self.found.operations)

    def _add(self, operation: Operation) -> None:
        self.found.operations.append(operation)

    def _around(self) -> Surroundings:
        return Surroundings(self._ranges, self._bound)

    def _threads(self, stmt: Stmt) -> Threads:
        active = self._context.active
        return Threads(active.first(stmt), active.of(stmt))

    def _nest(self, stmt: Stmt, nest: Nest | None) -> None:
        touched = self._touched(stmt)
        self.found.open |= nest is None or nest.open
        if nest is None:
            self.found.unknown.update(touched)
            self._add(Operation(self._number, stmt, touched))
            return
        asked = const_int(stmt.attr("coalesced_width"))
        coalesced = asked if asked is not None and asked > 0 else None
        given = self._given(stmt, nest)
        situation = Situation(self._threads(stmt), self._wide, coalesced, given)
        self._add(NestOperation(self._number, stmt, nest.fragments(), nest, situation))

    def _given(self, stmt: Stmt, nest: Nest) -> Fragment | None:
        """The loop layout that the source gives by hand."""
        written = stmt.attr("loop_layout")
        if written is None:
            return None
        given = annotated_layout(written)
        if isinstance(given, Fragment) and given.shape == nest.extents:
            return given
        self.found.unknown.update(nest.fragments())
        return None

    def _gemm(self, stmt: Gemm) -> None:
        touched = self._touched(stmt)
        split = self._context.partitions.get(id(stmt))
        wanted = None
        if split is not None and stmt.op in LAID_OUT:
            wanted = wanted_by(stmt, split, self._threads(stmt), self._context.target)
        if wanted is None or not wanted.complete:
            settled = {one.buffer for one in wanted.updates} if wanted is not None else set[Buffer]()
            ends = (stmt.a.buffer, stmt.b.buffer, stmt.c.buffer)
            self.found.unknown.update(one for one in ends if one not in settled and (one.is_fragment or one.is_shared))
        updates = wanted.updates if wanted is not None else ()
        keeps = wanted.keeps_shared if wanted is not None else False
        self._add(FixedOperation(self._number, stmt, touched, updates, keeps))

    def _copy(self, stmt: Copy) -> None:
        touched = self._touched(stmt)
        source, target = stmt.src.buffer, stmt.dst.buffer
        if "shared.tmem" in (source.scope, target.scope):
            self._tensor_memory(stmt, touched)
        elif stmt.op in ("im2col", "transpose"):
            self._add(Operation(self._number, stmt, touched))
        elif id(stmt) in self._context.loads or (stmt.op == "tma_copy" and target.is_shared):
            self._add(self._box(stmt, stmt.dst, stmt.src, touched))
        elif stores_by_tma(stmt, self._context.target, self._context.configs):
            self._add(self._box(stmt, stmt.src, stmt.dst, touched))
        elif not self._has_loops(stmt):
            self._nest(stmt, single_copy(stmt, self._around()))
        else:
            self._nest(stmt, implied_nest(stmt, self._around()))

    def _tensor_memory(self, stmt: Copy, touched: tuple[Buffer, ...]) -> None:
        """A copy between tensor memory and registers: each of 128 threads has one row."""
        fragment = next((one for one in (stmt.src.buffer, stmt.dst.buffer) if one.is_fragment), None)
        shape = None if fragment is None else known_shape(fragment)
        threads = self._threads(stmt)
        if fragment is None or shape is None or len(shape) < 2 or shape[-2] != ROWS or threads.number != ROWS:
            self.found.unknown.update(touched)
            self._add(Operation(self._number, stmt, touched))
            return
        layout = of_thread(shape, of(len(shape) - 2, ROWS)).bound(*threads)
        self._add(SuggestedOperation(self._number, stmt, touched, (Update(fragment, layout),)))

    def _has_loops(self, stmt: Copy) -> bool:
        extents = (stmt.src.extents or ()) + (stmt.dst.extents or ())
        return not extents or any(const_int(extent) != 1 for extent in extents)

    def _box(self, stmt: Copy, shared: Region, world: Region, touched: tuple[Buffer, ...]) -> Operation:
        shape = known_shape(shared.buffer)
        wanted: tuple[Update, ...] = ()
        # Upstream's analysis knows the ranges of blocks and threads here, but not those of loops.
        inside = in_bounds(world, self._launch_ranges) and in_bounds(shared, self._launch_ranges)
        linear = inside and is_contiguous(world, self._launch_ranges) and _fills_vectors(world)
        if shape is not None and not linear:
            layout = _box_layout(shape, shared.buffer.dtype.bits, stores=shared is stmt.src)
            if layout is None:
                self.found.unknown.add(shared.buffer)
            else:
                wanted = (Update(shared.buffer, layout),)
        indexing = tuple(buffer for buffer in touched if buffer is not shared.buffer)
        return BoxOperation(self._number, stmt, indexing, wanted, self._threads(stmt))

    def _other(self, stmt: Fill | Effect) -> None:
        touched = self._touched(stmt)
        if isinstance(stmt, Effect):
            if stmt.call.op == "annotate_layout":
                self._annotate(stmt)
                return
            if stmt.call.op not in HARMLESS:
                self.found.unknown.update(touched)
                self._plain(stmt)
                return
        self._add(Operation(self._number, stmt, touched))

    def _annotate(self, stmt: Effect) -> None:
        layouts = dict(stmt.call.attrs).get("layouts")
        for entry in layouts if isinstance(layouts, tuple) else ():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], Buffer):  # pyright: ignore[reportUnknownArgumentType]
                self.found.annotated.append((entry[0], entry[1], stmt))  # pyright: ignore[reportUnknownArgumentType]

    # --- everything else ---

    def _plain(self, stmt: Stmt) -> None:
        """Code outside of operations: the fragments that it uses must be whole in every thread."""
        if isinstance(stmt, Let):
            self._ranges = let_ranges(stmt, self._ranges)
            self._bound[stmt.var] = stmt.value
        for buffer in self._touched(stmt):
            self.found.floating.setdefault(buffer, (stmt, self._threads(stmt)))
        if isinstance(stmt, If) and is_undecided(stmt):
            self._forget(stmt)
        if isinstance(stmt, For):
            outer, staged = self._ranges, stmt.kind == "pipelined"
            self._ranges = loop_ranges(stmt, outer)
            self._pipelined += staged
            self.block(stmt.body)
            self._ranges = outer
            self._pipelined -= staged
            return
        for body in children(stmt):
            self.block(body)

    def _stands_alone(self, store: Store) -> bool:
        """Whether a store with fragments runs once, in the thread that has them: it stands in no pipelined loop and
        does not depend on the block or the thread."""
        if self._pipelined or not any(is_spread(access.buffer) for access in accesses(store)):
            return False
        values = (*store.indices, store.value)
        return not any(isinstance(term, Var) and term in self._launch_vars for term in subterms(values))

    def _forget(self, stmt: If) -> None:
        """Only one arm of the branch exists, but not known which: nothing is certain about what either touches."""
        for body in children(stmt):
            for inner in body:
                self.found.unknown.update(self._touched_below(inner))

    def _touched_below(self, stmt: Stmt) -> set[Buffer]:
        found = set(self._touched(stmt))
        for body in children(stmt):
            for inner in body:
                found |= self._touched_below(inner)
        return found

    def _touched(self, stmt: Stmt) -> tuple[Buffer, ...]:
        """The fragments that a statement uses, values bound to names before it included."""
        found: dict[Buffer, None] = {}
        if isinstance(stmt, For) and is_parallel(stmt):
            return tuple(self._touched_in_nest(stmt))
        for access in accesses(stmt):
            if is_spread(access.buffer):
                found[access.buffer] = None
        return tuple(found)

    def _touched_in_nest(self, stmt: Stmt) -> dict[Buffer, None]:
        found: dict[Buffer, None] = {}
        for access in accesses(stmt):
            if is_spread(access.buffer):
                found[access.buffer] = None
        for body in children(stmt):
            for inner in body:
                found |= self._touched_in_nest(inner)
        return found

    def _mention(self, stmt: Stmt) -> None:
        buffers = [access.buffer for access in accesses(stmt)]
        if isinstance(stmt, Alloc):
            buffers.append(stmt.buffer)
        if isinstance(stmt, For) and is_parallel(stmt):
            for body in children(stmt):
                for inner in body:
                    self._mention(inner)
        for value in operands(stmt):
            buffers += [term.buffer for term in subterms(value) if isinstance(term, Load)]
        for buffer in buffers:
            if (buffer.is_fragment or buffer.is_shared) and not is_reducer(buffer):
                aliases = self.found.buffers.setdefault(buffer.root, [])
                for one in (buffer.root, buffer):
                    if not any(one is other for other in aliases):
                        aliases.append(one)


def _fills_vectors(box: Region) -> bool:
    """Whether a box may be a multiple of 16 bytes."""
    count = 1
    for extent in box.extents or ():
        number = try_const(extent)
        if number is None:
            return True
        count *= number
    return count * box.buffer.dtype.total_bits % swizzles.UNIT_BITS == 0


def _box_layout(shape: tuple[int, ...], bits: int, *, stores: bool) -> Layout | None:
    """The layout of a shared tile that only TMA touches."""
    if not stores or len(shape) < 2:
        return swizzles.boxed(shape)
    base = swizzles.unpadded_swizzle(shape[-2], shape[-1], bits)
    if base is None or len(base.outputs) == 1:
        return None if base is None else swizzles.boxed(shape)
    return swizzles.of_buffer(base, shape)
