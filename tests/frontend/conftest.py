"""Internal errors of the evaluator fail the tests of this folder instead of being reported."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def strict_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilelang.frontend.evaluator.STRICT", True)
