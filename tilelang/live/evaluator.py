"""The evaluator in a running program.

Handlers for syntax are those of the checker unless this package registers its own in ``EXPRESSIONS`` or
``STATEMENTS``. Those run Python's own operation on Python's own objects, and hand to the language what takes part in a
kernel.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang.frontend import evaluator as base
from tilelang.frontend.leaving import after
from tilelang.frontend.modules import ModuleTable
from tilelang.frontend.recorder import Recorder
from tilelang.frontend.signals import Maybe, Signal
from tilelang.frontend.sources import SourceCache
from tilelang.ir.unknown import Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Generator, Iterable

    from tilelang.frontend.values import Function, Scope
    from tilelang.ir.span import Span

EXPRESSIONS: dict[type[ast.AST], Any] = {}
STATEMENTS: dict[type[ast.AST], Any] = {}

_HANDLERS = ("calls", "displays", "expressions", "statements", "control")
"""Modules of this package with handlers."""

_RECURSION = 20_000
"""Python frames while a kernel is evaluated: an operator of a long sum takes two."""


def expression(kind: type[ast.AST]) -> Callable[[Any], Any]:
    """Register the evaluation of one expression class in a running program."""

    def register(function: Any) -> Any:
        EXPRESSIONS[kind] = function
        return function

    return register


def statement(kind: type[ast.AST]) -> Callable[[Any], Any]:
    """Register the execution of one statement class in a running program."""

    def register(function: Any) -> Any:
        STATEMENTS[kind] = function
        return function

    return register


@cache
def _tables() -> tuple[base.Handlers, base.Handlers]:
    """Expressions and statements: the checker's handlers with those of this package over them."""
    base.load_handlers()
    for name in _HANDLERS:
        import_module(f"tilelang.live.{name}")
    return base.Handlers({**base.EXPRESSIONS, **EXPRESSIONS}), base.Handlers({**base.STATEMENTS, **STATEMENTS})


class LiveEvaluator(base.Evaluator):
    """Evaluates kernels and macros of a running program. Exceptions of the program propagate as they are."""

    def __init__(self, arch: str) -> None:
        super().__init__(ModuleTable(SourceCache(), Path()), Recorder(), arch=arch, budget=sys.maxsize)
        self._expressions, self._statements = _tables()
        self.python_loops: list[int | None] = []
        """For each loop around the current statement, innermost last: how many blocks of the kernel were open when it
        began, if Python runs it while the kernel is built; ``None`` if it is a loop of the kernel."""

    def eval(self, node: ast.expr, scope: Scope) -> Any:
        return self._expressions[type(node)](self, node, scope)

    def exec(self, body: list[ast.stmt], scope: Scope) -> Signal:
        for position, node in enumerate(body):
            try:
                signal = self._statements[type(node)](self, node, scope)
            except Exception as error:
                note_place(error, scope.module.path, node.lineno)
                raise
            if signal is not None:
                return after(self, signal, body[position + 1 :], scope) if isinstance(signal, Maybe) else signal
        return None

    def step(self, count: int = 1) -> None:
        """There is no budget."""

    def charge(self, value: Any) -> Any:
        return value

    def internal_error(self, error: Exception, span: Span) -> None:
        raise error

    def host_items(self, value: Any) -> Iterable[Any] | None:
        return None if isinstance(value, Unknown) else list(value)

    def set_host_attribute(self, owner: Any, name: str, value: Any) -> None:
        setattr(owner, name, value)

    def set_host_item(self, container: Any, index: Any, value: Any) -> None:
        container[index] = value

    def annotation(self, function: Function, arg: ast.arg) -> Any:
        from tilelang.live.functions import annotation_of

        return annotation_of(self, function, arg)


def note_place(error: Exception, path: str, line: int) -> None:
    """Say in the traceback which line of a kernel an exception of the program comes from, the innermost one only."""
    from tilelang.live.errors import CompileError

    if (
        isinstance(error, CompileError)
        or getattr(error, "_tilelang_placed", False)
        or type(error).__name__ == "StopPhase"
    ):
        return
    note: Any = getattr(error, "add_note", None)  # from Python 3.11 on
    if note is not None:
        note(f"in a kernel, {path}:{line}")
        error._tilelang_placed = True  # type: ignore[attr-defined]  # exceptions take attributes


_lock = threading.RLock()
"""One kernel is built at a time: the builder of the language is one for the process."""

_running: list[LiveEvaluator] = []


def running() -> LiveEvaluator | None:
    """The evaluator that builds a kernel now, for macros and functions that native code calls back."""
    return _running[-1] if _running else None


@contextmanager
def session(arch: str) -> Generator[LiveEvaluator]:
    """A new evaluator that is the running one for a ``with`` block."""
    with _lock:
        made = LiveEvaluator(arch)
        depth = sys.getrecursionlimit()
        sys.setrecursionlimit(max(depth, _RECURSION))
        _running.append(made)
        try:
            yield made
        finally:
            _running.pop()
            sys.setrecursionlimit(depth)
