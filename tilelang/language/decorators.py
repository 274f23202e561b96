"""``@T.prim_func`` and ``@T.macro``.

A decorator only marks a function: the evaluator recognises it by identity and reads the function's source. Running the
marked function needs a compiler back end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from tilelang.unavailable import no_compiler

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


class MarkedFunction(Generic[P, R]):
    """A function of the language: a kernel or a macro. ``source`` is the Python function."""

    def __init__(self, source: Callable[P, R]) -> None:
        self.source = source
        self.__wrapped__ = source
        self.__name__ = getattr(source, "__name__", "function")
        self.__doc__ = source.__doc__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        no_compiler(self.__name__)


class PrimFunc(MarkedFunction[P, R]):
    """A kernel made by ``@T.prim_func``."""


class Macro(MarkedFunction[P, R]):
    """A function made by ``@T.macro`` whose body is placed where it is called."""


class JITFunc(MarkedFunction[P, R]):
    """A kernel whose sizes are found when it is called."""


@overload
def prim_func(func: Callable[P, R], *, eager_jit: bool = False) -> PrimFunc[P, R]: ...
@overload
def prim_func(func: None = None, *, eager_jit: bool = False) -> Callable[[Callable[P, R]], PrimFunc[P, R]]: ...
def prim_func(func: Callable[..., Any] | None = None, *, eager_jit: bool = False) -> Any:
    """Make a function a kernel: its parameters are tensors and scalars, its body is device code."""
    return PrimFunc(func) if func is not None else PrimFunc


@overload
def macro(func: Callable[..., R]) -> Callable[..., R]: ...
@overload
def macro(func: None = None) -> Callable[[Callable[..., R]], Callable[..., R]]: ...
def macro(func: Callable[..., Any] | None = None) -> Any:
    """Make a function part of the language: its body is placed where a kernel calls it."""
    return Macro(func) if func is not None else Macro


def inline(func: Callable[..., Any]) -> Any:
    """Mark a method whose body is placed where a kernel calls it."""
    return Macro(func)


def meta_class(cls: type[R]) -> type[R]:
    """Mark a class whose methods are placed where a kernel calls them."""
    return cls
