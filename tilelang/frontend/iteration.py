"""What ``for`` and unpacking see: the items of a value, where they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_dict, is_open, is_sequence, is_set
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.values import Class, Generator, Object, Tensor
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.frontend.evaluator import Evaluator


def iterate(ev: Evaluator, value: Any) -> Iterable[Any] | None:
    """The items of an iterable in order, or ``None`` if they are not all known. Ranges stay lazy."""
    if isinstance(value, range):
        return value
    if is_sequence(value) or is_dict(value):
        return None if is_open(value) else list(value)
    if isinstance(value, str):
        return value
    if is_set(value):
        return None if is_open(value) else _in_fixed_order(value)
    if isinstance(value, Class) and value.kind == "enum":
        return [entry for entry in value.vars.values() if isinstance(entry, Object)]
    if isinstance(value, Object):
        return _iterate_object(ev, value)
    if isinstance(value, Generator):
        from tilelang.frontend.generators import collected

        items = collected(ev, value)
        return None if items.open else items
    if isinstance(value, Tensor) and value.shape and isinstance(value.shape[0], int) and value.shape[0] <= 64:
        row = Tensor(value.shape[1:], value.dtype, None, value.library)
        return [row if value.shape[1:] else UNKNOWN for _ in range(value.shape[0])]
    return ev.host_items(value)


def _in_fixed_order(entries: Iterable[Any]) -> list[Any]:
    """The entries of a set in an order that is the same in every run."""
    try:
        return sorted(entries)
    except TypeError:
        return sorted(entries, key=lambda entry: (type(entry).__name__, str(entry)))


def _iterate_object(ev: Evaluator, value: Object) -> Iterable[Any] | None:
    from tilelang.frontend.generators import iterator

    if value.cls.kind == "namedtuple":
        return [value.attrs.get(field.name, UNKNOWN) for field in value.cls.fields]
    found = iterator(ev, value)
    return None if isinstance(found, Object) else iterate(ev, found)


def materialize(ev: Evaluator, value: Any) -> list[Any] | None:
    """Like :func:`iterate`, as a list of bounded length."""
    items = iterate(ev, value)
    if items is None:
        return None
    if isinstance(items, (range, str)) and len(items) > MAX_SEQUENCE:
        return None
    return list(items)


def materialize_all(ev: Evaluator, values: Iterable[Any]) -> list[list[Any]] | None:
    """The items of several iterables that are read in turns, or ``None`` if those of one are not known."""
    from tilelang.frontend.generators import forget_rest, iterator, read_ahead, remaining

    columns: list[list[Any] | None] = []
    generators: list[Generator] = []
    for value in values:
        source = iterator(ev, value)
        if not isinstance(source, Generator):
            columns.append(materialize(ev, source))
        elif any(source is other for other in generators):
            columns.append(None)  # the columns share its items
        else:
            read_ahead(ev, source)
            generators.append(source)
            columns.append(remaining(source))
    for generator in generators:  # the shortest ends it: items of the others may be left
        forget_rest(ev, generator)
    known = [column for column in columns if column is not None]
    return known if len(known) == len(columns) else None


def mapping_items(value: Any) -> list[tuple[Any, Any]] | None:
    """The entries of a dict, or ``None`` if not all are known."""
    if isinstance(value, DictVal) and value.open:
        return None
    return list(value.items()) if is_dict(value) else None
