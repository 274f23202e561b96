"""Calls of language functions: they run natively on abstract values and emit tile IR.

Before each call the builder learns where the call and its arguments are written. Arguments that do not fit the
function's signature become problems, never exceptions.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import copied_dict, is_dict
from tilelang.frontend.models.builtins import NATIVE, call_native, number
from tilelang.frontend.values import (
    BoundMethod,
    Class,
    External,
    Function,
    Model,
    Module,
    Object,
    Partial,
    Tensor,
)
from tilelang.ir.builder import CallSite
from tilelang.ir.dtype import DType
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.arguments import Arguments
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Expr
    from tilelang.ir.span import Span
    from tilelang.language.binding import BindingProblem


def call(ev: Evaluator, function: Any, arguments: Arguments, span: Span, target_name: str | None) -> Any:
    """Call a native function: one of the language, a dtype, or a whitelisted pure builtin."""
    if isinstance(function, DType):
        return _convert(ev, function, arguments, span)
    if function is DType:
        return (DType.parse(arguments.args[0]) or UNKNOWN) if len(arguments.args) == 1 else UNKNOWN
    if function in (int, float, bool, str):
        from tilelang.frontend.arguments import Args

        return number(ev, function, Args(arguments.args, span, arguments, None), arguments.kwargs, span)
    if function in NATIVE:
        return call_native(function, arguments.args, arguments.kwargs, span)
    module = getattr(function, "__module__", "") or ""
    if not module.startswith("tilelang"):
        return UNKNOWN
    if arguments.open:
        return _open_call(ev, function, span)
    if any(isinstance(value, _FOREIGN) for value in (*arguments.args, *arguments.kwargs.values())):
        arguments = _without_foreign(arguments)
    if module in _TAKE_FUNCTIONS:
        arguments = _with_callbacks(ev, arguments, span)
    builder = ev.builder
    if builder is None:
        return _run(ev, function, arguments, span)
    outer = builder.site
    builder.site = CallSite(span, _argument_spans(function, arguments), target_name)
    try:
        return _run(ev, function, arguments, span)
    finally:
        builder.site = outer


_FOREIGN = (External, Object, Class, Model, Module, Tensor)
"""Values of the host program that the language cannot look into: to it they are unknown."""


def _without_foreign(arguments: Arguments) -> Arguments:
    from tilelang.frontend.arguments import Arguments as Made

    args = [UNKNOWN if isinstance(value, _FOREIGN) else value for value in arguments.args]
    kwargs = {name: UNKNOWN if isinstance(value, _FOREIGN) else value for name, value in arguments.kwargs.items()}
    return Made(args, kwargs, arguments.arg_spans, arguments.kwarg_spans, arguments.open, arguments.name_spans)


_TAKE_FUNCTIONS = ("tilelang.language.layouts", "tilelang.language.annotate")
"""Modules of the language whose functions call functions of the program."""


@dataclass(frozen=True, slots=True)
class Callback:
    """A function of the program that the language may call with plain arguments."""

    ev: Evaluator
    function: Any
    span: Span

    def __call__(self, *args: object) -> Any:
        from tilelang.frontend.calls import call

        return call(self.ev, self.function, list(args), {}, self.span)


def _with_callbacks(ev: Evaluator, arguments: Arguments, span: Span) -> Arguments:
    from tilelang.frontend.arguments import Arguments as Made

    def wrapped(value: Any) -> Any:
        if isinstance(value, (Function, Partial, BoundMethod)):
            return Callback(ev, value, span)
        if is_dict(value) and any(isinstance(item, (Function, Partial, BoundMethod)) for item in value.values()):
            entries = copied_dict(value)
            entries.update((key, wrapped(item)) for key, item in value.items())
            return entries
        return value

    args, kwargs = (
        list(map(wrapped, arguments.args)),
        {name: wrapped(value) for name, value in arguments.kwargs.items()},
    )
    return Made(args, kwargs, arguments.arg_spans, arguments.kwarg_spans, arguments.open)


def native(
    ev: Evaluator, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], span: Span
) -> Any:
    """Call a bound method of one of the core's own objects."""
    from tilelang.frontend.arguments import Arguments

    return call(ev, function, Arguments(list(args), dict(kwargs)), span, None)


