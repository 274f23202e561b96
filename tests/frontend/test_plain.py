"""Which values are known, small, and the same."""

from __future__ import annotations

from typing import Any

import pytest

from tilelang.frontend.containers import ListVal
from tilelang.frontend.plain import MAX_PARTS, contains_unknown, is_key, is_plain, is_small, same
from tilelang.frontend.values import Tensor
from tilelang.ir.unknown import UNKNOWN


def opened(*items: Any) -> ListVal:
    made = ListVal(items)
    made.open = True
    return made


def doubled(levels: int) -> tuple[Any, ...]:
    """``x = (x, x)``, repeated: a little memory, and exponentially many leaves."""
    value: tuple[Any, ...] = (1,)
    for _ in range(levels):
        value = (value, value)
    return value


def nested_in_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [None, 1, 1.5, "text", (1, "a"), [1, [2]], {"a": (1,)}, {1, 2}, range(10**12)])
def test_plain_values(value: object) -> None:
    assert is_plain(value)
    assert not contains_unknown(value)


@pytest.mark.parametrize("value", [UNKNOWN, [1, UNKNOWN], {"a": [UNKNOWN]}, opened(1), (opened(),)])
def test_unknown_parts_are_found(value: object) -> None:
    assert not is_plain(value)
    assert contains_unknown(value)


def test_tensors_are_not_plain() -> None:
    assert not is_plain([Tensor((2,))])


def test_values_that_are_large_on_paper_are_not_plain() -> None:
    assert is_small(doubled(8))
    assert not is_small(doubled(60))
    assert not is_plain(doubled(60))
    assert not is_key(doubled(60))
    assert not is_small(nested_in_itself())
    assert not is_small(list(range(MAX_PARTS + 1)))
    assert is_key("a" * 1000)


def test_the_same_value_may_be_shared() -> None:
    point = (1, 2)
    assert is_plain([point, point, {"a": point}])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, (2, 3)], [1, (2, 3)], True),
        ([1], (1,), False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": 1}, {"b": 1}, False),
        (1, True, False),
        (opened(1), opened(1), False),
        ([UNKNOWN], [UNKNOWN], False),
        (Tensor((2, None)), Tensor((2, None)), True),
        (Tensor((2,)), Tensor((3,)), False),
    ],
)
def test_same(a: object, b: object, expected: bool) -> None:
    assert same(a, b) is expected


def test_comparing_large_values_ends() -> None:
    assert not same(doubled(60), (doubled(59), doubled(58)))
    assert same(nested_in_itself(), 1) is False
