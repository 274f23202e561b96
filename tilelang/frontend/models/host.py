"""The host side of the language: decorators, compilation, tuning, testing helpers, target queries."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.instance import JitOptions
from tilelang.frontend.models.registry import LANGUAGE_MODULES, MODELS, model
from tilelang.frontend.values import Class, External, Function, Jit, Kernel, Macro, Mark, Model, Object, PrimFunc, Tuner
from tilelang.ir.dtype import DType
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


# --- decorators -----------------------------------------------------------------------------------------------


def jit_options(args: Any, kwargs: dict[str, Any], span: Span) -> JitOptions:
    """The options of ``jit``, ``compile`` and ``lower`` as far as they are known."""
    arguments = getattr(args, "arguments", None)
    spans = arguments.kwarg_spans if arguments is not None else {}
    return JitOptions(
        _out_idx(kwargs.get("out_idx")),
        spans.get("out_idx"),
        target_name(kwargs.get("target")),
        pass_configs(kwargs.get("pass_configs")),
        span,
    )


def _out_idx(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return (value,)
    if isinstance(value, (list, tuple)) and not getattr(cast("Any", value), "open", False):
        entries = cast("list[Any]", value)
        if all(isinstance(entry, int) for entry in entries):
            return tuple(entries)
    return None


def target_name(value: Any) -> str | None:
    """A target as the text that names it: a string, or the arch of a dict or of a target object."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        arch, kind = entries.get("arch") or entries.get("mcpu"), entries.get("kind")
        return arch if isinstance(arch, str) else kind if isinstance(kind, str) else None
    if isinstance(value, Object):
        return value.attrs.get("_target")
    return None


def pass_configs(value: Any) -> tuple[tuple[str, object], ...]:
    """Pass configs by key name, in a fixed order."""
    from tilelang.frontend.recorder import plain

    if not isinstance(value, dict):
        return ()
    entries = cast("dict[Any, Any]", value)
    return tuple(sorted((_config_key(key), plain(entry)) for key, entry in entries.items()))


def _config_key(key: Any) -> str:
    if isinstance(key, External):
        return key.name.rsplit(".", 1)[-1]
    return str(getattr(key, "value", key))