def _convert(ev: Evaluator, dtype: DType, arguments: Arguments, span: Span) -> Any:
    if arguments.kwargs or arguments.open or not dtype.is_known:
        return UNKNOWN
    from tilelang.language.convert import construct

    builder = ev.builder
    if builder is None:
        return construct(dtype, *arguments.args)
    outer = builder.site
    builder.site = CallSite(span, {}, None)
    try:
        return construct(dtype, *arguments.args)
    finally:
        builder.site = outer


def _open_call(ev: Evaluator, function: Any, span: Span) -> Any:
    """Some arguments are unknown: the operation may do anything to the buffers of the program."""
    if ev.builder is not None:
        ev.incomplete(f"{_name(function)} with unknown arguments", span)
    return UNKNOWN


def _run(ev: Evaluator, function: Any, arguments: Arguments, span: Span) -> Any:
    from tilelang.language.binding import bind, parameters_of

    failure = bind(function, arguments.args, arguments.kwargs)
    if failure is not None:
        if failure.kind:
            _report_binding(ev, _name(function), failure, arguments, span)
        if failure.drop:
            kept = {name: value for name, value in arguments.kwargs.items() if name not in failure.drop}
            arguments = _with_kwargs(arguments, kept)
        else:
            if ev.builder is not None:
                ev.builder.complete = False
            return UNKNOWN
    args, kwargs = arguments.args, arguments.kwargs
    if "dtype" in kwargs and args:
        accepted = parameters_of(function)
        if accepted is not None and accepted.positional[:1] == ("dtype",):
            # TVM's wrappers take the type by place or by name; by name it still comes first.
            kwargs = dict(kwargs)
            args = [kwargs.pop("dtype"), *args]
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # see below
        # Host helpers (tilelang.math, tilelang.utils) are written for plain values; the language itself never throws.
        if (getattr(function, "__module__", "") or "").startswith("tilelang.language"):
            ev.internal_error(error, span)
        return UNKNOWN


def _with_kwargs(arguments: Arguments, kwargs: dict[str, Any]) -> Arguments:
    from tilelang.frontend.arguments import Arguments as Made

    return Made(arguments.args, kwargs, arguments.arg_spans, arguments.kwarg_spans, False, arguments.name_spans)


def check_names(ev: Evaluator, name: str, function: Any, arguments: Arguments | None, span: Span) -> None:
    """Record a keyword that a host function of the language, which is modelled apart, does not take."""
    from tilelang.language.binding import unknown_keyword

    failure = None if arguments is None else unknown_keyword(function, arguments.kwargs)
    if arguments is not None and failure is not None:
        _report_binding(ev, name, failure, arguments, span)


def _report_binding(ev: Evaluator, name: str, failure: BindingProblem, arguments: Arguments, span: Span) -> None:
    written = arguments.name_spans if failure.kind == "unknown-argument" else arguments.kwarg_spans
    place = written.get(failure.argument, span)
    ev.problem(
        failure.kind,
        place,
        function=name,
        argument=failure.argument,
        suggestion=failure.suggestion,
        known_version=failure.known_version,
        message=failure.message,
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _argument_spans(function: Any, arguments: Arguments) -> dict[str, Span]:
    spans = dict(arguments.kwarg_spans)
    code = getattr(function, "__code__", None)
    if isinstance(code, types.CodeType):
        names = code.co_varnames[: code.co_argcount]
        for name, where in zip(names, arguments.arg_spans, strict=False):
            spans[name] = where
    return spans


def astype(ev: Evaluator, value: Expr, args: Any, kwargs: dict[str, Any]) -> Any:
    """``value.astype(dtype)``."""
    from tilelang.language.convert import cast

    wanted = args[0] if args else kwargs.get("dtype")
    return UNKNOWN if isinstance(wanted, Unknown) or wanted is None else cast(value, wanted)


def method_of_buffer(buffer: Buffer) -> Any:
    """``buffer.access_ptr(...)``: an address; what is done through it is unknown."""
    from tilelang.ir.dtype import HANDLE
    from tilelang.ir.expr import Call

    address = Call(HANDLE, "address_of", (buffer,), (("effect", "unknown"),), span=buffer.span)
    return Model("Buffer.access_ptr", lambda ev, args, kwargs: address)
