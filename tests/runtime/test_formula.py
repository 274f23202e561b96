"""Formulas of artifacts are integers and nothing else."""

from __future__ import annotations

import pytest

from tilelang.runtime.formula import names_in, value_of


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (7, 7),
        ("(n + 127) // 128", 3),
        ("n % 7 * m - 1", 29),
        ("min(n, m, 8)", 5),
        ("n if m > 4 else m", 300),
        ("-m", -5),
        ("n >= 300 and m < 5", 0),
        ("n << 1 | 1", 601),
    ],
)
def test_values(formula: int | str, value: int):
    assert value_of(formula, {"n": 300, "m": 5}) == value


@pytest.mark.parametrize("formula", ["__import__('os')", "n.real", "n / 2", "[n]", "1.5", "lambda: 1", "n +", "k"])
def test_what_is_no_formula(formula: str):
    with pytest.raises(ValueError, match=r"not a formula|is not known"):
        value_of(formula, {"n": 1})


def test_names():
    assert names_in("min(n, m // 2) + n") == {"n", "m"}
    assert names_in(3) == frozenset()
