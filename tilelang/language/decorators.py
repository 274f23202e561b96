"""``@T.prim_func`` and ``@T.macro``.

In the checker a decorator only marks a function: the evaluator recognises it by identity and reads the function's
source. In a running program ``@T.prim_func`` builds the kernel's program at once (:mod:`tilelang.live`), since the
variables around the function are the ones that the program has then.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tilelang.frontend.instance import Instance
    from tilelang.ir.program import Program

P = ParamSpec("P")
R = TypeVar("R")


def own_configs(program: Program) -> dict[Any, Any]:
    """Pass configs that a kernel sets for itself (``T.annotate_pass_configs``)."""
    attrs: dict[str, Any] = dict(program.attrs)
    return {**dict(attrs.get("pass_configs") or ()), **(attrs.get("tilelang_pass_configs") or {})}


def own_flags(program: Program) -> list[str]:
    """Compiler flags that a kernel sets for itself (``T.annotate_compile_flags``)."""
    from tilelang.ir.stmt import Effect
    from tilelang.ir.visit import walk

    found: list[str] = []
    for stmt in walk(program.body):
        if isinstance(stmt, Effect) and stmt.call.op == "annotate_compile_flags":
            flags: Any = dict(stmt.call.attrs).get("flags") or stmt.attr("flags") or ()
            found += [flags] if isinstance(flags, str) else list(flags)
    return found


class MarkedFunction(Generic[P, R]):
    """A function of the language: a kernel or a macro. ``source`` is the Python function."""

    def __init__(self, source: Callable[P, R]) -> None:
        self.source = source
        self.__wrapped__ = source
        self.__name__ = getattr(source, "__name__", "function")
        self.__doc__ = source.__doc__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}>"


class PrimFunc(MarkedFunction[P, R]):
    """A kernel made by ``@T.prim_func``. ``instance`` is its program with the values around it."""

    def __init__(self, source: Callable[P, R], instance: Instance) -> None:
        super().__init__(source)
        self.instance = instance
        self.orig_func = source

    @property
    def program(self) -> Program:
        """The tile IR of the kernel."""
        return self.instance.program

    @property
    def params(self) -> tuple[Any, ...]:
        """Its parameters, in source order: buffers, scalars and addresses."""
        return self.program.params

    @property
    def attrs(self) -> dict[str, object]:
        """Attributes of the function under upstream's names: ``global_symbol``, ``tilelang_out_idx`` (its results,
        counted from the end), ``tilelang_pass_configs``, ``tilelang_compile_flags`` and those that the program gave."""
        program = self.program
        found: dict[str, object] = {"global_symbol": self.__name__, **dict(program.attrs)}
        if program.outputs:
            found["tilelang_out_idx"] = [
                i - len(program.params)
                for i, param in enumerate(program.params)
                if any(param is o for o in program.outputs)
            ]
        configs, flags = own_configs(program), own_flags(program)
        found |= {"tilelang_pass_configs": configs} if configs else {}
        found |= {"tilelang_compile_flags": flags} if flags else {}
        return found

    def with_attr(self, name: str | Mapping[str, object], value: object = None) -> PrimFunc[P, R]:
        """The same kernel with another attribute, or several."""
        from dataclasses import replace

        given = {name: value} if isinstance(name, str) else dict(name)
        program = replace(self.program, attrs=tuple({**dict(self.program.attrs), **given}.items()))
        return PrimFunc(self.source, replace(self.instance, program=program))

    def script(self) -> str:
        """The tile IR as text."""
        from tilelang.ir.printer import print_program

        return print_program(self.program)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """A kernel runs after ``tilelang.compile``, not by itself."""
        raise TypeError(f"{self.__name__} is not compiled: call tilelang.compile({self.__name__}) and then the result")


class Macro(MarkedFunction[P, R]):
    """A function made by ``@T.macro`` whose body is placed where it is called."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        from tilelang.live.calls import call_macro_natively

        return call_macro_natively(self, args, kwargs)

    def __get__(self, receiver: Any, owner: Any = None) -> Any:
        """A macro of a class is a method."""
        return self if receiver is None else BoundMacro(self, receiver)


class BoundMacro:
    """A macro of a class with its first argument."""

    def __init__(self, macro: Macro[Any, Any], receiver: Any) -> None:
        self.macro = macro
        self.receiver = receiver

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.macro(self.receiver, *args, **kwargs)


class JITFunc(MarkedFunction[P, R]):
    """A kernel whose sizes are found when it is called."""


@overload
def prim_func(func: Callable[P, R], *, eager_jit: bool = False) -> PrimFunc[P, R]: ...
@overload
def prim_func(func: None = None, *, eager_jit: bool = False) -> Callable[[Callable[P, R]], PrimFunc[P, R]]: ...
def prim_func(func: Callable[..., Any] | None = None, *, eager_jit: bool = False) -> Any:
    """Make a function a kernel: its parameters are tensors and scalars, its body is device code."""
    if func is not None:
        return _prim_func(func, caller_variables(), eager_jit)

    def decorate(function: Callable[..., Any]) -> Any:
        return _prim_func(function, caller_variables(), eager_jit)

    return decorate


def caller_variables() -> Mapping[str, Any]:
    """The variables of the code that calls the function that asks: where a decorated function is defined."""
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame.f_back if frame is not None else None
    return frame.f_locals if frame is not None else {}


def _prim_func(func: Any, around: Mapping[str, Any], eager_jit: bool) -> Any:
    if eager_jit:
        from tilelang.jit import jit

        return jit(func)
    from tilelang.live.elaborate import elaborate_prim_func

    return PrimFunc(func, elaborate_prim_func(func, around))


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
