"""The schema of the settings agrees with what the checker accepts, and its copy in docs is current."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tilelang_analyzers import rules
from tilelang_analyzers.cli import main
from tilelang_analyzers.config import _toml  # pyright: ignore[reportPrivateUsage]  # the reader of any Python version
from tilelang_analyzers.settings import OPTIONS, SettingsError, validate
from tilelang_analyzers.settings_schema import settings_schema

ROOT = Path(__file__).parents[2]
COPY = ROOT / "docs" / "json-schema" / "settings.schema.json"
VALIDATOR = Draft202012Validator(settings_schema())


def accepted(table: dict[str, Any]) -> bool:
    try:
        validate(table, "test")
    except SettingsError:
        return False
    return True


def test_the_copy_is_current_and_the_command_prints_it(capsys: pytest.CaptureFixture[str], update_golden: bool) -> None:
    assert main(["--settings-schema"]) == 0
    printed = capsys.readouterr().out
    if update_golden:
        COPY.write_text(printed)
    assert COPY.read_text() == printed, "run pytest with --update-golden"
    Draft202012Validator.check_schema(json.loads(printed))


def test_every_option_is_described() -> None:
    properties = settings_schema()["properties"]
    assert list(properties) == list(OPTIONS)
    assert all(it["description"].endswith(".") for it in properties.values())
    assert properties["timeout"]["default"] == 30.0


@pytest.mark.parametrize("page", ["docs/checking.md", "README.md"])
def test_examples_of_the_documentation_are_valid(page: str) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        table: Any = _toml(block.encode(), page)
        assert list(VALIDATOR.iter_errors(table["tool"]["tilelang"])) == []


@pytest.mark.parametrize(
    "table",
    [
        {"target": "t4,a100"},
        {"targets": ["t4"]},
        {"targets": {"t4": {"shared-memory-optin": True}}, "target": ["t4"]},
        {"select": ["budget", "gemm-shape-mismatch"], "ignore": "all"},
        {"rules": {"lossy-cast": "off"}},
        {"per-file-ignores": {"tests/**": ["budget"], "x": "shape"}},
    ],
)
def test_valid_settings(table: dict[str, Any]) -> None:
    assert accepted(table)
    assert VALIDATOR.is_valid(table)


@pytest.mark.parametrize(
    "table",
    [
        {"taget": "t4"},
        {"target": ["t4"], "targets": ["t4"]},
        {"targets": {"t4": {"optin": True}}},
        {"select": ["no-such-rule"]},
        {"rules": {"lossy-cast": "loud"}},
        {"rules": {"no-such-rule": "off"}},
        {"per-file-ignores": {"tests/**": ["no-such-rule"]}},
        {"timeout": 0},
        {"max-instances": True},
        {"cache": "yes"},
    ],
)
def test_invalid_settings(table: dict[str, Any]) -> None:
    assert not accepted(table)
    assert not VALIDATOR.is_valid(table)


WORDS = st.sampled_from(["t4", "budget", "lossy-cast", "all", "off", "info", "x", "shared-memory-optin"])
VALUES = st.recursive(
    st.booleans() | st.integers(-1, 3) | st.floats(0, 2) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*OPTIONS, "nonsense"]), VALUES, max_size=3))
def test_the_schema_refuses_what_the_checker_refuses(table: dict[str, Any]) -> None:
    # A string of names with commas is more than a schema can look into.
    strings = [it for key, value in table.items() for it in _strings(key, value)]
    if any(not _names_rules(it) for it in strings):
        return
    assert VALIDATOR.is_valid(table) == accepted(table)


def _strings(key: str, value: Any) -> list[str]:
    """The strings that stand for lists of rules."""
    if key in ("select", "extend-select", "ignore"):
        return [value] if isinstance(value, str) else []
    if key in ("per-file-ignores", "per-target-ignores") and isinstance(value, dict):
        return [it for it in value.values() if isinstance(it, str)]
    return []


def _names_rules(text: str) -> bool:
    return text in ("all", *rules.GROUPS, *rules.names())
