"""Every format with every scenario against golden files, which ``pytest --update-golden`` rewrites."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from analyzers.scenarios import SCENARIOS

from tilelang_analyzers.report import FORMATS, render
from tilelang_analyzers.report.style import Style, display_width

GOLDEN = Path(__file__).parent / "data" / "formats"


def rendered(scenario: str, name: str, folder: Path) -> str:
    text = "".join(f"{line}\n" for line in render(name, SCENARIOS[scenario](folder), Style()))
    return without_help(text) if name == "sarif" else text


def without_help(text: str) -> str:
    """A SARIF log without the documentation of its rules, which has tests of its own and changes more often."""
    log = json.loads(text)
    driver = log["runs"][0]["tool"]["driver"]
    driver["rules"] = [rule["id"] for rule in driver["rules"]]
    return json.dumps(log, indent=2) + "\n"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_golden(scenario: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool) -> None:
    monkeypatch.chdir(tmp_path)
    actual = rendered(scenario, name, tmp_path)
    file = GOLDEN / f"{scenario}.{name}.txt"
    if update_golden:
        file.write_text(actual, encoding="utf-8")
    assert file.exists(), f"{file} is missing: run pytest with --update-golden"
    assert actual == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_folder_of_the_checkout_does_not_show(
    scenario: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    for place in ("one", "another/and more"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        found.append(rendered(scenario, name, folder))
    assert found[0] == found[1]
    assert str(tmp_path) not in found[0]


def test_every_golden_file_is_used() -> None:
    expected = {f"{scenario}.{name}.txt" for scenario in SCENARIOS for name in FORMATS}
    assert {file.name for file in GOLDEN.iterdir()} == expected


@pytest.mark.parametrize("name", ["full", "grouped", "table"])
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("width", [60, 80])
def test_text_for_people_fits_the_width(
    scenario: str, name: str, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = list(render(name, SCENARIOS[scenario](tmp_path), Style(width)))
    assert [line for line in lines if display_width(line) > width] == []


@pytest.mark.parametrize("name", ["json", "json-lines", "sarif", "gitlab", "rdjson"])
def test_json_is_ascii(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = rendered("notebook", name, tmp_path)
    assert text.isascii()
    assert "gr\\u00f6\\u00dfe" in text
