"""Messages and paths with any characters: every format stays readable by its readers, and nothing breaks out of its
field."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tilelang.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.report import FORMATS, Run, render
from tilelang_analyzers.report.escape import one_line, valid_text, xml_text
from tilelang_analyzers.report.style import Style, clean
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.sources import Sources

ANY = st.text(
    st.one_of(st.sampled_from("%:,;<>&\"'`|[](){}\\\n\r\t#é漢𐐀\udc80\x00\x1b\u202e"), st.characters()), max_size=40
)
NASTY = "100% <b> & \"q\" 'a' ::error::x ##[error]y ##vso[task.z]w ](http://e) a|b é漢𐐀\udc80\x00\x1b\n::error::z"


def made(message: str, name: str = "k.py") -> Run:
    """One finding whose message, note, fix and file name have the text."""
    path = str(Path(name).absolute())
    sources = Sources()
    sources.overlay(path, "a = 'é'\nb = 2\n".encode())
    here = Span(path, 2, 0, 2, 1)
    fix = Fix(message, (Edit(here, message),), safe=True)
    finding = Diagnostic("a-rule", Severity.ERROR, message, here, (Note(message, here), Note(message)), fix)
    report = FileReport(path, (finding,), uses_tilelang=True)
    return Run((report,), sources, unreadable=((path, message),))


def text_of(name: str, run: Run) -> str:
    """The document as readers get it: encoded in UTF-8, as files and streams are written."""
    lines = list(render(name, run, Style()))
    assert [line for line in lines if "\n" in line and name not in ("json", "sarif", "gitlab", "rdjson")] == []
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace").decode()


def unescaped_github(text: str) -> str:
    for escape, sign in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(escape, sign)
    return text


def github(document: str) -> str:
    (line,) = [line for line in document.splitlines() if "a-rule" in line and line.startswith("::")]
    match = re.fullmatch(r"::error file=[^,:\n]*,line=2,endLine=2,col=1,endColumn=2,title=a-rule::(.*)", line)
    assert match
    return unescaped_github(match[1]).split("\nnote: ")[0]


def azure(document: str) -> str:
    (line,) = [line for line in document.splitlines() if "code=a-rule" in line]
    match = re.fullmatch(r"##vso\[task.logissue type=error;sourcepath=[^;\]\n]*;[^;]*;[^;]*;code=a-rule;\](.*)", line)
    assert match
    return match[1].replace("%AZP25", "%")


def pylint(document: str) -> str:
    (line,) = [line for line in document.splitlines() if "[E(a-rule)]" in line]
    match = re.fullmatch(r"[^\n]*:2: \[E\(a-rule\)\] (.*)", line)
    assert match is not None or line.endswith("[E(a-rule)] ")
    return match[1] if match else ""


def junit(document: str) -> str:
    failure = ET.fromstring(document).find(".//failure")
    assert failure is not None
    return failure.attrib["message"]


def markdown(document: str) -> str:
    (row,) = [line for line in document.splitlines() if " a-rule " in line]
    cells = re.split(r"(?<!\\)(?:\\\\)*\|", row)
    assert len(cells) == 6, row
    return cells[4]


def sarif(document: str) -> str:
    (result,) = strict_json(document)["runs"][0]["results"]
    return result["message"]["text"]


def strict_json(document: str) -> Any:
    """JSON as strict readers take it."""

    def refuse(name: str) -> object:
        raise AssertionError(name)

    parsed = json.loads(document, parse_constant=refuse)
    json.dumps(parsed, ensure_ascii=False).encode()
    return parsed


READERS: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "github": (github, clean),
    "azure": (azure, lambda text: one_line(clean(text))),
    "pylint": (pylint, lambda text: one_line(clean(text))),
    "junit": (junit, lambda text: xml_text(clean(text))),
    "sarif": (sarif, lambda text: f"{clean(text)}\n{clean(text)}".replace("](", "] (")),
    "json": (lambda document: strict_json(document)["findings"][0]["message"], valid_text),
    "json-lines": (lambda document: strict_json(document.splitlines()[0])["message"], valid_text),
    "gitlab": (lambda document: strict_json(document)[0]["description"], clean),
    "rdjson": (lambda document: strict_json(document)["diagnostics"][0]["message"].split("\nnote: ")[0], clean),
}


@pytest.mark.parametrize("name", READERS)
@given(text=ANY)
@example(text=NASTY)
@example(text="")
def test_readers_get_the_message(name: str, text: str) -> None:
    read, expected = READERS[name]
    assert read(text_of(name, made(text))) == expected(text)


@pytest.mark.parametrize("name", FORMATS)
@given(text=ANY.filter(lambda text: "/" not in text and "\0" not in text))
@example(text="::error file=x,line=1::y")
@example(text="##[error]a ##vso[task.complete result=Succeeded;]")
@example(text="%0A::error::x")
@example(text="\udc80\udd00")
def test_paths_and_messages_start_no_command(name: str, text: str) -> None:
    document = text_of(name, made(text, f"{text}.py"))
    if name == "github":
        own = re.compile(r"::(error|warning|notice) (file|title)=[^,:\n]*,")
        assert [it for it in document.splitlines() if it.lstrip().startswith("::") and not own.match(it)] == []
        assert "##[" not in "".join(it for it in document.splitlines() if not it.startswith("::"))
    if name == "azure":
        own = re.compile(r"##vso\[task\.logissue type=(error|warning);")
        assert [it for it in document.splitlines() if "##vso[" in it and not own.match(it)] == []
        assert document.count("##vso[") - len(own.findall(document)) <= text.count("##vso[") * 8
    if name in ("full", "concise", "grouped", "github", "azure", "pylint"):
        assert not any(sign in document for sign in "\x00\x1b\x07\u202e")


@given(text=ANY)
@example(text=NASTY)
def test_markdown_rows_keep_their_cells(text: str) -> None:
    cell = markdown(text_of("markdown", made(text)))
    assert "<" not in re.sub(r"\\.|`[^`]*`", "", cell)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | ANY,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY, inner, max_size=3),
        max_leaves=10,
    )
)
def test_data_of_findings_is_strict_json(data: object) -> None:
    run = made("m")
    (finding,) = run.files[0].findings
    changed = Diagnostic(finding.rule, finding.severity, "m", finding.span, data={"value": data})
    strict_json(text_of("json", Run((run.files[0]._replace(findings=(changed,)),), run.sources)))
