"""Elementary functions of one, two or three values.

A function has the type of its (first) argument; a Python number counts as ``int32`` or ``float32``. ``float``: the
argument must be of a float type, as upstream checks for the trigonometric functions and the fast forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import BOOL, FLOAT32, INT32, UNKNOWN_DTYPE, DType
from tilelang.ir.expr import Call, Expr, const_value
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import binary, operand, promote, select, value_dtype
from tilelang.language.context import here, invalid, is_unknown

if TYPE_CHECKING:
    from tilelang.language.values import Scalar, Value


def pure(op: str, *values: object, dtype: DType | None = None, attrs: tuple[tuple[str, object], ...] = ()) -> Any:
    """A call without side effects, of the type of its first argument unless ``dtype`` is given."""
    args = tuple(operand(value) for value in values)
    for arg in args:
        if isinstance(arg, Unknown):
            return arg
    if dtype is None:
        dtype = value_dtype(args[0]) if args else UNKNOWN_DTYPE
    return Call(dtype, op, args, attrs, span=here())


def _real(op: str, value: object, argument: str = "x") -> Any:
    """Like :func:`pure`, for functions that take floats only."""
    found = operand(value)
    if not isinstance(found, Unknown):
        dtype = value_dtype(found)
        if dtype.is_known and not dtype.is_float:
            invalid(f"T.{op}", argument, "a float", f"of type {dtype}")
    return pure(op, value)


# --- exponentials, logarithms, roots --------------------------------------------------------------------------------


def exp(x: Value) -> Scalar:
    """e to the power of ``x``; an integer gives a ``float32``."""
    found = operand(x)
    integer = not isinstance(found, Unknown) and value_dtype(found).is_integer
    return pure("exp", x, dtype=FLOAT32 if integer else None)


def exp2(x: Value) -> Scalar:
    """2 to the power of ``x``."""
    return pure("exp2", x)


def exp10(x: Value) -> Scalar:
    """10 to the power of ``x``."""
    return pure("exp10", x)


def log(x: Value) -> Scalar:
    """Natural logarithm."""
    return pure("log", x)


def log2(x: Value) -> Scalar:
    """Logarithm to base 2."""
    return pure("log2", x)


def log10(x: Value) -> Scalar:
    """Logarithm to base 10."""
    return pure("log10", x)


def log1p(x: Value) -> Scalar:
    """Natural logarithm of ``1 + x``."""
    return pure("log1p", x)


def sqrt(x: Value) -> Scalar:
    """Square root."""
    return pure("sqrt", x)


def rsqrt(x: Value) -> Scalar:
    """One over the square root."""
    return pure("rsqrt", x)


def sigmoid(x: Value) -> Scalar:
    """``1 / (1 + exp(-x))``."""
    return pure("sigmoid", x)


def erf(x: Value) -> Scalar:
    """The error function."""
    return pure("erf", x)


def pow(x: Value, y: Value, span: object = None) -> Scalar:
    """``x`` to the power of ``y``, of their common type. Integer bases take a constant integer exponent."""
    base, exponent = operand(x), operand(y)
    if isinstance(base, Unknown) or isinstance(exponent, Unknown):
        return _unknown()
    common = promote(value_dtype(base), value_dtype(exponent)) or value_dtype(base)
    if const_value(exponent) is None and common.is_known and not common.is_float:
        invalid("T.pow", "x", "a float unless the exponent is a constant", f"of type {value_dtype(base)}")
    return pure("pow", base, exponent, dtype=common)


# --- trigonometry ---------------------------------------------------------------------------------------------------


def sin(x: Value) -> Scalar:
    """Sine of a float, in radians."""
    return _real("sin", x)


def cos(x: Value) -> Scalar:
    """Cosine of a float, in radians."""
    return _real("cos", x)


def tan(x: Value) -> Scalar:
    """Tangent of a float, in radians."""
    return _real("tan", x)


def sinh(x: Value) -> Scalar:
    """Hyperbolic sine of a float."""
    return _real("sinh", x)


def cosh(x: Value) -> Scalar:
    """Hyperbolic cosine of a float."""
    return _real("cosh", x)


def tanh(x: Value) -> Scalar:
    """Hyperbolic tangent of a float."""
    return _real("tanh", x)


def asin(x: Value) -> Scalar:
    """Inverse sine of a float."""
    return _real("asin", x)


def acos(x: Value) -> Scalar:
    """Inverse cosine of a float."""
    return _real("acos", x)


def atan(x: Value) -> Scalar:
    """Inverse tangent of a float."""
    return _real("atan", x)


def asinh(x: Value) -> Scalar:
    """Inverse hyperbolic sine of a float."""
    return _real("asinh", x)


def acosh(x: Value) -> Scalar:
    """Inverse hyperbolic cosine of a float."""
    return _real("acosh", x)


def atanh(x: Value) -> Scalar:
    """Inverse hyperbolic tangent of a float."""
    return _real("atanh", x)


def atan2(x1: Value, x2: Value) -> Scalar:
    """The angle of the point (``x2``, ``x1``)."""
    return pure("atan2", x1, x2)


def hypot(x1: Value, x2: Value) -> Scalar:
    """The length of the vector (``x1``, ``x2``)."""
    return pure("hypot", x1, x2)


# --- rounding, signs, classes of numbers ----------------------------------------------------------------------------


def _rounded(op: str, x: object) -> Any:
    """Rounding leaves integers as they are."""
    found = operand(x)
    return found if not isinstance(found, Unknown) and value_dtype(found).is_integer else pure(op, x)


def floor(x: Value, span: object = None) -> Scalar:
    """Largest whole number that is not above ``x``, in the type of ``x``."""
    return _rounded("floor", x)


def ceil(x: Value, span: object = None) -> Scalar:
    """Smallest whole number that is not below ``x``, in the type of ``x``."""
    return _rounded("ceil", x)


def trunc(x: Value, span: object = None) -> Scalar:
    """``x`` without its fraction, in the type of ``x``."""
    return _rounded("trunc", x)


def round(x: Value, rounding_mode: str = "ties-to-even", span: object = None) -> Scalar:
    """Nearest whole number, in the type of ``x``."""
    return _rounded("round", x)


def nearbyint(x: Value, span: object = None) -> Scalar:
    """Nearest whole number in the current rounding mode, in the type of ``x``."""
    return _rounded("nearbyint", x)


def abs(x: Value, span: object = None) -> Scalar:
    """Absolute value, in the type of ``x``."""
    found = operand(x)
    if isinstance(found, (int, float)):
        known: Any = -found if found < 0 else found
        return known
    return pure("abs", x)


def fabs(x: Value, span: object = None) -> Scalar:
    """Another name of :func:`abs`."""
    return abs(x)


def _classify(op: str, x: object) -> Any:
    found = operand(x)
    if not isinstance(found, Unknown):
        dtype = value_dtype(found)
        if dtype.is_known and (dtype.is_bool or dtype.base.kind == "bfloat" or bool(dtype.format)):
            invalid(f"T.{op}", "x", "a float16, float32, float64 or integer", f"of type {dtype}")
    return pure(op, x, dtype=BOOL)


def isnan(x: Value, span: object = None) -> Scalar:
    """Whether ``x`` is not a number. A ``bool``. Not for ``bfloat16`` and smaller floats: cast first."""
    return _classify("isnan", x)


def isinf(x: Value, span: object = None) -> Scalar:
    """Whether ``x`` is infinite. A ``bool``. Not for ``bfloat16`` and smaller floats: cast first."""
    return _classify("isinf", x)


def isfinite(x: Value, span: object = None) -> Scalar:
    """Whether ``x`` is a number and not infinite. A ``bool``. Not for ``bfloat16`` and smaller floats: cast first."""
    return _classify("isfinite", x)


def copysign(x1: Value, x2: Value) -> Scalar:
    """The size of ``x1`` with the sign of ``x2``."""
    return pure("copysign", x1, x2)


def nextafter(x1: Value, x2: Value) -> Scalar:
    """The number beside ``x1`` on the way to ``x2``."""
    return pure("nextafter", x1, x2)


def ldexp(x1: Value, x2: Value) -> Scalar:
    """``x1 * 2 ** x2``."""
    return pure("ldexp", x1, x2)


def fmod(x: Value, y: Value) -> Scalar:
    """Remainder of the division, with the sign of ``x``."""
    return pure("fmod", x, y)


# --- bits -----------------------------------------------------------------------------------------------------------


def popcount(x: Value) -> Scalar:
    """Number of bits that are set, in the type of ``x``."""
    return pure("popcount", x)


def clz(x: Value) -> Scalar:
    """Number of leading bits that are not set. An ``int32``."""
    return pure("clz", x, dtype=INT32)


# --- choices --------------------------------------------------------------------------------------------------------


def max(a: Value, b: Value) -> Scalar:
    """The larger of two values, of their common type."""
    return _two("max", a, b)


def min(a: Value, b: Value) -> Scalar:
    """The smaller of two values, of their common type."""
    return _two("min", a, b)


def _two(op: str, a: object, b: object) -> Any:
    return binary(op, a, b, here())


def clamp(dst: Value, min_val: Value, max_val: Value) -> Scalar:
    """``dst``, or the limit that it is beyond."""
    return _two("min", _two("max", dst, min_val), max_val)


def if_then_else(cond: Value, t: Value, f: Value, span: object = None) -> Scalar:
    """``t`` where the condition holds, else ``f``; of their common type. Only the chosen side is computed."""
    return _choose("T.if_then_else", cond, t, f)


def Select(condition: Value, true_value: Value, false_value: Value, span: object = None) -> Scalar:
    """``true_value`` where the condition holds, else ``false_value``. Both sides are computed and have one type."""
    yes, no = operand(true_value), operand(false_value)
    if isinstance(yes, Expr) and isinstance(no, Expr):
        left, right = yes.dtype, no.dtype
        if left.is_known and right.is_known and left != right:
            invalid("T.Select", "false_value", f"of type {left}, as true_value is", f"of type {right}")
    return _choose("T.Select", condition, true_value, false_value)


def _choose(function: str, cond: object, t: object, f: object) -> Any:
    test = operand(cond)
    if isinstance(test, Expr) and test.dtype.is_known and not test.dtype.is_bool and const_value(test) is None:
        argument = "cond" if function == "T.if_then_else" else "condition"
        if test.dtype.base.kind != "bool":
            invalid(function, argument, "a condition", f"of type {test.dtype}")
    return select(test, t, f, here())


def likely(cond: Value, span: object = None) -> Scalar:
    """A condition that usually holds."""
    return pure("likely", cond)


# --- products and sums ----------------------------------------------------------------------------------------------


def fma(x: Value, y: Value, z: Value) -> Scalar:
    """``x * y + z`` with one rounding; all three have one float type."""
    return _same_float("fma", (("x", x), ("y", y), ("z", z)))


def fmul(x: Value, y: Value) -> Scalar:
    """``x * y``, never fused with an addition; both have one float type."""
    return _same_float("fmul", (("x", x), ("y", y)))


def _same_float(op: str, values: tuple[tuple[str, object], ...]) -> Any:
    first = UNKNOWN_DTYPE
    for argument, value in values:
        if is_unknown(value):
            return UNKNOWN
        dtype = value_dtype(operand(value))
        if not dtype.is_known:
            return pure(op, *(entry for _, entry in values))
        if not dtype.is_float:
            invalid(f"T.{op}", argument, "a float", f"of type {dtype}")
            break
        if first.is_known and dtype != first:
            invalid(f"T.{op}", argument, f"of type {first}, as the first operand is", f"of type {dtype}")
            break
        first = dtype
    return pure(op, *(value for _, value in values))


def q_multiply_shift(x: Value, y: Value, q: Value, s: Value) -> Scalar:
    """Fixed-point product: ``x * y`` with ``q`` fraction bits, shifted by ``s`` with rounding. An ``int32``."""
    return pure("q_multiply_shift", x, y, q, s, dtype=INT32)


def q_multiply_shift_per_axis(
    x: Value, y: Value, ls: Value, rs: Value, q: Value, is_lshift_required: Value, is_rshift_required: Value
) -> Scalar:
    """Fixed-point product with a left and a right shift for each channel. An ``int32``."""
    args = (x, y, ls, rs, q, is_lshift_required, is_rshift_required)
    return pure("q_multiply_shift_per_axis", *args, dtype=INT32)


def _unknown() -> Any:
    return UNKNOWN
