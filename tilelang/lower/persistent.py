"""``T.Persistent`` as a loop over waves: in each, a block takes one tile of the domain, or none in the last wave.

Tiles are numbered so that ``group_size`` neighbours along the last dimension go through all others together; what
remains of that dimension is a narrower group. So every tile has one number, whatever divides what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tilelang.ir.arith import try_const
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Var, const_int
from tilelang.ir.stmt import For, If, Let
from tilelang.language.arith import binary
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand


def open_persistent(loop: For) -> For:
    """The same statements under a serial loop. The variables of ``loop`` are bound to the tile."""
    waves, index = loop.attr("wave_size"), loop.attr("index")
    given = loop.attr("group_size")
    total: Operand = 1
    for extent in loop.extents:
        total = _of("*", total, extent)
    last = loop.extents[-1]
    group = _of("min", last if given is None else given, last) if len(loop.vars) > 1 else last
    wave = Var(INT32, "wave", "loop", span=loop.span)
    tile = Var(INT32, "tile", "let", span=loop.span)
    body = (*_coordinates(loop, tile, group), *loop.body)
    inside = (
        Let(tile, _of("+", _of("*", wave, waves), index), span=loop.span),
        If(_of("<", tile, total), body, (), span=loop.span),
    )
    count = _of("//", _of("-", _of("+", total, waves), 1), waves)
    return For("serial", (wave,), (0,), (count,), inside, 1, span=loop.span)


def _coordinates(loop: For, tile: Var, group: Operand) -> list[Let]:
    """The variables of the loop from the number of a tile: its group, the place along the last dimension inside that,
    then the other dimensions, the last of them fastest."""
    *others, last = loop.vars
    *extents, width = loop.extents
    rest: Operand = 1
    for extent in extents:
        rest = _of("*", rest, extent)
    whole = _of("*", group, rest)
    start = _of("*", _of("//", tile, whole), group)
    inside = _of("%", tile, whole)
    narrow = group
    sizes = try_const(group), try_const(width)
    if sizes[0] is None or sizes[1] is None or sizes[1] % sizes[0]:
        narrow = _of("min", group, _of("-", width, start))
    # Nothing is negative here, where rounding down and towards zero agree; the latter is cheaper for a divisor that is
    # no constant.
    divide, rest_of = ("//", "%") if try_const(narrow) is not None else ("truncdiv", "truncmod")
    found = [_bound(last, _of("+", start, _of(rest_of, inside, narrow)), width)]
    left = _of(divide, inside, narrow)
    for var, extent in reversed(list(zip(others, extents, strict=True))):
        found.append(_bound(var, _of("%", left, extent), extent))
        left = _of("//", left, extent)
    return found


def _bound(var: Var, value: Operand, extent: Operand) -> Let:
    number = const_int(extent)
    return Let(var, value, span=var.span, attrs=() if number is None else (("below", number),))


def _of(op: str, a: object, b: object) -> Operand:
    found = binary(op, a, b)
    if not isinstance(found, (int, float)) and not hasattr(found, "dtype"):
        raise Unsupported("T.Persistent needs numbers for its domain, its wave size and its index")
    return cast("Operand", found)
