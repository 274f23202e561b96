"""Sizes of artifacts as numbers: formulas in Python's integer syntax over the names of dims."""

from __future__ import annotations

import ast
import operator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Compiled = Callable[[Mapping[str, int]], int]

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
}


def value_of(extent: int | str, dims: Mapping[str, int]) -> int:
    """An extent as a number. Raises ``ValueError`` for a formula with anything else than integers, names of ``dims``,
    arithmetic, comparisons, ``min``, ``max`` and ``a if c else b``."""
    return extent if isinstance(extent, int) else _compiled(extent)(dims)


@cache
def _compiled(formula: str) -> Compiled:
    try:
        return _build(ast.parse(formula, mode="eval").body)
    except SyntaxError:
        raise ValueError(f"not a formula: {formula!r}") from None


def names_in(extent: int | str) -> frozenset[str]:
    """The dims that an extent mentions."""
    if isinstance(extent, int):
        return frozenset()
    nodes = ast.walk(ast.parse(extent, mode="eval"))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and node.id not in _FUNCTIONS)


def _build(node: ast.expr) -> Compiled:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        number = int(node.value)
        return lambda dims: number
    if isinstance(node, ast.Name):
        name = node.id
        return lambda dims: _dim(name, dims)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        op, left, right = _BINARY[type(node.op)], _build(node.left), _build(node.right)
        return lambda dims: op(left(dims), right(dims))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _build(node.operand)
        return lambda dims: -inner(dims)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        test, left, right = _COMPARE[type(node.ops[0])], _build(node.left), _build(node.comparators[0])
        return lambda dims: int(test(left(dims), right(dims)))
    if isinstance(node, ast.IfExp):
        cond, then, other = _build(node.test), _build(node.body), _build(node.orelse)
        return lambda dims: then(dims) if cond(dims) else other(dims)
    if isinstance(node, ast.BoolOp):
        parts, every = [_build(part) for part in node.values], isinstance(node.op, ast.And)
        return lambda dims: int((all if every else any)(part(dims) for part in parts))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        function, arguments = _FUNCTIONS[node.func.id], [_build(argument) for argument in node.args]
        return lambda dims: function(*(argument(dims) for argument in arguments))
    raise ValueError(f"not a formula: {ast.unparse(node)!r}")


def _dim(name: str, dims: Mapping[str, int]) -> int:
    try:
        return dims[name]
    except KeyError:
        raise ValueError(f"the size {name} is not known") from None
