"""What ``object`` and ``type`` give to every class, as ``super()`` finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_dict, is_open, is_tuple
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Class, Model, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def of_object(name: str, receiver: Any) -> Any:
    """The method that ``super().name`` means where no class of the program has it."""
    if name == "__new__":
        return Model("super().__new__", new)
    if name == "__call__" and isinstance(receiver, Class):
        return Model("super().__call__", lambda ev, args, kwargs: _call_class(ev, receiver, args, kwargs))
    function = _METHODS.get(name)
    if function is not None:
        return Model(f"super().{name}", lambda ev, args, kwargs: function(ev, args.of(receiver, *args), kwargs))
    silent = name in ("__init__", "__init_subclass__")
    return Model(f"super().{name}", lambda ev, args, kwargs: None if silent else UNKNOWN)


@model("builtins.object.__new__", "type.__new__")
def new(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """``object.__new__(cls)``, or ``type.__new__(meta, name, bases, namespace)``."""
    if len(args) == 4 and isinstance(args[1], str) and is_tuple(args[2]) and is_dict(args[3]) and not is_open(args[3]):
        bases = args[2]
        kinds = [base.kind for base in bases if isinstance(base, Class) and base.kind != "plain"]
        external = any(not isinstance(base, Class) for base in bases)
        return Class(args[1], bases, dict(args[3]), kinds[0] if kinds else "plain", external_base=external)
    return Object(args[0]) if args and isinstance(args[0], Class) else UNKNOWN


def _call_class(ev: Evaluator, cls: Class, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import instantiate

    return instantiate(ev, cls, args, kwargs, args.span)


@model("builtins.object.__setattr__")
def setattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import forget_attributes, store_attribute

    if len(args) == 3 and isinstance(args[0], Object):
        if isinstance(args[1], str):
            store_attribute(ev, args[0], args[1], args[2], args.span)
        else:
            forget_attributes(ev, args[0], args[2])
    return None


@model("builtins.object.__getattribute__")
def getattribute(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import stored

    if len(args) == 2 and isinstance(args[0], Object) and isinstance(args[1], str):
        return stored(ev, args[0], args[1], args.span)
    return UNKNOWN


@model("builtins.object.__delattr__")
def delattr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import remove_attribute

    if len(args) == 2 and isinstance(args[0], Object) and isinstance(args[1], str):
        remove_attribute(ev, args[0], args[1], args.span)
    return None


_METHODS = {"__setattr__": setattr_, "__getattribute__": getattribute, "__delattr__": delattr_}
