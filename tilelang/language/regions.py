"""Boxes of buffers: from subscripts to the operands of tile operations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tilelang.ir.buffer import Buffer, Dim, Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Const, Expr, Index, Load, Operand, Slice, Var, const_int
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import binary, operand
from tilelang.language.context import describe, here, invalid, is_unknown, span_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def subscript(buffer: Buffer, index: object, span: Span = NOWHERE) -> Load | Region:
    """``buffer[index]``: an element, or a box if the index has a slice.

    ``index`` is one index or a tuple of operands, :class:`~tilelang.ir.expr.Slice`, ``slice`` or ``...``. A slice
    without a start begins at 0, without a stop it ends at the extent of its dimension.
    """
    entries = _expand(index, buffer.rank)
    indices = tuple(_index(entry, span) for entry in entries)
    if not any(isinstance(entry, Slice) for entry in indices):
        return element(buffer, cast("tuple[Operand, ...]", indices), span)
    return box(buffer, indices, span)


def element(buffer: Buffer, indices: tuple[Operand, ...], span: Span = NOWHERE) -> Load:
    """``buffer[indices]``; with a vector among the indices (``T.Ramp``), that many elements."""
    lanes = max((index.dtype.lanes for index in indices if isinstance(index, Expr)), default=1)
    dtype = buffer.dtype if lanes == 1 or not buffer.dtype.is_known else buffer.dtype.with_lanes(lanes)
    return Load(dtype, buffer, indices, span=span)


def box(buffer: Buffer, indices: tuple[Index, ...], span: Span = NOWHERE) -> Region:
    """The box that ``indices`` name. With a wrong number of indices it stays unresolved."""
    if len(indices) != buffer.rank:
        return Region(buffer, indices, (), None, span=span)
    mins: list[Operand] = []
    extents: list[Dim] = []
    for entry, dim in zip(indices, buffer.shape, strict=True):
        if isinstance(entry, Slice):
            start: Operand = 0 if entry.start is None else entry.start
            stop: Operand = dim if entry.stop is None else entry.stop
            mins.append(start)
            extents.append(difference(stop, start))
        else:
            mins.append(entry)
            extents.append(1)
    return Region(buffer, indices, tuple(mins), tuple(extents), span=span)


def _expand(index: object, rank: int) -> list[object]:
    entries: list[object] = list(cast("Iterable[object]", index)) if isinstance(index, (tuple, list)) else [index]
    for position, entry in enumerate(entries):
        if entry is ...:
            missing = max(0, rank - (len(entries) - 1))
            return [*entries[:position], *[Slice(None, None)] * missing, *entries[position + 1 :]]
    return entries


def _index(entry: object, span: Span) -> Index:
    if isinstance(entry, Slice):
        return entry
    if isinstance(entry, slice):
        written = cast("slice[object, object, object]", entry)
        parts = (written.start, written.stop, written.step)
        start, stop, step = (None if part is None else _operand(part, span) for part in parts)
        return Slice(start, stop, step, span=span)
    return _operand(entry, span)


def _operand(value: object, span: Span) -> Operand:
    found = operand(value)
    return unknown_var(span) if isinstance(found, Unknown) else found


def unknown_var(span: Span = NOWHERE) -> Var:
    """An integer that could not be followed. Nothing may be concluded from it."""
    return Var(INT32, "?", "unknown", span=span)


def whole(buffer: Buffer, span: Span = NOWHERE) -> Region:
    """The box that covers all of ``buffer``."""
    return Region(buffer, None, (0,) * buffer.rank, buffer.shape, span=span)


def to_region(value: object, span: Span | None = None) -> Region | None:
    """``value`` as an operand of a tile operation; ``None`` if it is not part of a buffer.

    A buffer is its whole box. An element gives the start of a box whose extents the other operand decides.
    """
    if isinstance(value, Region):
        return value
    if isinstance(value, Buffer):
        return whole(value, here() if span is None else span)
    if isinstance(value, Load):
        mins = value.indices if len(value.indices) == value.buffer.rank else ()
        return Region(value.buffer, value.indices, mins, None, span=value.span)
    return None


def expect_region(function: str, argument: str, value: object) -> Region | None:
    """Like :func:`to_region`; records ``invalid-argument`` for a value that certainly is no part of a buffer."""
    region = to_region(value, span_of(argument))
    if region is None and not is_unknown(value):
        invalid(function, argument, "a buffer or a box of one", describe(value))
    return region


def resolve_pair(src: Region, dst: Region) -> tuple[Region, Region]:
    """Give the side of a copy that only names a start the extents of the other, right-aligned.

    ``A[bz, by * 64, 0]`` beside a 64 by 32 tile becomes the box of extents ``(1, 64, 32)``. A side with fewer
    dimensions than the other stays without extents, unless the surplus extents are 1.
    """
    if src.extents is None and dst.extents is not None:
        return with_extents(src, dst.extents), dst
    if dst.extents is None and src.extents is not None:
        return src, with_extents(dst, src.extents)
    return src, dst


def with_extents(region: Region, extents: Sequence[Dim]) -> Region:
    """``region`` with the extents of its partner, aligned at the last dimension and padded with 1."""
    rank = region.buffer.rank
    if len(region.mins) != rank:
        return region
    surplus = len(extents) - rank
    if surplus > 0 and any(const_int(extent) != 1 for extent in extents[:surplus]):
        return region
    return replace(region, extents=(1,) * -surplus + tuple(extents[max(0, surplus) :]))


def single(region: Region) -> Region:
    """``region`` with extent 1 in every dimension if it only names a start."""
    if region.extents is not None or len(region.mins) != region.buffer.rank:
        return region
    return replace(region, extents=(1,) * region.buffer.rank)


def difference(stop: Operand, start: Operand) -> Dim:
    """``stop - start``, a number where the symbolic parts cancel: ``(i + 1) * 64 - i * 64`` is 64."""
    if isinstance(stop, int) and isinstance(start, int):
        return stop - start
    if const_int(start) == 0:
        return _dim(stop)
    terms: dict[object, int] = {}
    constant = _collect(stop, 1, terms) - _collect(start, 1, _negated := {})
    for atom, factor in _negated.items():
        terms[atom] = terms.get(atom, 0) - factor
    left = {atom: factor for atom, factor in terms.items() if factor}
    if not left:
        return constant
    if len(left) == 1:
        ((atom, factor),) = left.items()
        if factor == 1 and isinstance(atom, Expr):
            return _dim(_operand(binary("+", atom, constant), NOWHERE))
    return _dim(_operand(binary("-", stop, start), NOWHERE))


def _dim(value: Operand) -> Dim:
    number = const_int(value)
    if number is not None:
        return number
    return value if isinstance(value, Expr) else unknown_var()


def _collect(value: Operand, factor: int, terms: dict[object, int]) -> int:
    """Add ``factor * value`` to ``terms`` as a sum of atoms; returns the constant part."""
    number = const_int(value)
    if number is not None:
        return factor * number
    if isinstance(value, Binary):
        if value.op in ("+", "-"):
            sign = factor if value.op == "+" else -factor
            return _collect(value.a, factor, terms) + _collect(value.b, sign, terms)
        if value.op == "*":
            for term, scale in ((value.a, value.b), (value.b, value.a)):
                number = const_int(scale)
                if number is not None:
                    return _collect(term, factor * number, terms)
    terms[value] = terms.get(value, 0) + factor
    return 0


def is_constant(dim: Dim) -> bool:
    """Whether an extent is a number."""
    return isinstance(dim, (int, Const))
