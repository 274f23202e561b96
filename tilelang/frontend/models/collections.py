"""``collections`` and ``copy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, ListVal, SetVal, copied_dict, is_dict, is_list, is_open, is_set
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("collections.OrderedDict")
def ordered_dict(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.models.sequences import dict_

    return dict_(ev, args, kwargs)


@model("collections.defaultdict")
def defaultdict(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    made = DictVal()
    made.default = args[0] if args else None
    return made


@model("collections.deque")
def deque(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else []
    return UNKNOWN if items is None else ListVal(items)


@model("copy.copy", "copy.deepcopy")
def copy(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _copied(args[0], 0) if args else UNKNOWN


def _copied(value: Any, depth: int) -> Any:
    if depth > 20:
        return UNKNOWN
    if is_dict(value):
        made = copied_dict(value)
        made.update({key: _copied(entry, depth + 1) for key, entry in value.items()})
        return made
    if is_list(value):
        copied = ListVal(_copied(entry, depth + 1) for entry in value)
        copied.open = is_open(value)
        return copied
    if is_set(value):
        entries = SetVal(value)
        entries.open = is_open(value)
        return entries
    if isinstance(value, Object):
        return Object(value.cls, {name: _copied(entry, depth + 1) for name, entry in value.attrs.items()})
    return value
