"""Integer expressions at one point: one block, thread and iteration.

An expression is compiled once to a closure over an environment and then evaluated for many points. What reads memory,
calls something or mentions a value that the evaluator could not follow does not compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.expr import Binary, Cast, Const, Expr, Select, Unary, Var, is_comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Point = dict[Var, int]
"""The value of each variable at one point."""

MAX_DEPTH = 60
"""Closures nest as deep as the expression; indices of real kernels stay below ten."""


class Unresolved(Exception):
    """An expression has no value at a point: a division by zero, or a number that its type cannot hold."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An integer expression as a function of a point. ``variables`` are all that it mentions."""

    at: Callable[[Point], int]
    variables: frozenset[Var]


class Evaluator:
    """Compiles the expressions of one launch. ``lets`` are the scalars that the kernel binds to a name."""

    def __init__(self, lets: Mapping[Var, object]) -> None:
        self._lets = lets
        self._known: dict[int, tuple[object, Compiled | None]] = {}

    def __call__(self, value: object) -> Compiled | None:
        """``value`` as a function of a point; None if it is not an integer expression over variables."""
        return self._compile(value, MAX_DEPTH)

    def all(self, values: tuple[object, ...]) -> tuple[Compiled, ...] | None:
        """Every one of ``values``, or None."""
        found = tuple(self(value) for value in values)
        kept = tuple(each for each in found if each is not None)
        return kept if len(kept) == len(found) else None

    def _compile(self, value: object, depth: int) -> Compiled | None:
        if isinstance(value, int):
            number = int(value)
            return Compiled(lambda _: number, frozenset())
        key = id(value)
        if key not in self._known:
            # The value is kept so that its id stays taken.
            self._known[key] = (value, self._build(value, depth) if depth else None)
        return self._known[key][1]

    def _build(self, value: object, depth: int) -> Compiled | None:
        if isinstance(value, Const):
            return None if isinstance(value.value, float) else self._compile(int(value.value), depth)
        if isinstance(value, Var):
            return self._variable(value, depth)
        if isinstance(value, Cast):
            return self._cast(value, depth)
        if isinstance(value, Unary):
            inner = self._compile(value.a, depth - 1)
            return None if inner is None else _unary(value, inner)
        if isinstance(value, Select):
            parts = [self._compile(part, depth - 1) for part in (value.cond, value.then, value.other)]
            if None in parts:
                return None
            cond, then, other = (part for part in parts if part is not None)
            names = cond.variables | then.variables | other.variables
            return Compiled(lambda point: then.at(point) if cond.at(point) else other.at(point), names)
        if isinstance(value, Binary) and (_is_integer(value) or value.dtype.is_bool):
            a, b = self._compile(value.a, depth - 1), self._compile(value.b, depth - 1)
            return None if a is None or b is None else _binary(value, a, b)
        return None

    def _variable(self, var: Var, depth: int) -> Compiled | None:
        if var in self._lets:
            return self._compile(self._lets[var], depth - 1)
        if var.kind in ("let", "unknown", "param") or not (_is_integer(var) or var.dtype.is_bool):
            return None
        return Compiled(lambda point: point[var], frozenset((var,)))

    def _cast(self, cast: Cast, depth: int) -> Compiled | None:
        source = cast.value
        integral = isinstance(source, int) or (
            isinstance(source, Expr) and (_is_integer(source) or source.dtype.is_bool)
        )
        inner = self._compile(source, depth - 1) if integral else None
        if inner is None or not (_is_integer(cast) or cast.dtype.is_bool):
            return None
        if cast.dtype.is_bool:
            return Compiled(lambda point: int(inner.at(point) != 0), inner.variables)
        return Compiled(_held(inner.at, cast), inner.variables)


def _is_integer(expr: Expr) -> bool:
    return expr.dtype.is_integer and expr.dtype.lanes == 1


def _held(at: Callable[[Point], int], expr: Expr) -> Callable[[Point], int]:
    """``at``, unless its value does not fit the type."""
    bits, signed = expr.dtype.bits, expr.dtype.is_signed
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)

    def checked(point: Point) -> int:
        number = at(point)
        if low <= number <= high:
            return number
        raise Unresolved

    return checked


def _unary(expr: Unary, inner: Compiled) -> Compiled | None:
    at = inner.at
    if expr.op == "-":
        return Compiled(lambda point: -at(point), inner.variables)
    if expr.op == "not":
        return Compiled(lambda point: int(not at(point)), inner.variables)
    return Compiled(lambda point: ~at(point), inner.variables) if _is_integer(expr) and expr.dtype.is_signed else None


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise Unresolved
    return a // b


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise Unresolved
    return a % b


def _truncated(a: int, b: int) -> int:
    whole = _divided(abs(a), abs(b))
    return whole if (a < 0) == (b < 0) else -whole


def _shifted(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise Unresolved
    return a << b


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "//": _divided,
    "%": _remainder,
    "truncdiv": _truncated,
    "truncmod": lambda a, b: a - b * _truncated(a, b),
    "<<": _shifted,
    ">>": lambda a, b: _divided(a, _shifted(1, b)),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "min": min,
    "max": max,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}


def _binary(expr: Binary, left: Compiled, right: Compiled) -> Compiled | None:
    at = _combined(expr.op, left.at, right.at)
    if at is None:
        return None
    # Unsigned and narrow types wrap around on purpose; where they would, nothing is concluded.
    exact = is_comparison(expr.op) or (expr.dtype.is_signed and expr.dtype.bits >= 32)
    return Compiled(at if exact else _held(at, expr), left.variables | right.variables)


def _combined(op: str, a: Callable[[Point], int], b: Callable[[Point], int]) -> Callable[[Point], int] | None:
    if op == "+":
        return lambda point: a(point) + b(point)
    if op == "-":
        return lambda point: a(point) - b(point)
    if op == "*":
        return lambda point: a(point) * b(point)
    if op == "and":
        return lambda point: int(bool(a(point) and b(point)))
    if op == "or":
        return lambda point: int(bool(a(point) or b(point)))
    operation = _OPERATIONS.get(op)
    return None if operation is None else lambda point: operation(a(point), b(point))
