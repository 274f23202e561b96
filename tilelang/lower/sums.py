"""Digit sums as TIRX expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.layout.digits import Digit, Input, Sum
from tilelang.lower import tir
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from collections.abc import Callable

    ValueOf = Callable[[object], tir.Expr]


def expression(total: Sum, value_of: ValueOf) -> tir.Expr:
    """The value of a sum; ``value_of`` gives the inputs by key. Inputs are not negative."""
    found: tir.Expr | None = None
    plain, swizzles = _split(total.digits)
    for part in [
        *(_scaled(_digit(digit, value_of), digit.scale) for digit in plain),
        *(_scaled(_swizzle(run, value_of), run[0].scale) for run in swizzles),
    ]:
        found = part if found is None else found + part
    if found is None:
        return tir.const(total.base)
    return found + total.base if total.base else found


def _split(digits: tuple[Digit, ...]) -> tuple[list[Digit], list[list[Digit]]]:
    """Sets apart the digits that are sums of two bits modulo 2: runs of such bits are one exclusive or."""
    plain: list[Digit] = []
    bits: list[Digit] = []
    for digit in digits:
        (bits if _is_xor_bit(digit) else plain).append(digit)
    runs: list[list[Digit]] = []
    for bit in sorted(bits, key=lambda one: one.scale):
        if runs and _continues(runs[-1][-1], bit):
            runs[-1].append(bit)
        else:
            runs.append([bit])
    return plain, runs


def _is_xor_bit(digit: Digit) -> bool:
    source = digit.source
    return (
        isinstance(source, Sum)
        and digit.lower == 1
        and digit.extent == 2
        and source.base == 0
        and len(source.digits) == 2
        and all(one.extent == 2 and one.scale == 1 for one in source.digits)
    )


def _continues(last: Digit, bit: Digit) -> bool:
    assert isinstance(last.source, Sum)
    assert isinstance(bit.source, Sum)
    return bit.scale == last.scale * 2 and all(
        above.source == below.source and above.lower == below.lower * 2
        for above, below in zip(bit.source.digits, last.source.digits, strict=True)
    )


def _swizzle(run: list[Digit], value_of: ValueOf) -> tir.Expr:
    first = run[0].source
    assert isinstance(first, Sum)
    extent = 2 ** len(run)
    a, b = (_digit(Digit(one.source, one.lower, extent, 1), value_of) for one in first.digits)
    return tirx.bitwise_xor(a, b)


def _digit(digit: Digit, value_of: ValueOf) -> tir.Expr:
    source, lower, extent, _ = digit
    value = value_of(source.key) if isinstance(source, Input) else expression(source, value_of)
    if lower != 1:
        value = _divided(value, lower)
    return value if digit.is_top else _remainder(value, extent)


def _divided(value: tir.Expr, divisor: int) -> tir.Expr:
    if isinstance(value, tirx.IntImm):
        return tir.const(
            int(value.value) // divisor,
        )
    if divisor & (divisor - 1) == 0:
        return tirx.shift_right(value, tir.const(divisor.bit_length() - 1))
    return tirx.truncdiv(value, tir.const(divisor))


def _remainder(value: tir.Expr, divisor: int) -> tir.Expr:
    if isinstance(value, tirx.IntImm):
        return tir.const(int(value.value) % divisor)
    if divisor & (divisor - 1) == 0:
        return tirx.bitwise_and(value, tir.const(divisor - 1))
    return tirx.truncmod(value, tir.const(divisor))


def _scaled(value: tir.Expr, scale: int) -> tir.Expr:
    return value if scale == 1 else value * tir.const(scale)
