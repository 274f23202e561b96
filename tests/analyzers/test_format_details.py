"""What single formats promise beyond their shape: limits, order, counts, levels."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzers import scenarios
from tilelang.diagnostics import Diagnostic, Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang_analyzers import runner
from tilelang_analyzers.cli import main
from tilelang_analyzers.report import Run, render
from tilelang_analyzers.report.statistics import counts, text_lines
from tilelang_analyzers.report.style import Style
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.sources import Sources

HERE = "k.py"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(HERE).write_text("abc\n" * 50)


def finding(line: int, severity: Severity = Severity.ERROR, rule: str = "a-rule", **changes: Any) -> Diagnostic:
    path = str(Path(HERE).absolute())
    return replace(Diagnostic(rule, severity, f"m{line}", Span(path, line, 0, line, 1)), **changes)


def run_of(*findings: Diagnostic) -> Run:
    return Run((FileReport(str(Path(HERE).absolute()), findings, uses_tilelang=True),), Sources())


def lines(name: str, run: Run) -> list[str]:
    return list(render(name, run, Style()))


# --- GitHub -----------------------------------------------------------------------------------------------------------


def test_github_shows_ten_annotations_of_a_level() -> None:
    errors = [finding(line) for line in range(1, 13)]
    infos = [finding(line, Severity.INFO) for line in range(20, 31)]
    found = lines("github", run_of(*errors, *infos, finding(40, Severity.WARNING)))
    kinds = [line.split(" ")[0] for line in found if line.startswith("::")]
    assert (kinds.count("::error"), kinds.count("::notice"), kinds.count("::warning")) == (10, 10, 1)
    rest = found[len(kinds) :]
    assert rest[:3] == [
        "error[a-rule]: k.py:11:1: m11",
        "error[a-rule]: k.py:12:1: m12",
        "info[a-rule]: k.py:30:1: m30",
    ]
    end = " ".join(rest[3:])
    assert "12 errors, 1 warning, 11 info" in end
    assert "2 errors, 1 notice above without annotation" in end


def test_github_has_columns_for_ranges_on_one_line_only() -> None:
    path = str(Path(HERE).absolute())
    (line, *_) = lines("github", run_of(finding(1, span=Span(path, 1, 0, 2, 1))))
    assert line == "::error file=k.py,line=1,endLine=2,title=a-rule::m1"


# --- GitLab and JUnit -------------------------------------------------------------------------------------------------


def test_gitlab_levels() -> None:
    (text,) = lines("gitlab", run_of(*(finding(int(level), level) for level in list(Severity)[1:])))
    assert [it["severity"] for it in json.loads(text)] == ["info", "minor", "major"]


def test_junit_has_a_case_for_each_file_and_rule() -> None:
    findings = [finding(1), finding(2, Severity.WARNING), finding(3, Severity.INFO, "b-rule")]
    run = run_of(*findings)
    green = FileReport(str(Path("green.py").absolute()), uses_tilelang=True)
    other = FileReport(str(Path("other.py").absolute()))
    root = ET.fromstring("\n".join(lines("junit", replace(run, files=(*run.files, green, other)))))
    cases = {(it.attrib["classname"], it.attrib["name"]): [child.tag for child in it] for it in root.iter("testcase")}
    assert cases == {
        ("k.py", "a-rule"): ["failure"],
        ("k.py", "b-rule"): ["system-out"],
        ("green.py", "no findings"): [],
    }
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.attrib == {"type": "error", "message": "m1"}
    assert (failure.text or "").splitlines() == ["k.py:1:1: error: m1", "k.py:2:1: warning: m2"]


# --- rdjson -----------------------------------------------------------------------------------------------------------


def test_rdjson_columns_are_bytes_and_fixes_are_one_suggestion() -> None:
    Path(HERE).write_text("é = f(a, b)\n")
    path = str(Path(HERE).absolute())
    edits = (Edit(Span(path, 1, 10, 1, 11), "c"), Edit(Span(path, 1, 7, 1, 8), "é"))
    found = finding(1, span=Span(path, 1, 5, 1, 12), fix=Fix("t", edits))
    (text,) = lines("rdjson", run_of(found))
    (diagnostic,) = json.loads(text)["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 13}}
    assert diagnostic["suggestions"] == [
        {"range": {"start": {"line": 1, "column": 8}, "end": {"line": 1, "column": 12}}, "text": "é, c"}
    ]


# --- JSON lines -------------------------------------------------------------------------------------------------------


def test_lines_appear_as_files_are_done_in_the_order_of_paths(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["a.py", "b.py", "c.py"]
    for name in names:
        Path(name).write_text("import tilelang\ndef f(:\n")
    Path(HERE).unlink()
    printed: list[list[str]] = []

    def in_reverse(*arguments: Any) -> Any:
        checked = {report.path: report for report in check(*arguments)}
        for name in ("b.py", "a.py", "c.py"):
            yield checked[str(Path(name).absolute())]
            printed.append([json.loads(line).get("path") for line in capsys.readouterr().out.splitlines()])

    check: Any = runner._check
    monkeypatch.setattr(runner, "_check", in_reverse)
    assert main(["--no-cache", "--isolated", "--format", "json-lines"]) == 1
    assert printed == [[], ["a.py", "b.py"], ["c.py"]]
    assert json.loads(capsys.readouterr().out)["findings"]["error"] == 3


def test_streamed_lines_are_those_of_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("b.py", "a.py"):
        Path(name).write_text("import tilelang\ndef f(:\n")
    Path("fine.py").write_text("x = 1\n")
    options = [".", "gone.py", "--no-cache", "--isolated", "--format", "json-lines"]
    assert main(options) == 2
    streamed = capsys.readouterr().out
    assert main([*options, "-o", "o.jsonl"]) == 2
    assert Path("o.jsonl").read_text() == streamed
    assert [json.loads(line)["kind"] for line in streamed.splitlines()] == ["finding", "finding", "failure", "summary"]


# --- statistics -------------------------------------------------------------------------------------------------------


def test_statistics_count_and_mark() -> None:
    edit = (Edit(finding(1).span, "x"),)
    safe, unsafe, advice = Fix("t", edit, safe=True), Fix("t", edit), Fix("t", (), safe=True)
    run = run_of(
        *(finding(line, rule="all-safe", fix=safe) for line in range(1, 12)),
        finding(12, rule="some", fix=safe),
        finding(13, rule="some"),
        finding(14, Severity.WARNING, rule="unsafe", fix=unsafe),
        finding(15, Severity.INFO, rule="advice", fix=advice),
    )
    assert list(text_lines(run, Style())) == [
        "11  error    [*] all-safe",
        " 2  error    [-] some",
        " 1  info     [ ] advice",
        " 1  warning  [-] unsafe",
        "[*] 12 fixable with --fix",
        "[-] 1 more fixable with --fix --unsafe-fixes",
        "13 errors, 1 warning, 1 info",
        "no kernels in 1 file with TileLang: nothing checked",
    ]
    assert [(it.rule, it.findings, it.safe, it.unsafe) for it in counts(run)][:2] == [
        ("all-safe", 11, 11, 0),
        ("some", 2, 1, 0),
    ]


def test_statistics_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Path(HERE).write_text("import tilelang\ndef f(:\n")
    options = [HERE, "--no-cache", "--isolated", "--statistics"]
    assert main(options) == 1
    assert capsys.readouterr().out.splitlines()[:2] == ["1  error    [ ] syntax-error", "1 error"]
    assert main([*options, "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"rule": "syntax-error", "severity": "error", "count": 1, "fixable": 0, "unsafe_fixable": 0}
    ]


# --- notebooks --------------------------------------------------------------------------------------------------------


def test_a_notebook_of_broken_json_is_reported_where_it_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    Path("n.ipynb").write_text('{\n "é": import tilelang\n}\n')
    assert main(["n.ipynb", "--no-cache", "--isolated", "--format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("n.ipynb:2:7: error[syntax-error] notebook is not valid JSON")
    assert main(["n.ipynb", "--no-cache", "--isolated", "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error file=n.ipynb,line=2,endLine=2,col=7,endColumn=8,")


@pytest.mark.parametrize("name", ["github", "gitlab", "rdjson", "azure", "pylint", "sarif"])
def test_formats_for_files_mark_the_line_of_the_notebook_file(name: str, tmp_path: Path) -> None:
    run = scenarios.notebook(tmp_path)
    text = "\n".join(lines(name, run))
    file = (tmp_path / "demo.ipynb").read_text().splitlines()
    assert "T.gemm(a, b, acc)" in file[24 - 1]
    marks = {
        "github": "line=24,endLine=24,col=46,endColumn=63",
        "gitlab": '"line": 24,\n          "column": 46',
        "rdjson": '"line": 24,\n            "column": 46',
        "azure": "linenumber=24;columnnumber=46;",
        "pylint": "demo.ipynb:24: [E(",
        "sarif": '"startLine": 24,',
    }
    assert marks[name] in text
    assert "cell 3, line 3: " in text or '"cellLine": 3' in text
