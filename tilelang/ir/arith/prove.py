"""Questions about integer expressions. "No" and "cannot tell" are the same answer: ``False`` or ``None``.

Two mentions of one variable count as one value, so both expressions must be meant at one point of the program
(the same iteration, thread and block).
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from tilelang.ir.arith.affine import Affine, Unique, affine
from tilelang.ir.arith.interval import UNBOUNDED, Interval, Ranges, interval_of
from tilelang.ir.expr import Expr, Var, const_value

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand

_NO_RANGES: Ranges = {}


def try_const(value: object, ranges: Ranges = _NO_RANGES) -> int | None:
    """The integer that an operand certainly is, else ``None``. Booleans count as 0 and 1."""
    if type(value) is int:
        return value
    if not _is_integer(value):
        return None
    form = affine(value, ranges)
    return form.const if form.is_const else interval_of(value, ranges).value


def bounds(value: object, ranges: Ranges = _NO_RANGES) -> Interval:
    """The least range that is known to hold every value of an integer operand."""
    if not _is_integer(value):
        return UNBOUNDED
    return affine(value, ranges).range(ranges).intersect(interval_of(value, ranges))


def difference(a: Operand, b: Operand, ranges: Ranges = _NO_RANGES) -> Interval:
    """The range of ``a - b``. Terms that both sides share cancel."""
    if not (_is_integer(a) and _is_integer(b)):
        return UNBOUNDED
    plain = interval_of(a, ranges) - interval_of(b, ranges)
    return _gap(a, b, ranges).range(ranges).intersect(plain)


def prove_equal(a: object, b: object, ranges: Ranges = _NO_RANGES) -> bool:
    """Whether ``a == b`` certainly. Numbers that are not integers are equal only as constants."""
    if not (_is_integer(a) and _is_integer(b)):
        left, right = const_value(a), const_value(b)
        return left is not None and left == right
    gap = _gap(a, b, ranges)
    return (gap.is_const and gap.const == 0) or gap.range(ranges).value == 0


def prove_ne(a: object, b: object, ranges: Ranges = _NO_RANGES) -> bool:
    """Whether ``a != b`` certainly."""
    if not (_is_integer(a) and _is_integer(b)):
        left, right = const_value(a), const_value(b)
        return left is not None and right is not None and left != right
    gap = _gap(a, b, ranges)
    if 0 not in gap.range(ranges):
        return True
    step = 0
    for product, factor in gap.terms.items():
        if any(isinstance(atom, Unique) and not _is_known_integer(atom.expr) for atom, _ in product):
            return False
        step = gcd(step, factor)
    return step > 1 and gap.const % step != 0


def prove_le(a: Operand, b: Operand, ranges: Ranges = _NO_RANGES) -> bool:
    """Whether ``a <= b`` certainly."""
    return _is_at_most(a, b, 0, ranges)


def prove_lt(a: Operand, b: Operand, ranges: Ranges = _NO_RANGES) -> bool:
    """Whether ``a < b`` certainly."""
    return _is_at_most(a, b, -1, ranges)


def _is_at_most(a: Operand, b: Operand, limit: int, ranges: Ranges) -> bool:
    """Whether ``a - b <= limit`` certainly. Ranges alone often say so; the forms, where terms cancel, cost more."""
    if not (_is_integer(a) and _is_integer(b)):
        return False
    plain = (interval_of(a, ranges) - interval_of(b, ranges)).hi
    if plain is not None and plain <= limit:
        return True
    top = _gap(a, b, ranges).range(ranges).hi
    return top is not None and top <= limit


def prove_divisible(value: Operand, divisor: int, ranges: Ranges = _NO_RANGES) -> bool:
    """Whether ``divisor`` certainly divides ``value``."""
    if divisor == 0 or not _is_integer(value):
        return False
    form = affine(value, ranges)
    factors = (form.const, *form.terms.values())
    return all(factor % divisor == 0 for factor in factors)


def _gap(a: object, b: object, ranges: Ranges) -> Affine:
    return affine(a, ranges) - affine(b, ranges)


def _is_known_integer(value: object) -> bool:
    return _is_integer(value) and not (isinstance(value, Var) and value.kind == "unknown")


def _is_integer(value: object) -> bool:
    """Whether a value is an integer or a truth value, as far as its type says. Plain floats and values of float or
    unknown type are not."""
    if isinstance(value, int):
        return True
    return isinstance(value, Expr) and (value.dtype.is_integer or value.dtype.is_bool) and value.dtype.lanes == 1
