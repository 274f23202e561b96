"""Ranges of integers and of expressions.

A bound that is ``None`` is unknown. Integers do not wrap here: an index computation that overflows its type is
reported by its own rule, and everything else assumes that it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.ir.arith.terms import is_exact_integer, postorder
from tilelang.ir.expr import Binary, Call, Cast, Const, Select, Unary, Var, const_int, is_comparison

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from ``lo`` to ``hi``, both included; ``None`` is unbounded on that side."""

    lo: int | None = None
    hi: int | None = None

    @property
    def value(self) -> int | None:
        """The only member, if there is just one."""
        return self.lo if self.lo == self.hi else None

    def __contains__(self, number: int) -> bool:
        return (self.lo is None or self.lo <= number) and (self.hi is None or number <= self.hi)

    def within(self, other: Interval) -> bool:
        """Whether every member certainly lies in ``other``."""
        above = other.lo is None or (self.lo is not None and self.lo >= other.lo)
        return above and (other.hi is None or (self.hi is not None and self.hi <= other.hi))

    def __add__(self, other: Interval) -> Interval:
        return Interval(_plus(self.lo, other.lo), _plus(self.hi, other.hi))

    def __neg__(self) -> Interval:
        return Interval(None if self.hi is None else -self.hi, None if self.lo is None else -self.lo)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if self.value == 0 or other.value == 0:
            return Interval(0, 0)
        if None not in (self.lo, self.hi, other.lo, other.hi):
            corners = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]  # type: ignore[operator]
            return Interval(min(corners), max(corners))  # type: ignore[type-var]  # all four are numbers
        if self.value is not None:
            return other.scaled(self.value)
        if other.value is not None:
            return self.scaled(other.value)
        if self.lo is not None and other.lo is not None and self.lo >= 0 and other.lo >= 0:
            hi = None if self.hi is None or other.hi is None else self.hi * other.hi
            return Interval(self.lo * other.lo, hi)
        return UNBOUNDED

    def scaled(self, factor: int) -> Interval:
        if factor == 0:
            return Interval(0, 0)
        ends = (
            None if self.lo is None else self.lo * factor,
            None if self.hi is None else self.hi * factor,
        )
        return Interval(*(ends if factor > 0 else ends[::-1]))

    def floordiv(self, divisor: Interval) -> Interval:
        """Range of ``a // b``. Nothing is known unless every divisor is positive."""
        low, high = divisor.lo, divisor.hi
        if low is None or low <= 0:
            return UNBOUNDED
        if self.lo is None:
            lo = None
        elif self.lo < 0:
            lo = self.lo // low
        else:
            lo = 0 if high is None else self.lo // high
        if self.hi is None:
            hi = None
        elif self.hi >= 0:
            hi = self.hi // low
        else:
            hi = -1 if high is None else self.hi // high
        return Interval(lo, hi)

    def floormod(self, divisor: Interval) -> Interval:
        """Range of ``a % b`` in Python's sense. Nothing is known unless every divisor is positive."""
        if divisor.lo is None or divisor.lo <= 0:
            return UNBOUNDED
        if self.lo is not None and self.hi is not None and divisor.value is not None:
            quotient = self.lo // divisor.value
            if quotient == self.hi // divisor.value:
                return Interval(self.lo - quotient * divisor.value, self.hi - quotient * divisor.value)
        top = None if divisor.hi is None else divisor.hi - 1
        if self.lo is not None and self.lo >= 0 and self.hi is not None and (top is None or self.hi < top):
            top = self.hi
        return Interval(0, top)

    def union(self, other: Interval) -> Interval:
        return Interval(
            None if self.lo is None or other.lo is None else min(self.lo, other.lo),
            None if self.hi is None or other.hi is None else max(self.hi, other.hi),
        )

    def minimum(self, other: Interval) -> Interval:
        lo = None if self.lo is None or other.lo is None else min(self.lo, other.lo)
        return Interval(lo, _tighter("min", self.hi, other.hi))

    def maximum(self, other: Interval) -> Interval:
        hi = None if self.hi is None or other.hi is None else max(self.hi, other.hi)
        return Interval(_tighter("max", self.lo, other.lo), hi)

    def intersect(self, other: Interval) -> Interval:
        """Members of both. Two ranges of one value always meet, so the result is not empty in that use."""
        return Interval(_tighter("max", self.lo, other.lo), _tighter("min", self.hi, other.hi))


