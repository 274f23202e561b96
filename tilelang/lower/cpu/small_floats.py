"""Floats of 16 bits or fewer that LLVM does not know, as integer arithmetic on the bits of float32.

The conversions are functions in the language of LLVM, which are inlined: an expression that rounds after each operation
would otherwise repeat its operands without end. Sources: the OCP specifications of 8-bit floats and of microscaling
formats; the ``fnuz`` formats as AMD and LLVM define them. Encoding rounds to the nearest even and saturates; NaN stays
NaN where the format has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack, unpack
from typing import TYPE_CHECKING

from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from tilelang.lower import tir


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


def decode_small(value: tir.Expr, name: str) -> tir.Expr:
    """A code (``uint8``) as float32. ``name``: e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e8m0 or e2m1."""
    return tirx.call_pure_extern("float32", f"tl_decode_{name}", value)


def encode_small(value: tir.Expr, name: str) -> tir.Expr:
    """A float32 as a code (``uint8``)."""
    return tirx.call_pure_extern("uint8", f"tl_encode_{name}", value)


def encode_bfloat16(value: tir.Expr) -> tir.Expr:
    """A float32 as the bits of a bfloat16 (``uint16``)."""
    return tirx.call_pure_extern("uint16", "tl_encode_bfloat16", value)


# --- functions in the language of LLVM --------------------------------------------------------------------------


def _float(value: float) -> str:
    """A float32 constant as LLVM writes it: the bits of the double of the same value."""
    return f"0x{unpack('<Q', pack('<d', value))[0]:016X}"


_NAN = "0x7FF8000000000000"


def _decoder(name: str, form: _Format) -> str:
    """Exponent and mantissa are put where float32 has them; one exact product then corrects the bias. Subnormal codes
    are subnormal numbers before it, so it makes them right, too."""
    width = form.exponent + form.mantissa
    lines = [
        "%code = zext i8 %byte to i32",
        f"%magnitude = and i32 %code, {(1 << width) - 1}",
        f"%signbit = and i32 %code, {1 << width}",
        f"%sign = shl i32 %signbit, {31 - width}",
        f"%shifted = shl i32 %magnitude, {23 - form.mantissa}",
        "%unscaled = bitcast i32 %shifted to float",
        f"%scaled = fmul float %unscaled, {_float(2.0 ** (127 - form.bias))}",
        "%bits = bitcast float %scaled to i32",
        "%signed = or i32 %bits, %sign",
        "%plain = bitcast i32 %signed to float",
    ]
    result = "%plain"
    if form.unsigned_zero:
        lines += [
            f"%isnan = icmp eq i32 %code, {1 << width}",
            f"%result = select i1 %isnan, float {_NAN}, float %plain",
        ]
        result = "%result"
    elif form.first_special is not None:
        lines.append(f"%special = icmp uge i32 %magnitude, {form.first_special}")
        other = _NAN
        if form.infinity is not None:
            lines += [
                f"%infbits = or i32 %sign, {0x7F800000}",
                "%infinity = bitcast i32 %infbits to float",
                f"%isinf = icmp eq i32 %magnitude, {form.infinity}",
                f"%other = select i1 %isinf, float %infinity, float {_NAN}",
            ]
            other = "%other"
        lines.append(f"%result = select i1 %special, float {other}, float %plain")
        result = "%result"
    return _function("float", f"tl_decode_{name}", "i8 %byte", [*lines, f"ret float {result}"])


def _encoder(name: str, form: _Format) -> str:
    """Normal numbers are rounded in their bits, and the exponent then gets the bias of the format. Adding the right
    constant to a number that becomes subnormal leaves exactly the bits of the format, rounded once."""
    drop, width = 23 - form.mantissa, form.exponent + form.mantissa
    power = 23 + 1 - form.bias - form.mantissa
    lines = [
        "%bits = bitcast float %value to i32",
        f"%magnitude = and i32 %bits, {0x7FFFFFFF}",
        f"%isnan = icmp ugt i32 %magnitude, {0x7F800000}",
        f"%kept = lshr i32 %magnitude, {drop}",
        "%odd = and i32 %kept, 1",
        f"%biased = add i32 %magnitude, {(1 << (drop - 1)) - 1}",
        "%moved = add i32 %biased, %odd",
        f"%rounded = lshr i32 %moved, {drop}",
        f"%normal = sub i32 %rounded, {(127 - form.bias) << form.mantissa}",
        "%positive = bitcast i32 %magnitude to float",
        f"%offset = fadd float %positive, {_float(2.0**power)}",
        "%offsetbits = bitcast float %offset to i32",
        f"%subnormal = sub i32 %offsetbits, {(127 + power) << 23}",
        f"%issmall = icmp ult i32 %magnitude, {(128 - form.bias) << 23}",
        "%code = select i1 %issmall, i32 %subnormal, i32 %normal",
        f"%islarge = icmp ugt i32 %code, {form.largest}",
        f"%isinf = icmp uge i32 %magnitude, {0x7F800000}",
        "%saturates = or i1 %islarge, %isinf",
        f"%limited = select i1 %saturates, i32 {form.largest}, i32 %code",
        "%top = lshr i32 %bits, 31",
        f"%sign = shl i32 %top, {width}",
        "%signed = or i32 %limited, %sign",
    ]
    if form.unsigned_zero:
        lines += ["%iszero = icmp eq i32 %limited, 0", "%finite = select i1 %iszero, i32 0, i32 %signed"]
    else:
        lines.append("%finite = or i32 %signed, 0")
    lines += [
        f"%result = select i1 %isnan, i32 {form.nan}, i32 %finite",
        "%byte = trunc i32 %result to i8",
        "ret i8 %byte",
    ]
    return _function("i8", f"tl_encode_{name}", "float %value", lines)


_SCALE_DECODER = (
    "%code = zext i8 %byte to i32",
    "%shifted = shl i32 %code, 23",
    "%iszero = icmp eq i32 %code, 0",
    # Code 0 is 2**-127, which float32 has only as a subnormal number.
    f"%bits = select i1 %iszero, i32 {0x00400000}, i32 %shifted",
    "%plain = bitcast i32 %bits to float",
    "%isnan = icmp eq i32 %code, 255",
    f"%result = select i1 %isnan, float {_NAN}, float %plain",
    "ret float %result",
)
_SCALE_ENCODER = (
    "%bits = bitcast float %value to i32",
    f"%magnitude = and i32 %bits, {0x7FFFFFFF}",
    f"%isnan = icmp ugt i32 %magnitude, {0x7F800000}",
    "%kept = lshr i32 %magnitude, 23",
    "%odd = and i32 %kept, 1",
    f"%biased = add i32 %magnitude, {0x3FFFFF}",
    "%moved = add i32 %biased, %odd",
    "%rounded = lshr i32 %moved, 23",
    "%islarge = icmp ugt i32 %rounded, 254",
    "%limited = select i1 %islarge, i32 254, i32 %rounded",
    "%result = select i1 %isnan, i32 255, i32 %limited",
    "%byte = trunc i32 %result to i8",
    "ret i8 %byte",
)
_BFLOAT_ENCODER = (
    "%bits = bitcast float %value to i32",
    f"%magnitude = and i32 %bits, {0x7FFFFFFF}",
    f"%isnan = icmp ugt i32 %magnitude, {0x7F800000}",
    "%kept = lshr i32 %bits, 16",
    "%odd = and i32 %kept, 1",
    f"%biased = add i32 %bits, {0x7FFF}",
    "%moved = add i32 %biased, %odd",
    "%rounded = lshr i32 %moved, 16",
    f"%result = select i1 %isnan, i32 {0x7FC0}, i32 %rounded",
    "%half = trunc i32 %result to i16",
    "ret i16 %half",
)


def _function(result: str, name: str, parameter: str, lines: list[str] | tuple[str, ...]) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"define linkonce_odr {result} @{name}({parameter}) alwaysinline {{\n{body}\n}}"


CONVERSIONS = "\n".join(
    [
        *(_decoder(name, form) for name, form in _FORMATS.items()),
        *(_encoder(name, form) for name, form in _FORMATS.items()),
        _function("float", "tl_decode_e8m0", "i8 %byte", _SCALE_DECODER),
        _function("i8", "tl_encode_e8m0", "float %value", _SCALE_ENCODER),
        _function("i16", "tl_encode_bfloat16", "float %value", _BFLOAT_ENCODER),
    ]
)
"""All conversions. Those that a module does not use are dropped from it."""
