"""Assignments and definitions in a running program."""

from __future__ import annotations

import ast
import operator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tilelang.frontend import kernel_code
from tilelang.frontend.operators import is_ir
from tilelang.frontend.scoping import bind, unbind
from tilelang.frontend.statements import store
from tilelang.frontend.subscripts import store_item
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Expr
from tilelang.live.calls import call, eval_call
from tilelang.live.evaluator import LiveEvaluator, statement
from tilelang.live.expressions import binary, get, item, make_function, number

if TYPE_CHECKING:
    from tilelang.frontend.signals import Signal
    from tilelang.frontend.values import Scope
    from tilelang.ir.span import Span


@statement(ast.Assign)
def assign_stmt(ev: LiveEvaluator, node: ast.Assign, scope: Scope) -> Signal:
    first = node.targets[0]
    name = first.id if isinstance(first, ast.Name) else None
    value = eval_call(ev, node.value, scope, name) if isinstance(node.value, ast.Call) else ev.eval(node.value, scope)
    for target in node.targets:
        store(ev, target, _storable(target, value, scope), scope, node)
    return None


def _storable(target: ast.expr, value: Any, scope: Scope) -> Any:
    """A value to store; a number of another library becomes Python's own where it goes into a buffer."""
    return number(value) if scope.kernel and isinstance(target, ast.Subscript) else value


@statement(ast.AugAssign)
def aug_assign(ev: LiveEvaluator, node: ast.AugAssign, scope: Scope) -> Signal:
    span = ev.span(node, scope)
    target, op = node.target, type(node.op)
    if isinstance(target, ast.Name):
        current = ev.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope)
        value = ev.eval(node.value, scope)
        if isinstance(current, Buffer) and not current.is_var and scope.kernel:
            ev.problem(
                "invalid-argument",
                span,
                function="augmented assignment",
                argument=target.id,
                expected="an element such as buf[i] += x, not the whole buffer",
                got=f"the buffer {current.name}",
            )
            return None
        store(ev, target, _updated(ev, op, current, value, span), scope, node)
    elif isinstance(target, ast.Subscript):
        container, index = ev.eval(target.value, scope), ev.eval(target.slice, scope)
        current = item(ev, container, index, ev.span(target, scope))
        store_item(ev, container, index, _updated(ev, op, current, ev.eval(node.value, scope), span), span)
    else:
        owner = ev.eval(target.value, scope)
        current = get(ev, owner, target.attr, span)
        ev.set_host_attribute(owner, target.attr, _updated(ev, op, current, ev.eval(node.value, scope), span))
    return None


_native: Any = operator
"""The module without its types: its functions are called on values of any type."""

_IN_PLACE: dict[type[ast.operator], Any] = {
    ast.Add: _native.iadd,
    ast.Sub: _native.isub,
    ast.Mult: _native.imul,
    ast.Div: _native.itruediv,
    ast.FloorDiv: _native.ifloordiv,
    ast.Mod: _native.imod,
    ast.Pow: _native.ipow,
    ast.LShift: _native.ilshift,
    ast.RShift: _native.irshift,
    ast.BitAnd: _native.iand,
    ast.BitOr: _native.ior,
    ast.BitXor: _native.ixor,
    ast.MatMult: _native.imatmul,
}


def _updated(ev: LiveEvaluator, op: type[ast.operator], current: Any, value: Any, span: Span) -> Any:
    if is_ir(current) or is_ir(value):
        return binary(ev, op, current, value, span)
    return _IN_PLACE[op](current, value)


@statement(ast.Delete)
def delete(ev: LiveEvaluator, node: ast.Delete, scope: Scope) -> Signal:
    for target in node.targets:
        if isinstance(target, ast.Name):
            unbind(ev.heap, scope, target.id)
        elif isinstance(target, ast.Attribute):
            delattr(ev.eval(target.value, scope), target.attr)
        elif isinstance(target, ast.Subscript):
            del ev.eval(target.value, scope)[ev.eval(target.slice, scope)]
    return None


@statement(ast.FunctionDef)
def function_def(ev: LiveEvaluator, node: ast.FunctionDef, scope: Scope) -> Signal:
    from tilelang.frontend.arguments import Arguments

    value: Any = make_function(ev, node, scope, node.name)
    for decorator in reversed(node.decorator_list):
        span = ev.span(decorator, scope)
        value = call(ev, ev.eval(decorator, scope), Arguments([value], {}, [span]), span)
    bind(ev.heap, scope, node.name, value)
    return None


@statement(ast.ClassDef)
def class_def(ev: LiveEvaluator, node: ast.ClassDef, scope: Scope) -> Signal:
    raise SyntaxError(f"a class ({node.name}) cannot be defined in a kernel; define it outside")


@statement(ast.Import)
def import_(ev: LiveEvaluator, node: ast.Import, scope: Scope) -> Signal:
    for alias in node.names:
        module = import_module(alias.name)
        name = alias.asname or alias.name.split(".", 1)[0]
        bind(ev.heap, scope, name, module if alias.asname else import_module(name))
    return None


@statement(ast.ImportFrom)
def import_from(ev: LiveEvaluator, node: ast.ImportFrom, scope: Scope) -> Signal:
    package = scope.module.vars.get("__package__") or None
    module = import_module("." * node.level + (node.module or ""), package)
    for alias in node.names:
        try:
            value = getattr(module, alias.name)
        except AttributeError:
            value = import_module(f"{module.__name__}.{alias.name}")
        bind(ev.heap, scope, alias.asname or alias.name, value)
    return None


@statement(ast.Expr)
def expr_stmt(ev: LiveEvaluator, node: ast.Expr, scope: Scope) -> Signal:
    if isinstance(node.value, ast.Constant):
        return None
    value = ev.eval(node.value, scope)
    if scope.kernel or isinstance(value, Expr):
        kernel_code.bare_value(ev, value, node, scope)
    return None
