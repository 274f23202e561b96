"""``collections`` and ``copy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import (
    ListVal,
    SetVal,
    copied_dict,
    is_dict,
    is_list,
    is_open,
    is_set,
    is_tuple,
)
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.registry import model
from tilelang.frontend.models.sequences import dict_
from tilelang.frontend.values import Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("collections.OrderedDict")
def ordered_dict(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return dict_(ev, args, kwargs)


@model("collections.defaultdict")
def defaultdict(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    made = dict_(ev, args.of(*args[1:]), kwargs)
    made.default = args[0] if args else None
    return made


@model("collections.deque")
def deque(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else []
    return UNKNOWN if items is None else ListVal(items)


@model("copy.copy")
def copy(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else UNKNOWN
    if isinstance(value, Object):
        return Object(value.cls, dict(value.attrs))
    return _copied_container(value)


def _copied_container(value: Any) -> Any:
    """A container with the same entries; other values as they are."""
    if is_dict(value):
        return copied_dict(value)
    if is_list(value):
        items = ListVal(value)
        items.open = is_open(value)
        return items
    if is_set(value):
        entries = SetVal(value)
        entries.open = is_open(value)
        return entries
    return value


@model("copy.deepcopy")
def deepcopy(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _deep(ev, args[0], {}) if args else UNKNOWN


def _deep(ev: Evaluator, value: Any, made: dict[int, Any]) -> Any:
    """A copy with copies of everything mutable in it. ``made`` has the copies by identity: what is shared stays so."""
    if id(value) in made:
        return made[id(value)]
    ev.step()
    if isinstance(value, Object):
        copied = made[id(value)] = Object(value.cls)
        copied.attrs.update({name: _deep(ev, entry, made) for name, entry in value.attrs.items()})
        return copied
    if is_tuple(value):
        return tuple(_deep(ev, entry, made) for entry in value)
    result = made[id(value)] = _copied_container(value)
    if is_list(result):
        result[:] = [_deep(ev, entry, made) for entry in result]
    elif is_dict(result):
        result.update({key: _deep(ev, entry, made) for key, entry in result.items()})
    return result
