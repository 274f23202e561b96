"""Operators on values of the program: Python's own on plain data, the language's on IR values.

Plain operands are handed to Python only if the result is bounded; everything else is unknown.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.signals import UserError
from tilelang.frontend.values import (
    MISSING,
    Class,
    DictVal,
    External,
    Function,
    ListVal,
    Object,
    SetVal,
    Tensor,
    contains_unknown,
    is_plain,
)
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import BOOL, UNKNOWN_DTYPE, DType
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any], str]] = {
    ast.Add: ("+", operator.add, "add"),
    ast.Sub: ("-", operator.sub, "sub"),
    ast.Mult: ("*", operator.mul, "mul"),
    ast.Div: ("/", operator.truediv, "truediv"),
    ast.FloorDiv: ("//", operator.floordiv, "floordiv"),
    ast.Mod: ("%", operator.mod, "mod"),
    ast.Pow: ("**", operator.pow, "pow"),
    ast.LShift: ("<<", operator.lshift, "lshift"),
    ast.RShift: (">>", operator.rshift, "rshift"),
    ast.BitAnd: ("&", operator.and_, "and"),
    ast.BitOr: ("|", operator.or_, "or"),
    ast.BitXor: ("^", operator.xor, "xor"),
    ast.MatMult: ("@", operator.matmul, "matmul"),
}
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}

MAX_INT_BITS = 4096
MAX_SEQUENCE = 200_000
"""Longer strings and lists than this are never built: the source may ask for ``"x" * 10 ** 10``."""


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
        return ir_binary(symbol, a, b, span)
    if isinstance(a, Object) or isinstance(b, Object):
        left, right = plain_enum(a), plain_enum(b)
        if left is not a or right is not b:
            return binary(ev, op, left, right, span)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        from tilelang.frontend.models.tensors import elementwise, matmul

        return matmul(a, b) if symbol == "@" else elementwise(a, b)
    if isinstance(a, Object) or isinstance(b, Object):
        return _dunder(ev, a, b, method, span)
    if isinstance(a, list) and isinstance(b, list) and symbol == "+":
        left, right = cast("list[Any]", a), cast("list[Any]", b)
        if len(left) + len(right) > MAX_SEQUENCE:
            return UNKNOWN
        joined = ListVal([*left, *right])
        joined.open = bool(getattr(left, "open", False) or getattr(right, "open", False))
        return joined
    if isinstance(a, tuple) and isinstance(b, tuple) and symbol == "+":
        return cast("tuple[Any, ...]", a) + cast("tuple[Any, ...]", b)
    if symbol == "*" and isinstance(b, (list, tuple, str)) and isinstance(a, int):
        a, b = b, a
    if symbol == "*" and isinstance(a, (list, tuple, str)) and isinstance(b, int):
        return _repeat(cast("Any", a), b)
    if isinstance(a, dict) and isinstance(b, dict) and symbol == "|":
        merged = DictVal({**cast("dict[Any, Any]", a), **cast("dict[Any, Any]", b)})
        merged.open = bool(getattr(cast("Any", a), "open", False) or getattr(cast("Any", b), "open", False))
        return merged
    if isinstance(a, str) and symbol == "%":
        return _percent(a, b)
    if is_plain(a) and is_plain(b):
        try:
            result = native(a, b)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise UserError(type(error).__name__, str(error), span) from None
        return SetVal(cast("set[Any]", result)) if isinstance(result, set) else result
    return UNKNOWN


def _numbers(symbol: str, native: Callable[[Any, Any], Any], a: float, b: float, span: Span) -> Any:
    if symbol == "**" and isinstance(a, int) and isinstance(b, int) and abs(a) > 1:
        if abs(b) * a.bit_length() > MAX_INT_BITS:
            return UNKNOWN
    elif symbol == "<<" and isinstance(b, int) and b > MAX_INT_BITS:
        return UNKNOWN
    elif symbol == "*" and isinstance(a, int) and isinstance(b, int):
        if a.bit_length() + b.bit_length() > MAX_INT_BITS:
            return UNKNOWN
    try:
        result = native(a, b)
    except (ZeroDivisionError, ValueError, OverflowError, TypeError) as error:
        raise UserError(type(error).__name__, str(error), span) from None
    return UNKNOWN if isinstance(result, complex) else result


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


def _repeat(sequence: Any, count: int) -> Any:
    if len(sequence) * max(count, 0) > MAX_SEQUENCE:
        return UNKNOWN
    if isinstance(sequence, list):
        repeated = ListVal(cast("list[Any]", sequence) * count)
        repeated.open = bool(getattr(cast("Any", sequence), "open", False))
        return repeated
    return sequence * count


def _percent(template: str, values: Any) -> Any:
    if len(template) > 1000 or not is_plain(values):
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


def compare(ev: Evaluator, op: ast.cmpop, a: Any, b: Any, span: Span) -> Any:
    """One comparison: a Python bool where it is certain, an expression for run-time values, else unknown."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        result = _identity(a, b)
        return result if isinstance(result, Unknown) else result is isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        result = contains(ev, b, a, span)
        return result if isinstance(result, Unknown) else result is isinstance(op, ast.In)
    symbol, native = COMPARE[type(op)]
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return native(a, b)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return run_time_unknown(span, condition=True) if is_ir(a) or is_ir(b) else UNKNOWN
    a, b = plain_enum(a), plain_enum(b)
    if is_ir(a) or is_ir(b):
        partner = b if is_ir(a) else a
        if not (is_ir(partner) or isinstance(partner, (int, float))):
            return symbol == "!=" if symbol in ("==", "!=") else UNKNOWN
        return ir_binary(symbol, a, b, span)
    if symbol in ("==", "!="):
        result = equal(ev, a, b)
        return result if isinstance(result, Unknown) else result is (symbol == "==")
    if is_plain(a) and is_plain(b):
        try:
            return native(a, b)
        except TypeError as error:
            raise UserError("TypeError", str(error), span) from None
    return UNKNOWN


