"""What the arithmetic must be able to prove, and what it must not."""

from __future__ import annotations

import pytest

from tilelang.ir.arith import (
    Interval,
    bounds,
    launch_ranges,
    prove_divisible,
    prove_equal,
    prove_le,
    prove_lt,
    prove_ne,
    simplify,
    try_const,
)
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import FLOAT32, INT32, INT64, dtype
from tilelang.ir.expr import Binary, Call, Cast, Const, Load, Operand, Select, Var
from tilelang.ir.printer import text_of
from tilelang.ir.stmt import Launch

M, N = Var(INT32, "M", "dim"), Var(INT32, "N", "dim")
BX, TX = Var(INT32, "bx", "block"), Var(INT32, "tx", "thread")
K = Var(INT32, "k", "loop")


def op(a: Operand, name: str, b: Operand) -> Binary:
    return Binary(INT32, name, a, b)


def add(*terms: Operand) -> Operand:
    total = terms[0]
    for term in terms[1:]:
        total = op(total, "+", term)
    return total


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (add(M, N), add(N, M)),
        (op(add(M, 63), "//", 64), add(op(op(M, "-", 1), "//", 64), 1)),
        (op(op(K, "*", 32), "//", 32), K),
        (add(op(op(K, "//", 4), "*", 4), op(K, "%", 4)), K),
        (op(op(K, "//", 4), "//", 8), op(K, "//", 32)),
        (op(op(K, "%", 32), "%", 8), op(K, "%", 8)),
        (op(op(op(M, "*", N), "*", 2), "//", 2), op(N, "*", M)),
        (op(op(M, "<<", 3), ">>", 1), op(M, "*", 4)),
        (op(K, "&", 7), op(K, "%", 8)),
        (op(op(N, "max", M), "-", op(M, "max", N)), 0),
        (Cast(INT64, M), M),
        (Const(INT32, 4), 4),
        (op(op(M, "//", N), "*", 2), op(2, "*", op(M, "//", N))),
    ],
)
def test_equal_expressions(a: Operand, b: Operand) -> None:
    assert prove_equal(a, b)
    assert not prove_ne(a, b)


def test_indices_of_one_launch() -> None:
    ranges = launch_ranges(Launch((8,), (128,), (BX,), (TX,), ()))
    flat = add(op(BX, "*", 128), TX)
    assert ranges == {BX: Interval(0, 7), TX: Interval(0, 127)}
    assert prove_equal(op(flat, "//", 128), BX, ranges)
    assert prove_equal(op(flat, "%", 128), TX, ranges)
    assert prove_equal(op(flat, "//", 256), op(BX, "//", 2), ranges)
    assert bounds(flat, ranges) == Interval(0, 1023)
    assert prove_lt(flat, 1024, ranges)
    assert not prove_lt(flat, 1023, ranges)
    assert not prove_equal(op(flat, "//", 128), BX), "without ranges nothing is known about threads"


def test_unequal_expressions() -> None:
    assert prove_ne(add(M, 1), M)
    assert prove_ne(64, 32)
    assert prove_ne(add(op(M, "*", 2), 1), op(N, "*", 4)), "odd and even"
    assert not prove_ne(M, N)
    assert not prove_equal(M, N)


def test_order() -> None:
    assert prove_le(op(op(M, "//", 4), "*", 4), M)
    assert prove_lt(op(K, "%", 16), 16)
    assert prove_le(0, M), "sizes are not negative"
    assert not prove_le(0, K)
    assert bounds(op(M, "min", 64)) == Interval(0, 64)
    assert prove_divisible(op(op(M, "*", 64), "+", 32), 32)
    assert not prove_divisible(M, 2)


def test_nothing_follows_from_unknown_values() -> None:
    unknown = Var(INT32, "u", "unknown")
    buffer = Buffer("A", (16,), INT32)
    first, second = Load(INT32, buffer, (0,)), Load(INT32, buffer, (0,))
    random = (Call(INT32, "random", ()), Call(INT32, "random", ()))
    for a, b in ((unknown, unknown), (first, second), random):
        assert not prove_equal(a, b)
        assert not prove_ne(a, b)
    assert not prove_ne(op(unknown, "*", 2), op(op(unknown, "*", 2), "+", 1))
    assert prove_ne(op(first, "*", 2), op(op(second, "*", 2), "+", 1)), "an element is an integer at least"


def test_types_that_wrap_around_are_not_integers() -> None:
    small, hashed = Var(dtype("int8"), "i", "param"), Var(dtype("uint32"), "h", "param")
    assert not prove_equal(Binary(dtype("int8"), "-", Binary(dtype("int8"), "+", small, 1), 1), small)
    assert not prove_lt(Binary(dtype("uint32"), "-", hashed, 1), hashed)
    assert prove_le(0, hashed)


def test_floats_are_equal_as_constants_only() -> None:
    x = Var(FLOAT32, "x", "param")
    assert prove_equal(0.5, 0.5)
    assert prove_ne(0.5, 1)
    assert not prove_equal(x, x)
    assert try_const(0.5) is None
    assert not prove_equal(None, 1)


def test_select_with_a_decided_condition() -> None:
    always = Binary(dtype("bool"), "<", op(K, "%", 4), 4)
    assert prove_equal(Select(INT32, always, M, N), M)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (add(op(K, "*", 32), op(K, "*", 32)), "k * 64"),
        (op(add(K, 4), "-", K), "4"),
        (add(op(op(K, "%", 32), "*", 2), 0), "k % 32 * 2"),
        (op(op(op(K, "*", 4), "+", 3), "//", 4), "k"),
        (op(M, "-", N), "M - N"),
    ],
)
def test_simplify(expr: Operand, text: str) -> None:
    assert text_of(simplify(expr)) == text


def test_huge_expressions_are_cheap() -> None:
    deep: Operand = K
    doubling: Operand = K
    nested: Operand = K
    for _ in range(5000):
        deep = op(deep, "+", M)
        nested = op(add(nested, N), "//", M)
    for _ in range(200):
        doubling = op(doubling, "+", doubling)
    assert prove_equal(deep, op(K, "+", op(M, "*", 5000)))
    assert prove_equal(doubling, op(K, "*", 2**200))
    assert not prove_equal(nested, K)
    assert bounds(nested) is not None
