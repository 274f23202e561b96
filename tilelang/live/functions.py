"""Functions of a running program as the evaluator sees them."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_dict, is_sequence, is_set
from tilelang.frontend.parameters import parsed_annotation
from tilelang.frontend.values import Function, Module, Scope
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Expr
from tilelang.live.evaluator import running
from tilelang.live.source import find_node, function_node, is_plain_function

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from tilelang.live.evaluator import LiveEvaluator

_ANNOTATIONS = "__annotations__"


class LiveFunction(Function):
    """A function that a kernel defines, or one of the program that is evaluated. Native code can call it, too, while
    the kernel is built."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tilelang.frontend.arguments import Arguments
        from tilelang.live.calls import call_function

        ev = running()
        if ev is None:
            raise RuntimeError(f"{self.name} is defined in a kernel and can only be called while the kernel is built")
        return call_function(ev, self, Arguments(list(args), dict(kwargs)), here(ev))

    @property
    def __name__(self) -> str:
        return self.name


def here(ev: LiveEvaluator) -> Any:
    """The place of the call that the kernel makes now."""
    from tilelang.ir.span import NOWHERE

    return ev.builder.site.span if ev.builder is not None else NOWHERE


class _Cells(dict[str, Any]):
    """The variables that a function closes over. Writes go to the variables themselves (``nonlocal``)."""

    def __init__(self, function: FunctionType) -> None:
        super().__init__()
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, cell in self._cells.items():
            try:
                super().__setitem__(name, cell.cell_contents)
            except ValueError:
                continue  # not bound yet: a function that mentions itself or what comes behind it

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if name in self._cells:
            self._cells[name].cell_contents = value


def function_of(function: FunctionType, around: Mapping[str, Any] | None = None) -> LiveFunction:
    """A function with its text. ``around`` has the variables of the frame that defines it: annotations may use names
    that its body does not. Raises ``SourceUnavailableError``."""
    return _made(function, function_node(function), around)


def _made(function: FunctionType, node: ast.FunctionDef | ast.Lambda, around: Mapping[str, Any] | None) -> LiveFunction:
    module = Module(function.__module__ or "", function.__code__.co_filename, function.__globals__, "done")
    scope: Scope | None = Scope(module, function.__globals__)
    if around is not None and around is not function.__globals__:
        scope = Scope(module, dict(around), scope)
    if function.__code__.co_freevars:
        scope = Scope(module, _Cells(function), scope)
    return LiveFunction(
        node,
        scope,
        function.__name__,
        function.__defaults__ or (),
        dict(function.__kwdefaults__ or {}),
        {_ANNOTATIONS: function.__annotations__},
    )


def annotation_of(ev: LiveEvaluator, function: Function, arg: ast.arg) -> Any:
    """The value of an annotation: what Python made of it, or, of one that is still text, what it means there."""
    made = function.attrs.get(_ANNOTATIONS, {}).get(arg.arg)
    if made is not None and not isinstance(made, str) and not (isinstance(made, Buffer) and not made.dtype.is_known):
        return made
    assert arg.annotation is not None
    return ev.eval(parsed_annotation(arg.annotation), function.scope)


# --- which functions of the program are evaluated ---------------------------------------------------------------------

_NEVER = frozenset((*sys.stdlib_module_names, "numpy", "torch", "cupy", "jax", "tvm", "tvm_ffi", "tilelang", "pytest"))

_reaching: dict[CodeType, bool] = {}


def followed(function: FunctionType, args: Any) -> LiveFunction | None:
    """The function to evaluate for a call in a kernel, or ``None`` if the call runs natively.

    What cannot touch the kernel runs natively, at full speed: a function that is given no value of the kernel and
    mentions nothing of the language.
    """
    root = (function.__module__ or "").split(".", 1)[0]
    if root in _NEVER or not is_plain_function(function):
        return None
    if not any(holds_ir(value) for value in args) and not reaches_language(function):
        return None
    node = find_node(function.__code__)
    return None if node is None else _made(function, node, None)


def holds_ir(value: Any, depth: int = 3) -> bool:
    """Whether a value is one of the kernel, or a container or an object with such a value in it."""
    if isinstance(value, (Expr, Buffer, Region, Function)):
        return True
    if depth == 0 or value is None or isinstance(value, (int, float, str, type, ModuleType)):
        return False
    if is_sequence(value) or is_set(value):
        return any(holds_ir(entry, depth - 1) for entry in value)
    attributes = value if is_dict(value) else getattr(value, "__dict__", None)
    return is_dict(attributes) and any(holds_ir(entry, depth - 1) for entry in attributes.values())


def reaches_language(function: FunctionType) -> bool:
    """Whether a function mentions the language, or a function or class of the program that does."""
    code = function.__code__
    if code not in _reaching:
        _reaching[code] = False  # for functions that call each other
        names = [function.__globals__.get(name) for name in _names(code)]
        for cell in function.__closure__ or ():
            try:
                names.append(cell.cell_contents)
            except ValueError:
                continue
        _reaching[code] = any(_is_language(value) for value in names)
    return _reaching[code]


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _is_language(value: Any) -> bool:
    from tilelang.language.decorators import MarkedFunction

    if isinstance(value, ModuleType):
        return value.__name__.startswith("tilelang.language")
    if isinstance(value, MarkedFunction):
        return True
    if isinstance(value, FunctionType):
        home = value.__module__ or ""
        return home.startswith("tilelang.language") or (home.split(".", 1)[0] not in _NEVER and reaches_language(value))
    if isinstance(value, type):
        return (value.__module__ or "").split(".", 1)[0] not in _NEVER and any(
            isinstance(member, MarkedFunction) or (isinstance(member, FunctionType) and reaches_language(member))
            for member in vars(value).values()
        )
    return False
