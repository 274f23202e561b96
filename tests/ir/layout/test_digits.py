"""Digit sums agree with Python's integers on every point of small boxes."""

from __future__ import annotations

import operator
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilelang.ir.layout.digits import Sum, bitwise, const, of, substitute, table, text

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = (6, 8, 5)
POINTS: list[dict[object, int]] = [dict(enumerate(point)) for point in product(*map(range, SHAPE))]

# A tree is a dimension, a number, or (operation, tree, number or tree).
_LEAVES = st.one_of(st.integers(0, 2).map(lambda dim: ("dim", dim)), st.integers(0, 12).map(lambda n: ("const", n)))


def _grown(inner: st.SearchStrategy) -> st.SearchStrategy:
    factor = st.integers(1, 12)
    return st.one_of(
        st.tuples(st.sampled_from(["+", "-"]), inner, inner),
        st.tuples(st.sampled_from(["*", "//", "%"]), inner, factor),
    )


TREES = st.recursive(_LEAVES, _grown, max_leaves=8)


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def value_of(tree, dims: Callable[[int], Any], number: Callable[[int], Any]) -> Any:
    if tree[0] == "dim":
        return dims(tree[1])
    if tree[0] == "const":
        return number(tree[1])
    op, a, b = tree
    left = value_of(a, dims, number)
    return OPERATORS[op](left, b if isinstance(b, int) else value_of(b, dims, number))


def sum_of(tree) -> Sum:
    return value_of(tree, lambda dim: of(dim, SHAPE[dim]), const)


def number_of(tree, point) -> int:
    return value_of(tree, lambda dim: point[dim], int)


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_sums_are_exact(tree) -> None:
    total = sum_of(tree)
    values = [number_of(tree, point) for point in POINTS]
    assert [total.at(point) for point in POINTS] == values
    assert list(table(total, SHAPE)) == values
    assert total.low <= min(values)
    assert total.high >= max(values)


@settings(max_examples=80, deadline=None)
@given(TREES, TREES, TREES)
def test_substitution_is_composition(outer, first, second) -> None:
    inner: dict[object, Sum] = {0: sum_of(first) % SHAPE[0], 1: sum_of(second) % SHAPE[1]}
    total = substitute(sum_of(outer), inner)
    for point in POINTS[::7]:
        moved: dict[object, int] = {0: inner[0].at(point), 1: inner[1].at(point), 2: point[2]}
        assert total.at(point) == number_of(outer, moved)


@pytest.mark.parametrize("op", ["^", "&", "|"])
def test_bitwise_operations_are_exact(op: str) -> None:
    a, b = of(0, 8), of(1, 16)
    found = bitwise(op, a, b)
    assert found is not None
    python = {"^": int.__xor__, "&": int.__and__, "|": int.__or__}[op]
    assert [found.at({0: i, 1: j}) for i, j in product(range(8), range(16))] == [
        python(i, j) for i, j in product(range(8), range(16))
    ]


def test_negative_operands_have_no_bits() -> None:
    assert bitwise("^", of(0, 8) - 1, of(1, 8)) is None


def test_parts_that_belong_together_are_joined() -> None:
    i, j = of(0, 64), of(1, 80)
    assert i // 8 * 8 + i % 8 == i
    assert i - i % 8 == i // 8 * 8
    assert (i * 80 + j) // 80 == i
    assert (i * 80 + j) % 80 == j
    assert (i * 64 + j % 64) // 32 % 2 == j // 32 % 2


def test_a_ragged_index_stays_one_number() -> None:
    i, j = of(0, 48), of(1, 80)
    flat = i * 80 + j
    thread, round_ = flat // 8 % 128, flat // 8 // 128
    assert thread + round_ * 128 == flat // 8


def test_text_is_python() -> None:
    i, j = of(0, 64), of(1, 64)
    names: dict[object, str] = {0: "i", 1: "j"}
    written = text(i // 16 * 32 + i % 8 * 4 + j // 2 % 4, lambda key: names[key])
    assert written == "i // 16 * 32 + i % 8 * 4 + j // 2 % 4"
    assert eval(written, {"i": 37, "j": 21}) == 37 // 16 * 32 + 37 % 8 * 4 + 21 // 2 % 4
