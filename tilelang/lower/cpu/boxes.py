"""Boxes of buffers as loops: which element of one box belongs to which of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Var
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Dim, Region
    from tilelang.ir.expr import Operand

Box = list[tuple["Operand", "Dim"]]


def box_of(region: Region) -> Box:
    """Start and extent of each dimension. Raises :class:`Unsupported` for a box that is not known."""
    if not region.is_resolved or region.extents is None:
        raise Unsupported(f"the box of {region.buffer.name} is not known", region.span)
    return [
        (start, number if (number := try_const(extent)) is not None else extent)
        for start, extent in zip(region.mins, region.extents, strict=True)
    ]


def loops_for(extents: Sequence[Dim]) -> tuple[Var, ...]:
    """A loop variable for each extent."""
    return tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(extents)))


def long_extents(box: Box) -> list[Dim]:
    """The extents that are not 1."""
    return [extent for _, extent in box if extent != 1]


def indices_of(box: Box, loops: Sequence[Var], extents: Sequence[Dim], region: Region) -> tuple[Operand, ...]:
    """An index for each dimension of a box. Its dimensions above 1 are the loops, in order; a box whose extents differ
    from the loops is walked through in row-major order."""
    own = long_extents(box)
    if len(own) == len(extents) and all(_same(a, b) for a, b in zip(own, extents, strict=True)):
        running = iter(loops)
        return tuple(start if extent == 1 else plus(start, next(running)) for start, extent in box)
    numbers = [try_const(extent) for extent in (*own, *extents)]
    total = _product(own)
    count = _product(extents)
    if None in numbers or total != count:
        if len(own) == len(extents):
            # The smaller box is copied; accesses outside of a buffer are left out.
            running = iter(loops)
            return tuple(start if extent == 1 else plus(start, next(running)) for start, extent in box)
        raise Unsupported(f"the boxes of a copy have {count} and {total} elements ({region.buffer.name})", region.span)
    flat: Operand = 0
    for loop, extent in zip(loops, extents, strict=True):
        flat = plus(times(flat, extent), loop)
    indices: list[Operand] = []
    stride = total
    for start, extent in box:
        length = try_const(extent) or 1
        if extent == 1:
            indices.append(start)
            continue
        stride //= length
        part: Operand = Binary(INT32, "//", flat, stride) if stride != 1 else flat
        if stride * length != total:
            part = Binary(INT32, "%", part, length)
        indices.append(plus(start, part))
    return tuple(indices)


def _same(a: Dim, b: Dim) -> bool:
    return a is b or a == b


def _product(extents: Sequence[Dim]) -> int:
    count = 1
    for extent in extents:
        count *= try_const(extent) or 1
    return count


def plus(a: Operand, b: Operand) -> Operand:
    if isinstance(a, int) and a == 0:
        return b
    if isinstance(b, int) and b == 0:
        return a
    return Binary(INT32, "+", a, b)


def times(a: Operand, factor: Operand) -> Operand:
    if isinstance(a, int) and a in (0, 1):
        return a if a == 0 else factor
    return Binary(INT32, "*", a, factor)


def binary(op: str, a: object, b: object) -> Operand:
    """Integer arithmetic, done now where both sides are numbers."""
    x, y = try_const(a), try_const(b)
    if x is not None and y is not None and (y or op not in ("//", "%")):
        return {"+": x + y, "-": x - y, "*": x * y}.get(op, x // y if op == "//" else x % y if y else 0)
    return Binary(INT32, op, a, b)  # type: ignore[arg-type]  # operands
