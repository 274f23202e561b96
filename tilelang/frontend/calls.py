"""Calls: from argument nodes to the function that runs."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.evaluator import MAX_DEPTH, Evaluator, expression
from tilelang.frontend.instance import CallLink
from tilelang.frontend.iteration import materialize
from tilelang.frontend.scoping import bind, captured, declared
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import (
    MISSING,
    BoundMethod,
    Class,
    ClassMethod,
    DictVal,
    External,
    Function,
    Jit,
    Kernel,
    ListVal,
    Macro,
    Model,
    Object,
    Partial,
    PrimFunc,
    Scope,
    SetVal,
    StaticMethod,
)
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import VOID, DType
from tilelang.ir.expr import Call, Load
from tilelang.ir.span import Span
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

IRRELEVANT_BUDGET = 15_000
"""Steps for a function that cannot reach a kernel: it may still compute a size or build a config list."""


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of one call and where each is written."""

    args: list[Any] = field(default_factory=list[Any])
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    arg_spans: list[Span] = field(default_factory=list[Span])
    kwarg_spans: dict[str, Span] = field(default_factory=dict[str, Span])
    open: bool = False
    """A ``*args`` or ``**kwargs`` was not known, so more arguments may exist."""


@expression(ast.Call)
def call_expression(ev: Evaluator, node: ast.Call, scope: Scope) -> Any:
    return eval_call(ev, node, scope)


def eval_call(ev: Evaluator, node: ast.Call, scope: Scope, target_name: str | None = None) -> Any:
    """Evaluate a call expression. ``target_name`` is the name that the result is assigned to."""
    ev.step()
    function = ev.eval(node.func, scope)
    if isinstance(function, Model) and function.name == "super":
        return _super(scope)
    arguments = _evaluate(ev, node, scope)
    span = ev.span(node, scope)
    if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, DType)) or isinstance(function, type):
        from tilelang.frontend import dsl

        return dsl.call(ev, cast("Any", function), arguments, span, target_name)
    return call(ev, function, arguments.args, arguments.kwargs, span, arguments, scope)


def _super(scope: Scope) -> Any:
    from tilelang.frontend.values import Super

    link: Scope | None = scope
    while link is not None and (link.function is None or link.function.owner is None):
        link = link.parent
    if link is None or link.function is None or link.function.owner is None:
        return UNKNOWN
    node = link.function.node
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    receiver = link.vars.get(names[0], UNKNOWN) if names else UNKNOWN
    return Super(link.function.owner, receiver)


def _evaluate(ev: Evaluator, node: ast.Call, scope: Scope) -> Arguments:
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
        elif isinstance(value, dict):
            entries = cast("dict[Any, Any]", value)
            spans = value.spans if isinstance(value, DictVal) else {}
            for name, entry in entries.items():
                if isinstance(name, str):
                    found.kwargs[name] = entry
                    found.kwarg_spans[name] = spans.get(name) or ev.span(keyword.value, scope)
            found.open = found.open or bool(getattr(cast("Any", value), "open", False))
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


