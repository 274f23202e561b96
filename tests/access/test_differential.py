"""The rules against brute force on random kernels: no false error, and most of what is wrong is found."""

from __future__ import annotations

import pytest
from access.differential import Verdict, table, tallies, verdicts
from access.generate import KINDS

SEEDS = range(5_000, 5_000 + 10 * len(KINDS))


@pytest.fixture(scope="module")
def seen() -> list[Verdict]:
    return verdicts(SEEDS)


def test_errors_are_true(seen: list[Verdict]) -> None:
    wrong = [f"{verdict.false_errors} in\n{verdict.sample.text}" for verdict in seen if verdict.false_errors]
    assert not wrong, "\n".join(wrong)


def test_recall(seen: list[Verdict]) -> None:
    print(table(seen))
    found = tallies(seen)
    assert set(found) == set(KINDS)
    races, outside = sum(one.races for one in found.values()), sum(one.outside for one in found.values())
    assert races >= 40, "the sample has too few races to say anything"
    assert outside >= 5
    assert sum(one.races_found for one in found.values()) >= 0.9 * races
    assert sum(one.outside_found for one in found.values()) >= 0.9 * outside


def test_right_kernels_are_among_them(seen: list[Verdict]) -> None:
    right = [verdict for verdict in seen if not verdict.truth.race and not verdict.truth.outside]
    assert len(right) >= 20
    assert not [verdict for verdict in right if "error" in verdict.found.values()]
