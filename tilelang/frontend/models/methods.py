"""Methods of lists, dicts, sets, tuples and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import equal
from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_list, is_open, is_shifted, shift
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.strings import string_method
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.plain import is_key
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, External, Model
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator

    Method = Callable[[Evaluator, Any, Args, dict[str, Any]], Any]


_SEARCHES = frozenset(("count", "index", "reverse", "sort"))
"""Methods of sequences whose time grows with the length."""

_NUMBER_PURE = frozenset(("bit_length", "is_integer", "conjugate"))


def method(owner: Any, name: str) -> Any:
    """The bound method ``owner.name``, or unknown if it is not modelled."""
    if isinstance(owner, (int, float)):
        if name in _NUMBER_PURE:
            return Model(name, lambda ev, args, kwargs: getattr(owner, name)())
        return owner if name in ("real", "numerator") else UNKNOWN
    if isinstance(owner, str):
        return string_method(owner, name)
    if isinstance(owner, tuple):
        table: dict[str, Any] = {"index": _index, "count": _count}
    elif isinstance(owner, list):
        table = _LIST
    elif isinstance(owner, dict):
        table = _DICT
    elif isinstance(owner, (set, frozenset)):
        table = _SET
    else:
        return UNKNOWN
    function = table.get(name)
    if function is None:
        return UNKNOWN
    if name in _SEARCHES:
        return Model(name, lambda ev, args, kwargs: function(ev, ev.charge(owner), args, kwargs))
    if not isinstance(owner, (dict, set, frozenset)):
        return Model(name, lambda ev, args, kwargs: function(ev, owner, args, kwargs))
    return Model(name, lambda ev, args, kwargs: function(ev, owner, _with_key(args), kwargs))


def _with_key(args: Args) -> Args:
    """Arguments of a lookup; a key that is not known, or that would take long to hash, is unknown."""
    return args.of(UNKNOWN, *args[1:]) if args and not is_key(args[0]) else args


def _index(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    for position, item in enumerate(owner):
        result = equal(ev, item, args[0])
        if result is True:
            return position
        if isinstance(result, Unknown):
            return UNKNOWN
    if is_open(owner):
        return UNKNOWN
    raise UserError("ValueError", "value is not in the list", args.span)


def _count(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    results = [equal(ev, item, args[0]) for item in owner]
    if is_open(owner) or any(isinstance(result, Unknown) for result in results):
        return UNKNOWN
    return sum(result is True for result in results)


def _append(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    if len(owner) < MAX_SEQUENCE:
        owner.append(args[0] if args else UNKNOWN)
        shift(owner)


def _extend(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    items = materialize(ev, args[0]) if args else None
    ev.heap.writing(owner)
    if items is None or len(owner) + len(items) > MAX_SEQUENCE:
        _open(owner)
    else:
        owner.extend(items)
        shift(owner)


def _open(owner: Any) -> None:
    if isinstance(owner, (ListVal, DictVal, SetVal)):
        owner.open = True


def _insert(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    if len(args) == 2 and isinstance(args[0], int):
        owner.insert(args[0], args[1])
        shift(owner)
    else:
        _open(owner)


def _pop(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    ev.heap.writing(owner)
    position = args[0] if args else -1
    if is_open(owner) or not isinstance(position, int):
        if isinstance(position, int) and 0 <= position < len(owner) and not is_shifted(owner):
            return owner.pop(position)
        # It may be any of the entries behind the first ones that goes.
        del owner[max(0, len(owner) + position) if isinstance(position, int) and position < 0 else 0 :]
        _open(owner)
        return UNKNOWN
    try:
        return owner.pop(position)
    except IndexError as error:
        raise UserError("IndexError", str(error), args.span) from None


def _remove(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    position = _index(ev, owner, args, kwargs)
    ev.heap.writing(owner)
    if isinstance(position, int):
        del owner[position]
    else:
        _open(owner)


def _sort(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    from tilelang.frontend.models.sequences import sorted_

    result = sorted_(ev, args.of(owner), kwargs)
    ev.heap.writing(owner)
    owner[:] = result if is_list(result) else [UNKNOWN] * len(owner)


def _reverse(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    owner.reverse()
    shift(owner)


def _clear(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    owner.clear()
    if isinstance(owner, (ListVal, DictVal, SetVal)):
        owner.open = False


def _copy_list(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    made = ListVal(owner)
    made.open, made.shifted = is_open(owner), is_shifted(owner)
    return made


def _pop_left(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    return _pop(ev, owner, args.of(0), kwargs)


def _append_left(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    _insert(ev, owner, args.of(0, *args), kwargs)


_LIST: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _pop_left,
    "appendleft": _append_left,
    "remove": _remove,
    "index": _index,
    "count": _count,
    "sort": _sort,
    "reverse": _reverse,
    "clear": _clear,
    "copy": _copy_list,
}


def _get(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    default = args[1] if len(args) > 1 else kwargs.get("default")
    try:
        found = owner.get(args[0], MISSING)
    except TypeError:
        return UNKNOWN
    if found is not MISSING:
        return found
    return UNKNOWN if is_open(owner) or isinstance(args[0], (Unknown, External)) else default


def _items(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    made = ListVal(owner.items())
    made.open = is_open(owner)
    return made


def _keys(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    made = ListVal(owner)
    made.open, made.shifted = is_open(owner), is_shifted(owner)
    return made


def _values(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    made = ListVal(owner.values())
    made.open = is_open(owner)
    return made


def _update(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    from tilelang.frontend.models.sequences import dict_

    made = dict_(ev, args, kwargs)
    ev.heap.writing(owner)
    owner.update(made)
    if isinstance(owner, DictVal):
        owner.open = owner.open or made.open
        owner.take_places(made)


def _setdefault(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    default = args[1] if len(args) > 1 else None
    if isinstance(args[0], Unknown) or is_open(owner):
        _open(owner)
        return UNKNOWN
    ev.heap.writing(owner)
    return owner.setdefault(args[0], default)


def _pop_key(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    ev.heap.writing(owner)
    found = owner.pop(args[0], MISSING) if not isinstance(args[0], Unknown) else MISSING
    if found is not MISSING:
        return found
    if is_open(owner) or isinstance(args[0], Unknown):
        _open(owner)
        return UNKNOWN
    if len(args) > 1:
        return args[1]
    raise UserError("KeyError", repr(args[0])[:80], args.span)


def _pop_item(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    ev.heap.writing(owner)
    if is_open(owner):
        owner.clear()
        return UNKNOWN
    if not owner:
        raise UserError("KeyError", "the dict is empty", args.span)
    last = kwargs.get("last", args[0] if args else True)
    key = next(reversed(owner)) if last is True else next(iter(owner))
    return (key, owner.pop(key))


def _copy_dict(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    made = DictVal(owner, getattr(owner, "span", None))
    made.open = is_open(owner)
    made.take_places(owner)
    return made


_DICT: dict[str, Method] = {
    "get": _get,
    "items": _items,
    "keys": _keys,
    "values": _values,
    "update": _update,
    "setdefault": _setdefault,
    "pop": _pop_key,
    "popitem": _pop_item,
    "copy": _copy_dict,
    "clear": _clear,
}


def _add(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    try:
        if isinstance(args[0], Unknown):
            _open(owner)
        else:
            owner.add(args[0])
    except TypeError as error:
        raise UserError("TypeError", str(error), args.span) from None


def _discard(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    ev.heap.writing(owner)
    if isinstance(args[0], Unknown):
        owner.clear()
        _open(owner)
    else:
        owner.discard(args[0])


def _update_set(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> None:
    for arg in args:
        for item in materialize(ev, arg) or ():
            _add(ev, owner, args.of(item), kwargs)


_SET_PURE = ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")


def _combined(name: str) -> Method:
    def run(ev: Evaluator, owner: Any, args: Args, kwargs: dict[str, Any]) -> Any:
        others = [materialize(ev, arg) for arg in args]
        if is_open(owner) or any(other is None for other in others):
            made = SetVal()
            made.open = True
            return made
        result = getattr(set(owner), name)(*others)
        return SetVal(result) if isinstance(result, set) else result

    return run


_SET: dict[str, Method] = {
    "add": _add,
    "discard": _discard,
    "remove": _discard,
    "update": _update_set,
    "clear": _clear,
    "copy": lambda ev, owner, args, kwargs: SetVal(owner),
    **{name: _combined(name) for name in _SET_PURE},
}
