"""Compiling, tuning and timing kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.dsl import check_names
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.models.options import jit_options
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Class, Function, Jit, Kernel, Model, Object, PrimFunc, Tuner
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("tilelang.compile", "tilelang.jit.compile")
def compile_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.jit import compile as native

    check_names(ev, "tilelang.compile", native, args.arguments, args.span)
    return _compiled(ev, args, kwargs)


@model("tilelang.JITKernel", "tilelang.jit.JITKernel", "tilelang.jit.kernel.JITKernel")
def _compiled(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.instances import compile_prim_func

    func = args[0] if args else kwargs.get("func")
    if len(args) > 1 and "out_idx" not in kwargs:
        kwargs = {**kwargs, "out_idx": args[1]}
    options = jit_options(args, kwargs, args.span)
    if isinstance(func, PrimFunc):
        return compile_prim_func(ev, func, options, args.span)
    if isinstance(func, Kernel):
        return func
    return Kernel(None, options) if isinstance(func, Unknown) else UNKNOWN


@model("tilelang.lower", "tilelang.engine.lower", "tilelang.engine.lower.lower")
def lower(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.engine import lower as native

    check_names(ev, "tilelang.lower", native, args.arguments, args.span)
    if len(args) > 1 and "target" not in kwargs:
        kwargs = {**kwargs, "target": args[1]}
    return _compiled(ev, args, kwargs)


@model("tilelang.par_compile")
def par_compile(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.iteration import materialize

    for func in (materialize(ev, args[0]) or ()) if args else ():
        _compiled(ev, args.of(func), kwargs)
    return UNKNOWN


_TUNER = Class("AutoTuner", (), {}, external_base=True)


@model("tilelang.autotuner.AutoTuner.from_kernel")
def from_kernel(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """``AutoTuner.from_kernel(kernel, configs)``: each entry is a call of the kernel function."""
    kernel = kwargs.get("kernel", args[0] if args else UNKNOWN)
    configs = kwargs.get("configs", args[1] if len(args) > 1 else UNKNOWN)
    where = args.span
    made = Object(_TUNER)
    state: dict[str, JitOptions] = {"options": JitOptions(span=where)}

    def set_compile(ev: Evaluator, inner: Any, kw: dict[str, Any]) -> Any:
        state["options"] = jit_options(inner, kw, where)
        return made

    def run(ev: Evaluator, inner: Any, kw: dict[str, Any]) -> Any:
        from tilelang.frontend.arguments import Arguments
        from tilelang.frontend.jit import call_jit

        if isinstance(kernel, Function):
            call_jit(ev, Jit(kernel, state["options"], Tuner(configs, where, where)), Arguments(), inner.span)
        return UNKNOWN

    made.attrs["set_compile_args"] = Model("set_compile_args", set_compile)
    made.attrs["set_profile_args"] = Model("set_profile_args", lambda ev, inner, kw: made)
    made.attrs["set_kernel_parameters"] = Model("set_kernel_parameters", lambda ev, inner, kw: made)
    made.attrs["run"] = Model("run", run)
    return made


@model(
    "tilelang.profiler.do_bench",
    "tilelang.profiler.bench.do_bench",
    "tilelang.do_bench",
    "tilelang.testing.process_func",
    "tilelang.testing.perf_test",
)
def do_bench(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Times a function: it is called, so what it launches counts."""
    from tilelang.frontend.calls import call

    if args:
        forwarded = {name: value for name, value in kwargs.items() if name not in _BENCH_OPTIONS}
        call(ev, args[0], args[1:], forwarded, args.span)
    return UNKNOWN


_BENCH_OPTIONS = frozenset(
    (
        "warmup",
        "rep",
        "_n_warmup",
        "_n_repeat",
        "quantiles",
        "fast_flush",
        "backend",
        "return_mode",
        "grad_to_none",
        "n_warmup",
        "n_repeat",
    )
)
