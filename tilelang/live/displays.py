"""Lists, tuples, sets, dicts and comprehensions in a running program: Python's own containers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.statements import assign
from tilelang.frontend.values import Scope
from tilelang.live.evaluator import LiveEvaluator, expression
from tilelang.live.expressions import truth

if TYPE_CHECKING:
    from collections.abc import Iterator


def _items(ev: LiveEvaluator, nodes: list[ast.expr], scope: Scope) -> Iterator[Any]:
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from ev.eval(node.value, scope)
        else:
            yield ev.eval(node, scope)


@expression(ast.Tuple)
def tuple_display(ev: LiveEvaluator, node: ast.Tuple, scope: Scope) -> Any:
    return tuple(_items(ev, node.elts, scope))


@expression(ast.List)
def list_display(ev: LiveEvaluator, node: ast.List, scope: Scope) -> Any:
    return list(_items(ev, node.elts, scope))


@expression(ast.Set)
def set_display(ev: LiveEvaluator, node: ast.Set, scope: Scope) -> Any:
    return set(_items(ev, node.elts, scope))


@expression(ast.Dict)
def dict_display(ev: LiveEvaluator, node: ast.Dict, scope: Scope) -> Any:
    made: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            made.update(ev.eval(value, scope))
        else:
            made[ev.eval(key, scope)] = ev.eval(value, scope)
    return made


def _scopes(ev: LiveEvaluator, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
    """The scope of a comprehension, once for each combination of its loops."""
    inner = Scope(
        scope.module, {}, scope, scope.function, kernel=scope.kernel, arg_spans=scope.arg_spans, via=scope.via
    )

    def loop(depth: int) -> Iterator[Scope]:
        if depth == len(generators):
            yield inner
            return
        generator = generators[depth]
        for value in ev.eval(generator.iter, inner):
            assign(ev, generator.target, value, inner)
            if all(truth(ev.eval(test, inner)) for test in generator.ifs):
                yield from loop(depth + 1)

    return loop(0)


@expression(ast.ListComp)
def list_comp(ev: LiveEvaluator, node: ast.ListComp, scope: Scope) -> Any:
    return [ev.eval(node.elt, inner) for inner in _scopes(ev, node.generators, scope)]


@expression(ast.GeneratorExp)
def generator_exp(ev: LiveEvaluator, node: ast.GeneratorExp, scope: Scope) -> Any:
    return (ev.eval(node.elt, inner) for inner in _scopes(ev, node.generators, scope))


@expression(ast.SetComp)
def set_comp(ev: LiveEvaluator, node: ast.SetComp, scope: Scope) -> Any:
    return {ev.eval(node.elt, inner) for inner in _scopes(ev, node.generators, scope)}


@expression(ast.DictComp)
def dict_comp(ev: LiveEvaluator, node: ast.DictComp, scope: Scope) -> Any:
    return {ev.eval(node.key, inner): ev.eval(node.value, inner) for inner in _scopes(ev, node.generators, scope)}
