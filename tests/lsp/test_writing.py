"""What surrounds a cursor, what is offered there, signatures, and code actions as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp.ide import CURSOR, GEMM, at_cursor, checked, project

from tilelang.diagnostics import Edit
from tilelang_lsp.ide.actions import code_actions, fix_all, work_out
from tilelang_lsp.ide.completion import complete, python, request
from tilelang_lsp.ide.cursor import cursor_at
from tilelang_lsp.ide.signature_help import signature_help
from tilelang_lsp.session import Snapshot, findings_of

HEAD = "import tilelang\nimport tilelang.language as T\n"


@pytest.mark.parametrize(
    ("line", "prefix", "receiver", "callee", "index", "keyword"),
    [
        ("T.cop<|>", "cop", "T", None, 0, ""),
        ("T.copy(<|>", "", "", "T.copy", 0, ""),
        ("T.copy(A[1, 2], <|>", "", "", "T.copy", 1, ""),
        ("T.copy(a, b, dis<|>", "dis", "", "T.copy", 2, ""),
        ("T.alloc_shared((1, <|>", "", "", "T.alloc_shared", 0, ""),
        ('f("a, (", T.x(1), k=<|>', "", "", "f", 2, "k"),
        ("f(a == b, <|>", "", "", "f", 1, ""),
        ("x = T.f(1)[<|>", "", "", None, 0, ""),
        ("f(1  # a comment (,\n, <|>", "", "", "f", 1, ""),
        ("f(g(1, <|>", "", "", "g", 1, ""),
        ("def f(a, <|>", "", "", None, 0, ""),
    ],
)
def test_surroundings(line: str, prefix: str, receiver: str, callee: str | None, index: int, keyword: str) -> None:
    snapshot, row, col = at_cursor(HEAD + line)
    cursor = cursor_at(snapshot.file, row, col)
    assert (cursor.prefix, cursor.receiver) == (prefix, receiver)
    frame = cursor.call
    assert (frame.callee if frame else None) == callee
    if frame is not None:
        assert (frame.index, frame.keyword) == (index, keyword)


def test_a_forgotten_bracket_ends_at_the_next_statement() -> None:
    snapshot, line, col = at_cursor(HEAD + "T.copy(a,\nwith T.<|>")
    cursor = cursor_at(snapshot.file, line, col)
    assert cursor.frames == ()
    assert cursor.head == ("with",)


def labels(source: str, session: object = None) -> list[str]:
    snapshot, line, col = at_cursor(source)
    return [each.label for each in complete(request(snapshot, line, col))]


def test_nothing_is_offered_in_comments_and_plain_strings() -> None:
    assert labels(HEAD + "x = 1  # T.<|>") == []
    assert labels(HEAD + 'x = "T.<|>') == []


def test_arguments_are_offered_once() -> None:
    source = GEMM.replace("T.gemm(A_tile, B_tile, acc)", f"T.gemm(A_tile, B_tile, acc, transpose_B=True, {CURSOR})")
    found = labels(source)
    assert "transpose_A=" in found
    assert not {"transpose_B=", "A=", "C="} & set(found)
    assert len(found) == len(set(found))


def test_removed_names_are_not_offered() -> None:
    assert "_all_dtypes" not in labels(HEAD + "T.<|>")
    assert "copy" in labels(HEAD + "T.co<|>")


def test_plain_python_comes_from_jedi(tmp_path: Path) -> None:
    session = project(tmp_path, {"helper.py": "def helpful(): ...\n"})
    path = str(tmp_path / "k.py")
    asked = request(*at_cursor(HEAD + "import helper\nhelper.<|>", path, session))
    assert python.wanted(asked)
    assert "helpful" in [each.label for each in python.complete(asked)]
    assert not python.wanted(request(*at_cursor(HEAD + "T.<|>", path, session)))


def test_signatures_follow_positions_and_names() -> None:
    found = signature_help(*at_cursor(GEMM.replace("T.gemm(A_tile, B_tile, acc)", "T.gemm(A_tile, B_tile, <|>")))
    assert found is not None
    assert found.active == 2
    assert found.label[found.parameters[2].start : found.parameters[2].end] == "C: BufferLike"
    named = signature_help(*at_cursor(GEMM.replace("T.gemm(A_tile, B_tile, acc)", "T.gemm(A_tile, policy=<|>")))
    assert named is not None
    assert named.active is not None
    assert found.label[found.parameters[named.active].start :].startswith("policy")
    own = signature_help(*at_cursor(GEMM.replace("matmul(1024, 1024, 1024)", "matmul(1, 2, <|>")))
    assert own is not None
    assert own.label.startswith("matmul(M, N, K, block_m=128")
    assert own.active == 2
    assert signature_help(*at_cursor(GEMM + "<|>")) is None


# --- actions ----------------------------------------------------------------------------------------------------------


def after(snapshot: Snapshot, edits: tuple[Edit, ...] | list[Edit]) -> str:
    """The text after edits, later ones first so that the places of the others stay right."""
    source = snapshot.file.source
    text = source.text
    assert edits
    for edit in sorted(edits, key=lambda each: (each.span.line, each.span.col), reverse=True):
        start = source.char_offset(edit.span.line, edit.span.col)
        text = text[:start] + edit.text + text[source.char_offset(edit.span.end_line, edit.span.end_col) :]
    return text


TOO_MANY = GEMM.replace("matmul(1024, 1024, 1024)", "matmul(1024, 1024, 1024, num_stages=6)")
TOO_LARGE = GEMM.replace("matmul(1024, 1024, 1024)", "matmul(1024, 1024, 1024, 512, 512, 64, num_stages=2)")


@pytest.mark.parametrize("source", [TOO_MANY, TOO_LARGE], ids=["stages", "tiles"])
def test_make_it_fit(source: str) -> None:
    snapshot = checked(source)
    line = source.count("\n")
    (action,) = [each for each in code_actions(snapshot, line, line) if each.task and each.task.target == "sm_75"]
    assert action.task is not None
    edits = work_out(snapshot, action.task)
    assert edits
    fixed = checked(after(snapshot, edits))
    assert fixed.analysis is not None
    on_t4 = [finding for finding in findings_of(fixed.analysis) if "sm_75" in finding.targets]
    assert "shared-memory-overflow" not in [finding.rule for finding in on_t4]


def test_suppressing_hides_the_finding_and_merges_names() -> None:
    source = TOO_MANY
    line = source.count("\n")
    snapshot = checked(source)
    assert snapshot.analysis is not None
    rules = {each.rule for each in findings_of(snapshot.analysis) if each.span.line == line}
    assert rules == {"shared-memory-overflow"}
    (action,) = [each for each in code_actions(snapshot, line, line) if each.title.startswith("Suppress")]
    text = after(snapshot, action.edits)
    assert text.splitlines()[line - 1].endswith("  # tl: ignore[shared-memory-overflow]")
    hidden = checked(text)
    assert hidden.analysis is not None
    assert [each for each in findings_of(hidden.analysis) if each.span.line == line] == []
    other = checked(source.replace("num_stages=6)", "num_stages=6)  # tl: ignore[unused-buffer]"))
    (merged,) = [
        each for each in code_actions(other, line, line) if each.title == "Suppress shared-memory-overflow here"
    ]
    assert after(other, merged.edits).splitlines()[line - 1].endswith("ignore[unused-buffer, shared-memory-overflow]")


def test_fix_all_applies_safe_fixes_only() -> None:
    source = TOO_MANY.replace("T.clear(acc)", "T.clear(acc)  # tl: ignore[unused-buffer]")
    snapshot = checked(source)
    assert snapshot.analysis is not None
    fixes = [each.fix for each in findings_of(snapshot.analysis) if each.fix is not None]
    assert {fix.safe for fix in fixes} == {True, False}
    text = after(snapshot, fix_all(snapshot))
    assert text == TOO_MANY
    assert fix_all(checked(text)) == []


def test_a_missing_clear_has_a_fix() -> None:
    source = GEMM.replace("            T.clear(acc)\n", "")
    snapshot = checked(source)
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "T.gemm" in text)
    fixes = [each for each in code_actions(snapshot, line, line) if each.title.startswith("Clear")]
    assert fixes
    assert "T.clear(acc)" in after(snapshot, fixes[0].edits)
