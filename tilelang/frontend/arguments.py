"""Arguments of calls: evaluated, with the place where each was first written, and bound to parameters."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_dict, is_open
from tilelang.frontend.iteration import materialize
from tilelang.frontend.signals import ArgumentError
from tilelang.ir.span import Span
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Function, Scope


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of one call and where each is written."""

    args: list[Any] = field(default_factory=list[Any])
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    arg_spans: list[Span] = field(default_factory=list[Span])
    kwarg_spans: dict[str, Span] = field(default_factory=dict[str, Span])
    open: bool = False
    """A ``*args`` or ``**kwargs`` was not known, so more arguments may exist."""
    name_spans: dict[str, Span] = field(default_factory=dict[str, Span])
    """Where the names of keyword arguments are written; all of ``name=value`` where it is written so."""


class Args(list[Any]):
    """Positional arguments of a model. ``arguments`` says where each argument is written, ``scope`` who calls; both are
    ``None`` if the call is not one of the program's own."""

    def __init__(
        self, items: Iterable[Any], span: Span, arguments: Arguments | None = None, scope: Scope | None = None
    ) -> None:
        super().__init__(items)
        self.span = span
        self.arguments = arguments
        self.scope = scope

    def of(self, *items: Any) -> Args:
        """Other arguments at the same place."""
        return Args(items, self.span)

    def span_of(self, keyword: str) -> Span | None:
        """Where the value of a keyword is written."""
        return None if self.arguments is None else self.arguments.kwarg_spans.get(keyword)


def evaluate_arguments(ev: Evaluator, node: ast.Call, scope: Scope) -> Arguments:
    found = Arguments()
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            items = materialize(ev, ev.eval(arg.value, scope))
            span = ev.span(arg, scope)
            if items is None:
                found.open = True
            else:
                found.args.extend(items)
                found.arg_spans.extend([span] * len(items))
        else:
            found.args.append(ev.eval(arg, scope))
            found.arg_spans.append(_origin(ev, arg, scope))
    for keyword in node.keywords:
        value = ev.eval(keyword.value, scope)
        if keyword.arg is not None:
            found.kwargs[keyword.arg] = value
            found.kwarg_spans[keyword.arg] = _origin(ev, keyword.value, scope)
            found.name_spans[keyword.arg] = ev.span(keyword, scope)
        elif is_dict(value):
            spans = value.spans if isinstance(value, DictVal) else {}
            key_spans = value.key_spans if isinstance(value, DictVal) else {}
            for name, entry in value.items():
                if isinstance(name, str):
                    found.kwargs[name] = entry
                    found.kwarg_spans[name] = spans.get(name) or ev.span(keyword.value, scope)
                    if name in key_spans:
                        found.name_spans[name] = key_spans[name]
            found.open = found.open or is_open(value)
        else:
            found.open = True
    return found


def _origin(ev: Evaluator, node: ast.expr, scope: Scope) -> Span:
    """Where a value was first written: an argument that is only handed on keeps the span of the caller's argument."""
    if isinstance(node, ast.Name):
        link: Scope | None = scope
        while link is not None:
            if node.id in link.arg_spans:
                return link.arg_spans[node.id]
            if node.id in link.vars:
                break
            link = link.parent
    return ev.span(node, scope)


def bind_arguments(
    ev: Evaluator,
    function: Function,
    args: Any,
    kwargs: dict[str, Any],
    span: Span,
    arguments: Arguments | None = None,
    *,
    missing: Callable[[str], Any] | None = None,
    extra: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, Span]]:
    """The names that a call binds, and where each argument is written. ``missing`` supplies arguments that were not
    given; ``extra`` collects keywords that no parameter takes. Without them such a call raises ``TypeError`` in the
    program."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    bound: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    given = list(args)
    written = arguments.arg_spans if arguments is not None else []
    opened = arguments.open if arguments is not None else False
    for position, (param, value) in enumerate(zip(positional, given, strict=False)):
        bound[param.arg] = value
        if position < len(written):
            spans[param.arg] = written[position]
    if len(given) > len(positional):
        if spec.vararg is None:
            message = f"{function.name}() takes {len(positional)} arguments, {len(given)} given"
            expected = f"takes {len(positional)} arguments, not {len(given)}"
            raise ArgumentError(message, span, argument="", expected=expected)
        bound[spec.vararg.arg] = tuple(given[len(positional) :])
    elif spec.vararg is not None:
        bound[spec.vararg.arg] = UNKNOWN if opened else ()
    names = dict.fromkeys(param.arg for param in (*spec.args, *spec.kwonlyargs))
    rest = DictVal()
    for name, value in kwargs.items():
        if name in names and name not in bound:
            bound[name] = value
            if arguments is not None and name in arguments.kwarg_spans:
                spans[name] = arguments.kwarg_spans[name]
        elif name in names:
            message = f"{function.name}() got two values for {name}"
            raise ArgumentError(message, span, argument=name, expected="must be given once")
        elif extra is not None and spec.kwarg is None:
            extra[name] = value
        elif spec.kwarg is not None:
            rest[name] = value
        else:
            message = f"{function.name}() has no parameter {name}"
            free = tuple(param for param in names if param not in bound and param not in kwargs)
            raise ArgumentError(message, span, argument=name, known=free)
    if spec.kwarg is not None:
        rest.open = opened
        bound[spec.kwarg.arg] = rest
    defaults = function.default_values()
    for param in (*positional, *spec.kwonlyargs):
        if param.arg in bound:
            continue
        if opened:
            bound[param.arg] = UNKNOWN
        elif param.arg in defaults:
            bound[param.arg] = defaults[param.arg]
        elif missing is not None:
            bound[param.arg] = missing(param.arg)
        else:
            message = f"{function.name}() misses the argument {param.arg}"
            raise ArgumentError(message, span, argument=param.arg, expected="must be given")
    return bound, spans


def report_arguments(ev: Evaluator, error: ArgumentError, function: Function, arguments: Arguments, span: Span) -> None:
    """Record that the arguments of a call do not fit a kernel or a macro of the program."""
    from tilelang.language.suggest import nearest

    written = arguments.name_spans if error.kind == "unknown-argument" else arguments.kwarg_spans
    ev.problem(
        error.kind,
        written.get(error.argument, span),
        notes=((f"{function.name} is defined here", ev.span_of(function)),),
        function=f"{function.name}()",
        argument=error.argument,
        message=error.expected,
        suggestion=nearest(error.argument, error.known),
        closed=True,
        known_version=None,
    )
