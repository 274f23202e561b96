"""Every report format against golden files, which ``pytest --update-golden`` rewrites."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from analyzers import samples
from tilelang.diagnostics import Severity
from tilelang_analyzers.report import Run, render
from tilelang_analyzers.report.coverage import coverage
from tilelang_analyzers.report.json import document
from tilelang_analyzers.report.style import Style, display_width
from tilelang_analyzers.results import FileReport, KernelResult
from tilelang_analyzers.sources import Sources

GOLDEN = Path(__file__).parent / "data"
SCHEMA = Path(__file__).parents[2] / "docs" / "json-schema" / "report.schema.json"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return samples.run(tmp_path)


def text(name: str, run: Run, style: Style | None = None) -> str:
    return "\n".join(render(name, run, style or Style())) + "\n"


def check_golden(name: str, actual: str, update: bool) -> None:
    file = GOLDEN / name
    if update:
        file.write_text(actual, encoding="utf-8")
    assert file.exists(), f"{file} is missing: run pytest with --update-golden"
    assert actual == file.read_text(encoding="utf-8")


def test_trace(run: Run, update_golden: bool) -> None:
    check_golden("report.trace.txt", text("full", replace(run, files=run.files[:1], trace=True)), update_golden)


def test_colours(run: Run, update_golden: bool) -> None:
    check_golden("report.colour.txt", text("full", run, Style(color=True)), update_golden)


def test_a_table_of_many_targets_has_bands(run: Run, update_golden: bool) -> None:
    arches = [f"sm_{number}" for number in (70, 75, 80, 86, 87, 89, 90)]
    targets = tuple(samples.target(arch, arch, 101376, 90000 + index * 5000) for index, arch in enumerate(arches))
    path = Path(run.files[0].path)
    rows = tuple(samples.instance(path, targets=targets, bindings={"M": size}) for size in (64, 128))
    wide = Run((run.files[0]._replace(instances=rows),), run.sources, targets=tuple((arch, arch) for arch in arches))
    check_golden("report.table-wide.txt", text("table", wide), update_golden)


@pytest.mark.parametrize("name", ["full", "table"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_fits_the_width(name: str, width: int, run: Run) -> None:
    lines = text(name, run, Style(width)).splitlines()
    assert [line for line in lines if display_width(line) > width] == []
    assert len(lines) > 10


def test_json_follows_its_schema(run: Run) -> None:
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for one in (run, replace(run, trace=True), Run((), Sources())):
        assert [error.message for error in validator.iter_errors(document(one))] == []
    broken = document(run)
    broken["findings"][0]["severity"] = "fatal"
    broken["instances"][0]["surprise"] = 1
    complaints = [error.message for error in validator.iter_errors(broken)]
    assert any("'fatal' is not one of" in it for it in complaints)
    assert any("'surprise' was unexpected" in it for it in complaints)


def test_json_counts_columns_in_characters_from_1(run: Run) -> None:
    run.sources.overlay(str(Path("é.py").absolute()), "ü = 'ß' + x\n".encode())
    finding = replace(
        run.files[0].findings[0], span=samples.Span(str(Path("é.py").absolute()), 1, 12, 1, 13), notes=(), fix=None
    )
    report = document(Run((FileReport("é.py", (finding,)),), run.sources))
    place = report["findings"][0]
    assert (place["path"], place["line"], place["column"], place["end_column"]) == ("é.py", 1, 11, 12)


def test_carets_stand_below_wide_characters(run: Run) -> None:
    path = str(Path("wide.py").absolute())
    run.sources.overlay(path, "\tx = '漢字' + y\n".encode())
    finding = replace(run.files[0].findings[0], message="m", span=samples.Span(path, 1, 16, 1, 17), notes=(), fix=None)
    lines = text("full", Run((FileReport(path, (finding,)),), run.sources)).splitlines()
    assert lines[3] == "1 |     x = '漢字' + y"
    assert lines[4] == "  |                  ^"
    assert lines[3].index("y") + 2 == lines[4].index("^")


def test_files_cannot_drive_the_terminal(run: Run) -> None:
    path = str(Path("evil.py").absolute())
    run.sources.overlay(path, b"x = '\x1b[2J\xe2\x80\xae' # \x07\n")
    finding = replace(
        run.files[0].findings[0], message="a \x1b[31m b\nc", span=samples.Span(path, 1, 0, 1, 1), fix=None
    )
    for name in ("full", "concise"):
        shown = text(name, Run((FileReport(path, (finding,)),), run.sources))
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "\u202e" not in shown
        assert shown.count("b\n") == 0


def test_a_finding_of_two_files_is_shown_once(run: Run) -> None:
    twice = Run((run.files[0], run.files[0]._replace(path="other.py")), run.sources)
    assert len(twice.findings()) == len(run.files[0].findings)
    assert twice.count(Severity.ERROR) == 1


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((), "no Python files found"),
        ((FileReport("a.py"),), "nothing checked: the file does not use TileLang"),
        ((FileReport("a.py"), FileReport("b.py")), "nothing checked: none of 2 files uses TileLang"),
        ((FileReport("a.py", uses_tilelang=True),), "no kernels in 1 file with TileLang: nothing checked"),
        (
            (
                FileReport(
                    "a.py",
                    uses_tilelang=True,
                    kernels=(
                        KernelResult("a", "a.py", 1, "unchecked", 0, 0, "no caller"),
                        KernelResult("b", "a.py", 2, "unchecked", 0, 0, "no caller"),
                        KernelResult("c", "a.py", 3, "unchecked", 0, 0, "unknown launch"),
                    ),
                ),
            ),
            "3 kernels in 1 file: 0 checked, 3 not checked (2: no caller; 1: unknown launch)",
        ),
    ],
)
def test_coverage_is_never_silent(files: tuple[FileReport, ...], expected: str) -> None:
    assert coverage(Run(files, Sources())) == expected


def test_signs_follow_the_encoding_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    plain = Style.of(TextIOWrapper(BytesIO(), encoding="ascii"))
    assert (plain.tick, plain.cross, plain.dots, plain.color) == ("+", "x", "~", False)
    assert Style.of(TextIOWrapper(BytesIO(), encoding="utf-8")).tick == "✓"
    assert Style.of(TextIOWrapper(BytesIO(), encoding="utf-8"), "always").color
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert Style.of(TextIOWrapper(BytesIO(), encoding="utf-8")).color
    assert not Style.of(TextIOWrapper(BytesIO(), encoding="utf-8"), "never").color
