"""Operators on values: result types, constant folding and the identities that keep indices readable.

Facts: the promotion rules are those of TVM 0.27 as upstream 0.1.15 shows them for every pair of types. A Python number
is an ``int32``, ``float32`` or ``bool`` constant, except beside a shift or a bitwise operator, where it takes the type
of its partner.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import current
from tilelang.ir.dtype import BOOL, FLOAT32, INT32, INT64, UNKNOWN_DTYPE, DType
from tilelang.ir.expr import Binary, Cast, Const, Expr, Load, Operand, Select, Unary, const_value
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

Result = Operand | Unknown

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
LOGICAL = frozenset(("and", "or"))
BITWISE = frozenset(("&", "|", "^", "<<", ">>"))
INTEGER_ONLY = frozenset(("//", "%", "truncdiv", "truncmod"))

_MAX_BITS = 4096
"""Constants longer than this are not folded: source text may ask for ``2 ** 10 ** 9``."""


def operand(value: object) -> Result:
    """``value`` as an operand: a ``T.alloc_var`` becomes a read of it; anything that is not a number is unknown."""
    if isinstance(value, (Expr, int, float)):
        return value
    if isinstance(value, Buffer) and value.is_var:
        return Load(value.dtype, value, (0,) * value.rank, span=value.span)
    return value if isinstance(value, Unknown) else UNKNOWN


def literal_dtype(value: float) -> DType:
    """The type that a Python number has in an expression."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT32 if -(2**31) <= value < 2**31 else INT64
    return FLOAT32


def value_dtype(value: object) -> DType:
    """The type of an operand; a Python number has the type of its literal."""
    if isinstance(value, Expr):
        return value.dtype
    if isinstance(value, (int, float)):
        return literal_dtype(value)
    return value.dtype if isinstance(value, Buffer) else UNKNOWN_DTYPE


_promoted: dict[tuple[DType, DType], DType | None] = {}


def promote(a: DType, b: DType) -> DType | None:
    """The common type of two operands; ``None`` if they cannot be mixed (two 8-bit float formats, unequal lanes)."""
    if a == b:
        return a
    key = (a, b)
    if key not in _promoted:
        _promoted[key] = _promote(a, b)
    return _promoted[key]


def _promote(a: DType, b: DType) -> DType | None:
    if not (a.is_known and b.is_known):
        return UNKNOWN_DTYPE
    lanes = max(a.lanes, b.lanes)
    if a.lanes != b.lanes and min(a.lanes, b.lanes) != 1:
        return None
    one = _promote_lane(a.base, b.base)
    return one if one is None or lanes == 1 else one.with_lanes(lanes)


def _promote_lane(a: DType, b: DType) -> DType | None:
    if a == b:
        return a
    rank_a, rank_b = _float_rank(a), _float_rank(b)
    if rank_a or rank_b:
        if rank_a == rank_b:
            return None
        return a if rank_a > rank_b else b
    if a.is_bool or b.is_bool:
        return b if a.is_bool else a
    if not (a.is_integer and b.is_integer):
        return None
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.is_signed else a


def _float_rank(dtype: DType) -> int:
    """0 for types that are no floats. IEEE types win over ``bfloat16``, which wins over the small formats."""
    if not dtype.is_float:
        return 0
    if dtype.kind == "float" and not dtype.format:
        return 1000 + dtype.bits
    return 500 + dtype.bits if dtype.kind in ("bfloat", "tfloat") else dtype.bits


def _truncdiv(a: int, b: int) -> int:
    """Integer division as in C: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "min": min,
    "max": max,
    "truncdiv": _truncdiv,
    "truncmod": lambda a, b: a - b * _truncdiv(a, b),
}


def _fold(op: str, a: float, b: float) -> float | None:
    """The constant ``a op b``, or ``None`` if it has none or would be huge."""
    if isinstance(a, int) and isinstance(b, int):
        if op == "**" and (b < 0 or a.bit_length() * b > _MAX_BITS):
            return None
        if op == "<<" and (b < 0 or a.bit_length() + b > _MAX_BITS):
            return None
        if op == "*" and a.bit_length() + b.bit_length() > _MAX_BITS:
            return None
    try:
        value: object = _FOLD[op](a, b)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return value if isinstance(value, (int, float)) else None


def binary(op: str, a: object, b: object, span: Span = NOWHERE) -> Result:
    """``a op b`` for one operator of :class:`~tilelang.ir.expr.Binary`.

    Records ``invalid-argument`` where upstream refuses the operand types, and goes on with the likeliest type.
    """
    if not isinstance(a, (Expr, int, float)):
        a = operand(a)
    if not isinstance(b, (Expr, int, float)):
        b = operand(b)
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    plain_a, plain_b = not isinstance(a, Expr), not isinstance(b, Expr)
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        folded = _fold(op, a, b)
        return UNKNOWN if folded is None else folded
    dtype_a = a.dtype if isinstance(a, Expr) else literal_dtype(a)
    dtype_b = b.dtype if isinstance(b, Expr) else literal_dtype(b)
    if op in LOGICAL:
        common: DType | None = BOOL
    elif op in BITWISE and (plain_a or plain_b) and not (isinstance(a, float) or isinstance(b, float)):
        common = dtype_b if plain_a else dtype_a
    else:
        common = dtype_a if dtype_a is dtype_b else promote(dtype_a, dtype_b)
    if common is None:
        _mismatch(op, dtype_a, dtype_b, span)
        common = dtype_a
    elif common.is_known and op not in COMPARISONS and op not in LOGICAL:
        _check(op, dtype_a, dtype_b, span)
    result = common
    if op in COMPARISONS:
        result = BOOL if common.lanes == 1 else BOOL.with_lanes(common.lanes)
    return _simplify(op, a, b, result) or _typed_constant(op, a, b, result, span) or Binary(result, op, a, b, span=span)


def _simplify(op: str, a: Operand, b: Operand, dtype: DType) -> Operand | None:
    """``x + 0``, ``x * 1``, ``x // 1`` and their like, if the type stays."""
    if isinstance(a, Expr) and type(b) is int:
        if (b == 0 and op in ("+", "-", "<<", ">>")) or (b == 1 and op in ("*", "//")):
            return a if a.dtype == dtype else None
        if dtype.is_integer and ((b == 0 and op == "*") or (b == 1 and op == "%")):
            return Const(dtype, 0)
        if op in ("+", "-") and isinstance(a, Binary) and type(a.b) is int and a.dtype == dtype and dtype.is_integer:
            return _merge_offset(a, b if op == "+" else -b, dtype)
    elif isinstance(b, Expr) and type(a) is int:
        if (a == 0 and op == "+") or (a == 1 and op == "*"):
            return b if b.dtype == dtype else None
        if a == 0 and op in ("*", "//", "%") and dtype.is_integer:
            return Const(dtype, 0)
    return None


