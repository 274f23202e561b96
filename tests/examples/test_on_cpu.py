"""Every example computes what NumPy says, on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_examples import CASES, Case, run_case

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_example_agrees_with_numpy(case: Case) -> None:
    outcome = run_case(case, "cpu")
    assert outcome.is_right, f"error {outcome.error:.2e} is {outcome.excess:.2f} times what {case.name} allows"


def test_every_example_has_a_case() -> None:
    assert {case.example for case in CASES} == {path.stem for path in EXAMPLES.glob("*.py")}
