"""The arithmetic agrees with Python on every point of small boxes."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from tilelang.ir.arith import Interval, bounds, prove_equal, prove_le, prove_ne, simplify, try_const
from tilelang.ir.dtype import BOOL, INT32
from tilelang.ir.expr import Binary, Expr, Operand, Select, Unary, Var

X, Y, Z = (Var(INT32, name, "loop") for name in "xyz")
VALUES = {X: range(-3, 6), Y: range(9), Z: range(4)}
RANGES = {var: Interval(values[0], values[-1]) for var, values in VALUES.items()}
POINTS = [dict(zip(VALUES, point, strict=True)) for point in product(*VALUES.values())]


def value_at(expr: Operand, point: dict[Var, int]) -> int | None:
    """The value of an expression at one point; ``None`` where it divides by zero."""
    if not isinstance(expr, Expr):
        return int(expr)
    if isinstance(expr, Var):
        return point[expr]
    if isinstance(expr, Unary):
        inner = value_at(expr.a, point)
        return None if inner is None else (-inner if expr.op == "-" else int(not inner))
    if isinstance(expr, Select):
        cond, then, other = (value_at(part, point) for part in (expr.cond, expr.then, expr.other))
        return None if None in (cond, then, other) else (then if cond else other)
    assert isinstance(expr, Binary)
    a, b = value_at(expr.a, point), value_at(expr.b, point)
    if a is None or b is None or (expr.op in ("//", "%") and b == 0):
        return None
    table = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "//": lambda: a // b,
        "%": lambda: a % b,
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
        "&": lambda: a & b,
        "|": lambda: a | b,
        "^": lambda: a ^ b,
        "<": lambda: int(a < b),
        "<=": lambda: int(a <= b),
        "==": lambda: int(a == b),
        "!=": lambda: int(a != b),
    }
    return table[expr.op]()


leaves = st.one_of(st.sampled_from([X, Y, Z]), st.integers(-9, 40))


def compound(inner: st.SearchStrategy[Operand]) -> st.SearchStrategy[Operand]:
    sums = st.builds(
        Binary, st.just(INT32), st.sampled_from(["+", "-", "*", "min", "max", "&", "|", "^"]), inner, inner
    )
    scaled = st.builds(Binary, st.just(INT32), st.just("*"), inner, st.sampled_from([2, 4, 8, 32]))
    divided = st.builds(Binary, st.just(INT32), st.sampled_from(["//", "%"]), inner, st.sampled_from([2, 3, 4, 8, -4]))
    by_term = st.builds(Binary, st.just(INT32), st.sampled_from(["//", "%"]), inner, inner)
    tests = st.builds(Binary, st.just(BOOL), st.sampled_from(["<", "<=", "==", "!="]), inner, inner)
    chosen = st.builds(Select, st.just(INT32), tests, inner, inner)
    return st.one_of(
        sums, scaled, divided, divided, by_term, chosen, st.builds(Unary, st.just(INT32), st.just("-"), inner)
    )


expressions = st.recursive(leaves, compound, max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(expressions)
def test_bounds_simplify_and_constants_hold_everywhere(expr: Operand) -> None:
    span = bounds(expr, RANGES)
    within, anywhere = simplify(expr, RANGES), simplify(expr)
    number = try_const(expr, RANGES)
    for point in POINTS:
        value = value_at(expr, point)
        if value is None:
            continue
        assert value in span
        assert value_at(within, point) == value
        assert value_at(anywhere, point) == value
        assert number is None or number == value


@settings(max_examples=300, deadline=None)
@given(expressions, expressions)
def test_proofs_hold_everywhere(a: Operand, b: Operand) -> None:
    equal, different, ordered = prove_equal(a, b, RANGES), prove_ne(a, b, RANGES), prove_le(a, b, RANGES)
    equal_anywhere = prove_equal(a, b)
    for point in POINTS:
        left, right = value_at(a, point), value_at(b, point)
        if left is None or right is None:
            continue
        assert not equal or left == right
        assert not equal_anywhere or left == right
        assert not different or left != right
        assert not ordered or left <= right