def _merge_offset(a: Binary, offset: int, dtype: DType) -> Operand | None:
    """``(x + 2) - 1`` as ``x + 1``: the constants of a sum stand together."""
    if a.op not in ("+", "-") or not isinstance(a.a, Expr) or a.a.dtype != dtype or not isinstance(a.b, int):
        return None
    total = (a.b if a.op == "+" else -a.b) + offset
    if total == 0:
        return a.a
    return Binary(dtype, "+" if total > 0 else "-", a.a, abs(total), span=a.span)


def _typed_constant(op: str, a: Operand, b: Operand, dtype: DType, span: Span) -> Operand | None:
    """The folded value where both operands are constants and at least one has a type."""
    if not (isinstance(a, (Const, int, float)) and isinstance(b, (Const, int, float))):
        return None
    x, y = const_value(a), const_value(b)
    folded = None if x is None or y is None else _fold(op, x, y)
    if folded is None or not dtype.is_known or dtype.lanes != 1:
        return None
    return bool(folded) if dtype.is_bool else Const(dtype, folded, span=span)


def _check(op: str, a: DType, b: DType, span: Span) -> None:
    """Record the operand types that upstream refuses for ``op``."""
    if op in INTEGER_ONLY or op in BITWISE:
        bad = next((dtype for dtype in (a, b) if dtype.is_float), None)
        if bad is not None:
            _refuse(op, f"{bad} operand", "integers", span)
    elif op == "/" and a.base.kind == "int" and b.base.kind == "int":
        _refuse(op, f"{a} / {b}", "floats; integers are divided with // or T.truncdiv", span)
    elif op == "**":
        _refuse(op, f"{a} ** {b}", "written as T.pow", span)


def _mismatch(op: str, a: DType, b: DType, span: Span) -> None:
    _refuse(op, f"{a} and {b}", "types with a common type", span)


def _refuse(op: str, got: str, expected: str, span: Span) -> None:
    builder = current()
    if builder is not None:
        builder.problem("invalid-argument", span, function=op, argument="operands", expected=expected, got=got)


def unary(op: str, a: object, span: Span = NOWHERE) -> Result:
    """``-a``, ``~a`` or ``not a``; ``+a`` is ``a``."""
    value = operand(a)
    if isinstance(value, Unknown) or op == "+":
        return value
    if not isinstance(value, Expr):
        if op == "-":
            return -value
        if op == "not":
            return not value
        return ~int(value) if isinstance(value, int) else UNKNOWN
    if isinstance(value, Const) and value.dtype.lanes == 1:
        if op == "-" and not value.dtype.is_bool:
            return Const(value.dtype, -value.value, span=span)
        if op == "not":
            return Const(BOOL, not value.value, span=span)
    if op == "not":
        return Unary(BOOL, op, value, span=span)
    if op == "~" and value.dtype.is_float:
        _refuse(op, f"{value.dtype} operand", "an integer", span)
    return Unary(value.dtype, op, value, span=span)


def select(cond: object, then: object, other: object, span: Span = NOWHERE) -> Result:
    """``then if cond else other`` with both sides promoted to their common type. A constant condition chooses."""
    test, yes, no = operand(cond), operand(then), operand(other)
    if isinstance(test, Unknown):
        return test
    known = const_value(test)
    if known is not None:
        return yes if known else no
    if isinstance(yes, Unknown):
        return yes
    if isinstance(no, Unknown):
        return no
    dtype_yes, dtype_no = value_dtype(yes), value_dtype(no)
    common = promote(dtype_yes, dtype_no)
    if common is None:
        _mismatch("select", dtype_yes, dtype_no, span)
        common = dtype_yes
    return Select(common, test, yes, no, span=span)


def as_type(value: Operand, dtype: DType, span: Span = NOWHERE) -> Operand:
    """``value`` converted to ``dtype``; unchanged if it has that type already."""
    if isinstance(value, (int, float)):
        if dtype.lanes == 1 and dtype.is_known:
            return Const(dtype, _constant(value, dtype), span=span)
    elif value.dtype == dtype:
        return value
    elif isinstance(value, Const) and dtype.lanes == 1 and dtype.is_known:
        return Const(dtype, _constant(value.value, dtype), span=span)
    return Cast(dtype, value, span=span)


def _constant(value: float, dtype: DType) -> float | bool:
    if dtype.is_bool:
        return bool(value)
    if dtype.is_integer:
        return int(value) if isfinite(value) else value
    if dtype.is_float:
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    return value
