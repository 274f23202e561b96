"""Fast forms, forms with a rounding mode, and operations on pairs of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import describe, invalid, is_unknown
from tilelang.language.math import pure

if TYPE_CHECKING:
    from tilelang.language.values import Scalar, Value

_PAIRS = ("float16x2", "bfloat16x2", "float32x2")


def fast_rcp(x: Value) -> Scalar:
    """``1 / x``, fast and less exact."""
    return pure("fast_rcp", x)


# --- with a rounding mode: rn, rz, ru or rd -------------------------------------------------------------------------


def _ieee(op: str, rounding_mode: object, *values: object) -> Any:
    if not is_unknown(rounding_mode) and rounding_mode not in ("rn", "rz", "ru", "rd"):
        invalid(f"T.{op}", "rounding_mode", "one of rn, rz, ru, rd", describe(rounding_mode))
    return pure(op, *values, attrs=(("rounding_mode", rounding_mode),))


def ieee_add(x: Value, y: Value, rounding_mode: str = "rn") -> Scalar:
    """``x + y`` rounded as told."""
    return _ieee("ieee_add", rounding_mode, x, y)


def ieee_sub(x: Value, y: Value, rounding_mode: str = "rn") -> Scalar:
    """``x - y`` rounded as told."""
    return _ieee("ieee_sub", rounding_mode, x, y)


def ieee_mul(x: Value, y: Value, rounding_mode: str = "rn") -> Scalar:
    """``x * y`` rounded as told."""
    return _ieee("ieee_mul", rounding_mode, x, y)


def ieee_fmaf(x: Value, y: Value, z: Value, rounding_mode: str = "rn") -> Scalar:
    """``x * y + z`` with one rounding, as told."""
    return _ieee("ieee_fmaf", rounding_mode, x, y, z)


def ieee_frcp(x: Value, rounding_mode: str = "rn") -> Scalar:
    """``1 / x`` rounded as told."""
    return _ieee("ieee_frcp", rounding_mode, x)


def ieee_fsqrt(x: Value, rounding_mode: str = "rn") -> Scalar:
    """Square root rounded as told."""
    return _ieee("ieee_fsqrt", rounding_mode, x)


def ieee_frsqrt(x: Value) -> Scalar:
    """One over the square root, rounded to nearest. Not for ``float64``."""
    found = operand(x)
    if not isinstance(found, Unknown) and value_dtype(found).base == "float64":
        invalid("T.ieee_frsqrt", "x", "a float32 or smaller", "of type float64")
    return pure("ieee_frsqrt", x)


def ieee_fdiv(x: Value, y: Value, rounding_mode: str = "rn") -> Scalar:
    """``x / y`` rounded as told."""
    return _ieee("ieee_fdiv", rounding_mode, x, y)


# --- on pairs: float16x2, bfloat16x2, float32x2 ---------------------------------------------------------------------


def _pair(op: str, *values: object) -> Any:
    for argument, value in zip("xyz", values, strict=False):
        found = operand(value)
        dtype = value_dtype(found)
        if not isinstance(found, Unknown) and dtype.is_known and dtype not in _PAIRS:
            invalid(f"T.{op}", argument, f"one of {', '.join(_PAIRS)}", f"of type {dtype}")
            break
    return pure(op, *values)


def add2(x: Value, y: Value) -> Scalar:
    """``x + y`` of pairs."""
    return _pair("add2", x, y)


def sub2(x: Value, y: Value) -> Scalar:
    """``x - y`` of pairs."""
    return _pair("sub2", x, y)


def mul2(x: Value, y: Value) -> Scalar:
    """``x * y`` of pairs."""
    return _pair("mul2", x, y)


def fma2(x: Value, y: Value, z: Value) -> Scalar:
    """``x * y + z`` of pairs."""
    return _pair("fma2", x, y, z)


def max2(x: Value, y: Value) -> Scalar:
    """The larger values of two pairs."""
    return _pair("max2", x, y)


def min2(x: Value, y: Value) -> Scalar:
    """The smaller values of two pairs."""
    return _pair("min2", x, y)


def abs2(x: Value) -> Scalar:
    """Absolute values of a pair."""
    return _pair("abs2", x)
