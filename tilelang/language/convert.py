"""Conversions between types: ``T.cast``, ``T.float16(x)``, ``T.reinterpret``, ``T.infinity`` and limits of types."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import HANDLE, UNKNOWN_DTYPE, DType
from tilelang.ir.expr import Call, Const, Expr, Load, Var, const_value
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import as_type, operand, value_dtype
from tilelang.language.context import here, invalid, refused, span_of
from tilelang.language.dtypes import as_dtype, to_dtype
from tilelang.language.regions import to_region

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike, DTypeLike, Scalar, Value

_ROUNDING = ("", "rn", "rz", "ru", "rd", "rs")

_LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "tfloat32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
    "float8_e4m3": 240.0,
    "float8_e4m3fn": 448.0,
    "float8_e4m3fnuz": 240.0,
    "float8_e4m3b11fnuz": 30.0,
    "float8_e5m2": 57344.0,
    "float8_e5m2fnuz": 57344.0,
    "float8_e3m4": 15.5,
    "float8_e8m0fnu": 2.0**127,
    "float6_e2m3fn": 7.5,
    "float6_e3m2fn": 28.0,
    "float4_e2m1fn": 6.0,
}


def cast(
    value: Value, dtype: DTypeLike, round: str = "", sat: bool = True, rbits: Value | None = None, span: object = None
) -> Scalar:
    """``value`` converted to ``dtype``; unchanged if it has that type already.

    ``round`` is a rounding mode of the target's conversion instruction (``rn``, ``rz``, ``ru``, ``rd``, ``rs``), empty
    for the default; ``rs`` (stochastic) takes its random bits from ``rbits`` and no other mode does. ``sat``: clamp to
    the largest finite value.
    """
    target = to_dtype("T.cast", dtype)
    if isinstance(round, str) and round not in _ROUNDING:  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.cast", "round", "one of '', 'rn', 'rz', 'ru', 'rd', 'rs'", round)
    elif round == "rs" and rbits is None:
        invalid("T.cast", "rbits", "given with round='rs'", "None")
    elif isinstance(round, str) and round != "rs" and rbits is not None:  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.cast", "rbits", "left out unless round='rs'", "given")
    return convert(value, target)


def convert(value: object, dtype: DType) -> Any:
    """``value`` as a value of ``dtype``: a typed constant, the value itself, or a cast."""
    source = operand(value)
    if isinstance(source, Unknown):
        return source
    return as_type(source, dtype, here())


def construct(dtype: DType, *values: object) -> Any:
    """What calling a dtype gives: ``T.float16(x)`` converts, ``T.float16x2(a, b)`` packs a vector, ``T.float16()`` is a
    value that is not set. A number outside the range of an integer type is recorded as ``invalid-argument``."""
    value = values[0] if values else None
    if value is None:
        return Var(dtype, "undef", "unknown", span=here())
    if len(values) > 1:
        lanes = [operand(value) for value in values]
        if any(isinstance(lane, Unknown) for lane in lanes):
            return UNKNOWN
        return Call(dtype, "vector", tuple(lanes), span=here())
    if isinstance(value, str):
        return convert(float(value), dtype) if value in ("inf", "-inf", "nan") and dtype.is_float else UNKNOWN
    check_range(f"T.{dtype}", "value", value, dtype)
    return convert(value, dtype)


def check_range(function: str, argument: str, value: object, dtype: DType) -> None:
    """Record ``invalid-argument`` if an integer constant does not fit an integer type."""
    number = const_value(value)
    bounds = integer_range(dtype)
    if bounds is not None and isinstance(number, int) and not isinstance(number, bool):
        low, high = bounds
        if not low <= number <= high:
            invalid(function, argument, f"in the range of {dtype}, {low} to {high}", str(number))


def check_magnitude(function: str, argument: str, value: object, dtype: DType) -> None:
    """Record ``invalid-argument`` if a float constant is beyond all numbers of ``float32`` or ``float16``. An infinity
    is a number of these types."""
    number = const_value(value)
    largest = _LARGEST[str(dtype)] if dtype in ("float16", "float32") else None
    if largest is not None and isinstance(number, float) and isfinite(number) and abs(number) > largest:
        side, limit = ("exceeds maximum", largest) if number > 0 else ("is below minimum", -largest)
        refused(function, argument, f"{argument}={number:g} {side} of {dtype}, {limit:g}")


def integer_range(dtype: DType) -> tuple[int, int] | None:
    """Smallest and largest value of an integer type, else ``None``."""
    if not dtype.is_integer or dtype.lanes != 1:
        return None
    if dtype.is_signed:
        return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
    return 0, 2**dtype.bits - 1


def Cast(dtype: DTypeLike, value: Value, annotations: object = None, span: object = None) -> Scalar:
    """``value`` converted to ``dtype``, with the arguments in this order."""
    return convert(value, to_dtype("T.Cast", dtype))


def reinterpret(value: Value | DTypeLike, dtype: DTypeLike | Value, span: object = None) -> Scalar:
    """The bits of ``value`` read as ``dtype``; both types have the same number of bits. The two arguments may come in
    either order."""
    if as_dtype(value) is not None and not isinstance(value, Unknown):
        value, dtype = dtype, value
    target = to_dtype("T.reinterpret", dtype)
    source: Any = operand(value)
    if isinstance(source, Unknown):
        return source  # type: ignore[return-value]  # an unknown value stands for any other
    given = value_dtype(source)
    bits = (given.total_bits, target.total_bits)
    if given.is_known and target.is_known and 0 not in bits and bits[0] != bits[1] and isinstance(source, Expr):
        invalid("T.reinterpret", "dtype", f"a type of {bits[0]} bits, as {given} is", f"{target} of {bits[1]} bits")
    return _call(target, "reinterpret", source)


def _call(dtype: DType, op: str, *args: object) -> Any:
    return Call(dtype, op, args, span=here())


def infinity(dtype: DTypeLike, span: object = None) -> Scalar:
    """Positive infinity of a float type."""
    return _constant(to_dtype("T.infinity", dtype), float("inf"))


def max_value(dtype: DTypeLike, span: object = None) -> Scalar:
    """The largest finite value of a type."""
    return _limit(to_dtype("T.max_value", dtype), largest=True)


def min_value(dtype: DTypeLike, span: object = None) -> Scalar:
    """The smallest finite value of a type: the most negative one."""
    return _limit(to_dtype("T.min_value", dtype), largest=False)


def _limit(dtype: DType, largest: bool) -> Any:
    bounds = integer_range(dtype)
    if bounds is not None:
        return _constant(dtype, bounds[1] if largest else bounds[0])
    if dtype.is_bool:
        return _constant(dtype, largest)
    number = _LARGEST.get(str(dtype.base))
    return UNKNOWN if number is None else _constant(dtype, number if largest else -number)


def _constant(dtype: DType, value: float) -> Any:
    return Const(dtype, value, span=here()) if dtype.is_known else UNKNOWN


def address_of(obj: BufferLike, span: object = None) -> Scalar:
    """The address of an element, or of the first element of a buffer, as a ``handle``."""
    if isinstance(obj, Load):
        return _call(HANDLE, "address_of", to_region(obj) or obj)
    if isinstance(obj, Unknown):
        return _call(HANDLE, "address_of")
    return _call(HANDLE, "address_of", obj)


def extract_lane(vector: Value, lane: int | Expr, span: object = None) -> Scalar:
    """Lane number ``lane`` of a vector value; the lane is a constant inside the vector."""
    source: Any = operand(vector)
    if isinstance(source, Unknown):
        return source  # type: ignore[return-value]  # an unknown value stands for any other
    given = value_dtype(source)
    number = const_value(lane)
    if given.is_known and given.lanes == 1:
        invalid("T.extract_lane", "vector", "a vector", f"a {given}", span=span_of("vector"))
    elif given.is_known and isinstance(number, int) and not 0 <= number < given.lanes:
        invalid("T.extract_lane", "lane", f"between 0 and {given.lanes - 1}", str(number))
    return _call(given.base if given.is_known else UNKNOWN_DTYPE, "extract_lane", source, lane)
