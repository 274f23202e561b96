"""Python's builtins on classes and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_tuple
from tilelang.frontend.models.registry import builtin
from tilelang.frontend.plain import is_plain
from tilelang.frontend.values import (
    MISSING,
    BoundMethod,
    Class,
    ClassMethod,
    External,
    Function,
    Jit,
    Macro,
    Model,
    Object,
    Partial,
    Property,
    StaticMethod,
    Tensor,
)
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@builtin("isinstance", "issubclass")
def isinstance_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) != 2:
        return UNKNOWN
    kinds = args[1] if is_tuple(args[1]) else (args[1],)
    results = [is_instance(args[0], kind) for kind in kinds]
    if any(result is True for result in results):
        return True
    return UNKNOWN if any(isinstance(result, Unknown) for result in results) else False


_KINDS: dict[str, tuple[type, ...]] = {
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (set,),
    "range": (range,),
}


def _is_builtin(kind: Any) -> bool:
    return kind in (int, float, bool, str, complex) or (isinstance(kind, Model) and kind.name in _KINDS)


def is_instance(value: Any, kind: Any) -> Any:
    """Whether a value is certainly of a class: a bool, or unknown."""
    if isinstance(value, (Unknown, External)):
        return UNKNOWN
    if isinstance(value, Object) and _is_builtin(kind):
        if value.cls.has_external_base() or value.cls.is_value_enum():
            return UNKNOWN
        return isinstance(kind, Model) and kind.name == "tuple" and value.cls.kind == "namedtuple"
    if kind in (int, float, bool, str, complex):
        if isinstance(value, Expr):
            return False
        return isinstance(value, kind) and not (kind is str and isinstance(value, DType))
    if isinstance(kind, Model) and kind.name in _KINDS:
        return isinstance(value, _KINDS[kind.name])
    if isinstance(kind, Class):
        if isinstance(value, Object):
            return True if value.cls.is_subclass(kind) else UNKNOWN if value.cls.has_external_base() else False
        return value.is_subclass(kind) if isinstance(value, Class) else False
    if isinstance(kind, (External, Model)):
        leaf = kind.name.rsplit(".", 1)[-1]
        if leaf in ("Tensor", "ndarray") and kind.name.split(".")[0] in ("torch", "numpy"):
            return isinstance(value, Tensor) and value.library == kind.name.split(".")[0]
        if leaf in ("Sequence", "Iterable", "Mapping", "Callable"):
            groups = {"Sequence": (list, tuple, str), "Iterable": (list, tuple, str, dict, set), "Mapping": (dict,)}
            if leaf == "Callable":
                return isinstance(value, (Function, BoundMethod, Model, Class, Jit, Macro, Partial))
            return isinstance(value, groups[leaf])
        if is_plain(value) or isinstance(value, (Object, Tensor)) or value is None:
            return False if value is None or isinstance(value, (bool, int, float)) else UNKNOWN
        return UNKNOWN
    if isinstance(kind, type) and kind.__module__.startswith("tilelang."):
        # A value that could not be followed stands as a variable.
        return UNKNOWN if isinstance(value, Var) and value.kind == "unknown" else isinstance(value, kind)
    return UNKNOWN


@builtin("type")
def type_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    value = args[0] if len(args) == 1 else UNKNOWN
    if isinstance(value, Object):
        return value.cls
    for kind in (bool, int, float):
        if type(value) is kind:
            return kind
    return str if type(value) is str else UNKNOWN


@builtin("getattr")
def getattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import get

    if len(args) < 2 or not isinstance(args[1], str):
        return UNKNOWN
    owner, name = args[0], str(args[1])
    if isinstance(owner, (Object, Class)) and len(args) > 2:
        cls = owner.cls if isinstance(owner, Object) else owner
        present = (isinstance(owner, Object) and name in owner.attrs) or cls.lookup(name) is not MISSING
        if not present:
            return UNKNOWN if cls.has_external_base() else args[2]
    return get(ev, owner, name, args.span)


@builtin("hasattr")
def hasattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) != 2 or not isinstance(args[1], str):
        return UNKNOWN
    owner, name = args[0], args[1]
    if isinstance(owner, (Object, Class)):
        cls = owner.cls if isinstance(owner, Object) else owner
        if isinstance(owner, Object) and name in owner.attrs:
            # An attribute that only one arm of an unknown branch sets is unknown, too.
            return UNKNOWN if isinstance(owner.attrs[name], Unknown) else True
        if cls.lookup(name) is not MISSING:
            return True
        return UNKNOWN if cls.has_external_base() else False
    if isinstance(owner, External):
        from tilelang.frontend.models.registry import find

        return True if find(f"{owner.name}.{name}") is not MISSING else UNKNOWN
    if isinstance(owner, (int, float, bool)) or owner is None:
        return hasattr(owner, name)
    return UNKNOWN


@builtin("vars")
def vars_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return args[0].attrs if len(args) == 1 and isinstance(args[0], Object) else UNKNOWN


@builtin("setattr")
def setattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import forget_attributes, set_

    if len(args) == 3 and isinstance(args[1], str):
        set_(ev, args[0], args[1], args[2], args.span)
    elif len(args) == 3:
        forget_attributes(ev, args[0], args[2])
    return None


@builtin("delattr")
def delattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import delete

    if len(args) == 2 and isinstance(args[1], str):
        delete(ev, args[0], args[1], args.span)
    return None


@builtin("callable")
def callable_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else UNKNOWN
    if isinstance(value, (Function, Class, Jit, Macro, Partial, BoundMethod, Model)):
        return True
    return False if is_plain(value) else UNKNOWN


@builtin("super")
def super_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@builtin("property")
def property_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    given = [*args, *(kwargs.get(name) for name in ("fget", "fset", "fdel")[len(args) :])]
    return Property(*given[:3])


@builtin("staticmethod")
def staticmethod_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return StaticMethod(args[0]) if args else UNKNOWN


@builtin("classmethod")
def classmethod_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return ClassMethod(args[0]) if args else UNKNOWN
