"""Evaluation of expressions."""

from __future__ import annotations

import ast
from typing import Any

from tilelang.frontend.comparison import compare, truth
from tilelang.frontend.evaluator import Evaluator, expression
from tilelang.frontend.heap import joined
from tilelang.frontend.models.registry import find_builtin
from tilelang.frontend.operators import MAX_SEQUENCE, binary, is_ir, unary
from tilelang.frontend.scoping import bind, is_generator, lookup
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Function, Scope
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Expr
from tilelang.ir.unknown import UNKNOWN, Unknown


@expression(ast.Constant)
def constant(ev: Evaluator, node: ast.Constant, scope: Scope) -> Any:
    return node.value


@expression(ast.Name)
def name(ev: Evaluator, node: ast.Name, scope: Scope) -> Any:
    found = scope.vars.get(node.id, MISSING)
    if found is MISSING:
        found = lookup(scope, node.id)
    if found is MISSING:
        found = find_builtin(node.id)
        if found is MISSING:
            if ev.builder is not None or ev.factories:
                from tilelang.frontend.undefined import report_undefined

                report_undefined(ev, node, scope)
            if node.id in scope.module.deleted:
                raise UserError("NameError", f"name {node.id!r} is not defined", ev.span(node, scope))
            return UNKNOWN
    if scope.rebound and node.id in scope.rebound:
        where = scope.rebound.pop(node.id)
        ev.problem("rebound-in-branch", where, name=node.id, notes=(("used here", ev.span(node, scope)),))
    return found


@expression(ast.BinOp)
def bin_op(ev: Evaluator, node: ast.BinOp, scope: Scope) -> Any:
    a = ev.eval(node.left, scope)
    b = ev.eval(node.right, scope)
    return ev.charge(binary(ev, type(node.op), a, b, ev.span(node, scope)))


@expression(ast.UnaryOp)
def unary_op(ev: Evaluator, node: ast.UnaryOp, scope: Scope) -> Any:
    value = ev.eval(node.operand, scope)
    if isinstance(node.op, ast.Not):
        if is_ir(value):
            from tilelang.language import arith

            return arith.unary("not", value, ev.span(node, scope))
        known = truth(ev, value)
        return known if isinstance(known, Unknown) else not known
    return unary(node.op, value, ev.span(node, scope))


@expression(ast.BoolOp)
def bool_op(ev: Evaluator, node: ast.BoolOp, scope: Scope) -> Any:
    is_and = isinstance(node.op, ast.And)
    result: Any = UNKNOWN
    for position, part in enumerate(node.values):
        value = ev.eval(part, scope)
        if is_ir(value) or (position and is_ir(result)):
            if position and is_ir(result):
                result = _logical("and" if is_and else "or", result, value, ev, node, scope)
            else:
                result = value
            continue
        result = value
        known = truth(ev, value)
        if isinstance(known, Unknown):
            return _unknown_bool(ev, node.values[position + 1 :], value, scope)
        if known is not is_and:
            return value
    return result


def _logical(op: str, a: Any, b: Any, ev: Evaluator, node: ast.BoolOp, scope: Scope) -> Any:
    from tilelang.language import arith

    if not is_ir(b):
        known = truth(ev, b)
        if isinstance(known, Unknown):
            return UNKNOWN
        b = known
    return arith.binary(op, a, b, ev.span(node, scope))


def _unknown_bool(ev: Evaluator, rest: list[ast.expr], value: Any, scope: Scope) -> Any:
    """The other operands run or not: evaluate them for what they record, under an unknown condition."""
    with ev.under_unknown_condition():
        for part in rest:
            value = joined(value, ev.eval(part, scope))
    return value if not isinstance(value, Unknown) else UNKNOWN


@expression(ast.Compare)
def compare_chain(ev: Evaluator, node: ast.Compare, scope: Scope) -> Any:
    left = ev.eval(node.left, scope)
    result: Any = True
    for op, part in zip(node.ops, node.comparators, strict=True):
        right = ev.charge(ev.eval(part, scope))
        outcome = compare(ev, op, left, right, ev.span(node, scope))
        if outcome is False:
            return False
        if is_ir(outcome):
            if is_ir(result):
                from tilelang.language import arith

                outcome = arith.binary("and", result, outcome, ev.span(node, scope))
            result = outcome
        elif isinstance(outcome, Unknown):
            result = UNKNOWN
        elif result is True:
            result = outcome
        left = right
    return result


