"""``collections`` and ``copy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_open
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models import classes as _classes  # noqa: F401  # pyright: ignore[reportUnusedImport] - registers models
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
    if isinstance(value, dict):
        made = DictVal(
            {key: _copied(entry, depth + 1) for key, entry in cast("dict[Any, Any]", value).items()},
            getattr(cast("Any", value), "span", None),
        )
        made.open = is_open(value)
        made.spans.update(getattr(cast("Any", value), "spans", {}))
        return made
    if isinstance(value, list):
        copied = ListVal(_copied(entry, depth + 1) for entry in cast("list[Any]", value))
        copied.open = is_open(value)
        return copied
    if isinstance(value, set):
        return SetVal(cast("set[Any]", value))
    if isinstance(value, Object):
        return Object(value.cls, {name: _copied(entry, depth + 1) for name, entry in value.attrs.items()})
    return value
