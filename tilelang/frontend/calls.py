"""Calls: from argument nodes to the function that runs."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.arguments import Args, Arguments, bind_arguments, evaluate_arguments
from tilelang.frontend.containers import DictVal
from tilelang.frontend.escapes import forget_captured
from tilelang.frontend.evaluator import MAX_DEPTH, Evaluator, expression
from tilelang.frontend.instance import CallLink
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import (
    MISSING,
    BoundMethod,
    Class,
    ClassMethod,
    ContextFactory,
    External,
    Function,
    GeneratedContext,
    Generator,
    Jit,
    Kernel,
    Macro,
    Model,
    Object,
    Partial,
    PrimFunc,
    Scope,
    StaticMethod,
)
from tilelang.ir.dtype import DType
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.ir.span import Span

IRRELEVANT_BUDGET = 15_000
"""Steps for a function that cannot reach a kernel: it may still compute a size or build a config list."""


@expression(ast.Call)
def call_expression(ev: Evaluator, node: ast.Call, scope: Scope) -> Any:
    return eval_call(ev, node, scope)


def eval_call(ev: Evaluator, node: ast.Call, scope: Scope, target_name: str | None = None) -> Any:
    """Evaluate a call expression. ``target_name`` is the name that the result is assigned to."""
    ev.step()
    function = ev.eval(node.func, scope)
    if isinstance(function, Model) and function.name == "super":
        return _super(scope)
    arguments = evaluate_arguments(ev, node, scope)
    span = ev.span(node, scope)
    if isinstance(function, (types.FunctionType, types.BuiltinFunctionType, DType, type)):
        from tilelang.frontend import dsl

        return dsl.call(ev, cast("Any", function), arguments, span, target_name)
    return ev.charge(call(ev, function, arguments.args, arguments.kwargs, span, arguments, scope))


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
                arguments.name_spans,
            )
        return call(ev, function.function, [function.receiver, *args], kwargs, span, shifted, scope)
    if isinstance(function, Model):
        if arguments is not None and arguments.open:
            kwargs = dict(kwargs)
        for argument in args:
            ev.charge(argument)
        try:
            return function.call(ev, Args(args, span, arguments, scope), kwargs)
        except (UserError, Exhausted):
            raise
        except RecursionError:
            return UNKNOWN
        except Exception as error:  # noqa: BLE001  # a model met a value it did not foresee: the result is unknown
            ev.internal_error(error, span)
            return UNKNOWN
    if isinstance(function, Class):
        return _call_class(ev, function, args, kwargs, span, arguments)
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
    if isinstance(function, ContextFactory):
        made = call(ev, function.function, args, kwargs, span, arguments, scope)
        return GeneratedContext(made) if isinstance(made, Generator) else UNKNOWN
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

        return launch(ev, function, Args(args, span, arguments, scope), span)
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
    if function.is_generator:
        from tilelang.frontend.generators import of_function

        return of_function(ev, function, scope, span)
    ev.stack.append(CallLink(function.name, span))
    try:
        if ev.builder is None and not ev.modules.reaches_kernels(ev, function):
            start = ev.steps
            # Module code may build a whole tuning space by one call.
            limit = IRRELEVANT_BUDGET * (4 if len(ev.stack) == 1 or ev.listing_configs else 1)
            try:
                with ev.budget(limit):
                    return ev.run_body(function, scope)
            except Exhausted:
                if ev.steps - start < limit:
                    raise
                return UNKNOWN
        return ev.run_body(function, scope)
    finally:
        ev.stack.pop()


def _call_class(
    ev: Evaluator, cls: Class, args: Any, kwargs: dict[str, Any], span: Span, arguments: Arguments | None
) -> Any:
    hook = cls.meta.lookup("__call__") if cls.meta is not None else MISSING
    if isinstance(hook, Function):
        return call_function(ev, hook, [cls, *args], kwargs, span)
    return instantiate(ev, cls, args, kwargs, span, arguments)


def instantiate(
    ev: Evaluator, cls: Class, args: Any, kwargs: dict[str, Any], span: Span, arguments: Arguments | None = None
) -> Any:
    """What ``cls(...)`` makes, apart from what a metaclass does instead."""
    if cls.kind == "enum":
        for member in cls.vars.values():
            if isinstance(member, Object) and args and member.attrs.get("value") == args[0]:
                return member
        return UNKNOWN
    if cls.kind == "typeddict":
        return DictVal(kwargs)
    made = Object(cls)
    maker = cls.lookup("__new__")
    if isinstance(maker, Function):
        found = call_function(ev, maker, [cls, *args], kwargs, span)
        if not isinstance(found, Object) or not found.cls.is_subclass(cls):
            return found
        made = found
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
                arguments.name_spans,
            )
        call_function(ev, init, [made, *args], kwargs, span, shifted)
        return made
    if cls.kind in ("dataclass", "namedtuple"):
        from tilelang.frontend.models.dataclasses import fill_fields

        fill_fields(ev, made, args, kwargs, span, opened=bool(arguments is not None and arguments.open))
        return made
    if cls.kind == "exception" or cls.has_external_base():
        made.attrs["args"] = tuple(args)
    return made
