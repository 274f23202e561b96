"""Options and fixtures shared by all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilelang")
    group.addoption("--fuzz-count", type=int, default=200, help="mutated inputs per run of a fuzz test (200)")
    group.addoption("--fuzz-seed", type=int, default=0, help="seed of the mutations (0)")
    group.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")


@pytest.fixture
def fuzz_count(pytestconfig: pytest.Config) -> int:
    """How many mutated inputs a fuzz test makes."""
    return pytestconfig.option.fuzz_count


@pytest.fixture
def fuzz_seed(pytestconfig: pytest.Config) -> int:
    """The seed of a fuzz test."""
    return pytestconfig.option.fuzz_seed


@pytest.fixture
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are written instead of compared."""
    return pytestconfig.option.update_golden


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no settings of the developer's shell or of a CI service: no colours, a width of 80 columns."""
    services = ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", *services):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
