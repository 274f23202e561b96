"""Operators on values of the program: Python's own on plain data, the language's on IR values.

Plain operands are handed to Python only if the result is bounded; everything else is unknown.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, TypeGuard

from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_dict, is_list, is_open, is_shifted, is_tuple
from tilelang.frontend.plain import is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Function, Object, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import BOOL, UNKNOWN_DTYPE
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


MAX_INT_BITS = 4096

MAX_SEQUENCE = 200_000
"""Longer strings and lists than this are never built: the source may ask for ``"x" * 10 ** 10``."""

_NATIVE: Any = operator
"""The module without its types: its functions are called on values of any type, and what they raise is handled."""

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any], str]] = {
    ast.Add: ("+", _NATIVE.add, "add"),
    ast.Sub: ("-", _NATIVE.sub, "sub"),
    ast.Mult: ("*", _NATIVE.mul, "mul"),
    ast.Div: ("/", _NATIVE.truediv, "truediv"),
    ast.FloorDiv: ("//", _NATIVE.floordiv, "floordiv"),
    ast.Mod: ("%", _NATIVE.mod, "mod"),
    ast.Pow: ("**", _NATIVE.pow, "pow"),
    ast.LShift: ("<<", _NATIVE.lshift, "lshift"),
    ast.RShift: (">>", _NATIVE.rshift, "rshift"),
    ast.BitAnd: ("&", _NATIVE.and_, "and"),
    ast.BitOr: ("|", _NATIVE.or_, "or"),
    ast.BitXor: ("^", _NATIVE.xor, "xor"),
    ast.MatMult: ("@", _NATIVE.matmul, "matmul"),
}


def is_ir(value: object) -> bool:
    """Whether a value exists only at run time of the kernel: an expression or a ``T.alloc_var``."""
    return isinstance(value, Expr) or (isinstance(value, Buffer) and value.is_var)


def run_time_unknown(span: Span, *, condition: bool = False) -> Var:
    """A value that is computed at run time from something unknown: the statement exists, its value says nothing."""
    return Var(BOOL if condition else UNKNOWN_DTYPE, "?", "unknown", span=span)


def plain_enum(value: Any) -> Any:
    """A member of an ``IntEnum`` or ``StrEnum`` as the number or string that it is; other values as they are."""
    if isinstance(value, Object) and value.cls.kind == "enum" and value.cls.is_value_enum():
        return value.attrs.get("value", value)
    return value


def binary(ev: Evaluator, op: type[ast.operator], a: Any, b: Any, span: Span) -> Any:
    """``a op b``."""
    symbol, native, method = BINARY[op]
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _numbers(symbol, native, a, b, span)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return run_time_unknown(span) if is_ir(a) or is_ir(b) else UNKNOWN
    if is_ir(a) or is_ir(b):
        return bounded(ev, ir_binary(symbol, a, b, span), a, b)
    if isinstance(a, Object) or isinstance(b, Object):
        left, right = plain_enum(a), plain_enum(b)
        if left is not a or right is not b:
            return binary(ev, op, left, right, span)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        from tilelang.frontend.models.shapes import elementwise, matmul

        return matmul(a, b) if symbol == "@" else elementwise(a, b)
    if isinstance(a, Object) or isinstance(b, Object):
        return _dunder(ev, a, b, method, span)
    if is_list(a) and is_list(b) and symbol == "+":
        if len(a) + len(b) > MAX_SEQUENCE:
            return UNKNOWN
        joined = ListVal([*a, *b])
        joined.open = is_open(a) or is_open(b)
        joined.shifted = is_open(a) or is_shifted(b)
        return joined
    if symbol == "+" and _is_sized(a) and _is_sized(b) and len(a) + len(b) > MAX_SEQUENCE:
        return UNKNOWN
    if is_tuple(a) and is_tuple(b) and symbol == "+":
        return a + b
    if symbol == "*" and isinstance(a, int) and _is_repeatable(b):
        return _repeat(b, a)
    if symbol == "*" and _is_repeatable(a) and isinstance(b, int):
        return _repeat(a, b)
    if is_dict(a) and is_dict(b) and symbol == "|":
        merged = DictVal({**a, **b})
        merged.open = is_open(a) or is_open(b)
        return merged
    if isinstance(a, str) and symbol == "%":
        return _percent(a, b)
    if is_plain(a) and is_plain(b):
        try:
            result = native(a, b)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise UserError(type(error).__name__, str(error), span) from None
        return SetVal(result) if isinstance(result, set) else result
    return UNKNOWN


def _is_sized(value: object) -> TypeGuard[Sized]:
    return isinstance(value, (str, bytes, tuple))


MAX_TERMS = 4_000
"""Terms of one expression. Python code that doubles an expression in a loop would make it exponentially large."""


def bounded(ev: Evaluator, result: Any, *parts: Any) -> Any:
    """An expression made of ``parts``, or a run-time unknown if it has become too large to look at."""
    if not isinstance(result, Expr):
        return result
    size = 1 + sum(ev.terms[id(part)][1] if id(part) in ev.terms else 1 for part in parts)
    if size > MAX_TERMS:
        return Var(result.dtype, "?", "unknown", span=result.span)
    if size > 3:
        ev.terms[id(result)] = (result, size)
    return result


def _numbers(symbol: str, native: Callable[[Any, Any], Any], a: float, b: float, span: Span) -> Any:
    if isinstance(a, int) and isinstance(b, int) and _is_large(symbol, a, b):
        return UNKNOWN
    try:
        result = native(a, b)
    except (ZeroDivisionError, ValueError, OverflowError, TypeError) as error:
        raise UserError(type(error).__name__, str(error), span) from None
    return UNKNOWN if isinstance(result, complex) else result


def is_large_power(a: object, b: object) -> bool:
    """Whether ``a ** b`` is an integer of more than :data:`MAX_INT_BITS`."""
    return isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and abs(b) * a.bit_length() > MAX_INT_BITS


def _is_large(symbol: str, a: int, b: int) -> bool:
    if symbol == "**":
        return is_large_power(a, b)
    if symbol == "<<":
        return b > MAX_INT_BITS
    return symbol == "*" and a.bit_length() + b.bit_length() > MAX_INT_BITS


def ir_binary(symbol: str, a: Any, b: Any, span: Span) -> Any:
    """An operator with a run-time operand."""
    from tilelang.language import arith

    if symbol == "**":
        from tilelang.ir.expr import Call

        base = arith.operand(a)
        return Call(base.dtype if isinstance(base, Expr) else UNKNOWN_DTYPE, "pow", (base, arith.operand(b)), span=span)
    if symbol == "@":
        return UNKNOWN
    return arith.binary(symbol, a, b, span)


def _is_repeatable(value: object) -> TypeGuard[list[Any] | tuple[Any, ...] | str]:
    return isinstance(value, (list, tuple, str))


def _repeat(sequence: list[Any] | tuple[Any, ...] | str, count: int) -> Any:
    if len(sequence) * max(count, 0) > MAX_SEQUENCE:
        return UNKNOWN
    if is_list(sequence):
        repeated = ListVal(sequence * count)
        repeated.open = repeated.shifted = is_open(sequence)
        return repeated
    return sequence * count


def _percent(template: str, values: Any) -> Any:
    if len(template) > 1000 or "*" in template or not is_plain(values):
        return UNKNOWN
    import re

    if any(int(width) > 200 for width in re.findall(r"\d{1,12}", template)):
        return UNKNOWN
    try:
        return template % values
    except (TypeError, ValueError, OverflowError, KeyError):
        return UNKNOWN


def _dunder(ev: Evaluator, a: Any, b: Any, method: str, span: Span) -> Any:
    from tilelang.frontend.calls import call

    if isinstance(a, Object):
        found = a.cls.lookup(f"__{method}__")
        if isinstance(found, Function):
            return call(ev, found, (a, b), {}, span)
    if isinstance(b, Object):
        found = b.cls.lookup(f"__r{method}__")
        if isinstance(found, Function):
            return call(ev, found, (b, a), {}, span)
    return UNKNOWN


def unary(op: ast.unaryop, value: Any, span: Span) -> Any:
    """``-x``, ``+x``, ``~x``. ``not`` is handled with conditions."""
    if isinstance(value, (int, float)):
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.UAdd):
            return +value
        return ~value if isinstance(value, int) else UNKNOWN
    if isinstance(value, Tensor):
        return value
    if is_ir(value):
        from tilelang.language import arith

        if isinstance(op, ast.UAdd):
            return arith.operand(value)
        return arith.unary("-" if isinstance(op, ast.USub) else "~", value, span)
    return UNKNOWN
