"""Comparisons and truth: a Python bool where the answer is certain, an expression for run-time values, else unknown."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_container, is_dict, is_open, is_sequence
from tilelang.frontend.operators import ir_binary, is_ir, plain_enum, run_time_unknown
from tilelang.frontend.plain import contains_unknown, is_plain, is_small
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Class, External, Function, Generator, Object, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Expr
from tilelang.ir.span import NOWHERE
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


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
    if isinstance(a, Object) or isinstance(b, Object):
        answer = _by_method(ev, type(op), a, b, span)
        if answer is not MISSING:
            return answer
    if symbol in ("==", "!="):
        result = equal(ev, a, b)
        return result if isinstance(result, Unknown) else result is (symbol == "==")
    if is_plain(a) and is_plain(b):
        try:
            return native(a, b)
        except TypeError as error:
            raise UserError("TypeError", str(error), span) from None
    return UNKNOWN


_METHODS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}
"""The method of the left operand and that of the right one."""


def _by_method(ev: Evaluator, op: type[ast.cmpop], a: Any, b: Any, span: Span) -> Any:
    """An order that a class of the program defines, or ``MISSING``."""
    own, reflected = _METHODS.get(op, ("", ""))
    for receiver, other, name in ((a, b, own), (b, a, reflected)):
        found = receiver.cls.lookup(name) if isinstance(receiver, Object) else MISSING
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            return truth(ev, call(ev, found, (receiver, other), {}, span))
    return MISSING


def equal(ev: Evaluator, a: Any, b: Any) -> Any:
    """Whether two Python-level values are equal: a bool, or unknown. Each part is a step, since shared lists can be
    exponentially large on paper."""
    ev.step()
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if a is b:
        return True
    if isinstance(a, DType) or isinstance(b, DType):
        return _same_dtype(a, b)
    if is_sequence(a) and is_sequence(b):
        if isinstance(a, list) is not isinstance(b, list):
            return False
        if is_open(a) or is_open(b) or not is_small(a) or not is_small(b):
            return UNKNOWN
        if len(a) != len(b):
            return False
        results = [equal(ev, x, y) for x, y in zip(a, b, strict=True)]
        if any(result is False for result in results):
            return False
        return UNKNOWN if any(isinstance(result, Unknown) for result in results) else True
    if is_dict(a) and is_dict(b) and is_plain(a) and is_plain(b):
        if a.keys() != b.keys():
            return False
        return all(equal(ev, a[key], b[key]) is True for key in a)
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
        results = [
            equal(ev, a.attrs.get(field.name), b.attrs.get(field.name)) for field in a.cls.fields if field.stored
        ]
        if any(result is False for result in results):
            return False
        return UNKNOWN if any(isinstance(result, Unknown) for result in results) else True
    method = a.cls.lookup("__eq__")
    if isinstance(method, Function):
        from tilelang.frontend.calls import call

        return truth(ev, call(ev, method, (a, b), {}, NOWHERE))
    return UNKNOWN if a.cls.has_external_base() and a.cls.kind != "enum" else False


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
    if isinstance(container, External) and container.name == "os.environ":
        return item in ev.environment if isinstance(item, str) else UNKNOWN
    if is_container(container):
        unsure = is_open(container)
        for entry in container:
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
    if isinstance(container, Generator):
        from tilelang.frontend.generators import give_away

        give_away(ev, container)  # it is read up to the first item that is equal
    return UNKNOWN


def truth(ev: Evaluator, value: Any) -> Any:
    """The truth of a value: a bool where certain; run-time expressions and unknown values give unknown."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    if isinstance(value, (Unknown, Expr, Tensor)):
        return UNKNOWN
    if isinstance(value, Buffer):
        return UNKNOWN
    if is_container(value):
        return True if len(value) > 0 else UNKNOWN if is_open(value) else False
    if isinstance(value, Object):
        for name in ("__bool__", "__len__"):
            found = value.cls.lookup(name)
            if isinstance(found, Function):
                from tilelang.frontend.calls import call

                return truth(ev, call(ev, found, (value,), {}, NOWHERE))
        return UNKNOWN if value.cls.has_external_base() else True
    if is_plain(value):
        return bool(value)
    return UNKNOWN if isinstance(value, External) else True


def certain(value: Any) -> bool:
    """Whether no part of a value is unknown."""
    return not contains_unknown(value)
