"""The loop nests that spread work over threads: ``T.Parallel`` loops and the loops that a copy implies."""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import affine, try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var
from tilelang.ir.stmt import Atomic, Copy, Effect, For, Stmt, Store
from tilelang.ir.visit import children, operands, subterms, walk
from tilelang.passes.copy_path import strides_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.ir.stmt import Block

VECTOR_BITS = 128


class Touch(NamedTuple):
    """One access of a loop nest: the loop dimension that runs with each dimension of the buffer, ``None`` for an index
    that is no loop variable (a constant, a sum)."""

    buffer: Buffer
    dims: tuple[int | None, ...]
    writes: bool


class Nest(NamedTuple):
    """A parallel loop nest, written or implied by a copy. A fill adapts to whatever the others settle. ``vector``:
    neighbours that one thread may take together, 0 for no limit. ``threads``: those that share the work."""

    extents: tuple[int, ...]
    touches: tuple[Touch, ...]
    vector: int
    threads: int

    def fragments(self) -> Iterator[Touch]:
        """The uses of fragments. Reducers are spread like the loops that update them, and say nothing themselves."""
        return (touch for touch in self.touches if touch.buffer.is_fragment and not is_reducer(touch.buffer))


def is_reducer(buffer: Buffer) -> bool:
    """Whether a buffer came from ``T.alloc_reducer``, old style or new."""
    return buffer.attr("reducer") is not None


def updated_reducer(stmt: Stmt) -> Buffer | None:
    """The reducer that a statement of a parallel loop adds to."""
    if isinstance(stmt, Store) and is_reducer(stmt.buffer):
        return stmt.buffer
    if isinstance(stmt, Effect) and stmt.call.op == "reducer_update" and stmt.call.args:
        target = stmt.call.args[0]
        if isinstance(target, (Region, Load)):
            return target.buffer
    return None


def nest_of(stmt: Stmt, threads: int) -> Nest | None:
    """The nest of one statement; ``None`` if it has none or an extent is not a number."""
    if isinstance(stmt, Copy):
        return _implied((stmt.src, stmt.dst), stmt.dst, threads)
    if isinstance(stmt, Atomic):
        regions = tuple(part for part in (stmt.dst, stmt.value) if isinstance(part, Region))
        return _implied(regions, None, threads) if regions else None
    if isinstance(stmt, For) and stmt.kind == "parallel":
        return _written(stmt, threads)
    return None


def _implied(regions: tuple[Region, ...], written: Region | None, threads: int) -> Nest | None:
    """The loops of a tile operation: one for each extent above 1, the same for all its boxes."""
    shapes = [_long_extents(region) for region in regions]
    if any(shape is None for shape in shapes) or len(set(shapes)) != 1:
        return None
    touches = [Touch(region.buffer, _long_dims(region), region is written) for region in regions]
    return Nest(shapes[0] or (), tuple(touches), gcd(*(_box_vector(region) for region in regions)), threads)


def _long_extents(region: Region) -> tuple[int, ...] | None:
    extents = region.extents if region.extents is not None else region.buffer.shape
    numbers = [try_const(extent) for extent in extents]
    if None in numbers:
        return None
    return tuple(number for number in numbers if number is not None and number != 1)


def _long_dims(region: Region) -> tuple[int | None, ...]:
    extents = region.extents if region.extents is not None else region.buffer.shape
    dims: list[int | None] = []
    for extent in extents:
        dims.append(None if try_const(extent) == 1 else sum(dim is not None for dim in dims))
    return tuple(dims)


def _box_vector(region: Region) -> int:
    """Neighbours that one thread moves together: 16 bytes of global or shared memory, 0 for no limit."""
    buffer = region.buffer
    if not (buffer.is_global or buffer.is_shared) or not buffer.shape:
        return 0
    extents = region.extents if region.extents is not None else buffer.shape
    inner = try_const(strides_of(buffer)[-1])
    if inner != 1 or try_const(extents[-1]) == 1:
        return 1
    return max(VECTOR_BITS // max(buffer.dtype.total_bits, 1), 1)


def _written(loop: For, threads: int) -> Nest | None:
    """A nest of ``T.Parallel`` loops; other loops inside run within one thread."""
    shape = loop_shape(loop)
    if shape is None:
        return None
    places = {var: dim for dim, var in enumerate(shape.vars)}
    touches: list[Touch] = []
    limits: list[int] = []
    for stmt in walk(shape.body):
        if updated_reducer(stmt) is not None:
            limits.append(1)
        if isinstance(stmt, Store):
            touches.append(Touch(stmt.buffer, _index_dims(stmt.indices, places), True))
            limits.append(_index_vector(stmt.buffer, stmt.indices, shape.vars))
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, Load):
                    touches.append(Touch(term.buffer, _index_dims(term.indices, places), False))
                    limits.append(_index_vector(term.buffer, term.indices, shape.vars))
    return Nest(shape.extents, tuple(touches), gcd(*limits), threads)


class LoopShape(NamedTuple):
    """The variables, extents and body of directly nested ``T.Parallel`` loops."""

    vars: tuple[Var, ...]
    extents: tuple[int, ...]
    body: Block


def loop_shape(loop: For) -> LoopShape | None:
    """``None`` if an extent is not a number."""
    loop_vars: list[Var] = []
    extents: list[int] = []
    body: Block = (loop,)
    while len(body) == 1 and isinstance(body[0], For) and body[0].kind == "parallel":
        inner = body[0]
        for var, extent in zip(inner.vars, inner.extents, strict=True):
            number = try_const(extent)
            if number is None:
                return None
            loop_vars.append(var)
            extents.append(number)
        body = inner.body
    return LoopShape(tuple(loop_vars), tuple(extents), body)


def _index_dims(indices: Sequence[object], places: Mapping[Var, int]) -> tuple[int | None, ...]:
    return tuple(places.get(index) if isinstance(index, Var) else None for index in indices)


def _index_vector(buffer: Buffer, indices: Sequence[object], loop_vars: Sequence[Var]) -> int:
    """Like :func:`_box_vector` for an access by index; an access that does not move with the innermost loop is read
    once for all lanes."""
    if not (buffer.is_global or buffer.is_shared) or not loop_vars or not indices:
        return 0
    innermost = loop_vars[-1]
    moving = [innermost in set(_mentioned(index)) for index in indices]
    if not any(moving):
        return 0
    last = affine(indices[-1])
    unit = last.terms.get(frozenset(((innermost, 1),)))
    if any(moving[:-1]) or unit != 1:
        return 1
    return max(VECTOR_BITS // max(buffer.dtype.total_bits, 1), 1)


def _mentioned(index: object) -> Iterator[object]:
    return (term for term in subterms(index) if isinstance(term, Var))


def vector_of(nest: Nest) -> int:
    """Neighbours that one thread takes together: as many as leave no thread idle."""
    vector = nest.vector or _register_vector(nest)
    if nest.extents:
        vector = gcd(vector, nest.extents[-1])
    while vector > 1 and prod(nest.extents) % (nest.threads * vector):
        vector //= 2
    return vector


def _register_vector(nest: Nest) -> int:
    """Lanes of a loop that touches registers only."""
    widths = [touch.buffer.dtype.total_bits for touch in nest.fragments()]
    return max(VECTOR_BITS // max(max(widths, default=32), 1), 1)


def outer_statements(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """Statements in order; parallel loops come whole."""
    for stmt in body:
        yield stmt
        if not (isinstance(stmt, For) and stmt.kind == "parallel"):
            for inner in children(stmt):
                yield from outer_statements(inner)
