"""Expressions in a running program: Python's own, unless a value of the kernel takes part."""

from __future__ import annotations

import ast
import builtins
import operator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tilelang.frontend import attributes as static_attributes
from tilelang.frontend import subscripts as static_subscripts
from tilelang.frontend.comparison import COMPARE
from tilelang.frontend.models.registry import LANGUAGE_MODULES, language_member
from tilelang.frontend.operators import BINARY, ir_binary, is_ir, run_time_unknown
from tilelang.frontend.scoping import lookup
from tilelang.frontend.values import MISSING, BoundMethod, Function, Model, Module, Scope, Tensor
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Expr, const_value
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language import arith
from tilelang.live.evaluator import LiveEvaluator, expression
from tilelang.live.functions import LiveFunction

if TYPE_CHECKING:
    from tilelang.ir.span import Span

_FRONTEND = (Buffer, Region, Expr, Unknown, Function, Model, BoundMethod, Tensor)
"""Values whose attributes the evaluator knows."""


@expression(ast.Name)
def name(ev: LiveEvaluator, node: ast.Name, scope: Scope) -> Any:
    found = lookup(scope, node.id)
    if found is MISSING:
        found = getattr(builtins, node.id, MISSING)
        if found is MISSING:
            raise NameError(f"name {node.id!r} is not defined", name=node.id)
    if scope.rebound and node.id in scope.rebound:
        where = scope.rebound.pop(node.id)
        ev.problem("rebound-in-branch", where, name=node.id, notes=(("used here", ev.span(node, scope)),))
    return found


@expression(ast.Attribute)
def attribute(ev: LiveEvaluator, node: ast.Attribute, scope: Scope) -> Any:
    return get(ev, ev.eval(node.value, scope), node.attr, ev.span(node, scope))


def get(ev: LiveEvaluator, owner: Any, name: str, span: Span) -> Any:
    """``owner.name``."""
    if isinstance(owner, ModuleType) and owner.__name__ in LANGUAGE_MODULES:
        found = getattr(owner, name, None)
        return found if found is not None else language_member(ev, name, span)
    if isinstance(owner, _FRONTEND):
        found = static_attributes.get(ev, owner, name, span)
        return found if not isinstance(found, Unknown) else getattr(owner, name, UNKNOWN)
    return getattr(owner, name)


@expression(ast.Subscript)
def subscript(ev: LiveEvaluator, node: ast.Subscript, scope: Scope) -> Any:
    container = ev.eval(node.value, scope)
    index = ev.eval(node.slice, scope)
    return item(ev, container, index, ev.span(node, scope))


def item(ev: LiveEvaluator, container: Any, index: Any, span: Span) -> Any:
    """``container[index]``."""
    if isinstance(container, (*_FRONTEND, Module)):
        return static_subscripts.load(ev, container, index, span)
    known = const_value(index)
    if isinstance(index, Expr) and isinstance(known, int):
        index = known
    return container[index]


@expression(ast.BinOp)
def bin_op(ev: LiveEvaluator, node: ast.BinOp, scope: Scope) -> Any:
    a = ev.eval(node.left, scope)
    b = ev.eval(node.right, scope)
    return binary(ev, type(node.op), a, b, ev.span(node, scope))


def binary(ev: LiveEvaluator, op: type[ast.operator], a: Any, b: Any, span: Span) -> Any:
    """``a op b``."""
    symbol, native, _ = BINARY[op]
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return run_time_unknown(span) if is_ir(a) or is_ir(b) else UNKNOWN
    if is_ir(a) or is_ir(b):
        left, right = number(a), number(b)
        if not (_is_operand(left) and _is_operand(right)):
            return native(a, b)
        return ir_binary(symbol, left, right, span)
    return native(a, b)


def number(value: Any) -> Any:
    """A number of another library (a NumPy scalar, a member of an enum of numbers) as Python's own."""
    if isinstance(value, (int, float, Expr, Buffer)):
        return value
    if hasattr(value, "__index__"):
        return operator.index(value)
    return float(value) if hasattr(value, "__float__") and not isinstance(value, (str, Tensor)) else value


def _is_operand(value: Any) -> bool:
    return isinstance(value, (int, float)) or is_ir(value)


