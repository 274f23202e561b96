"""Names, definitions, references, renames and calls, in one file and over several."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp.ide import CURSOR, at_cursor, project

from tilelang_lsp.files import SourceFile
from tilelang_lsp.ide import calls
from tilelang_lsp.ide.navigation import find_references, goto, highlights
from tilelang_lsp.ide.rename import CannotRename, prepare, rename

KERNELS = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def scale(N, block=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            tile = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], tile)

    return main
"""
USERS = {
    "kernels.py": KERNELS,
    "plain.py": "from kernels import scale\nscale(64, block=32)\n",
    "renamed.py": "import tilelang\nfrom kernels import scale as s\ns(64)\n",
    "module.py": "import kernels\n\n\ndef run():\n    return kernels.scale(64)\n",
    "other.py": "def scale(x): ...\nscale(1)\n",
}


def spans_of(source: str) -> list[tuple[str, list[tuple[int, int]]]]:
    """Each symbol with the places of its name."""
    names = SourceFile.open("/project/k.py", source).names
    return [(each.name, [(span.line, span.col) for span in each.places()]) for each in names.symbols()]


@pytest.mark.parametrize(
    ("source", "name", "places"),
    [
        ("x = 1\ndef f(x):\n    return x\nx\n", "x", [[(1, 0), (4, 0)], [(2, 6), (3, 11)]]),
        ("x = 1\n[x for x in [x]]\n", "x", [[(1, 0), (2, 13)], [(2, 1), (2, 7)]]),
        ("class C:\n    x = 1\n    def f(self):\n        return x\nx = 2\n", "x", [[(4, 15), (5, 0)], [(2, 4)]]),
        ("x = 1\ndef f():\n    global x\n    x = 2\n", "x", [[(1, 0), (4, 4)]]),
        ("def f(a, b=1): ...\nf(1, b=2)\n", "b", [[(1, 9), (2, 5)]]),
        ("é = 1; y = é\n", "é", [[(1, 0), (1, 12)]]),
        ("import a.b as c\nc\n", "c", [[(1, 14), (2, 0)]]),
        ("with f() as (a, b):\n    a\n", "a", [[(1, 13), (2, 4)]]),
        ("lambda q: q\n", "q", [[(1, 7), (1, 10)]]),
    ],
)
def test_scopes(source: str, name: str, places: list[list[tuple[int, int]]]) -> None:
    assert [found for symbol, found in spans_of(source) if symbol == name] == places


def cursor_in(tmp_path: Path, name: str, needle: str) -> tuple[str, str]:
    """The path of a file and its text with a cursor before a text."""
    offset = USERS[name].index(needle)
    return str(tmp_path / name), USERS[name][:offset] + CURSOR + USERS[name][offset:]


def test_definition_over_files(tmp_path: Path) -> None:
    session = project(tmp_path, USERS)
    for name, needle in (("plain.py", "scale(64"), ("renamed.py", "s(64"), ("module.py", "scale(64")):
        path, text = cursor_in(tmp_path, name, needle)
        (target,) = goto(*at_cursor(text, path, session), "definition")
        assert (target.span.path, target.span.line) == (str(tmp_path / "kernels.py"), 6)
        assert target.whole.end_line == 13


def test_definition_in_the_language(tmp_path: Path) -> None:
    path, text = cursor_in(tmp_path, "kernels.py", "copy(A")
    (target,) = goto(*at_cursor(text, path, project(tmp_path, USERS)), "definition")
    assert target.span.path.endswith("tilelang/language/copies.py")
    lines = Path(target.span.path).read_text().splitlines()
    assert lines[target.span.line - 1].startswith("def copy(")


def test_references_over_files(tmp_path: Path) -> None:
    path, text = cursor_in(tmp_path, "kernels.py", "scale(N")
    found = find_references(*at_cursor(text, path, project(tmp_path, USERS)), declarations=True)
    places = [(Path(span.path).name, span.line, span.col) for span in found]
    assert places == [
        ("kernels.py", 6, 4),
        ("module.py", 5, 19),
        ("plain.py", 1, 20),
        ("plain.py", 2, 0),
        ("renamed.py", 2, 20),
    ]


def test_renaming_a_parameter_reaches_calls_and_comments(tmp_path: Path) -> None:
    files = {
        **USERS,
        "kernels.py": KERNELS.replace("@tilelang.jit", "# tilelang: instance(N=64, block=16)\n@tilelang.jit"),
    }
    session = project(tmp_path, files)
    text = files["kernels.py"].replace("block=128", f"{CURSOR}block=128")
    edits = rename(*at_cursor(text, str(tmp_path / "kernels.py"), session), "width")
    places = [(Path(edit.span.path).name, edit.span.line) for edit in edits]
    assert places == [("kernels.py", line) for line in (5, 7, 10, 11, 12)] + [("plain.py", 2)]
    assert {edit.text for edit in edits} == {"width"}


@pytest.mark.parametrize(
    ("name", "needle", "new", "reason"),
    [
        ("kernels.py", "scale(N", "class", "not a name"),
        ("kernels.py", "block=128", "N", "exists already"),
        ("kernels.py", "tile = ", "block", "means something else"),
        ("kernels.py", "tilelang\nimport", "x", "outside the project"),
        ("kernels.py", "copy(A", "x", "not defined in the project"),
    ],
)
def test_renames_that_are_refused(tmp_path: Path, name: str, needle: str, new: str, reason: str) -> None:
    path, text = cursor_in(tmp_path, name, needle)
    with pytest.raises(CannotRename, match=reason):
        rename(*at_cursor(text, path, project(tmp_path, USERS)), new)


def test_prepare_gives_the_name_under_the_cursor(tmp_path: Path) -> None:
    path, text = cursor_in(tmp_path, "module.py", "scale(64")
    span = prepare(*at_cursor(text, path, project(tmp_path, USERS)))
    assert (span.line, span.col, span.end_col) == (5, 19, 24)


def test_highlights_tell_writes_from_reads(tmp_path: Path) -> None:
    path, text = cursor_in(tmp_path, "kernels.py", "tile)")
    found = highlights(*at_cursor(text, path, project(tmp_path, USERS)))
    assert [(each.span.line, each.mode) for each in found] == [(10, "write"), (11, "write")]


def test_calls_over_files(tmp_path: Path) -> None:
    session = project(tmp_path, USERS)
    path, text = cursor_in(tmp_path, "plain.py", "scale(64")
    item = calls.prepare(*at_cursor(text, path, session))
    assert item is not None
    assert (item.name, Path(item.span.path).name) == ("scale", "kernels.py")
    callers = calls.incoming(session.workspace, item.span.path, item.span.line)
    assert sorted(each.item.name for each in callers) == ["plain.py", "renamed.py", "run"]
    called = calls.outgoing(session.workspace, item.span.path, item.span.line)
    assert {"T.copy", "T.Kernel"} <= {each.item.name for each in called if each.item.kind == "operation"}
