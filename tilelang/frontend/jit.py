"""Calls of ``@tilelang.jit`` functions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.arguments import Arguments, bind_arguments, report_arguments
from tilelang.frontend.containers import is_tuple
from tilelang.frontend.eager import build_eager, is_eager
from tilelang.frontend.instance import CallLink, Origin, TuneEntry
from tilelang.frontend.instances import compile_prim_func, lazy_instance, record, reevaluator, run_factory
from tilelang.frontend.plain import is_small
from tilelang.frontend.scoping import functions_in
from tilelang.frontend.signals import ArgumentError
from tilelang.frontend.values import MISSING, Function, Jit, Kernel, Object, PrimFunc, Tensor
from tilelang.ir.expr import Var
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


_CALL_STEPS = 8
"""What a call takes, in steps, if the kernel has been built before."""


def call_jit(
    ev: Evaluator,
    jit: Jit,
    arguments: Arguments,
    span: Span,
    *,
    origin: Origin = "call",
    compile_only: bool = False,
) -> Any:
    """Call a jit function: build its instance, or one for each entry of its tuner. ``origin`` says who calls."""
    jit.called = jit.called or not ev.dry
    ev.step(_CALL_STEPS)
    function = jit.function
    if isinstance(function, PrimFunc):
        return compile_prim_func(ev, function, jit.options, span)
    if not isinstance(function, Function):
        return UNKNOWN
    eager = is_eager(function)
    extra: dict[str, Any] = {}
    try:
        bound, spans = bind_arguments(
            ev,
            function,
            arguments.args,
            {name: value for name, value in arguments.kwargs.items() if not name.startswith("__")},
            span,
            arguments,
            missing=(lambda name: MISSING) if eager or jit.tuner is not None else None,
            extra=extra if eager else None,
        )
    except ArgumentError as error:
        report_arguments(ev, error, function, arguments, span)
        raise
    if jit.tuner is not None:
        from tilelang.frontend.tuning import tune

        return tune(ev, jit, bound, spans, extra, arguments, span, origin)
    if not eager and any(value is MISSING for value in bound.values()):
        return UNKNOWN
    return build(ev, jit, bound, spans, extra, span, origin=origin, compile_only=compile_only)


def build(
    ev: Evaluator,
    jit: Jit,
    bound: Mapping[str, Any],
    spans: Mapping[str, Span],
    extra: Mapping[str, Any],
    span: Span,
    *,
    entry: TuneEntry | None = None,
    origin: Origin = "call",
    compile_only: bool = False,
) -> Any:
    """Build one instance of a jit function with bound arguments, record it, and return what the call returns."""
    function = jit.function
    key = memo_key(ev, jit, bound, extra)
    ev.stack.append(CallLink(function.name, span))
    try:
        known = ev.built.get(key) if key is not None else None
        if known is not None:
            instance = known
        elif is_eager(function):
            instance = build_eager(ev, jit, bound, spans, extra)
        else:
            made = run_factory(ev, function, bound, spans)
            if not isinstance(made, PrimFunc):
                return _not_a_kernel(ev, made, function, span)
            made.consumed = True
            instance = lazy_instance(ev, made.program, made, jit, bound, spans)
        if key is not None and not ev.dry:
            ev.built[key] = instance
        record(
            ev,
            instance,
            arg_spans=dict(spans) if known is not None else instance.arg_spans,
            chain=tuple(ev.stack) if known is not None else instance.chain,
            tune=entry,
            origin="autotune" if entry is not None and origin == "call" else origin,
            reevaluate=reevaluator(ev, jit, bound, spans, extra),
        )
    finally:
        ev.stack.pop()
    kernel = Kernel(instance.program, instance.jit)
    if instance.style == "eager" and not compile_only:
        from tilelang.frontend.launching import outputs

        return outputs(instance.program)
    return kernel


def _not_a_kernel(ev: Evaluator, made: Any, function: Function, span: Span) -> Any:
    if isinstance(made, Kernel):
        return made
    kernels = functions_in(function.node.body) if made is None and not isinstance(function.node, ast.Lambda) else []
    kernels = [node for node in kernels if any("prim_func" in ast.unparse(each) for each in node.decorator_list)]
    if kernels:
        ev.problem(
            "missing-kernel",
            ev.span(kernels[-1], function.scope),
            function=function.name,
            kernel=kernels[-1].name,
            notes=(("called here", span),),
        )
        ev.trace(f"{function.name} returns nothing", span)
    else:
        ev.trace(f"{function.name} returned no prim_func that could be followed", span)
    return UNKNOWN


def memo_key(ev: Evaluator, jit: Jit, bound: Mapping[str, Any], extra: Mapping[str, Any]) -> object | None:
    """What a build depends on, or ``None`` if an argument is not plain data. Equal keys build equal programs: factories
    are functions of their arguments, as the language's own cache assumes."""
    parts: list[object] = [jit.function, jit.options]
    for name, value in (*bound.items(), *extra.items()):
        frozen = _frozen(value)
        if frozen is None:
            return None
        parts.append((name, frozen))
    return tuple(parts)


def _frozen(value: Any) -> object | None:
    if value is None or isinstance(value, (bool, int, float, str)):
        return (type(value).__name__, value)
    if value is MISSING:
        return ("missing",)
    if isinstance(value, Tensor):
        return ("tensor", value.shape, value.dtype, value.strides) if _hashable(value) else None
    if is_tuple(value) and is_small(value):
        items = [_frozen(item) for item in value]
        return None if any(item is None for item in items) else ("tuple", *items)
    if isinstance(value, Object) and value.cls.kind == "dataclass":
        items = [_frozen(item) for item in value.attrs.values()]
        return None if any(item is None for item in items) else (value.cls, *items)
    if isinstance(value, Var):
        return ("var", value)
    return None


def _hashable(value: Tensor) -> bool:
    return all(isinstance(e, (int, type(None))) for e in (*(value.shape or ()), *(value.strides or ())))
