"""``for`` and ``while``: step by step where the trip count is known, else by what the body may do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilelang.frontend import kernel_code
from tilelang.frontend.comparison import truth
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.iteration import iterate
from tilelang.frontend.operators import is_ir
from tilelang.frontend.signals import BREAK, CONTINUE, Break, Return, Signal, UserError
from tilelang.frontend.statements import assign
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.frames import LoopFrame

if TYPE_CHECKING:
    from tilelang.frontend.values import Scope


LOOP_BUDGET = 40_000
"""Steps after which a Python loop counts as one of unknown length: loops over data, not over configurations."""


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


@statement(ast.Break)
def break_stmt(ev: Evaluator, node: ast.Break, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "break", node, scope) if scope.kernel else BREAK


@statement(ast.Continue)
def continue_stmt(ev: Evaluator, node: ast.Continue, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "continue", node, scope) if scope.kernel else CONTINUE
