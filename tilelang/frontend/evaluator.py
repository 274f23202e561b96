"""The abstract interpreter: its state, its limits and its dispatch.

Expressions and statements are evaluated by one function per :mod:`ast` class, registered in ``EXPRESSIONS`` and
``STATEMENTS``. The functions live in the sibling modules; this module holds what they share.
"""

from __future__ import annotations

import ast
import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.heap import Heap
from tilelang.frontend.instance import CallLink, Instance, Trace
from tilelang.frontend.leaving import after, settled
from tilelang.frontend.signals import Exhausted, Maybe, Return, Signal, UserError
from tilelang.frontend.values import Function, Module, Scope
from tilelang.ir import builder as ir_builder
from tilelang.ir.span import Span
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sized

    from tilelang.frontend.eager import EagerState
    from tilelang.frontend.modules import ModuleTable
    from tilelang.frontend.recorder import Recorder
    from tilelang.ir.problem import Problem


class Handlers(dict[type[ast.AST], Any]):
    """Handlers by syntax class. A class without one is syntax of a newer Python: its value is unknown."""

    def __missing__(self, kind: type[ast.AST]) -> Any:
        return _not_handled


def _not_handled(ev: Evaluator, node: ast.AST, scope: Scope) -> Any:
    span = ev.span(node, scope)
    ev.trace(f"{type(node).__name__} is not followed", span)
    ev.incomplete(type(node).__name__, span)
    return None if isinstance(node, ast.stmt) else UNKNOWN


EXPRESSIONS = Handlers()
STATEMENTS = Handlers()

_SIZED: tuple[type[Sized], ...] = (list, tuple, str, bytes, dict, set, frozenset)
_FREE_ENTRIES = 256
_ENTRIES_PER_STEP = 16
"""Entries of a list, or characters of a string, that take about the time of a step. Charging for new ones bounds the
memory of a file, too."""

MAX_DEPTH = 150
"""Nested calls of the program. Deeper recursion is not evaluated; real factories stay under ten."""

STRICT = bool(os.environ.get("TILELANG_STRICT"))
"""Set by the test suite: an internal error is raised instead of being reported."""


def expression(kind: type[ast.AST]) -> Callable[[Any], Any]:
    """Register the evaluation of one expression class."""

    def register(function: Any) -> Any:
        EXPRESSIONS[kind] = function
        return function

    return register


def statement(kind: type[ast.AST]) -> Callable[[Any], Any]:
    """Register the execution of one statement class."""

    def register(function: Any) -> Any:
        STATEMENTS[kind] = function
        return function

    return register


_HANDLERS = (
    "attributes",
    "branches",
    "calls",
    "definitions",
    "displays",
    "exceptions",
    "expressions",
    "loops",
    "statements",
    "subscripts",
)
"""Modules with the functions for each syntax class."""


def load_handlers() -> None:
    """Import the modules that register in ``EXPRESSIONS`` and ``STATEMENTS``. They need this module first."""
    for name in _HANDLERS:
        import_module(f"tilelang.frontend.{name}")


