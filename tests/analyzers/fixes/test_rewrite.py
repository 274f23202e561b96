"""Fixes in one file: whole, in any encoding and with any line ends, and never to the worse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilelang.diagnostics import Diagnostic, Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.fixes.rewrite import BREAKS_SYNTAX, Rewritten, rewrite
from tilelang_analyzers.fixes.write import CannotWrite, replace_content

PATH = "/p/k.py"
NOTEBOOK = "/p/n.ipynb"

Position = tuple[int, int, int, str]
"""Line, first and last column in bytes, new text."""


def finding(*edits: Position, path: str = PATH, rule: str = "r") -> Diagnostic:
    made = tuple(Edit(Span(path, line, start, line, end), text) for line, start, end, text in edits)
    return Diagnostic(rule, Severity.WARNING, "m", Span(path, 1, 0, 1, 1), fix=Fix("t", made, safe=True))


def removal(line: int, path: str = PATH) -> Diagnostic:
    """Takes out one whole line."""
    edit = Edit(Span(path, line, 0, line + 1, 0), "")
    return Diagnostic("r", Severity.WARNING, "m", Span(path, line, 0, line, 1), fix=Fix("t", (edit,), safe=True))


# --- Python files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        "größe = f(1, 2)\r\nb = 2\r\n".encode(),
        b"\xef\xbb\xbf" + "größe = f(1, 2)\nb = 2".encode(),
        "größe = f(1, 2)  # wofür\rb = 2\r".encode(),
    ],
    ids=["crlf", "mark", "cr"],
)
def test_edits_keep_everything_else(data: bytes) -> None:
    brackets = finding((1, 11, 12, "["), (1, 16, 17, "]"))
    done = rewrite(PATH, data, [brackets])
    assert done == Rewritten(data.replace(b"(", b"[").replace(b")", b"]"), (brackets,))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_new_lines_end_as_the_others_do(end: str) -> None:
    data = f"a = 1{end}b = 2".encode()
    for line, expected in ((1, f"a = 1{end}c = 3{end}b = 2"), (2, f"a = 1{end}b = 2{end}c = 3")):
        assert rewrite(PATH, data, [finding((line, 5, 5, "\nc = 3"))]).data.decode() == expected


@pytest.mark.parametrize(
    ("name", "text"), [("latin-1", "# coding: latin-1\na = 'ß'\n"), ("cp1251", "# -*- coding: cp1251 -*-\na = 'я'\n")]
)
def test_the_declared_encoding_stays(name: str, text: str) -> None:
    done = rewrite(PATH, text.encode(name), [finding((2, 0, 1, "b"))])
    assert done.data == text.replace("\na", "\nb").encode(name)
    assert len(done.applied) == 1


def test_characters_that_the_encoding_lacks_drop_the_fix() -> None:
    data = "# coding: latin-1\na = 'ß'\n".encode("latin-1")
    done = rewrite(PATH, data, [finding((2, 0, 1, "я")), finding((2, 4, 8, "2"), rule="s")])
    assert done.data == b"# coding: latin-1\na = 2\n"
    assert [reason for _, reason in done.dropped] == ["the new text has characters that iso-8859-1 lacks"]


@pytest.mark.parametrize("data", [b"a = '\xff'\n", b"# coding: no-such\na = 1\n", "a = 1\n".encode("utf-16")])
def test_a_file_that_cannot_be_decoded_stays(data: bytes) -> None:
    done = rewrite(PATH, data, [finding((1, 0, 1, "b"))])
    assert (done.data, done.applied, len(done.dropped)) == (data, (), 1)


def test_overlapping_fixes_wait() -> None:
    first, second = finding((1, 0, 1, "b")), finding((1, 0, 5, "c = 2"), (2, 0, 1, "x"))
    assert rewrite(PATH, b"a = 1\ny = 1\n", [first, second]) == Rewritten(b"b = 1\ny = 1\n", (first,))


def test_two_insertions_at_one_place_wait_and_equal_ones_are_one() -> None:
    first, second, third = (
        finding((1, 5, 5, text), rule=rule) for text, rule in ((" + 1", "a"), (" + 2", "b"), (" + 1", "c"))
    )
    assert rewrite(PATH, b"a = 1\n", [first, second, third]) == Rewritten(b"a = 1 + 1\n", (first, third))


def test_a_fix_that_breaks_the_syntax_is_dropped_and_the_others_are_not() -> None:
    bad, good = finding((1, 2, 3, "(")), finding((2, 0, 1, "c"), rule="s")
    assert rewrite(PATH, b"a = 1\nb = 2\n", [bad, good]) == Rewritten(
        b"a = 1\nc = 2\n", (good,), ((bad, BREAKS_SYNTAX),)
    )


def test_a_broken_file_may_be_fixed_but_not_broken_more() -> None:
    data = b"a = (\nb = 2\nc = 3\n"
    assert rewrite(PATH, data, [finding((3, 0, 1, "d"))]).data == b"a = (\nb = 2\nd = 3\n"
    assert rewrite(PATH, data, [finding((3, 2, 3, ")"))]).data == data


# --- notebooks --------------------------------------------------------------------------------------------------------

INDENTED = """\
{
 "nbformat_minor": 5, "nbformat": 4,
 "cells": [
  {
   "cell_type": "markdown",
   "source": ["# T\\u00eftle"]
  },
  {
   "source": [
    "%matplotlib inline\\n",
    "a = '\\u00e9'\\n",
    "b = 2"
   ],
   "cell_type": "code",
   "outputs": [{"source": ["a = 1"]}], "execution_count": null
  },
  {"cell_type": "code", "metadata": {"x": 1.0}, "source": "c = 3\\nd = 4"}
 ],
 "metadata": {}
}
"""


def test_only_changed_lines_of_a_notebook_are_written_anew() -> None:
    done = rewrite(NOTEBOOK, INDENTED.encode(), [finding((3, 4, 5, "5"), path=NOTEBOOK)])
    assert done.data.decode() == INDENTED.replace('"b = 2"', '"b = 5"')


def test_new_and_removed_lines_of_a_cell() -> None:
    added = rewrite(NOTEBOOK, INDENTED.encode(), [finding((2, 8, 8, "\nx = 'ü'"), path=NOTEBOOK)])
    expected = INDENTED.replace("\\u00e9'\\n\",\n", "\\u00e9'\\n\",\n    \"x = '\\u00fc'\\n\",\n")
    assert added.data.decode() == expected
    removed = rewrite(NOTEBOOK, INDENTED.encode(), [removal(2, NOTEBOOK)])
    assert removed.data.decode() == INDENTED.replace("    \"a = '\\u00e9'\\n\",\n", "")


def test_the_last_line_of_a_cell_goes_with_the_line_end_before_it() -> None:
    done = rewrite(NOTEBOOK, INDENTED.encode(), [removal(3, NOTEBOOK)])
    cells = json.loads(done.data)["cells"]
    assert cells[1]["source"] == ["%matplotlib inline\n", "a = 'é'"]
    assert cells[2] == json.loads(INDENTED)["cells"][2]


def test_a_cell_that_is_one_string_stays_one() -> None:
    done = rewrite(NOTEBOOK, INDENTED.encode(), [finding((5, 0, 1, "e"), (4, 4, 5, "9"), path=NOTEBOOK)])
    assert done.data.decode() == INDENTED.replace('"c = 3\\nd = 4"', '"c = 9\\ne = 4"')


def test_notebooks_in_other_forms() -> None:
    compact = json.dumps(json.loads(INDENTED), separators=(",", ":"), ensure_ascii=False)
    done = rewrite(NOTEBOOK, b"\xef\xbb\xbf" + compact.encode(), [finding((2, 8, 8, "\nx = 'ü'"), path=NOTEBOOK)])
    assert done.data.decode() == "\ufeff" + compact.replace("'é'\\n\",", "'é'\\n\",\"x = 'ü'\\n\",")
    cell = '{"cell_type": "code", "input": ["a = 1\\r\\n", "b = 2"]}'
    old = f'{{"nbformat": 3, "metadata": {{}}, "worksheets": [{{"cells": [{cell}]}}]}}'
    done = rewrite(NOTEBOOK, old.encode(), [finding((1, 5, 5, "\nx = 2"), path=NOTEBOOK)])
    assert done.data.decode() == old.replace('"a = 1\\r\\n", ', '"a = 1\\r\\n", "x = 2\\r\\n", ')


def test_a_fix_over_two_cells_is_dropped() -> None:
    edit = Edit(Span(NOTEBOOK, 3, 0, 4, 3), "x")
    across = Diagnostic("r", Severity.WARNING, "m", Span(NOTEBOOK, 3, 0, 3, 1), fix=Fix("t", (edit,), safe=True))
    done = rewrite(NOTEBOOK, INDENTED.encode(), [across, finding((2, 0, 1, "z"), path=NOTEBOOK, rule="s")])
    assert [reason for _, reason in done.dropped] == ["a fix reaches over two cells"]
    assert done.data.decode() == INDENTED.replace("a = '", "z = '")


def test_a_notebook_fix_that_breaks_a_cell_is_dropped() -> None:
    bad = finding((3, 4, 5, "("), path=NOTEBOOK)
    assert rewrite(NOTEBOOK, INDENTED.encode(), [bad]) == Rewritten(INDENTED.encode(), (), ((bad, BREAKS_SYNTAX),))


# --- on disk ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "k.py"
    path.write_bytes(b"a = 1\n")
    return path


def test_the_mode_of_the_file_and_links_to_it_stay(path: Path) -> None:
    path.chmod(0o755)
    link = path.with_name("link.py")
    link.symlink_to(path)
    replace_content(str(link), b"a = 1\n", b"b = 1\n")
    assert path.read_bytes() == b"b = 1\n"
    assert path.stat().st_mode & 0o777 == 0o755
    assert link.is_symlink()
    assert sorted(path.parent.iterdir()) == [path, link]


def test_a_file_that_changed_meanwhile_stays(path: Path) -> None:
    with pytest.raises(CannotWrite, match="changed meanwhile"):
        replace_content(str(path), b"a = 0\n", b"b = 1\n")
    assert path.read_bytes() == b"a = 1\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_read_only_file_stays(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(CannotWrite, match="read-only"):
        replace_content(str(path), b"a = 1\n", b"b = 1\n")
    assert path.read_bytes() == b"a = 1\n"


def test_a_file_that_is_gone_is_not_made_again(path: Path) -> None:
    path.unlink()
    with pytest.raises(CannotWrite, match="No such file"):
        replace_content(str(path), b"a = 1\n", b"b = 1\n")
    assert list(path.parent.iterdir()) == []
