"""What ``for`` and unpacking see: the items of a value, where they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.containers import DictVal, is_open
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.values import Class, Function, Object, Tensor
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.frontend.evaluator import Evaluator


def iterate(ev: Evaluator, value: Any) -> Iterable[Any] | None:
    """The items of an iterable in order, or ``None`` if they are not all known. Ranges stay lazy."""
    if isinstance(value, range):
        return value
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return None if is_open(items) else list(items)
    if isinstance(value, dict):
        return None if is_open(value) else list(cast("dict[Any, Any]", value))
    if isinstance(value, str):
        return value
    if isinstance(value, (set, frozenset)):
        entries = cast("set[Any]", value)
        if is_open(entries):
            return None
        try:
            return sorted(entries)
        except TypeError:
            return list(entries)
    if isinstance(value, Class) and value.kind == "enum":
        return [entry for entry in value.vars.values() if isinstance(entry, Object)]
    if isinstance(value, Object):
        return _iterate_object(ev, value)
    if isinstance(value, Tensor) and value.shape and isinstance(value.shape[0], int) and value.shape[0] <= 64:
        row = Tensor(value.shape[1:], value.dtype, None, value.library)
        return [row if value.shape[1:] else UNKNOWN for _ in range(value.shape[0])]
    return None


def _iterate_object(ev: Evaluator, value: Object) -> Iterable[Any] | None:
    from tilelang.frontend.calls import call
    from tilelang.ir.span import NOWHERE

    if value.cls.kind == "namedtuple":
        return [value.attrs.get(name, UNKNOWN) for name, _ in value.cls.fields]
    found = value.cls.lookup("__iter__")
    if isinstance(found, Function):
        return iterate(ev, call(ev, found, (value,), {}, NOWHERE))
    return None


def materialize(ev: Evaluator, value: Any) -> list[Any] | None:
    """Like :func:`iterate`, as a list of bounded length."""
    items = iterate(ev, value)
    if items is None:
        return None
    if isinstance(items, (range, str)) and len(items) > MAX_SEQUENCE:
        return None
    return list(items)


def mapping_items(value: Any) -> list[tuple[Any, Any]] | None:
    """The entries of a dict, or ``None`` if not all are known."""
    if isinstance(value, DictVal) and value.open:
        return None
    return list(cast("dict[Any, Any]", value).items()) if isinstance(value, dict) else None
