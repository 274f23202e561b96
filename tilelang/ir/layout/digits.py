"""Integer index maps in one canonical form: sums of digits of the inputs.

A :class:`Digit` is ``(source // lower) % extent * scale``. Its source is an input with a known range, or a sum that
could not be cut any further (the fused index of a ragged loop nest, the two bits that a swizzle adds modulo 2). A
:class:`Sum` adds digits and a constant. Sums are closed under what layouts are made of: addition, multiplication by
constants, floor division, remainder and bitwise operations, and composition. All of it is exact.

Normal form: digits of one source are disjoint, adjacent ones are joined, digits of extent 1 are gone. Equal sums are
equal functions. Unequal sums over plain inputs may still agree; :func:`table` decides that by enumeration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

UNBOUNDED: Final = 1 << 40
"""The range of an input whose size is not known."""


class Input(NamedTuple):
    """A coordinate that runs from 0 up to, not including, ``extent``. ``key`` is a dimension number, or any hashable
    object that stands for a parameter."""

    key: object
    extent: int


class Digit(NamedTuple):
    """``(source // lower) % extent * scale``."""

    source: Input | Sum
    lower: int
    extent: int
    scale: int

    @property
    def is_top(self) -> bool:
        """Whether nothing of the source lies above this digit, so that the remainder does nothing."""
        return self.lower * self.extent >= _range(self.source)


@dataclass(frozen=True, slots=True)
class Sum:
    """``base`` plus the digits. Build sums with :func:`normal`, :func:`of` and the operators."""

    digits: tuple[Digit, ...]
    base: int = 0
    _hash: int = field(default=0, init=False, compare=False, repr=False)

    def __hash__(self) -> int:
        # Sums are keys of caches and contain each other, so the hash is kept.
        if not self._hash:
            object.__setattr__(self, "_hash", hash((self.digits, self.base)) or 1)
        return self._hash

    @property
    def is_const(self) -> bool:
        return not self.digits

    @property
    def low(self) -> int:
        """The least value."""
        return self.base + sum((digit.extent - 1) * digit.scale for digit in self.digits if digit.scale < 0)

    @property
    def high(self) -> int:
        """The greatest value. An upper bound where fused digits depend on each other."""
        return self.base + sum((digit.extent - 1) * digit.scale for digit in self.digits if digit.scale > 0)

    def __add__(self, other: Sum | int) -> Sum:
        if isinstance(other, int):
            return Sum(self.digits, self.base + other)
        if not other.digits or not self.digits:
            return Sum(self.digits or other.digits, self.base + other.base)
        return normal(self.digits + other.digits, self.base + other.base)

    def __sub__(self, other: Sum | int) -> Sum:
        return self + (-other if isinstance(other, int) else other * -1)

    def __mul__(self, factor: int) -> Sum:
        if factor == 0:
            return ZERO
        digits = tuple(Digit(one.source, one.lower, one.extent, one.scale * factor) for one in self.digits)
        return Sum(digits, self.base * factor)

    def __floordiv__(self, divisor: int) -> Sum:
        return _divided(self, divisor)

    def __mod__(self, divisor: int) -> Sum:
        return _remainder(self, divisor)

    def at(self, point: Mapping[object, int]) -> int:
        """The value at one point, given by the keys of the inputs."""
        total = self.base
        for source, lower, extent, scale in self.digits:
            value = point[source.key] if isinstance(source, Input) else source.at(point)
            total += value // lower % extent * scale
        return total

    def inputs(self) -> frozenset[Input]:
        """The inputs that the value depends on."""
        found: set[Input] = set()
        for digit in self.digits:
            if isinstance(digit.source, Input):
                found.add(digit.source)
            else:
                found |= digit.source.inputs()
        return frozenset(found)


ZERO: Final = Sum(())


def const(value: int) -> Sum:
    return Sum((), value)


def of(key: object, extent: int) -> Sum:
    """One whole input."""
    return Sum((Digit(Input(key, extent), 1, extent, 1),)) if extent != 1 else ZERO


def _range(source: Input | Sum) -> int:
    """One more than the greatest value; for sums that can be negative, more than any digit covers."""
    if isinstance(source, Input):
        return source.extent
    return source.high + 1 if source.low >= 0 else UNBOUNDED


# --- normal form ----------------------------------------------------------------------------------------------


def normal(digits: Iterable[Digit], base: int = 0) -> Sum:
    """The sum of digits in normal form."""
    groups: dict[Input | Sum, list[Digit]] = {}
    for digit in digits:
        if digit.extent != 1 and digit.scale:
            groups.setdefault(digit.source, []).append(digit)
    joined: list[Digit] = []
    for source, group in groups.items():
        joined += group if len(group) == 1 else _joined(source, group)
    if any(_is_whole(digit) for digit in joined):
        parts, offset = _opened(joined)
        return normal(parts, base + offset)
    joined.sort(key=_order)
    return Sum(tuple(joined), base)


def _is_whole(digit: Digit) -> bool:
    """Whether a digit is a fused sum of which nothing is cut off."""
    source = digit.source
    return isinstance(source, Sum) and digit.lower == 1 and source.low >= 0 and digit.is_top


def _opened(digits: Iterable[Digit]) -> tuple[list[Digit], int]:
    """Digits with whole sums replaced by their own digits, and what those add to the base."""
    parts: list[Digit] = []
    base = 0
    for digit in digits:
        if isinstance(digit.source, Sum) and _is_whole(digit):
            scaled = digit.source * digit.scale
            parts += scaled.digits
            base += scaled.base
        else:
            parts.append(digit)
    return parts, base


def _order(digit: Digit) -> tuple[int, int, int]:
    """Dimensions by number, then everything else as it comes (the sort is stable)."""
    key = digit.source.key if isinstance(digit.source, Input) else None
    return (0, key, digit.lower) if isinstance(key, int) else (1, 0, 0)


def _joined(source: Input | Sum, group: Sequence[Digit]) -> list[Digit]:
    """Digits of one source cut at common places, added up, and joined where one continues the other."""
    whole = _range(source)
    ends = [whole if digit.is_top else digit.lower * digit.extent for digit in group]
    cuts = sorted({digit.lower for digit in group} | set(ends))
    if any(high % low for low, high in pairwise(cuts) if high != whole):
        return sorted(group, key=lambda digit: digit.lower)
    pieces: list[Digit] = []
    for low, high in pairwise(cuts):
        scale = sum(
            digit.scale * (low // digit.lower)
            for digit, end in zip(group, ends, strict=True)
            if digit.lower <= low and high <= end
        )
        if not scale:
            continue
        extent = -(-high // low)
        last = pieces[-1] if pieces else None
        if last is not None and last.lower * last.extent == low and scale == last.scale * last.extent:
            pieces[-1] = Digit(source, last.lower, last.extent * extent, last.scale)
        else:
            pieces.append(Digit(source, low, extent, scale))
    return pieces


def _cut(digit: Digit, size: int) -> tuple[Digit, Digit] | None:
    """A digit as a lower one of ``size`` values and an upper one; ``None`` if it has no such place to cut."""
    source, lower, extent, scale = digit
    if extent % size and not digit.is_top:
        return None
    return Digit(source, lower, size, scale), Digit(source, lower * size, -(-extent // size), scale * size)


# --- division -------------------------------------------------------------------------------------------------


def _divided(total: Sum, divisor: int) -> Sum:
    """``total // divisor``, rounded down."""
    if divisor == 1:
        return total
    whole: list[Digit] = []
    rest: list[Digit] = []
    for digit in total.digits:
        _sort_digit(digit, divisor, total, whole, rest)
    base, left = divmod(total.base, divisor)
    whole = [Digit(one.source, one.lower, one.extent, one.scale // divisor) for one in whole]
    remainder = Sum(tuple(rest), left)
    if remainder.low < 0:
        steps = -(remainder.low // divisor)
        base, remainder = base - steps, remainder + steps * divisor
    if remainder.high >= divisor:
        source, shared, _ = _reduced(remainder, divisor)
        whole.append(Digit(source, divisor // shared, source.high // (divisor // shared) + 1, 1))
    return normal(whole, base)


def _remainder(total: Sum, divisor: int) -> Sum:
    """``total % divisor``, between 0 and ``divisor - 1``."""
    if divisor == 1:
        return ZERO
    rest: list[Digit] = []
    for digit in total.digits:
        _sort_digit(digit, divisor, total, [], rest)
    remainder = normal(rest, total.base % divisor)
    if remainder.low < 0:
        remainder += -(remainder.low // divisor) * divisor
    if remainder.high < divisor:
        return remainder
    source, shared, offset = _reduced(remainder, divisor)
    return Sum((Digit(source, 1, divisor // shared, shared),), offset)


def _sort_digit(digit: Digit, divisor: int, total: Sum, whole: list[Digit], rest: list[Digit]) -> None:
    """Puts what is a multiple of ``divisor`` into ``whole``, the rest of the digit into ``rest``."""
    scale = digit.scale
    if scale % divisor == 0:
        whole.append(digit)
        return
    if 0 < scale < divisor and divisor % scale == 0 and digit.extent > divisor // scale:
        size = divisor // scale
        # A ragged cut is exact too, but parts of a fused index must stay together to be recognised as one.
        parts = _cut(digit, size) if digit.extent % size == 0 or _is_highest(digit, divisor, total) else None
        if parts is not None:
            rest.append(parts[0])
            whole.append(parts[1])
            return
    rest.append(digit)


def _is_highest(digit: Digit, divisor: int, total: Sum) -> bool:
    """Whether all digits of a sum with a larger scale are multiples of a divisor."""
    return all(other.scale <= digit.scale or other.scale % divisor == 0 for other in total.digits)


def _reduced(total: Sum, divisor: int) -> tuple[Sum, int, int]:
    """A sum without the factor that it shares with a divisor: ``total == reduced * factor + offset``, the offset below
    the factor."""
    shared = gcd(divisor, *(digit.scale for digit in total.digits))
    digits = tuple(Digit(one.source, one.lower, one.extent, one.scale // shared) for one in total.digits)
    return normal(digits, total.base // shared), shared, total.base % shared


# --- bits -----------------------------------------------------------------------------------------------------


def bitwise(op: str, a: Sum, b: Sum) -> Sum | None:
    """``a ^ b``, ``a & b`` or ``a | b``; ``None`` for operands that may be negative or have no known size."""
    if min(a.low, b.low) < 0 or max(a.high, b.high) >= UNBOUNDED:
        return None
    result, weight = ZERO, 1
    while weight <= max(a.high, b.high):
        both = a // weight % 2 + b // weight % 2
        if op == "^":
            bit = both % 2
        elif op == "&":
            bit = both // 2
        else:
            bit = (both + 1) // 2
        result, weight = result + bit * weight, weight * 2
    return result


# --- composition and enumeration ------------------------------------------------------------------------------


def substitute(total: Sum, values: Mapping[object, Sum]) -> Sum:
    """The sum with inputs replaced by sums over other inputs. Inputs that are not named stay."""
    return _substituted(total, tuple(values.items())) if total.digits else total


@lru_cache(maxsize=16384)
def _substituted(total: Sum, values: tuple[tuple[object, Sum], ...]) -> Sum:
    found = dict(values)
    digits: list[Digit] = []
    base = total.base
    for digit in total.digits:
        source, lower, extent, scale = digit
        if isinstance(source, Input):
            inner = found.get(source.key)
            if inner is None:
                digits.append(digit)
                continue
        else:
            inner = _substituted(source, values)
        part = inner // lower
        if part.low < 0 or part.high >= extent:
            part = part % extent
        digits += [Digit(one.source, one.lower, one.extent, one.scale * scale) for one in part.digits]
        base += part.base * scale
    return normal(digits, base)


@lru_cache(maxsize=4096)
def table(total: Sum, shape: tuple[int, ...]) -> tuple[int, ...]:
    """All values over a box, the last dimension fastest. The inputs are the dimension numbers."""
    plain: dict[int, list[Digit]] = {}
    fused: list[Digit] = []
    for digit in total.digits:
        source = digit.source
        if isinstance(source, Input) and isinstance(source.key, int):
            plain.setdefault(source.key, []).append(digit)
        elif isinstance(source, Input):
            raise KeyError(source.key)
        else:
            fused.append(digit)
    values = [total.base]
    for dim, extent in enumerate(shape):
        digits = plain.get(dim)
        if digits is None:
            values = [value for value in values for _ in range(extent)] if extent != 1 else values
        else:
            steps = [sum(i // low % size * scale for _, low, size, scale in digits) for i in range(extent)]
            values = [value + step for value in values for step in steps]
    for source, lower, extent, scale in fused:
        assert isinstance(source, Sum)
        inner = table(source, shape)
        values = [value + at // lower % extent * scale for value, at in zip(values, inner, strict=True)]
    return tuple(values)


def text(total: Sum, name: Callable[[object], str] = str) -> str:
    """The sum as Python source, the largest scale first."""
    parts = [_digit_text(digit, name) for digit in sorted(total.digits, key=lambda digit: -abs(digit.scale))]
    if total.base or not parts:
        parts.append(str(total.base))
    return " + ".join(parts).replace("+ -", "- ")


def _digit_text(digit: Digit, name: Callable[[object], str]) -> str:
    source = digit.source
    inner = name(source.key) if isinstance(source, Input) else f"({text(source, name)})"
    if digit.lower != 1:
        inner = f"{inner} // {digit.lower}"
    if not digit.is_top:
        inner = f"{inner} % {digit.extent}"
    return inner if digit.scale == 1 else f"{inner} * {digit.scale}"