UNBOUNDED = Interval()
BIT = Interval(0, 1)
Ranges = Mapping[Var, Interval]
"""What is known about variables. A variable that is missing has the range of its kind."""


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _tighter(choose: Literal["min", "max"], a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b) if choose == "max" else min(a, b)


def range_of_var(var: Var, ranges: Ranges) -> Interval:
    """The range of a variable: the given one, else what its kind implies (sizes and indices of the launch are
    not negative). Variables that are not integers, and unknown values, have none."""
    if not is_exact_integer(var):
        return BIT if var.dtype.is_bool and var.kind != "unknown" else UNBOUNDED
    found = ranges.get(var)
    if found is not None:
        return found
    return Interval(0) if var.kind in ("dim", "block", "thread") or var.dtype.kind == "uint" else UNBOUNDED


def interval_of(value: object, ranges: Ranges) -> Interval:
    """The range of an operand by interval arithmetic over its tree. Sound, and loose where one variable occurs
    twice; :func:`tilelang.ir.arith.bounds` also uses the affine form."""
    known: dict[int, Interval] = {}
    for term in postorder(value):
        known[id(term)] = _step(term, known, ranges)
    return known.get(id(value), UNBOUNDED)


def _step(term: object, known: Mapping[int, Interval], ranges: Ranges) -> Interval:
    number = const_int(term) if isinstance(term, (int, Const)) else None
    if number is not None:
        return Interval(number, number)
    if isinstance(term, Var):
        return range_of_var(term, ranges)
    if isinstance(term, Binary):
        return _binary(term, known[id(term.a)], known[id(term.b)])
    if isinstance(term, Unary):
        if term.op == "not":
            return BIT
        return -known[id(term.a)] if term.op == "-" and is_exact_integer(term) else UNBOUNDED
    if isinstance(term, Cast):
        return _cast(term, known[id(term.value)])
    if isinstance(term, Select):
        return known[id(term.then)].union(known[id(term.other)])
    if isinstance(term, Call) and term.dtype.is_bool:
        return BIT
    return UNBOUNDED


def _binary(term: Binary, a: Interval, b: Interval) -> Interval:
    if is_comparison(term.op):
        return BIT
    if not is_exact_integer(term):
        return UNBOUNDED
    exact = _exact_binary(term, a, b)
    if term.dtype.is_signed:
        return exact
    every = type_range(term.dtype)
    return exact if exact.within(every) else every


def _exact_binary(term: Binary, a: Interval, b: Interval) -> Interval:
    """As if integers had no width. Unsigned results that would leave their type wrap around; see the caller."""
    if term.op == "+":
        return a + b
    if term.op == "-":
        return a - b
    if term.op == "*":
        return a * b
    if term.op == "//":
        return a.floordiv(b)
    if term.op == "%":
        return a.floormod(b)
    if term.op == "min":
        return a.minimum(b)
    if term.op == "max":
        return a.maximum(b)
    if term.op in ("truncdiv", "truncmod") and a.lo is not None and a.lo >= 0:
        return a.floordiv(b) if term.op == "truncdiv" else a.floormod(b)
    if term.op == "<<" and b.value is not None and 0 <= b.value < 64:
        return a.scaled(1 << b.value)
    if term.op == ">>" and b.value is not None and 0 <= b.value < 64:
        return a.floordiv(Interval(1 << b.value, 1 << b.value))
    if term.op == "&":
        # A negative operand only adds sign bits: `x & m` lies in 0..m for any x when m is not negative.
        tops = [side.hi for side in (a, b) if side.lo is not None and side.lo >= 0]
        return Interval(0, min((top for top in tops if top is not None), default=None)) if tops else UNBOUNDED
    if term.op in ("|", "^") and a.lo is not None and a.lo >= 0 and b.lo is not None and b.lo >= 0:
        if a.hi is None or b.hi is None:
            return Interval(0)
        return Interval(0, (1 << max(a.hi, b.hi).bit_length()) - 1)
    return UNBOUNDED


def _cast(term: Cast, inner: Interval) -> Interval:
    if term.dtype.is_bool:
        return BIT
    if not is_exact_integer(term) or inner == UNBOUNDED:
        return UNBOUNDED
    every = type_range(term.dtype)
    return inner if inner.within(every) else every


def type_range(dtype: DType) -> Interval:
    """All values of an integer type."""
    if dtype.is_signed:
        return Interval(-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return Interval(0, (1 << dtype.bits) - 1)
