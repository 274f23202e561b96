"""Indices of a loop nest as digit sums.

The inputs of the sums are the loops of the nest, by number. Whatever else an index depends on becomes a parameter: an
input whose key is a variable, a product with a symbolic stride, or an :class:`Opaque` value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import bounds, try_const
from tilelang.ir.expr import Binary, Cast, Expr, Unary, Var, const_int
from tilelang.ir.layout.digits import UNBOUNDED, ZERO, Digit, Input, Sum, bitwise, const, normal, of
from tilelang.ir.visit import subterms

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from tilelang.ir.arith import Ranges

MAX_DEPTH = 40
"""Deeper expressions are taken as opaque."""


class Opaque(NamedTuple):
    """A value that no digits describe. ``loops``: the loops of the nest that it may change with."""

    value: Hashable
    loops: frozenset[int]


class Product(NamedTuple):
    """A digit of scale 1 times a factor that is not a number."""

    digit: Digit
    factor: Hashable


class Indexing:
    """Turns operands into sums. ``loops``: the variables of the nest with their numbers and extents; ``inner``: those
    of serial loops inside it."""

    def __init__(self, loops: Mapping[Var, tuple[int, int]], ranges: Ranges) -> None:
        self._loops = loops
        self._ranges = ranges

    def sum_of(self, operand: object, depth: int = 0) -> Sum:
        number = const_int(operand)
        if number is not None:
            return const(number)
        if isinstance(operand, Var):
            return self._variable(operand)
        if depth < MAX_DEPTH:
            if isinstance(operand, Cast) and operand.dtype.is_integer and _is_integer(operand.value):
                return self.sum_of(operand.value, depth + 1)
            if isinstance(operand, Unary) and operand.op == "-":
                return self.sum_of(operand.a, depth + 1) * -1
            if isinstance(operand, Binary):
                found = self._binary(operand, depth + 1)
                if found is not None:
                    return found
        return self._opaque(operand)

    def offset(self, indices: Sequence[Sum], strides: Sequence[object]) -> Sum:
        """The number of an element in a buffer with these strides."""
        total = ZERO
        for index, stride in zip(indices, strides, strict=True):
            number = try_const(stride)
            total += index * number if number is not None else _times(index, stride)
        return total

    def _variable(self, var: Var) -> Sum:
        loop = self._loops.get(var)
        if loop is not None:
            return of(loop[0], loop[1])
        span = bounds(var, self._ranges) if var.kind != "unknown" else None
        if span is not None and span.lo is not None and span.lo >= 0 and span.hi is not None:
            return of(var, span.hi + 1)
        return of(var, UNBOUNDED)

    def _binary(self, operand: Binary, depth: int) -> Sum | None:
        op = operand.op
        if op not in ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "truncdiv", "truncmod"):
            return None
        a, b = self.sum_of(operand.a, depth), self.sum_of(operand.b, depth)
        if op in ("+", "-"):
            return a + b if op == "+" else a - b
        if op == "*":
            if b.is_const or a.is_const:
                return a * b.base if b.is_const else b * a.base
            factor = operand.b if _loops_of(b) == frozenset() else None
            return _times(a, factor) if factor is not None else None
        if op in ("&", "|", "^"):
            return bitwise(op, a, b)
        if not b.is_const or b.base < 0:
            return None
        if op in ("<<", ">>"):
            return a * (1 << b.base) if op == "<<" else a // (1 << b.base)
        if b.base == 0 or (op in ("truncdiv", "truncmod") and a.low < 0):
            return None
        return a // b.base if op in ("//", "truncdiv") else a % b.base

    def _opaque(self, operand: object) -> Sum:
        loops = frozenset(
            self._loops[term][0] for term in subterms(operand) if isinstance(term, Var) and term in self._loops
        )
        key = operand if isinstance(operand, Expr) else id(operand)
        return of(Opaque(_hashable(key), loops), UNBOUNDED)


def _hashable(value: object) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, Expr) and value.dtype.is_integer)


def _times(total: Sum, factor: object) -> Sum:
    """A sum times something that is not a number."""
    key = _hashable(factor)
    digits = [
        Digit(Input(Product(Digit(source, lower, extent, 1), key), UNBOUNDED), 1, UNBOUNDED, scale)
        for source, lower, extent, scale in total.digits
    ]
    if total.base:
        digits.append(Digit(Input(Opaque(key, frozenset()), UNBOUNDED), 1, UNBOUNDED, total.base))
    return normal(digits)


def _loops_of(total: Sum) -> frozenset[int]:
    """The loops of the nest that a sum depends on."""
    found: set[int] = set()
    for one in total.inputs():
        key = one.key
        if isinstance(key, int):
            found.add(key)
        elif isinstance(key, Opaque):
            found |= key.loops
        elif isinstance(key, Product):
            found |= _loops_of(Sum((key.digit,)))
    return frozenset(found)


def loops_of(total: Sum) -> frozenset[int]:
    """The loops of the nest that a sum depends on, through products and opaque values too."""
    return _loops_of(total)


def is_plain(total: Sum) -> bool:
    """Whether a sum depends on nothing but the loops of the nest."""
    return all(isinstance(one.key, int) for one in total.inputs())
