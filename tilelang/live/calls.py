"""Calls in a kernel of a running program: to the language, to functions that are evaluated, or native."""

from __future__ import annotations

import ast
import builtins
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend import calls as static_calls
from tilelang.frontend import dsl
from tilelang.frontend.arguments import Arguments, bind_arguments, evaluate_arguments
from tilelang.frontend.instance import CallLink
from tilelang.frontend.models.registry import find, find_builtin
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import BoundMethod, Function, Model, Scope
from tilelang.frontend.values import Macro as InlinedMacro
from tilelang.ir.dtype import DType
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.decorators import BoundMacro, Macro, PrimFunc
from tilelang.language.symbols import const
from tilelang.live.evaluator import LiveEvaluator, expression
from tilelang.live.functions import LiveFunction, followed, function_of, holds_ir

if TYPE_CHECKING:
    from tilelang.ir.span import Span


@expression(ast.Call)
def call_expression(ev: LiveEvaluator, node: ast.Call, scope: Scope) -> Any:
    return eval_call(ev, node, scope)


def eval_call(ev: LiveEvaluator, node: ast.Call, scope: Scope, target_name: str | None = None) -> Any:
    """Evaluate a call. ``target_name`` is the name that the result is assigned to."""
    function = ev.eval(node.func, scope)
    arguments = evaluate_arguments(ev, node, scope)
    if function is super and not arguments.args:
        return _super(scope)
    return call(ev, function, arguments, ev.span(node, scope), target_name, scope)


def _super(scope: Scope) -> Any:
    """``super()``: of the class that Python keeps beside a method, for its first argument."""
    link: Scope | None = scope
    while link is not None:
        if "__class__" in link.vars:
            break
        if link.function is not None:
            scope = link
        link = link.parent
    if link is None or scope.function is None:
        raise RuntimeError("super(): no arguments")
    spec = scope.function.node.args
    first = [*spec.posonlyargs, *spec.args][0].arg
    make: Any = super
    return make(link.vars["__class__"], scope.vars[first])


def call(
    ev: LiveEvaluator,
    function: Any,
    arguments: Arguments,
    span: Span,
    target_name: str | None = None,
    scope: Scope | None = None,
) -> Any:
    """Call any value with evaluated arguments."""
    if isinstance(function, Function):
        return call_function(ev, function, arguments, span)
    if isinstance(function, Macro):
        return call_macro(ev, function.source, arguments, span)
    if isinstance(function, BoundMacro):
        return call_macro(ev, function.macro.source, with_receiver(arguments, function.receiver, span), span)
    if isinstance(function, (Model, Unknown, BoundMethod)):
        return static_calls.call(ev, function, arguments.args, arguments.kwargs, span, arguments, scope)
    if isinstance(function, PrimFunc):
        ev.incomplete(f"call of the prim_func {function.__name__}", span)
        return UNKNOWN
    if function is const:
        return static_calls.call(ev, find("tilelang.language.const"), arguments.args, arguments.kwargs, span, arguments)
    if isinstance(function, DType) or is_language(function):
        return dsl.call(ev, function, arguments, span, target_name)
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        bound: Any = function
        given = with_receiver(arguments, bound.__self__, span)
        method: FunctionType = bound.__func__
        inner = followed(method, [*given.args, *given.kwargs.values()])
        return call_function(ev, inner, given, span) if inner is not None else native(ev, function, arguments, span)
    if isinstance(function, FunctionType):
        inner = followed(function, [*arguments.args, *arguments.kwargs.values()])
        return call_function(ev, inner, arguments, span) if inner is not None else native(ev, function, arguments, span)
    if isinstance(function, type):
        if function in _CONVERSIONS and any(holds_ir(value) for value in arguments.args):
            return dsl.call(ev, function, arguments, span, target_name)
    elif (
        isinstance(function, BuiltinFunctionType)
        and function in _ON_IR
        and any(holds_ir(value, 1) for value in arguments.args)
    ):
        model = find_builtin(function.__name__)
        return static_calls.call(ev, model, arguments.args, arguments.kwargs, span, arguments, scope)
    else:
        own = getattr(cast("type[object]", type(function)), "__call__", None)  # noqa: B004  # what a call of the object runs
        if isinstance(own, FunctionType):
            given = with_receiver(arguments, function, span)
            inner = followed(own, [*given.args, *given.kwargs.values()])
            if inner is not None:
                return call_function(ev, inner, given, span)
    if function is range and any(holds_ir(value, 0) for value in arguments.args):
        return static_calls.call(ev, find_builtin("range"), arguments.args, arguments.kwargs, span, arguments, scope)
    return native(ev, function, arguments, span)


_CONVERSIONS = (int, float, bool)
_ON_IR = frozenset((builtins.abs, builtins.max, builtins.min, builtins.sum, builtins.len, builtins.pow, builtins.round))
"""Builtins that have a meaning on values of the kernel."""


def is_language(function: Any) -> bool:
    """Whether a callable is an operation of the language."""
    return (getattr(function, "__module__", None) or "").startswith("tilelang.language") and not isinstance(
        function, type
    )


def with_receiver(arguments: Arguments, receiver: Any, span: Span) -> Arguments:
    """The arguments with ``self`` before them."""
    return Arguments(
        [receiver, *arguments.args],
        arguments.kwargs,
        [span, *arguments.arg_spans],
        arguments.kwarg_spans,
        arguments.open,
        arguments.name_spans,
    )


def native(ev: LiveEvaluator, function: Any, arguments: Arguments, span: Span) -> Any:
    """Let Python make the call. What the language does meanwhile is written at this place of the kernel."""
    from tilelang.ir.builder import CallSite

    builder = ev.builder
    if builder is None:
        return function(*arguments.args, **arguments.kwargs)
    outer, builder.site = builder.site, CallSite(span)
    try:
        return function(*arguments.args, **arguments.kwargs)
    finally:
        builder.site = outer


def call_function(ev: LiveEvaluator, function: Function, arguments: Arguments, span: Span) -> Any:
    """Evaluate a function of the program."""
    scope = ev.new_scope(function)
    scope.vars, scope.arg_spans = _bound(ev, function, arguments, span)
    scope.bound = dict(scope.vars)
    ev.stack.append(CallLink(function.name, span))
    outer, ev.python_loops = ev.python_loops, []
    try:
        return ev.run_body(function, scope)
    finally:
        ev.python_loops = outer
        ev.stack.pop()


def _bound(ev: LiveEvaluator, function: Function, arguments: Arguments, span: Span) -> tuple[dict[str, Any], Any]:
    try:
        return bind_arguments(ev, function, arguments.args, arguments.kwargs, span, arguments)
    except UserError as error:
        raise TypeError(error.message) from None


def call_macro(ev: LiveEvaluator, source: Any, arguments: Arguments, span: Span) -> Any:
    """Inline a macro at a call of the kernel."""
    from tilelang.frontend import programs

    function = source if isinstance(source, LiveFunction) else function_of(source)
    outer, ev.python_loops = ev.python_loops, []
    try:
        return programs.call_macro(ev, InlinedMacro(function), arguments, span)
    finally:
        ev.python_loops = outer


def call_macro_natively(macro: Macro[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Native code calls a macro: a helper of the program that was not evaluated."""
    from tilelang.live.evaluator import running
    from tilelang.live.functions import here

    ev = running()
    if ev is None or ev.builder is None:
        raise RuntimeError(f"the macro {macro.__name__} can only be called in a kernel")
    return call_macro(ev, macro.source, Arguments(list(args), dict(kwargs)), here(ev))
