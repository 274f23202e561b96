"""Notebook cells are one module, and every position leads back to its cell."""

from __future__ import annotations

import ast
import json

import pytest

from tilelang.syntax import MISSING, Notebook, load_notebook


def code(*lines: str) -> dict[str, object]:
    return {"cell_type": "code", "source": [f"{line}\n" for line in lines[:-1]] + list(lines[-1:])}


def load(*cells: dict[str, object], **more: object) -> Notebook:
    return load_notebook("kernel.ipynb", json.dumps({"cells": list(cells), **more}).encode())


def meaning(notebook: Notebook) -> str:
    return ast.unparse(ast.Module(notebook.module.body, []))


def test_cells_share_a_namespace_and_keep_their_places() -> None:
    notebook = load(code("import a", "x = 1"), {"cell_type": "markdown", "source": "# text"}, code("y = x"))
    assert meaning(notebook) == "import a\nx = 1\ny = x"
    assert [notebook.locate(node.lineno) for node in notebook.module.body] == [(0, 1), (0, 2), (2, 1)]
    assert [(cell.index, cell.start_line, cell.line_count) for cell in notebook.cells] == [(0, 1, 2), (2, 3, 1)]
    assert notebook.source.line_text(3) == "y = x"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%matplotlib inline", "pass"),
        ("!pip install tilelang's \"wheel", "pass"),
        ("T.copy?", "pass"),
        ("?T.copy", "pass"),
        ("T.copy??  # source", "pass"),
        ("files = !ls 'x", f"files = {MISSING}"),
        ("a, b = %sql select (", f"a, b = {MISSING}"),
        ("%time x = f()", "0\nx = f()"),
        ("%timeit -n 10 f()", "pass"),
        ("x = a % b", "x = a % b"),
        ("s = '''", "s = '\\n%not magic\\n'"),
    ],
)
def test_ipython_lines_are_masked(line: str, expected: str) -> None:
    lines = [line, "%not magic", "'''"] if "'''" in line else [line]
    notebook = load(code("before = 1", *lines, "after = 2"))
    assert notebook.module.problems == ()
    assert meaning(notebook) == f"before = 1\n{expected}\nafter = 2"
    assert notebook.module.body[-1].lineno == len(lines) + 2
    assert notebook.source.line_text(2) == line


def test_masked_lines_keep_their_block_and_columns() -> None:
    notebook = load(code("if x:", "    %cd build", "    !make \\", "  -j2 'all", "    y = 1", "%time  z = (1)"))
    assert notebook.module.problems == ()
    assert meaning(notebook) == "if x:\n    pass\n    pass\n    y = 1\n0\nz = 1"
    assert (notebook.module.body[-1].lineno, notebook.module.body[-1].col_offset) == (6, 7)


@pytest.mark.parametrize(
    ("magic", "expected"),
    [("%%bash", "x = 1"), ("%%html", "x = 1"), ("%%time", "y = 2\nx = 1"), ("%%capture out", "y = 2\nx = 1")],
)
def test_cell_magics(magic: str, expected: str) -> None:
    notebook = load(code(magic, "y = 2"), code("x = 1"))
    assert notebook.module.problems == ()
    assert meaning(notebook) == expected
    assert notebook.locate(notebook.module.body[-1].lineno) == (1, 1)


def test_a_fault_stays_in_its_cell() -> None:
    notebook = load(code("x = (", ""), code("s = '''"), code("y = 1", "z = "), code("w = 2"))
    places = [notebook.locate(problem.line) for problem in notebook.module.problems]
    assert places == [(0, 1), (1, 1), (2, 2)]
    assert meaning(notebook).endswith(f"y = 1\nz = {MISSING}\nw = 2")


def test_source_may_be_one_string_with_any_line_ends() -> None:
    notebook = load({"cell_type": "code", "source": "x = 1\r\ny = 2\rz = 3"}, code("w = 4"))
    assert [notebook.locate(node.lineno) for node in notebook.module.body] == [(0, 1), (0, 2), (0, 3), (1, 1)]


def test_other_languages_have_no_cells() -> None:
    notebook = load(code("x <- 1"), metadata={"kernelspec": {"language": "R"}})
    assert notebook.cells == ()
    assert notebook.module.problems == ()


def test_format_3() -> None:
    cell = {"cell_type": "code", "input": "x = 1", "language": "python"}
    notebook = load_notebook("old.ipynb", json.dumps({"worksheets": [{"cells": [cell]}]}).encode())
    assert meaning(notebook) == "x = 1"


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b'{"cells": [\n  }', 2, 2, "notebook is not valid JSON: Expecting value"),
        (b"[]", 1, 0, "not a notebook: the file is no JSON object"),
        (b"{}", 1, 0, "not a notebook: no list of cells"),
        (b'{"cells": [3]}', 1, 0, "not a notebook: cell 0 is no JSON object"),
        (b"[" * 100_000, 1, 0, "notebook is nested too deeply"),
        (b"", 1, 0, "notebook is not valid JSON: Expecting value"),
    ],
)
def test_what_is_no_notebook(data: bytes, line: int, column: int, message: str) -> None:
    notebook = load_notebook("kernel.ipynb", data)
    (problem,) = notebook.module.problems
    assert (problem.line, problem.column, problem.message) == (line, column, message)
    assert notebook.cells == ()
    assert notebook.locate(1) is None
