"""Tuple, list, set and dict displays, comprehensions included."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_dict, is_open
from tilelang.frontend.evaluator import Evaluator, expression
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.plain import is_key
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Generator, Scope
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    Emit = Callable[[Scope], None]


@expression(ast.Tuple)
def tuple_display(ev: Evaluator, node: ast.Tuple, scope: Scope) -> Any:
    items, closed = _items(ev, node.elts, scope)
    return tuple(items) if closed else UNKNOWN


@expression(ast.List)
def list_display(ev: Evaluator, node: ast.List, scope: Scope) -> Any:
    items, closed = _items(ev, node.elts, scope)
    made = ListVal(items, ev.span(node, scope))
    made.open = made.shifted = not closed
    return made


@expression(ast.Set)
def set_display(ev: Evaluator, node: ast.Set, scope: Scope) -> Any:
    items, closed = _items(ev, node.elts, scope)
    try:
        made = SetVal(item for item in items if is_key(item))
    except TypeError:
        return UNKNOWN
    closed = closed and all(is_key(item) for item in items)
    made.open = not closed or any(isinstance(item, Unknown) for item in items)
    return made


def _items(ev: Evaluator, nodes: list[ast.expr], scope: Scope) -> tuple[list[Any], bool]:
    items: list[Any] = []
    closed = True
    for node in nodes:
        if isinstance(node, ast.Starred):
            from tilelang.frontend.iteration import materialize

            entries = ev.charge(materialize(ev, ev.eval(node.value, scope)))
            if entries is None or len(items) + len(entries) > MAX_SEQUENCE:
                closed = False
            else:
                items.extend(entries)
        else:
            items.append(ev.eval(node, scope))
    return items, closed


@expression(ast.Dict)
def dict_display(ev: Evaluator, node: ast.Dict, scope: Scope) -> Any:
    made = DictVal((), ev.span(node, scope))
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = ev.eval(value_node, scope)
        if key_node is None:
            if is_dict(value):
                made.update(ev.charge(value))
                made.open = made.open or is_open(value)
                made.take_places(value)
            else:
                made.open = True
            continue
        key = ev.eval(key_node, scope)
        if isinstance(key, Unknown) or not is_key(key):
            made.open = True
            continue
        try:
            made[key] = value
        except TypeError as error:
            raise UserError("TypeError", str(error), ev.span(key_node, scope)) from None
        made.spans[key] = ev.span(value_node, scope)
        made.key_spans[key] = ev.span(key_node, scope)
    return made


def _comprehension(
    ev: Evaluator,
    generators: list[ast.comprehension],
    scope: Scope,
    emit: Callable[[Scope], None],
    first: Any = MISSING,
) -> bool:
    """Run the loops of a comprehension; False if some iterations are not known. ``first``: what the outermost one runs
    over, if it was evaluated before."""
    from tilelang.frontend.generators import MORE, flow
    from tilelang.frontend.statements import assign

    inner = Scope(
        scope.module, {}, scope, scope.function, kernel=scope.kernel, arg_spans=scope.arg_spans, via=scope.via
    )
    closed = True
    if first is MISSING:
        first = ev.eval(generators[0].iter, inner)

    def loop(depth: int) -> None:
        nonlocal closed
        if depth == len(generators):
            ev.step()
            emit(inner)
            return
        generator = generators[depth]

        def each(item: Any) -> None:
            nonlocal closed
            if item is MORE:
                closed = False
                return
            assign(ev, generator.target, item, inner)
            keep: Any = True
            for test in generator.ifs:
                keep = truth(ev, ev.eval(test, inner))
                if keep is not True:
                    break
            if isinstance(keep, Unknown):
                closed = False
            elif keep:
                loop(depth + 1)

        flow(ev, first if depth == 0 else ev.eval(generator.iter, inner), each)

    loop(0)
    return closed


@expression(ast.ListComp)
def list_comp(ev: Evaluator, node: ast.ListComp, scope: Scope) -> Any:
    made = ListVal((), ev.span(node, scope))
    closed = _comprehension(ev, node.generators, scope, lambda inner: made.append(ev.eval(node.elt, inner)))
    made.open = not closed
    return made


@expression(ast.GeneratorExp)
def generator_exp(ev: Evaluator, node: ast.GeneratorExp, scope: Scope) -> Any:
    from tilelang.frontend.generators import MORE, iterator

    first = iterator(ev, ev.eval(node.generators[0].iter, scope))

    def run(each: Callable[[Any], None]) -> None:
        if not _comprehension(ev, node.generators, scope, lambda inner: each(ev.eval(node.elt, inner)), first):
            each(MORE)

    return Generator(run)


@expression(ast.SetComp)
def set_comp(ev: Evaluator, node: ast.SetComp, scope: Scope) -> Any:
    items: list[Any] = []
    closed = _comprehension(ev, node.generators, scope, lambda inner: items.append(ev.eval(node.elt, inner)))
    try:
        made = SetVal(items)
    except TypeError:
        return UNKNOWN
    made.open = not closed
    return made


@expression(ast.DictComp)
def dict_comp(ev: Evaluator, node: ast.DictComp, scope: Scope) -> Any:
    made = DictVal((), ev.span(node, scope))

    def emit(inner: Scope) -> None:
        key, value = ev.eval(node.key, inner), ev.eval(node.value, inner)
        try:
            if isinstance(key, Unknown) or not is_key(key):
                made.open = True
            else:
                made[key] = value
        except TypeError:
            made.open = True

    closed = _comprehension(ev, node.generators, scope, emit)
    made.open = made.open or not closed
    return made
