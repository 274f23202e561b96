"""What one statement of a pipelined loop body moves, reads and writes.

A statement here is a whole unit of the schedule: a tile operation, a loop, a branch. Buffers are told apart by
identity, a view is not its source, as in the schedule that upstream makes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import accesses
from tilelang.ir.arith import prove_le
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Call, Cast, Load
from tilelang.ir.stmt import (
    Alloc,
    Atomic,
    Copy,
    Effect,
    Fill,
    Gemm,
    If,
    Let,
    Reduce,
    Scan,
    Scope,
    Stmt,
    Store,
)
from tilelang.ir.visit import operands, subterms, variables, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang.ir.buffer import Dim
    from tilelang.ir.expr import Operand, Var
    from tilelang.ir.span import Span

Box = tuple[tuple["Operand", "Dim"], ...]
"""Start and extent of each dimension; empty if unknown, which overlaps everything."""


WARP_REGIONS = frozenset(("ws", "warp_specialize", "kWarpSpecializationScope"))


class Use(NamedTuple):
    """One read or write of a buffer by a unit. ``sure`` is False for a buffer that is handed to an operation whose
    effect is not known."""

    buffer: Buffer
    box: Box
    span: Span
    sure: bool = True


class Uses(NamedTuple):
    """Everything that a unit reads and writes, in source order, and the scalars that it defines and mentions."""

    reads: tuple[Use, ...]
    writes: tuple[Use, ...]
    defined: frozenset[Var]
    mentioned: frozenset[Var]

    def reads_of(self, buffer: Buffer) -> Iterator[Use]:
        return (use for use in self.reads if use.buffer is buffer)

    def writes_of(self, buffer: Buffer) -> Iterator[Use]:
        return (use for use in self.writes if use.buffer is buffer)


def statements(unit: Stmt) -> Iterator[Stmt]:
    """The unit and every statement below it."""
    return walk((unit,))


def uses_of(unit: Stmt) -> Uses:
    """A tile operation also counts as reading the first element of each of its boxes, so a buffer that it only writes
    is used at its place in the schedule."""
    reads: list[Use] = []
    writes: list[Use] = []
    defined: set[Var] = set()
    mentioned: set[Var] = set()
    for stmt in statements(unit):
        for access in accesses(stmt):
            use = Use(access.buffer, box_of(access.place), access.span, access.mode != "unknown")
            if access.reads:
                reads.append(use)
            if access.writes and not _is_address(stmt, access.buffer):
                writes.append(use)
        if _is_tile_operation(stmt):
            for region in operands(stmt):
                if isinstance(region, Region):
                    reads.append(Use(region.buffer, _first_element(region), region.span))
        if isinstance(stmt, Let):
            defined.add(stmt.var)
        for value in operands(stmt):
            mentioned.update(variables(value))  # type: ignore[arg-type]  # variables() yields Var
    return Uses(tuple(reads), tuple(writes), frozenset(defined), frozenset(mentioned))


def _is_address(stmt: Stmt, buffer: Buffer) -> bool:
    """Whether ``buffer`` only has its address taken: the schedule counts that as a read."""
    if not isinstance(stmt, (Effect, Let, Store)):
        return False
    calls = [term for value in operands(stmt) for term in subterms(value) if isinstance(term, Call)]
    return any(call.op == "address_of" and buffer in _named(call.args) for call in calls)


def _named(args: tuple[object, ...]) -> list[Buffer]:
    named: list[Buffer] = []
    for arg in args:
        if isinstance(arg, Buffer):
            named.append(arg)
        elif isinstance(arg, (Load, Region)):
            named.append(arg.buffer)
    return named


def _is_tile_operation(stmt: Stmt) -> bool:
    return isinstance(stmt, (Copy, Fill, Gemm, Reduce, Scan, Atomic))


def box_of(place: Region | Load | Buffer) -> Box:
    if isinstance(place, Load):
        return tuple((index, 1) for index in place.indices)
    if isinstance(place, Region) and place.is_resolved and place.extents is not None:
        return tuple(zip(place.mins, place.extents, strict=True))
    return ()


def _first_element(region: Region) -> Box:
    return tuple((start, 1) for start in region.mins) if region.is_resolved else ()


def may_overlap(a: Box, b: Box) -> bool:
    """False only if some dimension keeps the boxes apart for certain."""
    if len(a) != len(b):
        return True
    for (start_a, extent_a), (start_b, extent_b) in zip(a, b, strict=True):
        if _ends_before(start_a, extent_a, start_b) or _ends_before(start_b, extent_b, start_a):
            return False
    return True


def _ends_before(start: Operand, extent: Dim, other: Operand) -> bool:
    return prove_le(Binary(INT32, "+", start, extent), other)


def is_conditional(unit: Stmt) -> bool:
    """Whether a branch may skip part of the unit. A warp-specialised region is a branch on the thread."""
    return any(isinstance(stmt, If) or is_warp_region(stmt) for stmt in statements(unit))


def is_warp_region(stmt: Stmt) -> bool:
    """Whether a region is for some warps only, as the program wrote it."""
    return isinstance(stmt, Scope) and stmt.op in WARP_REGIONS


def moves_global_to_shared(unit: Stmt) -> bool:
    """Whether a unit is a copy stage: it brings global memory to shared memory and computes nothing."""
    found = False
    for stmt in statements(unit):
        if isinstance(stmt, Copy):
            found = found or (stmt.op != "transpose" and _global_to_shared(stmt))
            if stmt.op == "transpose":
                return False
        elif isinstance(stmt, Store):
            if not (stmt.buffer.is_shared or stmt.buffer.is_local) or not _is_plain_global_load(stmt.value):
                return _single_copy(unit)
            found = found or stmt.buffer.is_shared
        elif _is_tile_operation(stmt) or (isinstance(stmt, Effect) and _is_opaque_tile_operation(stmt)):
            return False
    return found or _single_copy(unit)


def _single_copy(unit: Stmt) -> bool:
    """An unconditional unit with exactly one copy, global to shared, and no other tile operation."""
    if is_conditional(unit):
        return False
    tiles = [stmt for stmt in statements(unit) if _is_tile_operation(stmt)]
    only = tiles[0] if len(tiles) == 1 else None
    return isinstance(only, Copy) and only.op != "transpose" and _global_to_shared(only)


def _global_to_shared(copy: Copy) -> bool:
    return copy.src.buffer.is_global and copy.dst.buffer.is_shared


def _is_plain_global_load(value: Operand) -> bool:
    while isinstance(value, Cast):
        value = value.value
    return isinstance(value, Load) and value.buffer.is_global


def _is_opaque_tile_operation(stmt: Effect) -> bool:
    """Whether an operation that is known by name only takes boxes, as tile operations do."""
    return any(isinstance(arg, Region) for arg in stmt.call.args)


def is_element_copy(unit: Stmt) -> bool:
    """Whether the threads themselves bring global memory to shared memory, element by element, using nothing else: what
    a producer warp group may do beside TMA."""
    stores_shared = False
    loads_global = False
    for stmt in statements(unit):
        if isinstance(stmt, Store) and stmt.buffer.is_shared:
            stores_shared = True
        for use in accesses(stmt):
            if use.reads and use.buffer.is_global:
                loads_global = True
            if use.reads and (use.buffer.is_shared or use.buffer.is_local):
                return False
        if _is_tile_operation(stmt) and any(
            isinstance(region, Region) and (region.buffer.is_shared or region.buffer.is_local)
            for region in operands(stmt)
        ):
            return False
    return stores_shared and loads_global


def buffers_in(uses: Iterable[Use]) -> set[Buffer]:
    return {use.buffer for use in uses}


def units_of(body: Iterable[Stmt]) -> tuple[Stmt, ...]:
    """The statements of a body as the schedule sees them. Allocations are none. A branch without ``else`` guards each
    of its statements separately; a scalar bound inside is repeated where it is used if that is safe, else what follows
    it stays in one unit."""
    units: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, If) and not stmt.orelse:
            units += _guarded(_Same(stmt))
        elif not isinstance(stmt, Alloc):
            units.append(stmt)
    return tuple(units)


class _Same:
    """A statement by identity, as a key."""

    def __init__(self, stmt: If) -> None:
        self.stmt = stmt

    def __hash__(self) -> int:
        return id(self.stmt)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.stmt is self.stmt


# Passes and the lowering know statements by identity, so the parts of a branch are made once.
@lru_cache(maxsize=4096)
def _guarded(key: _Same) -> tuple[Stmt, ...]:
    branch = key.stmt
    inner = units_of(branch.then)
    written = {use.buffer for stmt in inner for use in uses_of(stmt).writes}
    parts: list[Stmt] = []
    for position, stmt in enumerate(inner):
        if isinstance(stmt, Let):
            if is_replayable(stmt, written):
                continue
            parts.append(If(branch.cond, inner[position:], span=branch.span))
            break
        parts.append(If(branch.cond, (stmt,), span=branch.span))
    return tuple(parts)


def is_replayable(stmt: Stmt, written: set[Buffer]) -> bool:
    """Whether a bound scalar may be computed again at each use: no effect, and nothing it reads is written nearby."""
    if not isinstance(stmt, Let):
        return False
    return not any(access.writes or access.buffer in written for access in accesses(stmt))