def call(
    ev: Evaluator,
    function: Any,
    args: Any,
    kwargs: dict[str, Any],
    span: Span,
    arguments: Arguments | None = None,
    scope: Scope | None = None,
) -> Any:
    """Call any value with evaluated arguments."""
    if isinstance(function, Unknown):
        forget_captured(ev, args, kwargs, span)
        return UNKNOWN
    if isinstance(function, Function):
        return call_function(ev, function, args, kwargs, span, arguments)
    if isinstance(function, BoundMethod):
        shifted = None
        if arguments is not None:
            shifted = Arguments(
                [function.receiver, *arguments.args],
                arguments.kwargs,
                [span, *arguments.arg_spans],
                arguments.kwarg_spans,
                arguments.open,
            )
        return call(ev, function.function, [function.receiver, *args], kwargs, span, shifted, scope)
    if isinstance(function, Model):
        if arguments is not None and arguments.open:
            kwargs = dict(kwargs)
        try:
            return function.call(ev, Args(args, span, arguments, scope), kwargs)
        except (UserError, Exhausted):
            raise
        except RecursionError:
            return UNKNOWN
        except Exception as error:  # a model met a value it did not foresee: the value is unknown, the file goes on
            ev.internal_error(error, span)
            return UNKNOWN
    if isinstance(function, Class):
        return _instantiate(ev, function, args, kwargs, span, arguments)
    if isinstance(function, Jit):
        from tilelang.frontend.jit import call_jit

        return call_jit(ev, function, arguments or Arguments(list(args), dict(kwargs)), span)
    if isinstance(function, Macro):
        from tilelang.frontend.programs import call_macro

        return call_macro(ev, function, arguments or Arguments(list(args), dict(kwargs)), span)
    if isinstance(function, Partial):
        merged = {**dict(function.kwargs), **kwargs}
        given = [*function.args, *args]
        own = arguments or Arguments()
        spans = [*function.arg_spans, *own.arg_spans]
        written = Arguments(given, merged, spans, {**dict(function.kwarg_spans), **own.kwarg_spans}, own.open)
        if len(spans) != len(given):
            written.arg_spans = [span] * len(given)
        return call(ev, function.function, given, merged, span, written, scope)
    if isinstance(function, (StaticMethod, ClassMethod)):
        return call(ev, function.function, args, kwargs, span, arguments, scope)
    if isinstance(function, Object):
        found = function.cls.lookup("__call__")
        if found is MISSING and function.cls.has_external_base():
            found = function.cls.lookup("forward")
        return (
            call(ev, BoundMethod(found, function), args, kwargs, span, arguments) if found is not MISSING else UNKNOWN
        )
    if isinstance(function, PrimFunc):
        from tilelang.frontend.programs import call_prim_func

        return call_prim_func(ev, function, args, span)
    if isinstance(function, Kernel):
        from tilelang.frontend.launching import launch

        return launch(ev, function, args, span)
    if isinstance(function, External):
        forget_captured(ev, args, kwargs, span)
        return UNKNOWN
    if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, DType, type)):
        from tilelang.frontend import dsl

        return dsl.call(ev, cast("Any", function), arguments or Arguments(list(args), dict(kwargs)), span, None)
    if callable(function) and type(function).__module__.startswith("tilelang."):
        from tilelang.frontend import dsl

        return dsl.call(ev, function, arguments or Arguments(list(args), dict(kwargs)), span, None)
    return UNKNOWN


class Args(list[Any]):
    """Positional arguments of a model, with the place of the call."""

    def __init__(self, items: Any, span: Span, arguments: Arguments | None, scope: Scope | None) -> None:
        super().__init__(items)
        self.span = span
        self.arguments = arguments
        self.scope = scope