@model("tilelang.jit", "tilelang.jit.jit", "tilelang.lazy_jit")
def jit(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    options = jit_options(args, kwargs, args.span)
    if args and isinstance(args[0], (Function, PrimFunc)):
        return Jit(args[0], options)
    return Model("tilelang.jit", lambda ev, inner, kw: _wrap(inner, options))


def _wrap(args: Any, options: JitOptions) -> Any:
    if args and isinstance(args[0], (Function, PrimFunc)):
        return Jit(args[0], options)
    return args[0] if args else UNKNOWN


@model("tilelang.autotune", "tilelang.autotuner.autotune", "tilelang.autotuner.tuner.autotune")
def autotune(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    arguments = getattr(args, "arguments", None)
    configs = kwargs.get("configs", UNKNOWN)
    where = arguments.kwarg_spans.get("configs", args.span) if arguments is not None else args.span
    tuner = Tuner(configs, args.span, where)

    def attach(ev: Evaluator, inner: Any, kw: dict[str, Any]) -> Any:
        target = inner[0] if inner else UNKNOWN
        if isinstance(target, Jit):
            return Jit(target.function, target.options, tuner)
        return Jit(target, JitOptions(), tuner) if isinstance(target, Function) else target

    if args and isinstance(args[0], (Jit, Function)):
        return attach(ev, args, {})
    if isinstance(configs, (list, tuple)) and not configs and not getattr(cast("Any", configs), "open", False):
        ev.problem("autotune-empty-space", args.span, function="")
    return Model("tilelang.autotune", attach)


@model("tilelang.language.prim_func", "tilelang.language.eager.prim_func")
def prim_func(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.programs import elaborate

    if args and isinstance(args[0], Function):
        if args[0].attrs.get("eager_jit"):
            return args[0]
        return elaborate(ev, args[0])
    if kwargs.get("eager_jit") is True:
        return Model("prim_func", lambda ev, inner, kw: Jit(inner[0], JitOptions(span=inner.span)))
    return Model("tilelang.language.prim_func", prim_func)


@model("tilelang.language.macro")
def macro(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Function):
        return Macro(args[0])
    return Model("tilelang.language.macro", macro)


@model("tilelang.language.const")
def const(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Sizes of an eager kernel: numbers where the call gives them, else symbols."""
    from tilelang.language.symbols import const as symbols

    made = symbols(*args, **kwargs) if args else UNKNOWN
    state = ev.eager
    if state is None or isinstance(made, Unknown):
        return made
    several = isinstance(made, tuple)
    values: list[Any] = []
    for var in made if several else (made,):
        known = state.consts.get(var.name)
        if known is None:
            var = replace(var, span=args.span)
            state.unbound[var.name] = var
            known = var
        values.append(known)
    return tuple(values) if several else values[0]


# --- compilation ----------------------------------------------------------------------------------------------


@model(
    "tilelang.compile",
    "tilelang.jit.compile",
    "tilelang.JITKernel",
    "tilelang.jit.JITKernel",
    "tilelang.jit.kernel.JITKernel",
)
def compile_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
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
def lower(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if len(args) > 1 and "target" not in kwargs:
        kwargs = {**kwargs, "target": args[1]}
    return compile_(ev, args, kwargs)


@model("tilelang.par_compile")
def par_compile(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.iteration import materialize

    for func in (materialize(ev, args[0]) or ()) if args else ():
        compile_(ev, Args([func], args.span, None, None), kwargs)
    return UNKNOWN


_TUNER = Class("AutoTuner", (), {}, external_base=True)


@model("tilelang.autotuner.AutoTuner.from_kernel")
def from_kernel(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
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


# --- testing and profiling ------------------------------------------------------------------------------------


def _requirement(name: str) -> Model:
    def run(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], (Function, Class)):
            if isinstance(args[0], Function):
                args[0].marks = (*args[0].marks, Mark(name, (), (), args.span))
            return args[0]
        return Mark(name, tuple(args), tuple(kwargs.items()), args.span)

    return Model(f"testing.{name}", run)


for _name in (
    "requires_cuda requires_rocm requires_metal requires_llvm requires_gfx950 requires_cdna requires_cuda_or_cdna requires_rdna "
    "requires_package requires_cuda_compute_version requires_cuda_compute_version_eq requires_cuda_compute_version_ge "
    "requires_cuda_compute_version_gt requires_cuda_compute_version_le requires_cuda_compute_version_lt regression"
).split():
    MODELS[f"tilelang.testing.{_name}"] = _requirement(_name)


@model("tilelang.testing.main", "tilelang.testing.set_random_seed", "tilelang.disable_cache", "tilelang.enable_cache")
def nothing(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return None


@model(
    "tilelang.profiler.do_bench", "tilelang.profiler.bench.do_bench", "tilelang.do_bench", "tilelang.testing.process_func",
    "tilelang.testing.perf_test",
)  # fmt: skip
def do_bench(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
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


# --- the target -----------------------------------------------------------------------------------------------


def _capability(ev: Evaluator) -> tuple[int, int]:
    from tilelang.frontend.models.torch import capability

    return capability(ev.target_arch())


@model("tilelang.utils.determine_fp8_type", "tilelang.language.determine_fp8_type")
def determine_fp8_type(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """The fp8 format that the device's matrix instructions take: the ``fnuz`` forms on gfx942 and older."""
    wanted = args[0] if args else kwargs.get("fp8_format", "e4m3")
    if not isinstance(wanted, str):
        return UNKNOWN
    old_amd = ev.target_arch() in ("gfx908", "gfx90a", "gfx940", "gfx941", "gfx942")
    suffix = {"e4m3": "fnuz" if old_amd else "fn", "e5m2": "fnuz" if old_amd else ""}.get(wanted)
    return UNKNOWN if suffix is None else DType.parse(f"float8_{wanted}{suffix}") or UNKNOWN


@model("tilelang.utils.determine_torch_fp8_type", "tilelang.language.determine_torch_fp8_type")
def determine_torch_fp8_type(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return determine_fp8_type(ev, args, kwargs)


@model(
    "tilelang.contrib.nvcc.get_target_compute_version", "tilelang.contrib.nvcc.get_target_arch",
    "tilelang.carver.arch.driver.get_num_sms", "tilelang.carver.arch.driver.get_sm_count",
    "tilelang.utils.target.determine_target", "tilelang.utils.determine_target", "tilelang.backend.target.determine_target",
)  # fmt: skip
def target_query(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Questions about the target whose answers are not modelled: the instances depend on the target."""
    ev.target_arch()
    return UNKNOWN


@model("tvm.DataType", "tilelang.tvm.DataType", "tvm.ffi.DataType", "tilelang.DataType")
def data_type(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return (DType.parse(args[0]) or UNKNOWN) if args else UNKNOWN


_SPARSE_GROUPS = {32: 2, 16: 4, 8: 4, 4: 8}
"""Elements that share 4 bits of metadata in 2:4 sparse operands, by element width (PTX ISA, mma.sp)."""


@model("tilelang.cuda.intrinsics.sparse_layout.get_e_factor", "sparse_utils.get_e_factor")
def get_e_factor(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Elements of A for each element of its sparsity metadata."""
    kinds = [DType.parse(value) for value in (*args, *kwargs.values())]
    if len(kinds) < 2 or kinds[0] is None or kinds[1] is None or kinds[0].bits not in _SPARSE_GROUPS:
        return UNKNOWN
    return kinds[1].bits // 4 * _SPARSE_GROUPS[kinds[0].bits]


@model("tilelang.contrib.nvcc.parse_compute_version")
def parse_compute_version(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _capability(ev)


@model(
    "tilelang.utils.target.check_hip_availability",
    "tilelang.utils.target.check_metal_availability",
    "tilelang.utils.is_hip",
)
def never(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return False


@model("tilelang.utils.target.check_cuda_availability")
def always(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return True


@model("tilelang.tvm.target.Target", "tvm.target.Target")
def target(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    name = target_name(args[0] if args else kwargs.get("target"))
    return Object(Class("Target", (), {}, external_base=True), {"_target": name}) if name is not None else UNKNOWN


@model("tilelang.cdiv", "tilelang.math.cdiv")
def cdiv(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Like ``T.ceildiv``, on host numbers and on symbolic sizes."""
    from tilelang.frontend import dsl
    from tilelang.language import ceildiv

    return (
        UNKNOWN
        if any(isinstance(arg, Unknown) for arg in args)
        else dsl.native(ev, ceildiv, tuple(args), kwargs, args.span)
    )


# --- the rest of the package ----------------------------------------------------------------------------------

_PURE = (
    "tilelang.math",
    "tilelang.layout",
    "tilelang.utils",
    "tilelang.intrinsics",
    "tilelang.quantize",
    "tilelang.dtypes",
)
_TOP_LEVEL = frozenset(("next_power_of_2", "PassConfigKey", "TensorSupplyType", "GemmWarpPolicy", "dtypes"))


def package_member(ev: Evaluator, owner: External, name: str) -> Any:
    """A member of a tilelang module that is not the language itself: our own object if it is pure, else a name."""
    full = f"{owner.name}.{name}"
    if full in LANGUAGE_MODULES:
        return External("tilelang.language")
    if owner.name == "tilelang" and name not in _TOP_LEVEL:
        return External(full)
    if owner.name != "tilelang" and not owner.name.startswith(_PURE):
        return MODELS.get(f"tilelang.{name}", External(full)) if name in ("PassConfigKey",) else External(full)
    found = _native(owner.name, name)
    return External(full) if found is None else found


def _native(module: str, name: str) -> Any:
    import types

    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return None if isinstance(found, types.ModuleType) else found
