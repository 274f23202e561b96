"""Execution of statements: plain Python. What a kernel body adds is in :mod:`tilelang.frontend.kernel_code`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend import kernel_code
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.heap import Journal, joined
from tilelang.frontend.iteration import iterate, materialize
from tilelang.frontend.operators import binary, is_ir, truth
from tilelang.frontend.scoping import bind, unbind
from tilelang.frontend.signals import BREAK, CONTINUE, Break, Continue, Return, Signal, UserError
from tilelang.frontend.values import (
    Class,
    DictVal,
    External,
    Function,
    ListVal,
    Mark,
    Model,
    Object,
    Scope,
)
from tilelang.ir.buffer import Buffer
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.frames import Frame, LoopFrame

if TYPE_CHECKING:
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
            ev.problem("invalid-argument", span, function="augmented assignment", argument=target.id,
                       expected="an element such as buf[i] += x, not the whole buffer", got=f"the buffer {current.name}")  # fmt: skip
            return None
        if isinstance(current, ListVal) and isinstance(node.op, ast.Add):
            items = materialize(ev, value)
            ev.heap.writing(current)
            if items is None:
                current.open = True
            else:
                current.extend(items)
            return None
        store(ev, target, binary(ev, type(node.op), current, value, span), scope, node)
        return None
    if isinstance(target, ast.Subscript):
        from tilelang.frontend.subscripts import load, store_item

        container = ev.eval(target.value, scope)
        index = ev.eval(target.slice, scope)
        current = load(ev, container, index, ev.span(target, scope))
        value = ev.eval(node.value, scope)
        store_item(ev, container, index, binary(ev, type(node.op), current, value, span), span)
        return None
    from tilelang.frontend.attributes import get, set_

    owner = ev.eval(target.value, scope)
    current = get(ev, owner, target.attr, span)
    set_(ev, owner, target.attr, binary(ev, type(node.op), current, ev.eval(node.value, scope), span), span)
    return None


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
        for target, item in zip(targets, items):
            assign(ev, target, item, scope)
        return
    tail = len(targets) - star - 1
    if len(items) < star + tail:
        raise UserError("ValueError", f"{len(items)} values for {len(targets)} names", span)
    for target, item in zip(targets[:star], items[:star]):
        assign(ev, target, item, scope)
    assign(ev, targets[star], ListVal(items[star : len(items) - tail]), scope)
    for target, item in zip(targets[star + 1 :], items[len(items) - tail :]):
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
    return None


# --- branches -------------------------------------------------------------------------------------------------


@statement(ast.If)
def if_stmt(ev: Evaluator, node: ast.If, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and (scope.kernel or ev.builder is not None):
        return kernel_code.if_ir(ev, node, condition, scope)
    known = truth(ev, condition)
    if isinstance(known, Unknown):
        if ev.builder is not None:
            return kernel_code.if_unknown(ev, node, scope)
        return either(ev, node.body, node.orelse, scope)
    return ev.exec(node.body if known else node.orelse, scope)


def either(ev: Evaluator, first: list[ast.stmt], second: list[ast.stmt], scope: Scope) -> Signal:
    """Run two alternatives under an unknown condition and go on with what holds for both.

    An alternative that raises is an assertion about the condition: the other one is taken.
    """
    outcomes: list[tuple[Signal, Journal]] = []
    failure: UserError | None = None
    for body in (first, second):
        with ev.under_unknown_condition():
            try:
                outcomes.append(ev.heap.trial(lambda body=body: ev.exec(body, scope)))
            except UserError as error:
                failure = error
    if not outcomes:
        assert failure is not None
        raise failure
    if len(outcomes) == 1:
        signal, journal = outcomes[0]
        ev.heap.commit(journal)
        return signal
    (left, left_journal), (right, right_journal) = outcomes
    if isinstance(left, Return) and isinstance(right, Return):
        ev.heap.join(left_journal, right_journal)
        return Return(joined(left.value, right.value))
    for signal, other_journal in ((left, right_journal), (right, left_journal)):
        if isinstance(signal, Return):
            scope.pending.append(signal.value)
            ev.unsure += 1
            ev.heap.commit(other_journal)
            return right if signal is left else left
    ev.heap.join(left_journal, right_journal)
    if left is right:
        return left
    ev.unsure += 1
    return None


@statement(ast.For)
def for_stmt(ev: Evaluator, node: ast.For, scope: Scope) -> Signal:
    value = ev.eval(node.iter, scope)
    if isinstance(value, LoopFrame) and ev.builder is not None:
        return kernel_code.loop(ev, node, value, scope)
    if scope.kernel and isinstance(value, range):
        return kernel_code.range_loop(ev, node, value, scope)
    items = iterate(ev, value)
    if items is None:
        return _unknown_loop(ev, node.target, node.body, scope)
    if scope.kernel:
        kernel_code.python_loop(ev, node, value, scope)
    depth = ev.unsure
    start = ev.steps
    for item in items:
        ev.step()
        assign(ev, node.target, item, scope)
        signal = ev.exec(node.body, scope)
        if isinstance(signal, Return):
            return signal
        if isinstance(signal, Break):
            break
        if ev.steps - start > LOOP_BUDGET:
            return _unknown_loop(ev, node.target, node.body, scope)
    else:
        return ev.exec(node.orelse, scope) if node.orelse else None
    ev.unsure = max(depth, ev.unsure)
    return None


LOOP_BUDGET = 40_000
"""Steps after which a Python loop counts as one of unknown length: loops over data, not over configurations."""


def _unknown_loop(ev: Evaluator, target: ast.expr | None, body: list[ast.stmt], scope: Scope) -> Signal:
    """Any number of iterations: find out what one writes, forget that, then run the body once for what it records."""

    def once() -> Signal:
        if target is not None:
            assign(ev, target, UNKNOWN, scope)
        return ev.exec(body, scope)

    with ev.under_unknown_condition():
        depth = ev.unsure
        try:
            ev.dry += 1
            _, journal = ev.heap.trial(once)
            ev.heap.havoc(journal)
        except UserError:
            return None
        finally:
            ev.dry -= 1
            ev.unsure = depth
        try:
            signal, journal = ev.heap.trial(once)
        except UserError:
            return None
        finally:
            ev.unsure = depth
        ev.heap.havoc(journal)
    if isinstance(signal, Return):
        scope.pending.append(signal.value)
        ev.unsure += 1
    return None


@statement(ast.AsyncFor)
def async_for(ev: Evaluator, node: ast.AsyncFor, scope: Scope) -> Signal:
    return _unknown_loop(ev, node.target, node.body, scope)


@statement(ast.While)
def while_stmt(ev: Evaluator, node: ast.While, scope: Scope) -> Signal:
    depth = ev.unsure
    start = ev.steps
    while True:
        ev.step()
        condition = ev.eval(node.test, scope)
        if is_ir(condition) and ev.builder is not None:
            return kernel_code.while_ir(ev, node, condition, scope)
        known = truth(ev, condition)
        if isinstance(known, Unknown):
            return _unknown_loop(ev, None, node.body, scope)
        if scope.kernel and isinstance(node.test, ast.Constant) and known:
            ev.problem("invalid-argument", ev.span(node.test, scope), function="while", argument="condition",
                       expected="a run-time condition", got="a constant that is always true")  # fmt: skip
            return None
        if not known:
            return ev.exec(node.orelse, scope) if node.orelse else None
        signal = ev.exec(node.body, scope)
        if isinstance(signal, Return):
            return signal
        if isinstance(signal, Break):
            return None
        if ev.unsure > depth or ev.steps - start > LOOP_BUDGET:
            return _unknown_loop(ev, None, node.body, scope)


@statement(ast.Break)
def break_stmt(ev: Evaluator, node: ast.Break, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "break", node, scope) if scope.kernel else BREAK


@statement(ast.Continue)
def continue_stmt(ev: Evaluator, node: ast.Continue, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "continue", node, scope) if scope.kernel else CONTINUE


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


# --- exceptions and contexts ----------------------------------------------------------------------------------


@statement(ast.Assert)
def assert_stmt(ev: Evaluator, node: ast.Assert, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and ev.builder is not None:
        kernel_code.assert_ir(ev, condition, node, scope)
        return None
    if truth(ev, condition) is False:
        message = ev.eval(node.msg, scope) if node.msg is not None else ""
        text = message if isinstance(message, str) else ast.unparse(node.test)[:120]
        raise UserError("AssertionError", text, ev.span(node, scope))
    return None


@statement(ast.Raise)
def raise_stmt(ev: Evaluator, node: ast.Raise, scope: Scope) -> Signal:
    span = ev.span(node, scope)
    if node.exc is None:
        raise UserError("Exception", "re-raised", span)
    value = ev.eval(node.exc, scope)
    name, message = exception_name(value), ""
    if isinstance(value, Object):
        args = value.attrs.get("args")
        message = str(args[0]) if isinstance(args, tuple) and args and isinstance(args[0], str) else ""
    elif isinstance(node.exc, ast.Call) and node.exc.args:
        text = ev.eval(node.exc.args[0], scope)
        message = text if isinstance(text, str) else ""
    raise UserError(name, message, span, value)


def exception_name(value: Any) -> str:
    """The class name of an exception value or class."""
    if isinstance(value, External):
        return value.name.rsplit(".", 1)[-1]
    if isinstance(value, Class):
        return value.name
    if isinstance(value, Object):
        return value.cls.name
    if isinstance(value, Model):
        return value.name
    return "Exception"


@statement(ast.Try)
def try_stmt(ev: Evaluator, node: ast.Try, scope: Scope) -> Signal:
    signal: Signal = None
    depth = ev.unsure
    try:
        signal = ev.exec(node.body, scope)
        if signal is None:
            signal = ev.exec(node.orelse, scope)
    except UserError as error:
        handler = next((h for h in node.handlers if _handles(ev, h, error, scope)), None)
        if handler is None:
            ev.exec(node.finalbody, scope)
            raise
        ev.unsure = depth
        if handler.name:
            bind(ev.heap, scope, handler.name, error.value if error.value is not None else UNKNOWN)
        signal = ev.exec(handler.body, scope)
    final = ev.exec(node.finalbody, scope)
    return final if final is not None else signal


def _handles(ev: Evaluator, handler: ast.ExceptHandler, error: UserError, scope: Scope) -> bool:
    if handler.type is None:
        return True
    value = ev.eval(handler.type, scope)
    kinds = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
    names = {exception_name(kind) for kind in kinds}
    if names & {error.name, "Exception", "BaseException"}:
        return True
    parents = {"ZeroDivisionError": "ArithmeticError", "KeyError": "LookupError", "IndexError": "LookupError"}
    return parents.get(error.name) in names or any(isinstance(kind, Unknown) for kind in kinds)


@statement(ast.With)
def with_stmt(ev: Evaluator, node: ast.With, scope: Scope) -> Signal:
    return _with(ev, node, 0, scope)


@statement(ast.AsyncWith)
def async_with(ev: Evaluator, node: ast.AsyncWith, scope: Scope) -> Signal:
    return _with(ev, cast("ast.With", node), 0, scope)


def _with(ev: Evaluator, node: ast.With, position: int, scope: Scope) -> Signal:
    if position == len(node.items):
        return ev.exec(node.body, scope)
    item = node.items[position]
    value = ev.eval(item.context_expr, scope)
    inner = lambda: _with(ev, node, position + 1, scope)  # noqa: E731 - the rest of the statement, passed on
    if isinstance(value, Frame):
        return kernel_code.with_frame(ev, value, item, inner, scope)
    if isinstance(value, Mark) and value.name == "raises":
        return _expect_raise(ev, inner)
    entered = value
    if isinstance(value, Object):
        enter = value.cls.lookup("__enter__")
        if isinstance(enter, Function):
            from tilelang.frontend.calls import call

            entered = call(ev, enter, (value,), {}, ev.span(item.context_expr, scope))
        else:
            entered = UNKNOWN
    elif not isinstance(value, Object):
        entered = UNKNOWN
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, entered, scope)
    return inner()


def _expect_raise(ev: Evaluator, body: Any) -> Signal:
    ev.expected_failure += 1
    try:
        return body()
    except UserError:
        return None
    finally:
        ev.expected_failure -= 1