def call_function(
    ev: Evaluator,
    function: Function,
    args: Any,
    kwargs: dict[str, Any],
    span: Span,
    arguments: Arguments | None = None,
) -> Any:
    """Run a function of the program."""
    if len(ev.stack) >= MAX_DEPTH:
        return ev.unknown(f"calls nested deeper than {MAX_DEPTH}", span)
    scope = ev.new_scope(function)
    scope.vars, scope.arg_spans = bind_arguments(ev, function, args, kwargs, span, arguments)
    scope.bound = dict(scope.vars)
    ev.stack.append(CallLink(function.name, span))
    try:
        if ev.builder is None and not ev.modules.reaches_kernels(ev, function):
            start = ev.steps
            try:
                with ev.budget(IRRELEVANT_BUDGET):
                    return ev.run_body(function, scope)
            except Exhausted:
                if ev.steps - start < IRRELEVANT_BUDGET:
                    raise
                return UNKNOWN
        return ev.run_body(function, scope)
    finally:
        ev.stack.pop()


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
    """The names that a call binds, and where each argument is written. ``missing`` supplies arguments that were not given;
    ``extra`` collects keywords that no parameter takes. Without them such a call raises ``TypeError`` in the program."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    bound: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    given = list(args)
    written = arguments.arg_spans if arguments is not None else []
    opened = arguments.open if arguments is not None else False
    for position, (param, value) in enumerate(zip(positional, given)):
        bound[param.arg] = value
        if position < len(written):
            spans[param.arg] = written[position]
    if len(given) > len(positional):
        if spec.vararg is None:
            raise UserError(
                "TypeError", f"{function.name}() takes {len(positional)} arguments, {len(given)} given", span
            )
        bound[spec.vararg.arg] = tuple(given[len(positional) :])
    elif spec.vararg is not None:
        bound[spec.vararg.arg] = UNKNOWN if opened else ()
    names = {param.arg for param in (*spec.args, *spec.kwonlyargs)}
    rest = DictVal()
    for name, value in kwargs.items():
        if name in names and name not in bound:
            bound[name] = value
            if arguments is not None and name in arguments.kwarg_spans:
                spans[name] = arguments.kwarg_spans[name]
        elif name in names:
            raise UserError("TypeError", f"{function.name}() got two values for {name}", span)
        elif extra is not None and spec.kwarg is None:
            extra[name] = value
        elif spec.kwarg is not None:
            rest[name] = value
        else:
            raise UserError("TypeError", f"{function.name}() has no parameter {name}", span)
    if spec.kwarg is not None:
        rest.open = opened
        bound[spec.kwarg.arg] = rest
    defaults = dict(
        zip([param.arg for param in positional][len(positional) - len(function.defaults) :], function.defaults)
    )
    defaults.update(function.kw_defaults)
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
            raise UserError("TypeError", f"{function.name}() misses the argument {param.arg}", span)
    return bound, spans


def _instantiate(
    ev: Evaluator, cls: Class, args: Any, kwargs: dict[str, Any], span: Span, arguments: Arguments | None
) -> Any:
    if cls.kind == "enum":
        for member in cls.vars.values():
            if isinstance(member, Object) and args and member.attrs.get("value") == args[0]:
                return member
        return UNKNOWN
    if cls.kind == "typeddict":
        return DictVal(kwargs)
    made = Object(cls)
    init = cls.lookup("__init__")
    if isinstance(init, Function):
        shifted = None
        if arguments is not None:
            shifted = Arguments(
                [made, *arguments.args],
                arguments.kwargs,
                [span, *arguments.arg_spans],
                arguments.kwarg_spans,
                arguments.open,
            )
        call_function(ev, init, [made, *args], kwargs, span, shifted)
        return made
    if cls.kind in ("dataclass", "namedtuple"):
        from tilelang.frontend.models.classes import fill_fields

        fill_fields(ev, made, args, kwargs, span, opened=bool(arguments is not None and arguments.open))
        return made
    if cls.has_external_base():
        made.attrs["args"] = tuple(args)
        return made
    return made


def forget_captured(ev: Evaluator, args: Any, kwargs: dict[str, Any], span: Span | None = None) -> None:
    """Code that is not followed was handed functions, objects or buffers: what it may change is unknown from here on."""
    builder = ev.builder
    places = [value for value in (*args, *kwargs.values()) if isinstance(value, (Buffer, Region, Load))]
    if builder is not None and places and span is not None:
        builder.emit(
            Effect(Call(VOID, "unknown", tuple(places), (("effect", "unknown"),), span=span), modelled=False, span=span)
        )
        builder.complete = False
    for value in (*args, *kwargs.values()):
        if isinstance(value, BoundMethod):
            value = value.receiver
        if isinstance(value, Function):
            for name, held in captured(value.node, value.scope).items():
                if isinstance(held, (ListVal, DictVal, SetVal)):
                    _open(ev, held)
                elif isinstance(held, Object):
                    _open_object(ev, held)
                elif name in declared(value.node)[1]:
                    bind(
                        ev.heap,
                        Scope(value.scope.module, {}, value.scope, nonlocals_declared=frozenset((name,))),
                        name,
                        UNKNOWN,
                    )
        elif isinstance(value, Object):
            _open_object(ev, value)


def _open(ev: Evaluator, held: ListVal | DictVal | SetVal) -> None:
    ev.heap.writing(held)
    held.open = True


def _open_object(ev: Evaluator, held: Object) -> None:
    for entry in held.attrs.values():
        if isinstance(entry, (ListVal, DictVal, SetVal)):
            _open(ev, entry)