class Evaluator:
    """Evaluates one file and what it imports.

    ``arch`` is the target that the program sees when it asks for one; ``asked_for_target`` says whether it did.
    """

    def __init__(
        self,
        modules: ModuleTable,
        recorder: Recorder,
        *,
        arch: str = "sm_80",
        environment: dict[str, str] | None = None,
        budget: int = 400_000,
    ) -> None:
        self.modules = modules
        self.recorder = recorder
        self.heap = Heap(self.charge)
        self.arch = arch
        self.asked_for_target = False
        self.environment: dict[str, str] = dict(environment or {})
        self.steps = 0
        self.limit: int = budget
        """The step at which the current piece of the program has used up its budget."""
        self.stack: list[CallLink] = []
        self.unsure = 0
        """How many unknown conditions the current code is under."""
        self.in_doubt = False
        """Whether the rest of the test runs only if a package is there."""
        self.expected_failure = 0
        self.running = 0
        """How many generators run, one inside another."""
        self.factories = 0
        """How many kernel factories run, one inside another."""
        self.handling: list[UserError] = []
        """Exceptions whose handlers run, innermost last."""
        self.dry = 0
        """Positive while code runs only to find out what it writes: nothing is recorded then."""
        self.built: dict[object, Instance] = {}
        """Instances by what they were built from, so that no kernel is evaluated twice for the same values."""
        self.terms: dict[int, tuple[Any, int]] = {}
        """Large expressions with their number of terms, by identity; holding them keeps the identities valid."""
        self.listing_configs = False
        """Whether a tuner's config function runs, which may build a large list."""
        self.loop_vars: list[Any] = []
        """Indices of the loops that are being built, outermost first."""
        self.requires: list[tuple[str, ...]] = []
        self.phase_one = False
        """Whether an eager kernel is run only up to its launch, to find the sizes of its tensors."""
        self.eager: EagerState | None = None
        self.traces: list[Trace] = []
        self.problems: list[Problem] = []

    # --- dispatch ---------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression."""
        self.steps += 1
        if self.steps > self.limit:
            raise Exhausted
        return EXPRESSIONS[type(node)](self, node, scope)

    def exec(self, body: list[ast.stmt], scope: Scope) -> Signal:
        """Run statements until one leaves the block."""
        for position, node in enumerate(body):
            self.step()
            signal = STATEMENTS[type(node)](self, node, scope)
            if signal is not None:
                return after(self, signal, body[position + 1 :], scope) if isinstance(signal, Maybe) else signal
        return None

    def step(self, count: int = 1) -> None:
        """Spend part of the budget."""
        self.steps += count
        if self.steps > self.limit:
            raise Exhausted

    def charge(self, value: Any) -> Any:
        """The same value, which was made or is looked at as a whole: many entries cost more than one step."""
        if isinstance(value, _SIZED):
            entries = len(value)
            if entries > _FREE_ENTRIES:
                self.step(entries // _ENTRIES_PER_STEP)
        return cast("Any", value)

    @contextmanager
    def budget(self, steps: int) -> Generator[None, None, None]:
        """Give a piece of the program a budget of its own, at most what is left of the current one."""
        outer = self.limit
        self.limit = min(outer, self.steps + steps)
        try:
            yield
        finally:
            self.limit = outer

    # --- places -----------------------------------------------------------------------------------------------

    def span(self, node: ast.AST, scope: Scope) -> Span:
        """The span of a node. Spans outside macros are made once per node and kept on it."""
        via = scope.via
        if via is None:
            known: Span | None = getattr(node, "_span", None)
            if known is not None and known.path == scope.module.path:
                return known
        made = Span(
            scope.module.path,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0) or 0,
            getattr(node, "end_col_offset", 0) or 0,
            via,
        )
        if via is None:
            node._span = made  # type: ignore[attr-defined]  # a cache on the syntax node
        return made

    def span_of(self, function: Function) -> Span:
        """The span of a function's definition."""
        return self.span(function.node, function.scope)

    # --- reports ----------------------------------------------------------------------------------------------

    @property
    def builder(self) -> ir_builder.Builder | None:
        return ir_builder.current()

    def problem(self, kind: str, span: Span, *, notes: tuple[tuple[str, Span], ...] = (), **data: object) -> None:
        """Record a fact, with the program that is being built or, outside one, with the file."""
        if self.dry or self.phase_one:
            return
        builder = ir_builder.current()
        if builder is not None:
            builder.problem(kind, span, notes=notes, **data)
        else:
            self.file_problem(kind, span, notes=notes, **data)

    def file_problem(self, kind: str, span: Span, *, notes: tuple[tuple[str, Span], ...] = (), **data: object) -> None:
        """Record a fact with the file: one that keeps a program from being built at all."""
        if self.dry or self.phase_one:
            return
        from tilelang.ir.problem import Problem

        if not self.expected_failure and not self.unsure and not self.in_doubt:
            self.problems.append(Problem(kind, span, data, notes))

    def trace(self, message: str, span: Span) -> None:
        """Say why something was not followed (``--trace-instances``)."""
        if not self.dry and len(self.traces) < 500:
            entry = Trace(message, span)
            if entry not in self.traces[-20:]:
                self.traces.append(entry)

    def unknown(self, why: str, span: Span) -> Unknown:
        """An unknown value, with a trace of where it came from."""
        self.trace(why, span)
        return UNKNOWN

    def incomplete(self, construct: str, span: Span) -> None:
        """Part of a kernel is not followed: rules that need the whole body stay silent."""
        builder = ir_builder.current()
        if builder is not None and not self.dry:
            builder.complete = False
            self.problem("not-modelled", span, construct=construct)

    def internal_error(self, error: Exception, span: Span) -> None:
        """A fault of ours: recorded, so that the rest of the file is still checked."""
        if STRICT:
            raise error
        self.trace(f"internal error: {type(error).__name__}: {error}", span)
        builder = ir_builder.current()
        if builder is not None:
            builder.complete = False

    # --- modes ------------------------------------------------------------------------------------------------

    @contextmanager
    def under_unknown_condition(self) -> Generator[None, None, None]:
        """Everything recorded inside exists only possibly."""
        self.unsure += 1
        try:
            yield
        finally:
            self.unsure -= 1

    def target_arch(self) -> str:
        """The arch that the program sees. Asking makes the instances depend on the target."""
        self.asked_for_target = True
        return self.arch

    # --- values that only a running program has ---------------------------------------------------------------

    def host_items(self, value: Any) -> Iterable[Any] | None:
        """The items of a value that is not modelled; ``None`` where they are not known."""
        return None

    def set_host_attribute(self, owner: Any, name: str, value: Any) -> None:
        """``owner.name = value`` on an object that is not modelled."""

    def set_host_item(self, container: Any, index: Any, value: Any) -> None:
        """``container[index] = value`` on an object that is not modelled."""

    def annotation(self, function: Function, arg: ast.arg) -> Any:
        """The value of a parameter's annotation, which exists."""
        from tilelang.frontend.parameters import parsed_annotation

        assert arg.annotation is not None
        return self.eval(parsed_annotation(arg.annotation), function.scope)

    # --- functions --------------------------------------------------------------------------------------------

    def run_body(self, function: Function, scope: Scope) -> Any:
        """Evaluate the body of a function in a scope that holds its arguments; the returned value."""
        from tilelang.frontend.heap import joined

        node = function.node
        if isinstance(node, ast.Lambda):
            return self.eval(node.body, scope)
        depth = self.unsure
        try:
            signal = settled(self, self.exec(node.body, scope))
            for frame in reversed(scope.open_frames):
                builder = ir_builder.current()
                if builder is not None:
                    frame.exit(builder)
        finally:
            self.unsure = depth
        value = signal.value if isinstance(signal, Return) else None
        for earlier in scope.pending:
            value = joined(value, earlier)
        return value

    def new_scope(self, function: Function) -> Scope:
        """The scope of one call of ``function``, without its arguments."""
        from tilelang.frontend.scoping import declared

        global_names, nonlocal_names = declared(function.node)
        return Scope(
            function.scope.module,
            {},
            function.scope,
            function,
            global_names,
            nonlocal_names,
        )


def module_scope(module: Module) -> Scope:
    """The scope of a module's own code."""
    return Scope(module, module.vars)
