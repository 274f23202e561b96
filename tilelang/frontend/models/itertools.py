"""``itertools`` and ``functools``."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import ListVal
from tilelang.frontend.iteration import materialize, materialize_all
from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.values import CachedProperty, Class, Function, Jit, Model, Partial
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def _listed(ev: Evaluator, items: Any, size: int) -> Any:
    if size > MAX_SEQUENCE:
        return UNKNOWN
    ev.step(size // 8)
    return ListVal(items)


@model("itertools.product")
def product(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    columns = materialize_all(ev, args)
    repeat = kwargs.get("repeat", 1)
    if columns is None or not isinstance(repeat, int) or not 0 <= repeat <= 32:
        return UNKNOWN
    size = 1
    for column in columns * repeat:
        size *= len(column)
        if size > MAX_SEQUENCE:
            return UNKNOWN
    return _listed(ev, itertools.product(*columns, repeat=repeat), size)


@model("itertools.chain")
def chain(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    columns = materialize_all(ev, args)
    return UNKNOWN if columns is None else _listed(ev, itertools.chain(*columns), sum(map(len, columns)))


@model("itertools.chain.from_iterable")
def chain_from(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    outer = materialize(ev, args[0]) if args else None
    columns = None if outer is None else materialize_all(ev, outer)
    return UNKNOWN if columns is None else _listed(ev, itertools.chain(*columns), sum(map(len, columns)))


@model("itertools.combinations", "itertools.permutations", "itertools.combinations_with_replacement")
def combinations(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else None
    if items is None or len(items) > 12 or len(args) < 2 or not isinstance(args[1], int) or not 0 <= args[1] <= 6:
        return UNKNOWN
    return UNKNOWN if len(items) ** args[1] > MAX_SEQUENCE else ListVal(itertools.combinations(items, args[1]))


@model("itertools.count", "itertools.cycle", "itertools.repeat")
def endless(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@model("functools.partial")
def partial(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args:
        return UNKNOWN
    written = args.arguments
    spans = (tuple(written.arg_spans[1:]), tuple(written.kwarg_spans.items())) if written is not None else ((), ())
    made = Partial(args[0], tuple(args[1:]), tuple(kwargs.items()), *spans)
    return _flattened(made, args[0]) if isinstance(args[0], Partial) else made


def _flattened(outer: Partial, inner: Partial) -> Partial:
    """A partial of a partial is one partial of the function, as in Python."""
    return Partial(
        inner.function,
        (*inner.args, *outer.args),
        tuple({**dict(inner.kwargs), **dict(outer.kwargs)}.items()),
        (*inner.arg_spans, *outer.arg_spans),
        tuple({**dict(inner.kwarg_spans), **dict(outer.kwarg_spans)}.items()),
    )


@model("functools.partialmethod")
def partialmethod(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """A method with some arguments given: the receiver comes first when it is called."""
    if not args:
        return UNKNOWN
    function, given, named = args[0], tuple(args[1:]), dict(kwargs)

    def run(ev: Evaluator, inner: Args, kw: dict[str, Any]) -> Any:
        from tilelang.frontend.calls import call

        return call(ev, function, (*inner[:1], *given, *inner[1:]), {**named, **kw}, inner.span)

    return Model("partialmethod", run)


@model("functools.reduce")
def reduce(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    items = materialize(ev, args[1]) if len(args) > 1 else None
    if items is None or (not items and len(args) < 3):
        return UNKNOWN
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        ev.step()
        total = call(ev, args[0], (total, item), {}, args.span)
    return total


@model("functools.lru_cache", "functools.cache", "functools.wraps", "functools.total_ordering")
def transparent(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Decorators that do not change what a function computes."""
    if len(args) == 1 and isinstance(args[0], (Function, Jit, Class)) and not kwargs:
        return args[0]
    return Model("decorator", lambda ev, inner, kw: inner[0] if inner else UNKNOWN)


MODELS["functools.wraps"] = Model(
    "functools.wraps", lambda ev, args, kwargs: Model("wraps", lambda ev, inner, kw: inner[0] if inner else UNKNOWN)
)


@model("functools.cached_property")
def cached_property(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return CachedProperty(args[0]) if args else UNKNOWN


@model("functools.singledispatch", "functools.singledispatchmethod")
def singledispatch(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Which implementation runs is not followed, so neither is what it returns."""
    return Model("singledispatch", _dispatch)


def _dispatch(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.escapes import forget_captured

    forget_captured(ev, args, kwargs, args.span)
    return UNKNOWN
