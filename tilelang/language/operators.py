"""Operators under names: ``T.ceildiv``, ``T.floordiv``, ``T.bitwise_and``, ``T.shift_left``, ``T.Add`` and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.language.arith import binary, unary, value_dtype
from tilelang.language.context import here

if TYPE_CHECKING:
    from tilelang.language.values import Scalar, Value


def _binary(op: str, a: object, b: object) -> Any:
    return binary(op, a, b, here())


def _unary(op: str, a: object) -> Any:
    return unary(op, a, here())


def ceildiv(lhs: Value, rhs: Value, span: object = None) -> Any:
    """``lhs / rhs`` rounded up, of integers. Two Python numbers give a Python number."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return -(-lhs // rhs) if rhs else binary("//", lhs, rhs)
    return _binary("//", _binary("-", _binary("+", lhs, rhs), 1), rhs)


def cdiv(lhs: Value, rhs: Value, span: object = None) -> Any:
    """Another name of :func:`ceildiv`."""
    return ceildiv(lhs, rhs)


def align_up(x: Value, y: Value) -> Any:
    """The smallest multiple of ``y`` that is not below ``x``."""
    return _binary("*", ceildiv(x, y), y)


def floordiv(a: Value, b: Value, span: object = None) -> Any:
    """``a // b`` of integers, rounded down."""
    return _binary("//", a, b)


def floormod(a: Value, b: Value, span: object = None) -> Any:
    """``a % b`` of integers, with the sign of ``b``."""
    return _binary("%", a, b)


def truncdiv(a: Value, b: Value, span: object = None) -> Any:
    """``a / b`` of integers, rounded towards zero as in C."""
    return _binary("truncdiv", a, b)


def truncmod(a: Value, b: Value, span: object = None) -> Any:
    """The remainder of :func:`truncdiv`, with the sign of ``a``."""
    return _binary("truncmod", a, b)


def bitwise_and(x: Value, y: Value, span: object = None) -> Any:
    """``x & y`` of integers."""
    return _binary("&", x, y)


def bitwise_or(x: Value, y: Value, span: object = None) -> Any:
    """``x | y`` of integers."""
    return _binary("|", x, y)


def bitwise_xor(x: Value, y: Value, span: object = None) -> Any:
    """``x ^ y`` of integers."""
    return _binary("^", x, y)


def bitwise_not(x: Value, span: object = None) -> Any:
    """``~x`` of an integer."""
    return _unary("~", x)


def shift_left(x: Value, y: Value, span: object = None) -> Any:
    """``x << y`` of integers."""
    return _binary("<<", x, y)


def shift_right(x: Value, y: Value, span: object = None) -> Any:
    """``x >> y`` of integers; keeps the sign."""
    return _binary(">>", x, y)


def Add(a: Value, b: Value, span: object = None) -> Scalar:
    """``a + b``."""
    return _binary("+", a, b)


def Sub(a: Value, b: Value, span: object = None) -> Scalar:
    """``a - b``."""
    return _binary("-", a, b)


def Mul(a: Value, b: Value, span: object = None) -> Scalar:
    """``a * b``."""
    return _binary("*", a, b)


def Div(a: Value, b: Value, span: object = None) -> Scalar:
    """``a / b``; of integers rounded towards zero."""
    return _binary("truncdiv" if _is_integer(a) and _is_integer(b) else "/", a, b)


def Mod(a: Value, b: Value, span: object = None) -> Scalar:
    """The remainder of the division in C."""
    return _binary("truncmod", a, b)


def FloorDiv(a: Value, b: Value, span: object = None) -> Scalar:
    """``a // b``."""
    return _binary("//", a, b)


def FloorMod(a: Value, b: Value, span: object = None) -> Scalar:
    """``a % b``."""
    return _binary("%", a, b)


def Min(a: Value, b: Value, span: object = None) -> Scalar:
    """The smaller of two values."""
    return _binary("min", a, b)


def Max(a: Value, b: Value, span: object = None) -> Scalar:
    """The larger of two values."""
    return _binary("max", a, b)


def EQ(a: Value, b: Value, span: object = None) -> Scalar:
    """``a == b``."""
    return _binary("==", a, b)


def NE(a: Value, b: Value, span: object = None) -> Scalar:
    """``a != b``."""
    return _binary("!=", a, b)


def LT(a: Value, b: Value, span: object = None) -> Scalar:
    """``a < b``."""
    return _binary("<", a, b)


def LE(a: Value, b: Value, span: object = None) -> Scalar:
    """``a <= b``."""
    return _binary("<=", a, b)


def GT(a: Value, b: Value, span: object = None) -> Scalar:
    """``a > b``."""
    return _binary(">", a, b)


def GE(a: Value, b: Value, span: object = None) -> Scalar:
    """``a >= b``."""
    return _binary(">=", a, b)


def And(a: Value, b: Value, span: object = None) -> Scalar:
    """Both conditions."""
    return _binary("and", a, b)


def Or(a: Value, b: Value, span: object = None) -> Scalar:
    """One of two conditions, or both."""
    return _binary("or", a, b)


def Not(a: Value, span: object = None) -> Scalar:
    """The opposite of a condition."""
    return _unary("not", a)


def _is_integer(value: object) -> bool:
    return value_dtype(value).is_integer
