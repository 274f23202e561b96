"""Exceptions of the program as data: ``assert``, ``raise``, ``try`` and ``with``."""

from __future__ import annotations

import ast
import sys
from typing import Any, cast

from tilelang.frontend import kernel_code
from tilelang.frontend.branches import either
from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import is_tuple
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.leaving import after, then_always
from tilelang.frontend.models.registry import find_builtin
from tilelang.frontend.operators import is_ir
from tilelang.frontend.scoping import bind
from tilelang.frontend.signals import Maybe, Signal, UserError
from tilelang.frontend.statements import assign
from tilelang.frontend.values import Class, External, Function, Mark, Model, Object, Scope
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.frames import Frame


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
        raise ev.handling[-1] if ev.handling else UserError("RuntimeError", "no exception to raise again", span)
    value = ev.eval(node.exc, scope)
    if isinstance(value, Class):
        value = Object(value, {"args": ()})
    message = ""
    if isinstance(value, Object):
        args = value.attrs.get("args")
        message = args[0] if is_tuple(args) and args and isinstance(args[0], str) else ""
    raise UserError(exception_name(value), message, span, value)


def exception_name(value: Any) -> str:
    """The class name of an exception value or class."""
    if isinstance(value, (External, Model)):
        return value.name.rsplit(".", 1)[-1]
    if isinstance(value, Class):
        return value.name
    return value.cls.name if isinstance(value, Object) else "Exception"


@statement(ast.Try)
def try_stmt(ev: Evaluator, node: ast.Try, scope: Scope) -> Signal:
    signal: Signal = None
    depth = ev.unsure
    fallback = _without_import(ev, node, scope)
    if fallback is not None:
        signal = either(ev, [*node.body, *node.orelse], fallback.body, scope)
        return then_always(ev, signal, node.finalbody, scope) if node.finalbody else signal
    # What a handler takes care of may fail on purpose: a configuration that is tried, a newer API with a fallback.
    tolerated = any(_tolerates(handler) for handler in node.handlers)
    try:
        ev.unsure += tolerated
        signal = ev.exec(node.body, scope)
        ev.unsure -= tolerated
        if signal is None:
            signal = ev.exec(node.orelse, scope)
        elif isinstance(signal, Maybe):
            signal = after(ev, signal, node.orelse, scope)
    except UserError as error:
        handler = next((h for h in node.handlers if _handles(ev, h, error, scope)), None)
        if handler is None:
            ev.exec(node.finalbody, scope)
            raise
        ev.unsure = depth
        if handler.name:
            bind(ev.heap, scope, handler.name, error.value if error.value is not None else UNKNOWN)
        ev.handling.append(error)
        try:
            signal = ev.exec(handler.body, scope)
        finally:
            ev.handling.pop()
    return then_always(ev, signal, node.finalbody, scope) if node.finalbody else signal


def _without_import(ev: Evaluator, node: ast.Try, scope: Scope) -> ast.ExceptHandler | None:
    """The handler that runs where a package is missing, if nobody knows whether it is there: the ``try`` imports one
    that is neither part of the project nor one that programs with kernels need."""
    names: list[str] = []
    for stmt in node.body:
        if isinstance(stmt, ast.Import):
            names += [alias.name for alias in stmt.names]
        elif isinstance(stmt, ast.ImportFrom) and stmt.level == 0 and stmt.module:
            names.append(stmt.module)
    optional = [name for name in names if name.split(".", 1)[0] not in _PRESENT]
    if not any(ev.modules.locate(name, scope.module.path) is None for name in optional):
        return None
    for handler in node.handlers:
        caught = ast.unparse(handler.type) if handler.type is not None else "Exception"
        if any(name in caught for name in ("ImportError", "ModuleNotFoundError", "Exception")):
            return handler
    return None


_PRESENT = frozenset((*sys.stdlib_module_names, "numpy", "pytest", "tilelang", "torch", "tvm"))
"""Packages that are taken to be installed."""


def _tolerates(handler: ast.ExceptHandler) -> bool:
    """Whether a handler goes on after errors of a kernel: it catches them and raises nothing itself."""
    caught = ast.unparse(handler.type) if handler.type is not None else "Exception"
    narrow = ("KeyboardInterrupt", "SystemExit", "ImportError", "ModuleNotFoundError", "StopIteration")
    if any(name in caught for name in narrow):
        return False
    return not any(isinstance(inner, ast.Raise) for statement in handler.body for inner in ast.walk(statement))


def _handles(ev: Evaluator, handler: ast.ExceptHandler, error: UserError, scope: Scope) -> bool:
    if handler.type is None:
        return True
    value = ev.eval(handler.type, scope)
    kinds = value if is_tuple(value) else (value,)
    if any(isinstance(kind, Unknown) for kind in kinds):
        return True
    raised = error.value.cls if isinstance(error.value, Object) else find_builtin(error.name)
    names = (
        {cls.name for cls in raised.mro}
        if isinstance(raised, Class)
        else _EXTERNAL.get(error.name, {error.name, "Exception"})
    )
    return not names.isdisjoint({exception_name(kind) for kind in kinds} - {"object"}) or any(
        exception_name(kind) == "BaseException" for kind in kinds
    )


_EXTERNAL = {"Skipped": {"Skipped"}}
"""Exceptions of packages that ``except Exception`` does not catch."""


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
