"""Branches, loops, exceptions and contexts in a running program.

A branch or a loop on a value of the kernel is part of the kernel; any other runs while the kernel is built.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend import branches as static_branches
from tilelang.frontend import kernel_code
from tilelang.frontend.operators import is_ir
from tilelang.frontend.scoping import bind, unbind
from tilelang.frontend.signals import BREAK, CONTINUE, Break, Continue, Return, Signal
from tilelang.frontend.statements import assign
from tilelang.language.frames import Frame, LoopFrame
from tilelang.live.evaluator import LiveEvaluator, statement
from tilelang.live.expressions import truth

if TYPE_CHECKING:
    from tilelang.frontend.values import Scope


@statement(ast.If)
def if_stmt(ev: LiveEvaluator, node: ast.If, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and ev.builder is not None:
        return kernel_code.if_ir(ev, node, condition, scope)
    return ev.exec(node.body if truth(condition) else node.orelse, scope)


@statement(ast.Match)
def match_stmt(ev: LiveEvaluator, node: ast.Match, scope: Scope) -> Signal:
    return static_branches.match_(ev, node, scope)


# --- loops ------------------------------------------------------------------------------------------------------------


@statement(ast.For)
def for_stmt(ev: LiveEvaluator, node: ast.For, scope: Scope) -> Signal:
    value = ev.eval(node.iter, scope)
    in_kernel = isinstance(value, LoopFrame) or (scope.kernel and isinstance(value, range))
    ev.python_loops.append(None if in_kernel else _open_blocks(ev))
    try:
        if isinstance(value, LoopFrame):
            return kernel_code.loop(ev, node, value, scope)
        if in_kernel:
            return kernel_code.range_loop(ev, node, value, scope)
        for entry in value:
            assign(ev, node.target, entry, scope)
            signal = ev.exec(node.body, scope)
            if isinstance(signal, Return):
                return signal
            if isinstance(signal, Break):
                return None
    finally:
        ev.python_loops.pop()
    return ev.exec(node.orelse, scope)


@statement(ast.While)
def while_stmt(ev: LiveEvaluator, node: ast.While, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    in_kernel = is_ir(condition) and ev.builder is not None
    if scope.kernel and isinstance(node.test, ast.Constant) and truth(condition):
        ev.problem(
            "invalid-argument",
            ev.span(node.test, scope),
            function="while",
            argument="condition",
            expected="a run-time condition",
            got="a constant that is always true",
        )
        return None
    ev.python_loops.append(None if in_kernel else _open_blocks(ev))
    try:
        if in_kernel:
            return kernel_code.while_ir(ev, node, condition, scope)
        while truth(condition):
            signal = ev.exec(node.body, scope)
            if isinstance(signal, Return):
                return signal
            if isinstance(signal, Break):
                return None
            condition = ev.eval(node.test, scope)
    finally:
        ev.python_loops.pop()
    return ev.exec(node.orelse, scope)


@statement(ast.Break)
def break_stmt(ev: LiveEvaluator, node: ast.Break, scope: Scope) -> Signal:
    return _leave(ev, node, scope, "break", BREAK)


@statement(ast.Continue)
def continue_stmt(ev: LiveEvaluator, node: ast.Continue, scope: Scope) -> Signal:
    return _leave(ev, node, scope, "continue", CONTINUE)


def _open_blocks(ev: LiveEvaluator) -> int:
    """How many loops and branches of the kernel are open."""
    return len(ev.builder.loops) if ev.builder is not None else 0


def _leave(ev: LiveEvaluator, node: ast.stmt, scope: Scope, kind: str, signal: Break | Continue) -> Signal:
    outside = ev.python_loops[-1] if ev.python_loops else None
    if outside is not None:
        if _open_blocks(ev) > outside:
            raise SyntaxError(f"{kind} under a run-time condition in a loop that runs while the kernel is built")
        return signal
    return kernel_code.jump(ev, kind, node, scope)


# --- exceptions -------------------------------------------------------------------------------------------------------


@statement(ast.Assert)
def assert_stmt(ev: LiveEvaluator, node: ast.Assert, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and ev.builder is not None:
        kernel_code.assert_ir(ev, condition, node, scope)
    elif not truth(condition):
        raise AssertionError(*([] if node.msg is None else [ev.eval(node.msg, scope)]))
    return None


@statement(ast.Raise)
def raise_stmt(ev: LiveEvaluator, node: ast.Raise, scope: Scope) -> Signal:
    if node.exc is None:
        raise _handled[-1] if _handled else RuntimeError("No active exception to reraise")
    error = ev.eval(node.exc, scope)
    raise error from (ev.eval(node.cause, scope) if node.cause is not None else None)


_handled: list[BaseException] = []
"""Exceptions whose handlers run, innermost last."""


@statement(ast.Try)
def try_stmt(ev: LiveEvaluator, node: ast.Try, scope: Scope) -> Signal:
    signal: Signal = None
    try:
        try:
            signal = ev.exec(node.body, scope)
        except Exception as error:
            handler = next((each for each in node.handlers if _catches(ev, each, error, scope)), None)
            if handler is None:
                raise
            if handler.name:
                bind(ev.heap, scope, handler.name, error)
            _handled.append(error)
            try:
                signal = ev.exec(handler.body, scope)
            finally:
                _handled.pop()
                if handler.name and handler.name in scope.vars:
                    unbind(ev.heap, scope, handler.name)
        else:
            if signal is None:
                signal = ev.exec(node.orelse, scope)
    finally:
        last = ev.exec(node.finalbody, scope)
    return last if last is not None else signal


def _catches(ev: LiveEvaluator, handler: ast.ExceptHandler, error: BaseException, scope: Scope) -> bool:
    return handler.type is None or isinstance(error, ev.eval(handler.type, scope))


# --- contexts ---------------------------------------------------------------------------------------------------------


@statement(ast.With)
def with_stmt(ev: LiveEvaluator, node: ast.With, scope: Scope) -> Signal:
    return _with(ev, node, 0, scope)


def _with(ev: LiveEvaluator, node: ast.With, position: int, scope: Scope) -> Signal:
    if position == len(node.items):
        return ev.exec(node.body, scope)
    entry = node.items[position]
    value: Any = ev.eval(entry.context_expr, scope)
    if isinstance(value, Frame):
        return kernel_code.with_frame(ev, value, entry, lambda: _with(ev, node, position + 1, scope), scope)
    with value as entered:
        if entry.optional_vars is not None:
            assign(ev, entry.optional_vars, entered, scope)
        return _with(ev, node, position + 1, scope)
    return None
