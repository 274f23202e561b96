"""Simple statements of plain Python. What a kernel body adds is in :mod:`tilelang.frontend.kernel_code`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend import kernel_code
from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_dict, is_open, shift
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.iteration import materialize
from tilelang.frontend.operators import MAX_SEQUENCE, binary
from tilelang.frontend.scoping import bind, unbind
from tilelang.frontend.signals import Return, Signal, UserError
from tilelang.ir.buffer import Buffer
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.frames import Frame

if TYPE_CHECKING:
    from tilelang.frontend.values import Scope
    from tilelang.ir.span import Span


@statement(ast.Expr)
def expr_stmt(ev: Evaluator, node: ast.Expr, scope: Scope) -> Signal:
    if isinstance(node.value, ast.Constant):
        return None
    value = ev.eval(node.value, scope)
    if scope.kernel:
        kernel_code.bare_value(ev, value, node, scope)
    return None


@statement(ast.Assign)
def assign_stmt(ev: Evaluator, node: ast.Assign, scope: Scope) -> Signal:
    first = node.targets[0]
    if isinstance(node.value, ast.Call) and isinstance(first, ast.Name):
        from tilelang.frontend.calls import eval_call

        value = eval_call(ev, node.value, scope, target_name=first.id)
    else:
        value = ev.eval(node.value, scope)
    for target in node.targets:
        store(ev, target, value, scope, node)
    return None


@statement(ast.AnnAssign)
def ann_assign(ev: Evaluator, node: ast.AnnAssign, scope: Scope) -> Signal:
    if node.value is not None:
        value = ev.eval(node.value, scope)
        store(ev, node.target, value, scope, node)
        return None
    if isinstance(node.target, ast.Name) and scope.kernel:
        kernel_code.annotate_parameter(ev, node, node.target.id, scope)
    return None


@statement(ast.AugAssign)
def aug_assign(ev: Evaluator, node: ast.AugAssign, scope: Scope) -> Signal:
    span = ev.span(node, scope)
    target = node.target
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
        if not _update_in_place(ev, node.op, current, value):
            store(ev, target, binary(ev, type(node.op), current, value, span), scope, node)
        return None
    if isinstance(target, ast.Subscript):
        from tilelang.frontend.subscripts import load, store_item

        container = ev.eval(target.value, scope)
        index = ev.eval(target.slice, scope)
        current = load(ev, container, index, ev.span(target, scope))
        value = ev.eval(node.value, scope)
        if not _update_in_place(ev, node.op, current, value):
            store_item(ev, container, index, binary(ev, type(node.op), current, value, span), span)
        return None
    from tilelang.frontend.attributes import get, set_

    owner = ev.eval(target.value, scope)
    current = get(ev, owner, target.attr, span)
    value = ev.eval(node.value, scope)
    if not _update_in_place(ev, node.op, current, value):
        set_(ev, owner, target.attr, binary(ev, type(node.op), current, value, span), span)
    return None


_SET_UPDATES: dict[type[ast.operator], str] = {
    ast.BitOr: "update",
    ast.BitAnd: "intersection_update",
    ast.Sub: "difference_update",
    ast.BitXor: "symmetric_difference_update",
}


def _update_in_place(ev: Evaluator, op: ast.operator, current: Any, value: Any) -> bool:
    """Change a container as its augmented assignment does, so that other names of it see the change. False if the
    operator makes a new value."""
    if isinstance(current, ListVal) and isinstance(op, ast.Add):
        items = ev.charge(materialize(ev, value))
        ev.heap.writing(current)
        if items is None or len(current) + len(items) > MAX_SEQUENCE:
            current.open = True
        else:
            current.extend(items)
            shift(current)
        return True
    if isinstance(current, DictVal) and isinstance(op, ast.BitOr):
        ev.heap.writing(current)
        if is_dict(value):
            current.update(ev.charge(value))
        current.open = current.open or not is_dict(value) or is_open(value)
        return True
    if isinstance(current, SetVal) and type(op) in _SET_UPDATES:
        items = ev.charge(materialize(ev, value))
        ev.heap.writing(current)
        if items is None:
            current.clear()
            current.open = True
        else:
            getattr(current, _SET_UPDATES[type(op)])(items)
        return True
    return False


def store(ev: Evaluator, target: ast.expr, value: Any, scope: Scope, node: ast.stmt) -> None:
    """Assign to one target of an assignment statement."""
    if scope.kernel:
        if isinstance(target, ast.Name):
            value = kernel_code.bind_value(ev, target.id, value, scope, node)
            if value is kernel_code.STORED:
                return
        elif isinstance(value, Frame) and isinstance(target, (ast.Tuple, ast.List)):
            value = kernel_code.enter_by_assignment(ev, value, target, scope)
    assign(ev, target, value, scope)


def assign(ev: Evaluator, target: ast.expr, value: Any, scope: Scope) -> None:
    """Bind a target as Python does."""
    if isinstance(target, ast.Name):
        if scope.arg_spans:
            scope.arg_spans.pop(target.id, None)
        if scope.rebound:
            scope.rebound.pop(target.id, None)
        bind(ev.heap, scope, target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(ev, target.elts, value, scope, ev.span(target, scope))
    elif isinstance(target, ast.Subscript):
        from tilelang.frontend.subscripts import store_item

        container = ev.eval(target.value, scope)
        store_item(ev, container, ev.eval(target.slice, scope), value, ev.span(target, scope))
    elif isinstance(target, ast.Attribute):
        from tilelang.frontend.attributes import set_

        set_(ev, ev.eval(target.value, scope), target.attr, value, ev.span(target, scope))
    elif isinstance(target, ast.Starred):
        assign(ev, target.value, value, scope)


def _unpack(ev: Evaluator, targets: list[ast.expr], value: Any, scope: Scope, span: Span) -> None:
    items = materialize(ev, value)
    if items is None:
        for target in targets:
            assign(ev, target, UNKNOWN, scope)
        return
    star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if star is None:
        if len(items) != len(targets):
            raise UserError("ValueError", f"{len(items)} values for {len(targets)} names", span)
        for target, item in zip(targets, items, strict=True):
            assign(ev, target, item, scope)
        return
    tail = len(targets) - star - 1
    if len(items) < star + tail:
        raise UserError("ValueError", f"{len(items)} values for {len(targets)} names", span)
    for target, item in zip(targets[:star], items[:star], strict=True):
        assign(ev, target, item, scope)
    assign(ev, targets[star], ListVal(items[star : len(items) - tail]), scope)
    for target, item in zip(targets[star + 1 :], items[len(items) - tail :], strict=True):
        assign(ev, target, item, scope)


@statement(ast.Delete)
def delete(ev: Evaluator, node: ast.Delete, scope: Scope) -> Signal:
    for target in node.targets:
        if isinstance(target, ast.Name):
            unbind(ev.heap, scope, target.id)
        elif isinstance(target, ast.Subscript):
            container, index = ev.eval(target.value, scope), ev.eval(target.slice, scope)
            if isinstance(container, (DictVal, ListVal)):
                ev.heap.writing(container)
                try:
                    del container[index]
                except (KeyError, IndexError, TypeError):
                    container.open = True
        elif isinstance(target, ast.Attribute):
            from tilelang.frontend.attributes import delete as delete_attribute

            delete_attribute(ev, ev.eval(target.value, scope), target.attr, ev.span(target, scope))
    return None


@statement(ast.Return)
def return_stmt(ev: Evaluator, node: ast.Return, scope: Scope) -> Signal:
    value = ev.eval(node.value, scope) if node.value is not None else None
    if scope.kernel:
        return kernel_code.return_(ev, value, node, scope)
    return Return(value)


@statement(ast.Pass)
def pass_stmt(ev: Evaluator, node: ast.Pass, scope: Scope) -> Signal:
    return None


@statement(ast.Global)
def global_stmt(ev: Evaluator, node: ast.Global, scope: Scope) -> Signal:
    return None


@statement(ast.Nonlocal)
def nonlocal_stmt(ev: Evaluator, node: ast.Nonlocal, scope: Scope) -> Signal:
    return None
