"""The way back through a fragment: which iteration or element a thread has in a register.

The outputs of a fragment are sums whose digits do not overlap, so each digit can be read off the outputs again, and the
inputs be put together from their digits. Fused indices (the flat index of a ragged nest) are put together first and
then taken apart themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tilelang.ir.layout.digits import ZERO, Digit, Input, Sum, const, of
from tilelang.ir.layout.layout import is_mixed_radix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.layout.fragment import Fragment

THREAD: Final = "thread"
"""The key of the input that stands for the thread, counted from the first of the fragment."""
REGISTER: Final = "register"
"""The key of the input that stands for the number of the register, row-major over the registers of a thread."""


class Guard(NamedTuple):
    """The threads and registers for which ``value < bound`` hold an element; the others are padding."""

    value: Sum
    bound: int


class Recovered(NamedTuple):
    """``dims``: each index of the fragment's shape as a sum over ``THREAD`` and ``REGISTER``."""

    dims: tuple[Sum, ...]
    guards: tuple[Guard, ...]


@lru_cache(maxsize=1024)
def recover(fragment: Fragment, threads: int) -> Recovered | None:
    """The way back for a block of ``threads`` threads; ``None`` if the digits do not say enough."""
    registers = ZERO
    for one, extent in zip(fragment.index, fragment.registers, strict=True):
        registers = registers * extent + one
    known: list[tuple[Sum, Sum]] = [
        (fragment.thread, of(THREAD, max(threads, fragment.thread_extent))),
        (registers, of(REGISTER, max(fragment.register_count, 1))),
    ]
    guards: list[Guard] = []
    if fragment.thread_extent < threads:
        guards.append(Guard(known[0][1], fragment.thread_extent))
    pieces: dict[Input | Sum, list[tuple[int, int, Sum]]] = {}
    values: dict[Input | Sum, Sum] = {}
    while known:
        total, value = known.pop()
        if not _read_off(total, value, pieces):
            return None
        for source in list(pieces):
            if source in values:
                continue
            found = _assembled(pieces[source])
            end = source.extent if isinstance(source, Input) else source.high + 1
            if found is None or found[1] < end:
                continue
            values[source] = found[0]
            if found[0].high >= end:
                guards.append(Guard(found[0], end))
            if isinstance(source, Sum):
                known.append((source, found[0]))
    dims: list[Sum] = []
    for dim, extent in enumerate(fragment.shape):
        if extent == 1:
            dims.append(const(0))
            continue
        value = values.get(Input(dim, extent))
        if value is None:
            return None
        dims.append(value)
    return Recovered(tuple(dims), tuple(guards))


def _read_off(total: Sum, value: Sum, pieces: dict[Input | Sum, list[tuple[int, int, Sum]]]) -> bool:
    """Reads each digit of ``total`` off its value. False if the digits overlap."""
    value = value - total.base if total.base else value
    plain = Sum(total.digits)
    if not is_mixed_radix(plain) or any(digit.scale < 0 for digit in plain.digits):
        return False
    ordered = sorted(plain.digits, key=lambda digit: digit.scale)
    for place, digit in enumerate(ordered):
        above = ordered[place + 1].scale if place + 1 < len(ordered) else None
        part = value // digit.scale
        if above is not None:
            if above % digit.scale:
                return False
            part = part % (above // digit.scale)
        elif not digit.is_top and part.high >= digit.extent:
            part = part % digit.extent
        pieces.setdefault(digit.source, []).append((digit.lower, digit.extent, part))
    return True


def _assembled(parts: Sequence[tuple[int, int, Sum]]) -> tuple[Sum, int] | None:
    """The value that digits make up, and one more than the greatest that they reach; ``None`` where one is missing."""
    total, reach = ZERO, 1
    for lower, extent, value in sorted(parts, key=lambda part: part[0]):
        if lower != reach:
            return None
        total, reach = total + value * lower, lower * extent
    return total, reach


def lanes_of(total: Sum, key: object, most: int) -> int:
    """How many neighbouring values of an input, from an aligned one on, lead to neighbouring values of ``total`` that
    begin at a multiple of that number. A power of two, at most ``most``."""
    width = 1
    while width * 2 <= most and _runs(total, key, width * 2):
        width *= 2
    return width


def _runs(total: Sum, key: object, width: int) -> bool:
    if total.base % width:
        return False
    seen = False
    for digit in total.digits:
        if isinstance(digit.source, Input) and digit.source.key == key and digit.lower == 1:
            if digit.scale != 1 or digit.extent % width:
                return False
            seen = True
        elif not _is_steady(digit, key, width) or digit.scale % width:
            return False
    return seen


def is_steady(total: Sum, key: object, width: int) -> bool:
    """Whether a value is the same for ``width`` neighbouring values of an input, from an aligned one on."""
    return all(_is_steady(digit, key, width) for digit in total.digits)


def _is_steady(digit: Digit, key: object, width: int) -> bool:
    source = digit.source
    if isinstance(source, Sum):
        return is_steady(source, key, width)
    return source.key != key or digit.lower % width == 0