@expression(ast.UnaryOp)
def unary_op(ev: LiveEvaluator, node: ast.UnaryOp, scope: Scope) -> Any:
    value = ev.eval(node.operand, scope)
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(node.op, ast.Not):
        return arith.unary("not", value, ev.span(node, scope)) if is_ir(value) else not value
    if is_ir(value):
        if isinstance(node.op, ast.UAdd):
            return arith.operand(value)
        return arith.unary("-" if isinstance(node.op, ast.USub) else "~", value, ev.span(node, scope))
    return _UNARY[type(node.op)](value)


_UNARY: dict[type[ast.unaryop], Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


@expression(ast.BoolOp)
def bool_op(ev: LiveEvaluator, node: ast.BoolOp, scope: Scope) -> Any:
    is_and = isinstance(node.op, ast.And)
    result: Any = None
    for part in node.values:
        value = ev.eval(part, scope)
        if is_ir(result):
            # Python's value of what stands before is not known, so the operands become one condition.
            if is_ir(value):
                result = arith.binary("and" if is_and else "or", result, value, ev.span(node, scope))
            elif truth(value) is not is_and:
                return not is_and
        else:
            result = value
            if not is_ir(value) and truth(value) is not is_and:
                return value
    return result


def truth(value: Any) -> bool:
    """The truth of a value that exists while the kernel is built."""
    return False if isinstance(value, Unknown) else bool(value)


@expression(ast.Compare)
def compare_chain(ev: LiveEvaluator, node: ast.Compare, scope: Scope) -> Any:
    left = ev.eval(node.left, scope)
    result: Any = True
    for op, part in zip(node.ops, node.comparators, strict=True):
        right = ev.eval(part, scope)
        outcome = compare(op, left, right, ev.span(node, scope))
        if is_ir(outcome):
            result = arith.binary("and", result, outcome, ev.span(node, scope)) if is_ir(result) else outcome
        elif not is_ir(result):
            result = outcome
            if not truth(outcome):
                return outcome
        elif not truth(outcome):
            return False
        left = right
    return result


def compare(op: ast.cmpop, a: Any, b: Any, span: Span) -> Any:
    """One comparison."""
    if isinstance(op, ast.Is):
        return a is b
    if isinstance(op, ast.IsNot):
        return a is not b
    if isinstance(op, ast.In):
        return a in b
    if isinstance(op, ast.NotIn):
        return a not in b
    symbol, native = COMPARE[type(op)]
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return run_time_unknown(span, condition=True) if is_ir(a) or is_ir(b) else UNKNOWN
    if is_ir(a) or is_ir(b):
        left, right = number(a), number(b)
        if not (_is_operand(left) and _is_operand(right)):
            return native(a, b) if symbol not in ("==", "!=") else symbol == "!="
        return ir_binary(symbol, left, right, span)
    return native(a, b)


@expression(ast.IfExp)
def if_exp(ev: LiveEvaluator, node: ast.IfExp, scope: Scope) -> Any:
    condition = ev.eval(node.test, scope)
    if is_ir(condition):
        then, other = ev.eval(node.body, scope), ev.eval(node.orelse, scope)
        return arith.select(condition, number(then), number(other), ev.span(node, scope))
    return ev.eval(node.body if truth(condition) else node.orelse, scope)


@expression(ast.JoinedStr)
def joined_str(ev: LiveEvaluator, node: ast.JoinedStr, scope: Scope) -> Any:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else ev.eval(part, scope) for part in node.values)


_CONVERSIONS: dict[int, Any] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}


@expression(ast.FormattedValue)
def formatted_value(ev: LiveEvaluator, node: ast.FormattedValue, scope: Scope) -> Any:
    from tilelang.ir.printer import text_of

    value = ev.eval(node.value, scope)
    spec = ev.eval(node.format_spec, scope) if node.format_spec is not None else ""
    if isinstance(value, (Expr, Buffer, Region)):
        return text_of(value)
    convert = _CONVERSIONS.get(node.conversion)
    return format(value if convert is None else convert(value), spec)


@expression(ast.Lambda)
def lambda_(ev: LiveEvaluator, node: ast.Lambda, scope: Scope) -> Any:
    return make_function(ev, node, scope, "<lambda>")


def make_function(ev: LiveEvaluator, node: Any, scope: Scope, name: str) -> LiveFunction:
    """The function that a ``def`` or ``lambda`` in a kernel makes; its defaults are evaluated now."""
    args: ast.arguments = node.args
    defaults = tuple(ev.eval(default, scope) for default in args.defaults)
    kw_defaults = {
        arg.arg: ev.eval(default, scope)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is not None
    }
    return LiveFunction(node, scope, name, defaults, kw_defaults)
