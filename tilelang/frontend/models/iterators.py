"""Python's builtins on iterators, which are lazy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import ListVal, is_list, is_open
from tilelang.frontend.generators import (
    MORE,
    drive,
    first_where,
    flow,
    following,
    give_away,
    iterator,
    of_items,
    read_ahead,
    until,
)
from tilelang.frontend.iteration import materialize, materialize_all
from tilelang.frontend.models.registry import builtin
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Function, Generator, Model, Object
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@builtin("any")
def any_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _quantified(ev, args, stop=True)


@builtin("all")
def all_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return _quantified(ev, args, stop=False)


def _quantified(ev: Evaluator, args: Args, *, stop: bool) -> Any:
    value = args[0] if args else UNKNOWN
    if is_list(value) and is_open(value):
        return stop if any(truth(ev, item) is stop for item in value) else UNKNOWN
    found = first_where(ev, value, stop)
    return found if isinstance(found, Unknown) else stop if found else not stop


@builtin("enumerate")
def enumerate_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    source = iterator(ev, args[0]) if args else UNKNOWN
    if not isinstance(start, int):
        return UNKNOWN
    if isinstance(source, Generator):
        return Generator(lambda each: _numbered(ev, source, start, each))
    items = materialize(ev, source)
    return UNKNOWN if items is None else ListVal(enumerate(items, start))


def _numbered(ev: Evaluator, source: Generator, start: int, each: Callable[[Any], None]) -> None:
    count = start
    depth = len(ev.heap.journals)

    def number(item: Any) -> None:
        nonlocal count
        each(item if item is MORE else (count if len(ev.heap.journals) == depth else UNKNOWN, item))
        count += 1

    drive(ev, source, number)


@builtin("map")
def map_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call
    from tilelang.frontend.loops import any_number

    if len(args) < 2:
        return UNKNOWN
    function, sources, span = args[0], [iterator(ev, source) for source in args[1:]], args.span

    def run(each: Callable[[Any], None]) -> None:
        def apply(*row: Any) -> None:
            each(call(ev, function, row, {}, span))

        def rest() -> None:
            any_number(ev, lambda: call(ev, function, (UNKNOWN,) * len(sources), {}, span))
            each(MORE)

        if len(sources) == 1:
            flow(ev, sources[0], lambda item: rest() if item is MORE else apply(item))
            return
        columns = materialize_all(ev, sources)
        if columns is None:
            rest()
            return
        for row in zip(*columns, strict=False):
            ev.step()
            apply(*row)

    return Generator(run)


@builtin("filter")
def filter_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    if len(args) != 2:
        return UNKNOWN
    function, source, span = args[0], iterator(ev, args[1]), args.span

    def run(each: Callable[[Any], None]) -> None:
        unsure = False

        def keep(item: Any) -> None:
            nonlocal unsure
            known: Any = UNKNOWN
            if item is not MORE:
                known = truth(ev, item if function is None else call(ev, function, (item,), {}, span))
            if known is True:
                each(item)
            elif isinstance(known, Unknown):
                unsure = True

        flow(ev, source, keep)
        if unsure:
            each(MORE)

    return Generator(run)


@builtin("iter")
def iter_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) == 2:
        return until(ev, args[0], args[1], args.span)
    source = iterator(ev, args[0]) if args else UNKNOWN
    if isinstance(source, Generator):
        return source
    items = materialize(ev, source)
    return UNKNOWN if items is None else of_items(items)


@builtin("next")
def next_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    source = args[0] if args else UNKNOWN
    if isinstance(source, Object):
        step = source.cls.lookup("__next__")
        if not isinstance(step, Function):
            return UNKNOWN
        from tilelang.frontend.calls import call

        try:
            return call(ev, step, (source,), {}, args.span)
        except UserError as error:
            if error.name == "StopIteration" and len(args) > 1:
                return args[1]
            raise
    if isinstance(source, Generator):
        read_ahead(ev, source)
        item = following(ev, source)
        if item is not MISSING:
            return UNKNOWN if item is MORE else item
    elif isinstance(source, ListVal) and (source or not source.open):
        if source:
            ev.heap.writing(source)
            return source.pop(0)
    else:
        return UNKNOWN
    if len(args) > 1:
        return args[1]
    raise UserError("StopIteration", "", args.span)


def method_of_generator(owner: Generator, name: str) -> Any:
    """``send`` and its relatives: what a generator does with what it gets is not followed."""
    if name == "__next__":
        return Model(name, lambda ev, args, kwargs: next_(ev, args.of(owner), kwargs))
    if name == "close":
        return Model(name, _close(owner))
    return Model(name, _give_away(owner)) if name in ("send", "throw") else UNKNOWN


def _close(owner: Generator) -> Any:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> None:
        ev.heap.writing(owner.state)
        owner.state.update(started=True, items=(), next=0)

    return run


def _give_away(owner: Generator) -> Any:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        give_away(ev, owner)
        return UNKNOWN

    return run
