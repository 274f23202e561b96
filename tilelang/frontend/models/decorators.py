"""The language's decorators, and ``T.const``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_open, is_sequence, is_tuple
from tilelang.frontend.dsl import check_names
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.models.options import jit_options
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Function, Jit, Macro, Model, PrimFunc, Tuner
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("tilelang.jit", "tilelang.jit.jit", "tilelang.lazy_jit")
def jit(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.jit import jit as native

    check_names(ev, "tilelang.jit", native, args.arguments, args.span)
    options = jit_options(args, kwargs, args.span)
    if args and isinstance(args[0], (Function, PrimFunc)):
        return Jit(args[0], options)
    return Model("tilelang.jit", lambda ev, inner, kw: _wrap(inner, options))


def _wrap(args: Args, options: JitOptions) -> Any:
    if args and isinstance(args[0], (Function, PrimFunc)):
        return Jit(args[0], options)
    return args[0] if args else UNKNOWN


@model("tilelang.autotune", "tilelang.autotuner.autotune", "tilelang.autotuner.tuner.autotune")
def autotune(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.autotuner import autotune as native

    check_names(ev, "tilelang.autotune", native, args.arguments, args.span)
    configs = kwargs.get("configs", UNKNOWN)
    tuner = Tuner(configs, args.span, args.span_of("configs") or args.span)

    def attach(ev: Evaluator, inner: Any, kw: dict[str, Any]) -> Any:
        target = inner[0] if inner else UNKNOWN
        function = target.function if isinstance(target, Jit) else target
        if is_sequence(configs) and not configs and not is_open(configs):
            ev.problem("autotune-empty-space", tuner.span, function=getattr(function, "name", ""))
            tuner.reported = True
        if isinstance(target, Jit):
            return Jit(target.function, target.options, tuner)
        return Jit(target, JitOptions(), tuner) if isinstance(target, Function) else target

    if args and isinstance(args[0], (Jit, Function)):
        return attach(ev, args, {})
    return Model("tilelang.autotune", attach)


@model("tilelang.language.prim_func", "tilelang.language.eager.prim_func")
def prim_func(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.programs import elaborate

    if args and isinstance(args[0], Function):
        if args[0].attrs.get("eager_jit"):
            return args[0]
        return elaborate(ev, args[0])
    if kwargs.get("eager_jit") is True:
        return Model("prim_func", lambda ev, inner, kw: Jit(inner[0], JitOptions(span=inner.span)))
    return Model("tilelang.language.prim_func", prim_func)


@model("tilelang.language.macro")
def macro(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Function):
        return Macro(args[0])
    return Model("tilelang.language.macro", macro)


@model("tilelang.language.const")
def const(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Sizes of an eager kernel: numbers where the call gives them, else symbols."""
    from tilelang.language.symbols import const as symbols

    made = symbols(*args, **kwargs) if args else UNKNOWN
    state = ev.eager
    if state is None or isinstance(made, Unknown):
        return made
    values: list[Any] = []
    for var in made if is_tuple(made) else (made,):
        known = state.consts.get(var.name)
        if known is None:
            known = state.unbound[var.name] = replace(var, span=args.span)
        values.append(known)
    return tuple(values) if isinstance(made, tuple) else values[0]
