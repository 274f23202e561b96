"""``@tilelang.jit`` and ``tilelang.compile``: from Python functions to kernels."""

from __future__ import annotations

import inspect
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, cast, overload

from tilelang.language.decorators import PrimFunc, caller_variables
from tilelang.runtime.arguments import type_name
from tilelang.runtime.kernel import JITKernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

P = ParamSpec("P")
R = TypeVar("R")

ExecutionBackend = Literal["auto", "tvm_ffi", "cython", "nvrtc", "torch", "cutedsl"]

__all__ = ["ExecutionBackend", "JITImpl", "JITKernel", "compile", "jit", "par_compile"]


class JITImpl(Generic[P, R]):
    """A function under ``@tilelang.jit``: a factory of kernels, or a kernel that is compiled for its arguments.

    Kernels are kept by arguments: for an eager kernel, by the shapes, strides and types of its tensors.
    """

    def __init__(
        self, func: Callable[P, R], options: Mapping[str, Any], around: Mapping[str, Any] | None = None
    ) -> None:
        self.func = func
        self.options = dict(options)
        self.__wrapped__ = func
        self.__name__ = getattr(func, "__name__", "kernel")
        self.__qualname__ = getattr(func, "__qualname__", self.__name__)
        self.__module__ = getattr(func, "__module__", None) or "__main__"
        self.__doc__ = func.__doc__
        self._around = dict(around or {}) if isinstance(func, FunctionType) else {}
        self._mode: Literal["lazy", "eager"] | None = None
        self._kernels: dict[object, JITKernel] = {}

    @property
    def mode(self) -> Literal["lazy", "eager"]:
        """``lazy``: the function returns a kernel; ``eager``: its body is the kernel."""
        if self._mode is None:
            if isinstance(self.func, FunctionType):
                from tilelang.live.elaborate import is_eager

                self._mode = "eager" if is_eager(self.func, self._around) else "lazy"
            else:
                self._mode = "lazy"
        return self._mode

    @property
    def signature(self) -> inspect.Signature:
        """The parameters of the function."""
        return inspect.signature(self.func)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A factory gives the compiled kernel. An eager kernel runs and gives its results."""
        kwargs.update(kwargs.pop("__tune_params", {}))
        if self.mode == "lazy":
            return self._lazy(args, kwargs)
        from tilelang.live.eager import split_call

        call = split_call(self, args, kwargs)
        kernel = self._kernels.get(call.key) if call.key is not None else None
        if kernel is None:
            kernel = self._compiled(self._eager_instance(call))
            if call.key is not None:
                self._kernels[call.key] = kernel
        return kernel(*(call.values[param.name] for i, param in enumerate(kernel.params) if i not in kernel.out_idx))

    def _lazy(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> JITKernel:
        try:
            key: object = (args, tuple(sorted(kwargs.items())))
            known = self._kernels.get(key)
        except TypeError:  # arguments that cannot be looked up
            key, known = None, None
        if known is None:
            known = self._compiled(self.get_tir(*args, **kwargs))
            if key is not None:
                self._kernels[key] = known
        return known

    def compile(self, *args: Any, **kwargs: Any) -> JITKernel:
        """Compile for these arguments without running. An eager kernel takes tensors, or sizes by name (``M=1024``)."""
        return self._lazy(args, kwargs) if self.mode == "lazy" else self._compiled(self.get_tir(*args, **kwargs))

    def get_tir(self, *args: Any, **kwargs: Any) -> PrimFunc[Any, Any]:
        """The kernel function for these arguments, not compiled."""
        if self.mode == "eager":
            from tilelang.live.eager import split_call

            return self._eager_instance(split_call(self, args, kwargs, compile_only=True))
        function: Any = self.func
        is_kernel = isinstance(self.func, PrimFunc)
        made: Any = function if is_kernel else function(*args, **kwargs)
        if not isinstance(made, PrimFunc):
            what = "None: it lacks a return" if made is None else f"a {type_name(made)}"
            raise TypeError(f"{self.__name__} must return a function under @T.prim_func, not {what}")
        return cast("PrimFunc[Any, Any]", made)

    def _eager_instance(self, call: Any) -> PrimFunc[Any, Any]:
        from tilelang.live.elaborate import elaborate_eager

        if self.options.get("out_idx") is not None:
            raise ValueError(
                f"Out index conflict: {self.__name__} is an eager kernel, which returns its T.empty tensors"
            )
        assert isinstance(self.func, FunctionType)
        return PrimFunc(self.func, elaborate_eager(self.func, call.bound, call.extra, self._around))

    def _compiled(self, made: PrimFunc[Any, Any]) -> JITKernel:
        kernel = compile(made, **{name: self.options.get(name) for name in _COMPILE_OPTIONS})
        if self.options.get("debug_root_path"):
            kernel.export_sources(
                kernel_path=f"{self.options['debug_root_path']}/tilelang_jit_kernel_{self.__name__}.c"
            )
        return kernel

    def get_kernel_source(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for these arguments."""
        return self.compile(*args, **kwargs).get_kernel_source()

    def par_compile(
        self, configs: Iterable[Any], num_workers: int | None = None, ignore_error: bool = False
    ) -> list[Any]:
        """Compile for several sets of arguments, each a tuple or a dict, at a time. With ``ignore_error`` the kernel of
        a set that fails is ``None``."""
        funcs = [self.get_tir(**config) if isinstance(config, dict) else self.get_tir(*config) for config in configs]
        options = {name: self.options.get(name) for name in _COMPILE_OPTIONS}
        return par_compile(funcs, num_workers=num_workers, ignore_error=ignore_error, **options)

    def __get__(self, receiver: Any, owner: Any = None) -> Any:
        """A jit function of a class is a method."""
        if receiver is None:
            return self
        from functools import partial

        return partial(self, receiver)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"


_COMPILE_OPTIONS = ("out_idx", "execution_backend", "target", "target_host", "verbose", "pass_configs", "compile_flags")


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
        return JITImpl(func, options, caller_variables())

    def decorate(function: Callable[..., Any]) -> JITImpl[..., Any]:
        return JITImpl(function, options, caller_variables())

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
    """Compile a ``@T.prim_func``. ``out_idx``: the parameters that are results; a call allocates and returns them.

    Raises ``tilelang.CompileError`` for a kernel that the language or the target refuses, ``TypeError`` and
    ``ValueError`` for arguments that do not fit."""
    if isinstance(func, JITKernel):
        return func
    return JITKernel(
        func,
        out_idx=out_idx,
        execution_backend=execution_backend,
        target=target,
        target_host=target_host,
        verbose=bool(verbose),
        pass_configs=pass_configs,
        compile_flags=compile_flags,
    )


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
) -> list[Any]:
    """Compile several functions at a time, in order. With ``ignore_error`` the kernel of one that fails is ``None``,
    and the reason is logged."""
    from concurrent.futures import ThreadPoolExecutor

    def one(func: Any) -> JITKernel | None:
        try:
            return compile(
                func,
                out_idx,
                target=target,
                pass_configs=pass_configs,
                compile_flags=compile_flags,
            )
        except Exception as error:
            if not ignore_error:
                raise
            from tilelang.env import logger

            logger.warning("%s does not compile: %s", getattr(func, "__name__", func), error)
            return None

    with ThreadPoolExecutor(num_workers, "tilelang-compile") as pool:
        return list(pool.map(one, list(funcs)))


class _CallableModule(ModuleType):
    """``tilelang.jit`` is a module and the decorator at once, whichever is imported first."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return jit(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
