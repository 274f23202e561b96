"""Python's builtins on sequences: making them, looping over them, reducing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import DictVal, ListVal, SetVal, copied_dict, is_container, is_dict, is_open
from tilelang.frontend.generators import collected, iterator, zipped
from tilelang.frontend.iteration import materialize, materialize_all
from tilelang.frontend.models.registry import builtin
from tilelang.frontend.plain import contains_unknown, is_key, is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Class, Function, Generator, Object, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Expr, const_int
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@builtin("range")
def range_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    bounds = [const_int(arg) if not isinstance(arg, Unknown) else None for arg in args]
    numbers = [number for number in bounds if number is not None]
    if len(numbers) == len(bounds) and 1 <= len(numbers) <= 3:
        try:
            return range(*numbers)
        except ValueError as error:
            raise UserError("ValueError", str(error), args.span) from None
    if ev.builder is not None and (args.scope is None or args.scope.kernel):
        from tilelang.frontend import dsl
        from tilelang.language.loops import serial

        return dsl.native(ev, serial, tuple(args), {}, args.span)
    return UNKNOWN


@builtin("len")
def len_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else UNKNOWN
    if is_container(value) or isinstance(value, (str, range, bytes)):
        return UNKNOWN if is_open(value) else len(value)
    if isinstance(value, Tensor):
        return value.shape[0] if value.shape else UNKNOWN
    if isinstance(value, Buffer):
        return value.shape[0] if value.shape else UNKNOWN
    if isinstance(value, Object):
        found = value.cls.lookup("__len__")
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            return call(ev, found, (value,), {}, args.span)
    if isinstance(value, Class) and value.kind == "enum":
        return sum(isinstance(member, Object) for member in value.vars.values())
    return UNKNOWN


def _sequence(ev: Evaluator, args: Args, make: Callable[[Any], Any]) -> Any:
    if not args:
        return make(())
    source = iterator(ev, args[0])
    items = collected(ev, source) if isinstance(source, Generator) else materialize(ev, source)
    if isinstance(items, ListVal) and items.open:
        found = make(items) if make is ListVal else make(())
        if isinstance(found, (ListVal, SetVal)):
            found.open = True
            return found
        return UNKNOWN
    if items is not None:
        ev.step(len(items) // 8)
        return make(items)
    made = make(())
    if isinstance(made, (ListVal, SetVal)):
        made.open = True
        return made
    return UNKNOWN


@builtin("list")
def list_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _sequence(ev, args, ListVal)


@builtin("tuple")
def tuple_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _sequence(ev, args, tuple)


@builtin("set", "frozenset")
def set_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    try:
        return _sequence(ev, args, _set_of)
    except TypeError:
        return UNKNOWN


def _set_of(items: Iterable[Any]) -> SetVal:
    entries = list(items)
    made = SetVal(entry for entry in entries if is_key(entry))
    made.open = not all(is_key(entry) for entry in entries)
    return made


@builtin("dict")
def dict_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    made = DictVal()
    if args:
        source = args[0]
        if is_dict(source):
            made = copied_dict(source)
        else:
            pairs = materialize(ev, source)
            if pairs is None:
                made.open = True
            else:
                for pair in pairs:
                    entry = materialize(ev, pair)
                    if entry is None or len(entry) != 2 or isinstance(entry[0], Unknown) or not is_key(entry[0]):
                        made.open = True
                    else:
                        made[entry[0]] = entry[1]
    made.update(kwargs)
    made.span = args.span
    if args.arguments is not None:
        made.spans.update(args.arguments.kwarg_spans)
        made.key_spans.update(args.arguments.name_spans)
        made.open = made.open or args.arguments.open
    return made


@builtin("max")
def max_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _extreme(ev, args, kwargs, "max")


@builtin("min")
def min_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _extreme(ev, args, kwargs, "min")


def _extreme(ev: Evaluator, args: Args, kwargs: dict[str, Any], which: str) -> Any:
    items = materialize(ev, args[0]) if len(args) == 1 else list(args)
    if items is None:
        return UNKNOWN
    if not items:
        return kwargs.get("default", UNKNOWN)
    keys = items
    if kwargs.get("key") is not None:
        from tilelang.frontend.calls import call

        keys = [call(ev, kwargs["key"], (item,), {}, args.span) for item in items]
    elif any(isinstance(item, Expr) for item in items) and not contains_unknown(items):
        from tilelang import language

        result = items[0]
        for item in items[1:]:
            result = language.max(result, item) if which == "max" else language.min(result, item)
        return result
    if not is_plain(keys):
        return UNKNOWN
    try:
        best = (max if which == "max" else min)(range(len(keys)), key=keys.__getitem__)
    except TypeError as error:
        raise UserError("TypeError", str(error), args.span) from None
    return items[best]


@builtin("sum")
def sum_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.operators import binary

    items = materialize(ev, args[0]) if args else None
    if items is None:
        return UNKNOWN
    import ast

    total: Any = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for item in items:
        ev.step()
        total = binary(ev, ast.Add, total, item, args.span)
    return total


@builtin("zip")
def zip_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    sources = [iterator(ev, source) for source in args]
    if any(isinstance(source, Generator) for source in sources):
        return Generator(lambda each: zipped(ev, sources, each))
    columns = materialize_all(ev, sources)
    return UNKNOWN if columns is None else ListVal(zip(*columns, strict=False))


@builtin("sorted")
def sorted_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    items = materialize(ev, args[0]) if args else None
    if items is None:
        return UNKNOWN
    keys = items
    if kwargs.get("key") is not None:
        keys = [call(ev, kwargs["key"], (item,), {}, args.span) for item in items]
    reverse = truth(ev, kwargs.get("reverse", False))
    if not is_plain(keys) or isinstance(reverse, Unknown):
        return UNKNOWN
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        raise UserError("TypeError", str(error), args.span) from None
    return ListVal([items[position] for position in order])


@builtin("reversed")
def reversed_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], range):
        return args[0][::-1]
    items = materialize(ev, args[0]) if args else None
    return UNKNOWN if items is None else ListVal(reversed(items))


@builtin("slice")
def slice_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return slice(*args) if 1 <= len(args) <= 3 and is_plain(list(args)) else UNKNOWN
