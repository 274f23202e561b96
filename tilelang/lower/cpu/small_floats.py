"""Floats of 8 bits or fewer as integer arithmetic on the bits of float32.

Sources: the OCP specifications of 8-bit floats and of microscaling formats; the ``fnuz`` formats as AMD and LLVM define
them. Encoding rounds to the nearest even and saturates; NaN stays NaN where the format has one.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilelang.lower import tir
from tilelang.lower.tir import tirx


@dataclass(frozen=True, slots=True)
class _Format:
    """``largest``: code of the largest finite value. ``nan``: the code that NaN becomes. ``first_special``: codes from
    here on are NaN, but for ``infinity``. ``unsigned_zero``: the code of minus zero is the NaN."""

    exponent: int
    mantissa: int
    bias: int
    largest: int
    nan: int
    first_special: int | None = None
    infinity: int | None = None
    unsigned_zero: bool = False


_FORMATS = {
    "e4m3fn": _Format(4, 3, 7, 0x7E, 0x7F, first_special=0x7F),
    "e5m2": _Format(5, 2, 15, 0x7B, 0x7F, first_special=0x7C, infinity=0x7C),
    "e4m3fnuz": _Format(4, 3, 8, 0x7F, 0x80, unsigned_zero=True),
    "e5m2fnuz": _Format(5, 2, 16, 0x7F, 0x80, unsigned_zero=True),
    "e2m1": _Format(2, 1, 1, 0x7, 0x7),
}


def _u32(value: int) -> tir.Expr:
    return tir.const(value, "uint32")


def decode_small(value: tir.Expr, name: str) -> tir.Expr:
    """A code (``uint8``) as float32. ``name``: e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e8m0 or e2m1."""
    return tir.named(tirx.Cast("uint32", value), lambda code: _decoded(code, name))


def _decoded(code: tir.Expr, name: str) -> tir.Expr:
    nan = tir.const(float("nan"), "float32")
    if name == "e8m0":
        # Code 0 is 2**-127, which float32 has only as a subnormal number.
        bits = tirx.Select(tirx.EQ(code, _u32(0)), _u32(0x00400000), tirx.shift_left(code, _u32(23)))
        return tirx.Select(tirx.EQ(code, _u32(255)), nan, tirx.reinterpret("float32", bits))
    form = _FORMATS[name]
    width = form.exponent + form.mantissa
    magnitude = tirx.bitwise_and(code, _u32((1 << width) - 1))
    sign = tirx.shift_left(tirx.bitwise_and(code, _u32(1 << width)), _u32(31 - width))
    # As the exponent and mantissa of float32 with the wrong bias, which one exact product corrects. Subnormal codes are
    # subnormal numbers before it, so it makes them right, too.
    shifted = tirx.reinterpret("float32", tirx.shift_left(magnitude, _u32(23 - form.mantissa)))
    scaled = tirx.reinterpret("uint32", shifted * tir.const(2.0 ** (127 - form.bias), "float32"))
    found = tirx.reinterpret("float32", tirx.bitwise_or(scaled, sign))
    if form.unsigned_zero:
        return tirx.Select(tirx.EQ(code, _u32(1 << width)), nan, found)
    if form.first_special is None:
        return found
    if form.infinity is not None:
        signed = tirx.reinterpret("float32", tirx.bitwise_or(_u32(0x7F800000), sign))
        special = tirx.Select(tirx.EQ(magnitude, _u32(form.infinity)), signed, nan)
    else:
        special = nan
    return tirx.Select(tirx.GE(magnitude, _u32(form.first_special)), special, found)


def encode_small(value: tir.Expr, name: str) -> tir.Expr:
    """A float32 as a code (``uint8``)."""
    return tir.named(tirx.reinterpret("uint32", value), lambda bits: _encoded(bits, name))


def _encoded(bits: tir.Expr, name: str) -> tir.Expr:
    magnitude = tirx.bitwise_and(bits, _u32(0x7FFFFFFF))
    is_nan = tirx.GT(magnitude, _u32(0x7F800000))
    if name == "e8m0":
        lowest = tirx.bitwise_and(tirx.shift_right(magnitude, _u32(23)), _u32(1))
        rounded = tirx.shift_right(magnitude + _u32(0x3FFFFF) + lowest, _u32(23))
        return tirx.Cast("uint8", tirx.Select(is_nan, _u32(255), tirx.Min(rounded, _u32(254))))
    form = _FORMATS[name]
    drop = 23 - form.mantissa
    width = form.exponent + form.mantissa
    # Normal numbers: round in the bits, then move the exponent to the bias of the format.
    lowest = tirx.bitwise_and(tirx.shift_right(magnitude, _u32(drop)), _u32(1))
    rounded = tirx.shift_right(magnitude + _u32((1 << (drop - 1)) - 1) + lowest, _u32(drop))
    normal = rounded - _u32((127 - form.bias) << form.mantissa)
    # Subnormal numbers: adding this constant leaves exactly the bits of the format, rounded once.
    power = 1 - form.bias - form.mantissa
    offset = 2.0 ** (23 + power)
    offset_bits = (127 + 23 + power) << 23
    small = tirx.reinterpret("uint32", tirx.reinterpret("float32", magnitude) + tir.const(offset, "float32"))
    subnormal = small - _u32(offset_bits)
    first_normal = (127 + 1 - form.bias) << 23
    code = tirx.Select(tirx.LT(magnitude, _u32(first_normal)), subnormal, normal)
    # What rounds to more than the largest value becomes that, infinity too.
    too_large = tirx.GE(magnitude, _u32(0x7F800000))
    code = tirx.Select(too_large, _u32(form.largest), tirx.Min(code, _u32(form.largest)))

    def signed(code: tir.Expr) -> tir.Expr:
        sign = tirx.shift_left(tirx.shift_right(bits, _u32(31)), _u32(width))
        found = tirx.bitwise_or(code, sign)
        if form.unsigned_zero:
            found = tirx.Select(tirx.EQ(code, _u32(0)), _u32(0), found)
        return tirx.Select(is_nan, _u32(form.nan), found)

    return tirx.Cast("uint8", tir.named(code, signed))
