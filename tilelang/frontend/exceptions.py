"""Exceptions of the program as data: ``assert``, ``raise``, ``try`` and ``with``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend import kernel_code
from tilelang.frontend.branches import either
from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import is_tuple
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.generators import MORE, drive
from tilelang.frontend.leaving import after, possibly, settled, then_always, union
from tilelang.frontend.models.registry import find_builtin
from tilelang.frontend.modules import is_present
from tilelang.frontend.operators import is_ir
from tilelang.frontend.scoping import bind
from tilelang.frontend.signals import Break, Continue, Leave, Maybe, Return, Signal, UserError
from tilelang.frontend.statements import assign
from tilelang.frontend.values import MISSING, Class, External, Function, GeneratedContext, Mark, Model, Object, Scope
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.frames import Frame

if TYPE_CHECKING:
    from tilelang.ir.span import Span

Inner = Callable[[], Signal]
"""The rest of a ``with`` statement."""


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
    if not node.finalbody:
        return _guarded(ev, node, scope)
    try:
        signal = _guarded(ev, node, scope)
    except (UserError, Leave) as error:
        last = settled(ev, ev.exec(node.finalbody, scope))
        if isinstance(error, UserError) and isinstance(last, (Return, Break, Continue)):
            return last  # leaving ``finally`` drops the exception
        raise
    return then_always(ev, signal, node.finalbody, scope)


def _guarded(ev: Evaluator, node: ast.Try, scope: Scope) -> Signal:
    """``try`` with its handlers and ``else``."""
    signal: Signal = None
    depth = ev.unsure
    fallback = _without_import(ev, node, scope)
    if fallback is not None:
        return either(ev, [*node.body, *node.orelse], fallback.body, scope)
    # What a handler takes care of may fail on purpose: a configuration that is tried, a newer API with a fallback.
    tolerated = any(_tolerates(handler) for handler in node.handlers)
    try:
        ev.unsure += tolerated
        signal = ev.exec(node.body, scope)
        ev.unsure -= tolerated
    except UserError as error:
        handler = next((h for h in node.handlers if _handles(ev, h, error, scope)), None)
        if handler is None:
            raise
        ev.unsure = depth
        if handler.name:
            bind(ev.heap, scope, handler.name, error.value if error.value is not None else UNKNOWN)
        ev.handling.append(error)
        try:
            return ev.exec(handler.body, scope)
        finally:
            ev.handling.pop()
    if signal is None:
        return ev.exec(node.orelse, scope)
    return after(ev, signal, node.orelse, scope) if isinstance(signal, Maybe) else signal


def _without_import(ev: Evaluator, node: ast.Try, scope: Scope) -> ast.ExceptHandler | None:
    """The handler that runs where a package is missing, if nobody knows whether it is there: the ``try`` imports one
    that is neither part of the project nor one that programs with kernels need."""
    if not _may_miss_import(ev, node.body, scope):
        return None
    for handler in node.handlers:
        caught = ast.unparse(handler.type) if handler.type is not None else "Exception"
        if any(name in caught for name in ("ImportError", "ModuleNotFoundError", "Exception")):
            return handler
    return None


def _may_miss_import(ev: Evaluator, body: list[ast.stmt], scope: Scope) -> bool:
    names: list[str] = []
    for stmt in body:
        if isinstance(stmt, ast.Import):
            names += [alias.name for alias in stmt.names]
        elif isinstance(stmt, ast.ImportFrom) and stmt.level == 0 and stmt.module:
            names.append(stmt.module)
    return not all(is_present(ev, name, scope.module.path) for name in names)


def _tolerates(handler: ast.ExceptHandler) -> bool:
    """Whether a handler goes on after errors of a kernel: it catches them and raises nothing itself."""
    caught = ast.unparse(handler.type) if handler.type is not None else "Exception"
    if any(name in caught for name in _NARROW):
        return False
    return not any(isinstance(inner, ast.Raise) for statement in handler.body for inner in ast.walk(statement))


_NARROW = ("KeyboardInterrupt", "SystemExit", "ImportError", "ModuleNotFoundError", "StopIteration")
"""Exceptions that kernels do not raise."""


def _handles(ev: Evaluator, handler: ast.ExceptHandler, error: UserError, scope: Scope) -> bool:
    if handler.type is None:
        return True
    value = ev.eval(handler.type, scope)
    return _is_one_of(error, value if is_tuple(value) else (value,))


def _is_one_of(error: UserError, kinds: tuple[Any, ...]) -> bool:
    """Whether an exception is of one of some classes."""
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
    if isinstance(value, Mark) and value.name == "suppress":
        return _suppressed(ev, value, item, inner, node, scope)
    if isinstance(value, GeneratedContext):
        return _at_yield(ev, value, item, inner, scope)
    entered: Any = UNKNOWN
    leaving = MISSING
    if isinstance(value, Mark) and value.name == "nullcontext":
        entered = value.args[0] if value.args else None
    if isinstance(value, Object):
        from tilelang.frontend.calls import call

        enter = value.cls.lookup("__enter__")
        leaving = value.cls.lookup("__exit__")
        if isinstance(enter, Function):
            entered = call(ev, enter, (value,), {}, ev.span(item.context_expr, scope))
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, entered, scope)
    if isinstance(value, Object) and isinstance(leaving, Function):
        return _until_exit(ev, value, leaving, inner, ev.span(item.context_expr, scope))
    return inner()


def _until_exit(ev: Evaluator, manager: Object, leaving: Function, inner: Inner, span: Span) -> Signal:
    """The block of a ``with``, then ``__exit__``, which may swallow an exception."""
    from tilelang.frontend.calls import call

    try:
        signal = settled(ev, inner())
    except UserError as error:
        kind = error.value.cls if isinstance(error.value, Object) else find_builtin(error.name)
        value = UNKNOWN if error.value is None else error.value
        given = (manager, UNKNOWN if kind is MISSING else kind, value, UNKNOWN)
        if truth(ev, call(ev, leaving, given, {}, span)) is True:
            return None
        raise
    except Leave:
        call(ev, leaving, (manager, UNKNOWN, UNKNOWN, UNKNOWN), {}, span)
        raise
    call(ev, leaving, (manager, None, None, None), {}, span)
    return signal


def _at_yield(ev: Evaluator, value: GeneratedContext, item: ast.withitem, inner: Inner, scope: Scope) -> Signal:
    """The block of a ``with`` runs where the generator of its context manager yields."""
    depth = len(ev.heap.journals)
    signals: list[Signal] = []

    def block(entered: Any) -> None:
        if item.optional_vars is not None:
            assign(ev, item.optional_vars, UNKNOWN if entered is MORE else entered, scope)
        signal = settled(ev, inner())
        signals.append(signal if len(ev.heap.journals) == depth else possibly(signal, scope))

    drive(ev, value.generator, block, throws=True)
    if len(signals) == 1:
        return signals[0]
    found: Maybe = Maybe()
    for signal in signals:
        found = union(found, possibly(signal, scope))
    return found if signals else None


def _suppressed(ev: Evaluator, value: Mark, item: ast.withitem, inner: Inner, node: ast.With, scope: Scope) -> Signal:
    """``with contextlib.suppress(...)``: some exceptions end the block and nothing else."""
    names = {exception_name(kind) for kind in value.args}
    if item.optional_vars is not None:
        assign(ev, item.optional_vars, None, scope)
    depth = ev.unsure
    if names & {"ImportError", "ModuleNotFoundError", "Exception"} and _may_miss_import(ev, node.body, scope):
        return either(ev, node.body, [], scope)
    try:
        ev.unsure += not names <= set(_NARROW)
        return settled(ev, inner())
    except UserError as error:
        if not _is_one_of(error, value.args):
            raise
        return None
    finally:
        ev.unsure = depth


def _expect_raise(ev: Evaluator, body: Any) -> Signal:
    ev.expected_failure += 1
    try:
        return body()
    except UserError:
        return None
    finally:
        ev.expected_failure -= 1
