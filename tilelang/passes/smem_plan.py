"""The reference shared-memory plan of a launch: exactly the bytes that upstream 0.1.15 allocates.

Exact on CUDA targets where every tile has a constant shape and the source of every reduction a layout that could be
followed. Other devices have the same plan without warp specialisation, scratch memory and swizzle alignment, which is
an estimate. With a symbolic shape the total is ``None``; ``at_least`` and ``formula`` then say what is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import bounds, simplify
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary
from tilelang.ir.layout.layout import Layout
from tilelang.ir.printer import text_of
from tilelang.ir.span import NOWHERE, Span
from tilelang.passes.alignment import alignments
from tilelang.passes.barriers import barrier_slots
from tilelang.passes.liveness import Life, lives
from tilelang.passes.packing import LiveRange, pack, pack_apart, round_up
from tilelang.passes.timeline import lay_out
from tilelang.passes.workspace import all_settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tilelang.ir.dtype import DType
    from tilelang.ir.expr import Expr, Operand
    from tilelang.ir.stmt import Launch, Stmt
    from tilelang.passes.configs import PassConfigs
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.timeline import Schedules
    from tilelang.passes.workspace import Workspace
    from tilelang.targets import Target

UNIT = 16
"""Bytes to which the arena and every buffer in it are aligned."""

Kind = Literal["buffer", "scratch", "barrier", "address"]
"""``scratch``: memory that an operation asks for; ``address``: where the address of tensor memory is kept."""


class Allocation(NamedTuple):
    """One array in shared memory.

    ``bytes`` counts all ``copies`` and is ``None`` if an extent is symbolic; ``at_least`` is then what is certain, and
    ``formula`` the text of the product. ``offset`` is the place in the arena of dynamic memory. ``first`` and ``last``
    are the statements between which it is needed. ``shares_with``: others that lie in some of the same bytes.
    """

    name: str
    kind: Kind
    dynamic: bool
    copies: int
    bytes: int | None
    at_least: int
    formula: str
    alignment: int = UNIT
    offset: int | None = None
    buffer: Buffer | None = None
    span: Span = NOWHERE
    first: Stmt | None = None
    last: Stmt | None = None
    purpose: str = ""
    shares_with: tuple[str, ...] = ()

    def explain(self) -> str:
        """One line: what it is, what it costs, and why."""
        size = self.formula if self.bytes is None else f"{self.bytes:,} B"
        text = f"{self.name}: {size}"
        if self.copies > 1:
            each = "" if self.bytes is None else f" of {self.bytes // self.copies:,} B"
            text += f" ({self.copies} copies{each}, one for each stage)"
        if self.kind == "scratch":
            text += f" (scratch memory for {self.purpose})"
        if self.offset is not None:
            text += f" at {self.offset:,}"
        if self.alignment > UNIT:
            text += f", aligned to {self.alignment}"
        if self.shares_with:
            text += f", in the same bytes as {', '.join(self.shares_with)}"
        return text


class SharedMemoryPlan(NamedTuple):
    """All shared memory of one block. ``dynamic`` and ``static`` are bytes, ``None`` if not known; ``at_least`` bounds
    the total from below. ``exact`` is False where the plan is an estimate."""

    allocations: tuple[Allocation, ...]
    dynamic: int | None
    static: int | None
    at_least: int
    formula: str
    exact: bool

    @property
    def total(self) -> int | None:
        return None if self.dynamic is None or self.static is None else self.dynamic + self.static

    def explain(self) -> str:
        """The plan as text, one line for each allocation and one for the total."""
        lines = [allocation.explain() for allocation in self.allocations]
        total = self.formula if self.total is None else f"{self.total:,} B"
        parts = [f"{self.dynamic or 0:,} B dynamic", f"{self.static:,} B static"] if self.static else []
        return "\n".join([*lines, f"total: {total}{f' ({parts[0]}, {parts[1]})' if parts else ''}"])


def plan_shared_memory(
    launch: Launch,
    schedules: Schedules,
    versions: Mapping[Buffer, int],
    target: Target,
    configs: PassConfigs,
    *,
    open_copies: Mapping[Buffer, Expr] | None = None,
    complete: bool = True,
) -> SharedMemoryPlan:
    """The plan of one launch. ``versions``: copies of staged buffers; ``open_copies``: those whose number is unknown.
    ``complete``: whether the whole body is known."""
    uncounted = open_copies or {}
    timeline = lay_out(launch, schedules)
    life = lives(timeline)
    aligned = alignments(launch, schedules.special, schedules.partitions, target, configs)
    moments = timeline.moments
    slots = [
        _with_statements(
            _allocate(slot, versions, uncounted, aligned, schedules.layouts),
            moments[span.first].stmt,
            moments[span.last].stmt,
        )
        for slot, span in life.items()
    ]
    dynamic = [(slot, span) for slot, span in zip(slots, life.values(), strict=True) if slot.dynamic]
    static = [slot for slot in slots if not slot.dynamic]
    static += [_barrier(*each) for each in barrier_slots(launch, schedules, target)]
    placed, used = _place(dynamic, configs)
    static_bytes = _sum(slot.bytes for slot in static)
    at_least = max((slot.at_least for slot, _ in dynamic), default=0) + sum(slot.at_least for slot in static)
    if used is not None and static_bytes is not None:
        at_least = used + static_bytes
    formula = " + ".join(slot.formula for slot in (*placed, *static)) or "0 B"
    settled = all_settled(launch, schedules.layouts, schedules.maps, schedules.active.block)
    exact = complete and target.family == "cuda" and settled and used is not None and static_bytes is not None
    return SharedMemoryPlan((*placed, *static), used, static_bytes, at_least, formula, exact)


def storage_bytes(dtype: DType, elements: int) -> int:
    """Bytes of an array in shared memory: only 4-bit types share bytes."""
    if dtype.bits == 4:
        return (elements * 4 * dtype.lanes + 7) // 8
    return elements * dtype.lanes * ((dtype.bits + 7) // 8)


def _allocate(
    slot: Buffer | Workspace,
    versions: Mapping[Buffer, int],
    uncounted: Mapping[Buffer, Expr],
    aligned: Mapping[Buffer, int],
    layouts: LayoutMap,
) -> Allocation:
    if not isinstance(slot, Buffer):
        size = storage_bytes(slot.dtype, slot.elements)
        return Allocation(slot.name, "scratch", True, 1, size, size, f"{size} B", span=slot.span, purpose=slot.purpose)
    copies = versions.get(slot, 1)
    count = slot.element_count()
    layout = layouts.layout(slot)
    if count is not None and isinstance(layout, Layout):
        # A layout that is given by hand may leave gaps.
        count = max(count, layout.size)
    size = None if count is None or not slot.dtype.is_known else storage_bytes(slot.dtype, count * copies)
    if slot in uncounted:
        least, formula = _symbolic(slot, uncounted[slot])
        least, size = max(least, size or 0), None
    else:
        least, formula = (size, f"{size} B") if size is not None else _symbolic(slot, copies)
    return Allocation(
        slot.name,
        "buffer",
        slot.scope == "shared.dyn",
        copies,
        size,
        least,
        formula,
        aligned.get(slot, UNIT),
        buffer=slot,
        span=slot.span,
    )


def _symbolic(buffer: Buffer, copies: Operand) -> tuple[int, str]:
    """The least bytes and the formula of a buffer with a symbolic extent or number of copies."""
    if not buffer.dtype.is_known:
        return 0, f"{buffer.name} of unknown type"
    product: Operand = copies
    for extent in buffer.shape:
        product = Binary(INT32, "*", product, extent)
    least = bounds(product).lo or 0
    width = max(buffer.dtype.total_bits // 8, 1)
    return storage_bytes(buffer.dtype, max(least, 0)), f"{text_of(simplify(product))} * {width} B"


def _with_statements(slot: Allocation, first: Stmt, last: Stmt) -> Allocation:
    return slot._replace(first=first, last=last)


def _barrier(name: str, kind: Kind, count: int, each: int, span: Span) -> Allocation:
    return Allocation(name, kind, False, 1, count * each, count * each, f"{count * each} B", each, span=span)


def _place(slots: Sequence[tuple[Allocation, Life]], configs: PassConfigs) -> tuple[tuple[Allocation, ...], int | None]:
    """Offsets in the arena and its size. One single array is not rounded up."""
    known = [(slot, span) for slot, span in slots if slot.bytes is not None]
    ranges = [LiveRange(slot.name, slot.bytes or 0, slot.alignment, span.first, span.last + 1) for slot, span in known]
    packing = pack_apart(ranges) if configs.flag("disable_shared_memory_reuse") else pack(ranges)
    offsets = {id(slot): offset for (slot, _), offset in zip(known, packing.offsets, strict=True)}
    placed = tuple(
        slot._replace(offset=offsets.get(id(slot)), shares_with=_sharing(slot, known, offsets)) for slot, _ in slots
    )
    if len(known) != len(slots):
        return placed, None
    return placed, packing.size if len(slots) == 1 else round_up(packing.size, UNIT)


def _sharing(slot: Allocation, known: Sequence[tuple[Allocation, Life]], offsets: Mapping[int, int]) -> tuple[str, ...]:
    start = offsets.get(id(slot))
    if start is None or slot.bytes is None:
        return ()
    return tuple(
        other.name
        for other, _ in known
        if other is not slot
        and offsets[id(other)] < start + slot.bytes
        and start < offsets[id(other)] + (other.bytes or 0)
    )


def _sum(sizes: Iterable[int | None]) -> int | None:
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total
