"""The server finds what `tilelang-check` finds: in every case and example, and after any edits."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cases import suite
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsp.ide import GEMM, new_session

from tilelang.syntax.document import Change
from tilelang.syntax.text import SourceText
from tilelang_analyzers.checker import Checker
from tilelang_lsp.files import SourceFile
from tilelang_lsp.options import EditorOptions
from tilelang_lsp.session import Session

TARGETS = ("t4", "a100", "l4", "h100")
FILES = sorted(
    [
        *(suite.ROOT / "examples").rglob("*.py"),
        *(case.path for folder in suite.folders() for case in suite.cases(folder)),
    ]
)


@pytest.fixture(scope="module")
def session() -> Session:
    found = Session()
    found.configure(EditorOptions(checker={"target": TARGETS}))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file(path: Path, session: Session) -> None:
    data = path.read_bytes()
    expected = Checker().check(str(path), data, session.settings(str(path)))
    file = SourceFile.open(str(path), SourceText.from_bytes(str(path), data).text)
    found = session.examine(file).report
    assert found.failure is None
    assert found.findings == expected.findings
    assert found.instances == expected.instances
    assert found.kernels == expected.kernels


def test_there_are_files() -> None:
    assert len(FILES) > 60


PIECES = st.sampled_from(
    [
        "",
        "\n",
        " ",
        "    ",
        "(",
        ")",
        '"',
        "'",
        "#",
        "\\",
        "1",
        "128",
        "T.",
        "acc",
        "é🙂",
        "T.clear(acc)\n",
        "for i:",
    ]
)


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[float, float, str]]:
    """Where each edit starts, as a share of the text, how many characters it replaces, and by what."""
    part = st.tuples(st.floats(0, 1), st.floats(0, 0.02), PIECES)
    return draw(st.lists(part, min_size=1, max_size=5))


def applied(file: SourceFile, edit: tuple[float, float, str]) -> SourceFile:
    start_share, length_share, text = edit
    source = file.source
    start = int(start_share * len(source.text))
    end = min(start + int(length_share * len(source.text)), len(source.text))
    change = Change(source.position_at(start), source.position_at(end), text)
    return file.edit([change], file.version + 1)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits())
def test_any_edits_read_like_the_final_text(sequence: list[tuple[float, float, str]]) -> None:
    file = SourceFile.open("/project/k.py", GEMM)
    for edit in sequence:
        assert file.names.occurrences is not None  # read each version, so that the next one reuses it
        file = applied(file, edit)
    fresh = SourceFile.open("/project/k.py", file.source.text)
    assert [ast.dump(node, include_attributes=True) for node in file.module.body] == [
        ast.dump(node, include_attributes=True) for node in fresh.module.body
    ]
    assert file.module.problems == fresh.module.problems
    assert str(file.root) == str(fresh.root)
    assert [each.span for each in file.names.occurrences] == [each.span for each in fresh.names.occurrences]
    assert file.data == fresh.data


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits())
def test_any_edits_find_what_the_final_text_has(sequence: list[tuple[float, float, str]]) -> None:
    """Also with all that is remembered between checks."""
    text = GEMM + GEMM.partition("import tilelang.language as T\n")[2].replace("matmul", "second").replace("=3)", "=6)")
    session = new_session()
    file = SourceFile.open("/project/k.py", text)
    for edit in sequence:
        session.put(file)
        session.examine(file)
        file = applied(file, edit)
    session.put(file)
    found = session.examine(file).report
    expected = new_session().examine(SourceFile.open("/project/k.py", file.source.text)).report
    assert found == expected


def test_what_did_not_change_is_not_checked_again() -> None:
    """An edit in the second kernel leaves the program of the first one in place, and all that is known of it."""
    text = GEMM + GEMM.partition("import tilelang.language as T\n")[2].replace("matmul", "second")
    session = new_session()
    first = session.examine(SourceFile.open("/project/k.py", text))
    changed = text[: len(GEMM)] + text[len(GEMM) :].replace("1024, 1024, 1024", "512, 512, 512")
    second = session.examine(SourceFile.open("/project/k.py", changed))
    before = {instance.line: instance.program for instance in first.instances}
    after = {instance.line: instance.program for instance in second.instances}
    lines = sorted(before)
    assert len(lines) == 2
    assert after[lines[0]] is before[lines[0]]
    assert after[lines[1]] is not before[lines[1]]
