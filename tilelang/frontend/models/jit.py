"""Attributes and methods of jit functions, kernels, prim_funcs and macros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_dict, is_tuple
from tilelang.frontend.values import Function, Jit, Kernel, Macro, Model, PrimFunc, Tensor
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def member(ev: Evaluator, owner: Jit | Kernel | PrimFunc | Macro, name: str) -> Any:
    """``owner.name``."""
    if isinstance(owner, Jit):
        return _jit(owner, name)
    if isinstance(owner, Kernel):
        return _kernel(owner, name)
    if isinstance(owner, PrimFunc):
        if name in ("with_attr", "with_attrs", "without_attr"):
            return Model(name, lambda ev, args, kwargs: owner)
        return UNKNOWN
    return owner.function.name if name in ("name", "__name__") else UNKNOWN


def _jit(owner: Jit, name: str) -> Any:
    from tilelang.frontend.arguments import Arguments
    from tilelang.frontend.jit import call_jit

    def compile_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        arguments = args.arguments or Arguments(list(args), dict(kwargs))
        return call_jit(ev, owner, arguments, args.span, compile_only=True)

    def par_compile(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        from tilelang.frontend.iteration import materialize

        for entry in materialize(ev, args[0]) or () if args else ():
            given = (
                Arguments([], dict(entry)) if is_dict(entry) else Arguments(list(entry)) if is_tuple(entry) else None
            )
            if given is not None:
                call_jit(ev, owner, given, args.span, compile_only=True)
        return UNKNOWN

    if name in ("compile", "get_tir", "get_kernel", "get_kernel_source"):
        return Model(f"jit.{name}", compile_)
    if name == "par_compile":
        return Model("jit.par_compile", par_compile)
    if name in ("__name__", "name") and isinstance(owner.function, Function):
        return owner.function.name
    if name in ("func", "__wrapped__"):
        return owner.function
    return UNKNOWN


def _kernel(owner: Kernel, name: str) -> Any:
    if name == "get_profiler":
        return Model("kernel.get_profiler", lambda ev, args, kwargs: UNKNOWN)
    if name == "prim_func":
        return UNKNOWN
    if name in ("get_kernel_source", "get_host_source", "show_source", "get_ptx", "get_sass", "export_library"):
        return Model(f"kernel.{name}", lambda ev, args, kwargs: UNKNOWN)
    return UNKNOWN if name != "run" else Tensor()