@expression(ast.IfExp)
def if_exp(ev: Evaluator, node: ast.IfExp, scope: Scope) -> Any:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and (scope.kernel or ev.builder is not None):
        from tilelang.language import arith

        then, other = ev.eval(node.body, scope), ev.eval(node.orelse, scope)
        return arith.select(condition, then, other, ev.span(node, scope))
    known = truth(ev, condition)
    if isinstance(known, Unknown):
        with ev.under_unknown_condition():
            then, left = ev.heap.trial(lambda: ev.eval(node.body, scope))
            other, right = ev.heap.trial(lambda: ev.eval(node.orelse, scope))
        ev.heap.join(left, right)
        return joined(then, other)
    return ev.eval(node.body if known else node.orelse, scope)


@expression(ast.JoinedStr)
def joined_str(ev: Evaluator, node: ast.JoinedStr, scope: Scope) -> Any:
    parts: list[str] = []
    known = True
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        text = ev.eval(part, scope)
        if isinstance(text, str):
            parts.append(text)
        else:
            known = False
    text = "".join(parts) if known else ""
    return ev.charge(text) if known and len(text) <= MAX_SEQUENCE else UNKNOWN


@expression(ast.FormattedValue)
def formatted_value(ev: Evaluator, node: ast.FormattedValue, scope: Scope) -> Any:
    value = ev.eval(node.value, scope)
    spec = ev.eval(node.format_spec, scope) if node.format_spec is not None else ""
    return format_value(value, spec, node.conversion)


def format_value(value: Any, spec: Any, conversion: int = -1) -> Any:
    """``format(value, spec)`` for plain values and short specs, else unknown."""
    from tilelang.frontend.models.builtins import to_str

    if not isinstance(spec, str) or any(len(run) > 3 for run in _digit_runs(spec)):
        return UNKNOWN
    if conversion == ord("r"):
        value = to_str(value, quoted=True)
    elif conversion != -1 or not isinstance(value, (int, float)):
        value = to_str(value)
    if isinstance(value, Unknown):
        return UNKNOWN
    try:
        return format(value, spec)
    except (TypeError, ValueError):
        return UNKNOWN


def _digit_runs(text: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in text).split()


@expression(ast.Lambda)
def lambda_(ev: Evaluator, node: ast.Lambda, scope: Scope) -> Any:
    return make_function(ev, node, scope, "<lambda>")


def make_function(
    ev: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope, name: str
) -> Function:
    """The function that a ``def`` or ``lambda`` makes; its defaults are evaluated now."""
    args = node.args
    defaults = tuple(ev.eval(default, scope) for default in args.defaults)
    kw_defaults = {
        arg.arg: ev.eval(default, scope)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is not None
    }
    enclosing = scope
    while enclosing.is_class and enclosing.parent is not None:
        enclosing = enclosing.parent
    # Most files have no generator: then large functions need not be searched for one.
    yields = ev.modules.mentions_yield(scope.module.path) and is_generator(node)
    return Function(node, enclosing, name, defaults, kw_defaults, is_generator=yields)


@expression(ast.NamedExpr)
def named_expr(ev: Evaluator, node: ast.NamedExpr, scope: Scope) -> Any:
    value = ev.eval(node.value, scope)
    bind(ev.heap, scope, node.target.id, value)
    return value


@expression(ast.Starred)
def starred(ev: Evaluator, node: ast.Starred, scope: Scope) -> Any:
    return ev.eval(node.value, scope)


@expression(ast.Await)
def await_(ev: Evaluator, node: ast.Await, scope: Scope) -> Any:
    return ev.eval(node.value, scope)


@expression(ast.Yield)
def yield_(ev: Evaluator, node: ast.Yield, scope: Scope) -> Any:
    value = ev.eval(node.value, scope) if node.value is not None else None
    if scope.on_yield is not None:
        ev.step()
        scope.on_yield(value)
    return None


@expression(ast.YieldFrom)
def yield_from(ev: Evaluator, node: ast.YieldFrom, scope: Scope) -> Any:
    from tilelang.frontend.generators import flow

    value = ev.eval(node.value, scope)
    return flow(ev, value, scope.on_yield) if scope.on_yield is not None else UNKNOWN


@expression(ast.Slice)
def slice_(ev: Evaluator, node: ast.Slice, scope: Scope) -> Any:
    parts = [ev.eval(part, scope) if part is not None else None for part in (node.lower, node.upper, node.step)]
    if any(isinstance(part, (Expr, Buffer, Unknown)) for part in parts):
        from tilelang.ir.expr import Slice
        from tilelang.language.arith import operand

        start, stop, step = (None if part is None else _index_part(operand(part)) for part in parts)
        return Slice(start, stop, step, span=ev.span(node, scope))
    return slice(*parts)


def _index_part(value: Any) -> Any:
    from tilelang.ir.dtype import INT32
    from tilelang.ir.expr import Var

    return Var(INT32, "?", "unknown") if isinstance(value, Unknown) else value