def equal(ev: Evaluator, a: Any, b: Any) -> Any:
    """Whether two Python-level values are equal: a bool, or unknown."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if a is b:
        return True
    if isinstance(a, DType) or isinstance(b, DType):
        return _same_dtype(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if isinstance(a, list) is not isinstance(b, list):
            return False
        left, right = cast("list[Any]", a), cast("list[Any]", b)
        if getattr(left, "open", False) or getattr(right, "open", False):
            return UNKNOWN
        if len(left) != len(right):
            return False
        results = [equal(ev, x, y) for x, y in zip(left, right)]
        if any(result is False for result in results):
            return False
        return UNKNOWN if any(isinstance(result, Unknown) for result in results) else True
    if is_plain(a) and is_plain(b):
        return a == b
    if isinstance(a, (External, Tensor, dict, set)) or isinstance(b, (External, Tensor, dict, set)):
        if a is None or b is None:
            return False
        return True if isinstance(a, External) and a == b else UNKNOWN
    if isinstance(a, Object) and isinstance(b, Object):
        return _equal_objects(ev, a, b)
    if isinstance(a, Expr) or isinstance(b, Expr):
        return True if a == b else UNKNOWN
    return False if a is None or b is None else a is b


def _same_dtype(a: Any, b: Any) -> Any:
    left, right = DType.parse(a), DType.parse(b)
    if left is not None and right is not None:
        return UNKNOWN if not (left.is_known and right.is_known) else left == right
    return False if a is None or b is None or isinstance(a, str) or isinstance(b, str) else UNKNOWN


def _equal_objects(ev: Evaluator, a: Object, b: Object) -> Any:
    if a.cls.kind == "dataclass" and a.cls is b.cls:
        results = [equal(ev, a.attrs.get(name), b.attrs.get(name)) for name, _ in a.cls.fields]
        if any(result is False for result in results):
            return False
        return UNKNOWN if any(isinstance(result, Unknown) for result in results) else True
    if a.cls.lookup("__eq__") is MISSING and not a.cls.has_external_base():
        return False
    return UNKNOWN if a.cls.kind != "enum" else False


def _identity(a: Any, b: Any) -> Any:
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, External) and isinstance(b, External):
        return a == b
    if isinstance(a, DType) and isinstance(b, DType):
        return a == b
    if isinstance(a, (Class, Object, Function)) and isinstance(b, (Class, Object, Function)):
        return a is b
    if isinstance(a, (int, str, float)) and isinstance(b, (int, str, float)):
        return a == b and type(a) is type(b)
    return True if a is b else UNKNOWN


def contains(ev: Evaluator, container: Any, item: Any, span: Span) -> Any:
    """``item in container``."""
    if isinstance(container, Unknown):
        return UNKNOWN
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, range) and isinstance(item, int):
        return item in container
    if isinstance(container, (list, tuple, set, frozenset, dict)):
        opened = bool(getattr(cast("Any", container), "open", False))
        unsure = opened
        for entry in cast("list[Any]", container):
            result = equal(ev, entry, item)
            if result is True:
                return True
            unsure = unsure or isinstance(result, Unknown)
        return UNKNOWN if unsure else False
    if isinstance(container, Class) and container.kind == "enum":
        return UNKNOWN
    if isinstance(container, Object):
        found = container.cls.lookup("__contains__")
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            return truth(ev, call(ev, found, (container, item), {}, span))
    return UNKNOWN


def truth(ev: Evaluator, value: Any) -> Any:
    """The truth of a value: a bool where certain; run-time expressions and unknown values give unknown."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    if isinstance(value, (Unknown, Expr, Tensor)):
        return UNKNOWN
    if isinstance(value, Buffer):
        return UNKNOWN
    if isinstance(value, (list, dict, set, tuple, frozenset)):
        if len(cast("list[Any]", value)) == 0:
            return UNKNOWN if getattr(cast("Any", value), "open", False) else False
        return True
    if isinstance(value, Object):
        for name in ("__bool__", "__len__"):
            found = value.cls.lookup(name)
            if isinstance(found, Function):
                from tilelang.frontend.calls import call
                from tilelang.ir.span import NOWHERE

                return truth(ev, call(ev, found, (value,), {}, NOWHERE))
        return UNKNOWN if value.cls.has_external_base() else True
    if is_plain(value):
        return bool(value)
    return UNKNOWN if isinstance(value, External) else True


def certain(value: Any) -> bool:
    """Whether no part of a value is unknown."""
    return not contains_unknown(value)
