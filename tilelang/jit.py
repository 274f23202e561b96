"""``@tilelang.jit`` and ``tilelang.compile``: from Python functions to kernels.

There is no compiler back end in this version: the decorator marks a function, so that a module with kernels can be
imported; calling the function, or compiling, raises.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, overload

from tilelang.unavailable import no_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

P = ParamSpec("P")
R = TypeVar("R")

ExecutionBackend = Literal["auto", "tvm_ffi", "cython", "nvrtc", "torch", "cutedsl"]


class JITImpl(Generic[P, R]):
    """A function under ``@tilelang.jit``: a factory of kernels, or a kernel that is compiled for its arguments."""

    def __init__(self, func: Callable[P, R], options: Mapping[str, Any]) -> None:
        self.func = func
        self.options = dict(options)
        self.__wrapped__ = func
        self.__name__ = getattr(func, "__name__", "kernel")
        self.__doc__ = func.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        no_compiler(self.__name__)

    def compile(self, *args: Any, **kwargs: Any) -> Any:
        """Compile for these arguments without running."""
        no_compiler(f"{self.__name__}.compile")

    def get_tir(self, *args: Any, **kwargs: Any) -> Any:
        """The kernel function for these arguments."""
        no_compiler(f"{self.__name__}.get_tir")

    def par_compile(self, configs: Iterable[Any], num_workers: int | None = None, ignore_error: bool = False) -> Any:
        """Compile for several sets of arguments at a time."""
        no_compiler(f"{self.__name__}.par_compile")

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"


class JITKernel:
    """A compiled kernel."""

    def __init__(
        self,
        func: Any = None,
        out_idx: list[int] | int | None = None,
        execution_backend: ExecutionBackend = "tvm_ffi",
        target: Any = "auto",
        target_host: Any = None,
        verbose: bool = False,
        pass_configs: dict[str, Any] | None = None,
        from_database: bool = False,
        compile_flags: list[str] | None = None,
        backend_context: Any = None,
    ) -> None:
        no_compiler("tilelang.JITKernel")

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...


@overload
def jit(func: Callable[P, R]) -> JITImpl[P, R]: ...
@overload
def jit(
    func: None = None,
    *,
    out_idx: list[int] | int | None = None,
    target: Any = None,
    target_host: Any = None,
    execution_backend: ExecutionBackend | None = None,
    verbose: bool | None = None,
    pass_configs: Mapping[Any, Any] | None = None,
    debug_root_path: str | None = None,
    compile_flags: list[str] | str | None = None,
) -> Callable[[Callable[P, R]], JITImpl[P, R]]: ...
def jit(
    func: Callable[..., Any] | None = None,
    *,
    out_idx: list[int] | int | None = None,
    target: Any = None,
    target_host: Any = None,
    execution_backend: ExecutionBackend | None = None,
    verbose: bool | None = None,
    pass_configs: Mapping[Any, Any] | None = None,
    debug_root_path: str | None = None,
    compile_flags: list[str] | str | None = None,
) -> Any:
    """Make a function compile kernels. A function that returns a ``@T.prim_func`` is a factory; else its body is the
    kernel. ``out_idx``: the parameters that are results, allocated by the call. ``target``: a card or an arch."""
    options = {
        "out_idx": out_idx,
        "target": target,
        "target_host": target_host,
        "execution_backend": execution_backend,
        "verbose": verbose,
        "pass_configs": pass_configs,
        "debug_root_path": debug_root_path,
        "compile_flags": compile_flags,
    }
    if func is not None:
        return JITImpl(func, options)

    def decorate(function: Callable[..., Any]) -> JITImpl[..., Any]:
        return JITImpl(function, options)

    return decorate


def compile(  # noqa: A001  # the name is upstream's
    func: Any = None,
    out_idx: list[int] | int | None = None,
    execution_backend: ExecutionBackend | None = None,
    target: Any = None,
    target_host: Any = None,
    verbose: bool | None = None,
    pass_configs: Mapping[Any, Any] | None = None,
    compile_flags: list[str] | str | None = None,
) -> JITKernel:
    """Compile a ``@T.prim_func``."""
    no_compiler("tilelang.compile")


def par_compile(
    funcs: Iterable[Any],
    out_idx: list[int] | int | None = None,
    execution_backend: ExecutionBackend | None = None,
    target: Any = None,
    target_host: Any = None,
    verbose: bool | None = None,
    pass_configs: Mapping[Any, Any] | None = None,
    compile_flags: list[str] | str | None = None,
    num_workers: int | None = None,
    ignore_error: bool = False,
) -> list[JITKernel]:
    """Compile several functions at a time."""
    no_compiler("tilelang.par_compile")


class _CallableModule(ModuleType):
    """``tilelang.jit`` is a module and the decorator at once, whichever is imported first."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return jit(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
