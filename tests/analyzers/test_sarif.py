"""What a code host finds in a SARIF log: rules, fingerprints, flows, fixes, places, and how the run went."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzers import scenarios
from tilelang.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from tilelang.ir.span import Span
from tilelang_analyzers import rules
from tilelang_analyzers.fingerprint import fingerprints
from tilelang_analyzers.report import Run, render
from tilelang_analyzers.report.sarif_rules import descriptor
from tilelang_analyzers.report.style import Style
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.sources import Sources


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def log_of(run: Run) -> dict[str, Any]:
    (text,) = render("sarif", run, Style())
    return json.loads(text)["runs"][0]


def run_of(path: Path, *findings: Diagnostic) -> Run:
    return Run((FileReport(str(path), findings, uses_tilelang=True),), Sources())


def finding(path: Path, line: int, rule: str = "a-rule", start: int = 0, end: int = 1, **changes: Any) -> Diagnostic:
    return replace(Diagnostic(rule, Severity.ERROR, "m", Span(str(path), line, start, line, end)), **changes)


@pytest.mark.parametrize("name", rules.names())
def test_every_rule_has_metadata(name: str) -> None:
    found = descriptor(name)
    rule = rules.load(name)
    assert found["id"] == name
    assert found["defaultConfiguration"]["enabled"] == (rule.severity != Severity.OFF)
    assert found["properties"]["tags"][0] == rule.group
    assert rule.summary in found["help"]["markdown"]
    assert "## What it does" in found["help"]["markdown"]
    assert "##" not in found["help"]["text"]
    full = found["fullDescription"]["text"]
    assert full.startswith(rule.summary.rstrip("."))
    assert len(full) > len(found["shortDescription"]["text"])


def test_fingerprints_survive_moves_and_tell_findings_apart(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = f(1)\ny = f(2)\nx = f(1)\n")
    before = [finding(path, 1), finding(path, 2), finding(path, 3), finding(path, 1, "b-rule"), finding(path, 1, end=4)]
    names = fingerprints(before, Sources())
    assert len(set(names)) == 5
    path.write_text("import a\n\n\n    x  =  f(1)\n    y = f(2)\nnew = 1\n    x = f(1)\n")
    after = [finding(path, line, start=4, end=5, message="other figures 12") for line in (4, 5, 7)]
    assert fingerprints(after, Sources()) == names[:3]


def test_notes_are_related_locations_and_flows(tmp_path: Path) -> None:
    (result,) = [it for it in log_of(scenarios.notebook(tmp_path))["results"] if it["ruleId"].startswith("uninit")]
    assert [it["message"]["text"] for it in result["relatedLocations"]] == ["`acc` is allocated here"]
    (flow,) = result["codeFlows"][0]["threadFlows"]
    assert [step["location"]["message"]["text"][:6] for step in flow["locations"]] == ["`acc` ", "T.gemm"]
    assert result["message"]["text"].splitlines()[1] == "write T.clear(acc) before the loop"


def test_only_rules_about_an_order_have_flows(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("a = 1\nb = 2\n")
    note = Note("here", Span(str(path), 1, 0, 1, 1))
    shape, order = (finding(path, 2, rule, notes=(note,)) for rule in ("gemm-shape-mismatch", "uninitialized-read"))
    results = log_of(run_of(path, shape, order))["results"]
    assert ["codeFlows" in it for it in results] == [False, True]
    assert all(it["relatedLocations"] for it in results)


@pytest.mark.parametrize("make", [scenarios.notebook, scenarios.targets, scenarios.samples.run])
def test_replacements_give_what_the_fix_gives(make: Any, tmp_path: Path) -> None:
    run = make(tmp_path)
    fixed = 0
    for found, result in zip(run.findings(), log_of(run)["results"], strict=True):
        if "fixes" not in result:
            assert found.fix is None or not found.fix.edits
            continue
        (change,) = result["fixes"][0]["artifactChanges"]
        file = tmp_path / change["artifactLocation"]["uri"]
        text = replaced(file.read_text(encoding="utf-8"), change["replacements"])
        assert source_of(text, file) == expected(found, run)
        fixed += 1
    assert fixed == 1


def replaced(text: str, replacements: list[dict[str, Any]]) -> str:
    lines = text.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    for it in sorted(replacements, key=lambda it: -it["deletedRegion"]["startLine"]):
        region = it["deletedRegion"]
        start = offset(region["startLine"], region["startColumn"])
        end = offset(region["endLine"], region["endColumn"])
        text = text[:start] + it["insertedContent"]["text"] + text[end:]
    return text


def source_of(text: str, file: Path) -> str:
    """The Python text of a file: for a notebook that of its code cells."""
    if file.suffix != ".ipynb":
        return text
    cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join(it if isinstance(it, str) else "".join(it) for it in cells)


def expected(found: Diagnostic, run: Run) -> str:
    """The text after the fix, by applying its edits to the joined text."""
    assert found.fix
    source = run.sources.file(found.span.path)
    data = source.text.encode()
    for edit in sorted(found.fix.edits, key=lambda edit: (-edit.span.line, -edit.span.col)):
        start = source.byte_offset(edit.span.line, edit.span.col)
        end = source.byte_offset(edit.span.end_line, edit.span.end_col)
        data = data[:start] + edit.text.encode() + data[end:]
    return data.decode()


def test_fixes_that_the_file_cannot_show_are_left_out(tmp_path: Path) -> None:
    run = scenarios.notebook(tmp_path)
    path = run.files[0].path
    across = Fix("t", (Edit(Span(path, 1, 0, 2, 1), "x"),))
    (result,) = log_of(Run((FileReport(path, (finding(Path(path), 1, fix=across),)),), run.sources))["results"]
    assert "fixes" not in result


def test_how_the_run_went(tmp_path: Path) -> None:
    (invocation,) = log_of(scenarios.samples.run(tmp_path))["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    told = {it["descriptor"]["id"]: it["locations"][0] for it in invocation["toolExecutionNotifications"]}
    uri = told["internal-error"]["physicalLocation"]["artifactLocation"]["uri"]
    assert (sorted(told), uri) == (["internal-error", "unreadable-file"], "kernels/other.py")
    run = scenarios.targets(tmp_path)
    (invocation,) = log_of(run)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)
    (invocation,) = log_of(replace(run, exit_zero=True))["invocations"]
    assert invocation["exitCode"] == 0


def test_uris_are_relative_to_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sub" / "größe a#b.py"
    path.parent.mkdir()
    path.write_text("x = 1\n")
    run = run_of(path, finding(path, 1))

    def artifact() -> dict[str, str]:
        return log_of(run)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]

    assert artifact() == {"uri": "sub/gr%C3%B6%C3%9Fe%20a%23b.py", "uriBaseId": "SRCROOT"}
    monkeypatch.chdir(path.parent)
    assert artifact()["uri"] == "gr%C3%B6%C3%9Fe%20a%23b.py"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert artifact()["uri"].startswith("sub/")
    monkeypatch.setenv("GITHUB_WORKSPACE", "/nowhere")
    other = tmp_path / "elsewhere"
    other.mkdir()
    monkeypatch.chdir(other)
    assert artifact() == {"uri": f"file://{tmp_path}/sub/gr%C3%B6%C3%9Fe%20a%23b.py"}


def test_targets_and_figures_are_properties(tmp_path: Path) -> None:
    results = log_of(scenarios.targets(tmp_path))["results"]
    assert [it["properties"]["targets"] for it in results] == [["sm_75", "sm_80"], ["sm_75"]]
    assert results[1]["properties"]["data"] == {"need": 131072, "have": 49152}
