"""Positions of cells in the text of `.ipynb` files, however the JSON is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelang.syntax.notebook_file import NotebookFile

Cells = list[tuple[str, "str | list[str]"]]


def written(cells: Cells, **options: object) -> bytes:
    content = {
        "metadata": {"source": "not a cell", "cells": [{"source": "nor this"}]},
        "cells": [
            {"metadata": {"source": ["x"]}, "outputs": [{"source": "y"}], "cell_type": kind, "source": source}
            for kind, source in cells
        ],
        "nbformat": 4,
    }
    return json.dumps(content, **options).encode()  # type: ignore[arg-type]  # options of the writer


def character_at(file: NotebookFile, cell: int, line: int, column: int) -> str:
    """The JSON spelling of the character at a position in a cell, as Python reads it."""
    offset = file.offset(cell, line, column)
    assert offset is not None
    rest = file.source.text[offset:]
    length = 1 if rest[0] != "\\" else 2
    if rest.startswith("\\u"):
        length = 12 if rest[2:4].lower() in ("d8", "d9", "da", "db") else 6
    return json.loads(f'"{rest[:length]}"')


@pytest.mark.parametrize("options", [{"indent": 1}, {}, {"indent": 1, "ensure_ascii": False}])
@pytest.mark.parametrize("source", ["a = 'é𐐀'\n\tb\"\\\n", ["a = 'é𐐀'\n", '\tb"\\\n']])
def test_every_character_is_found(options: dict[str, object], source: str | list[str]) -> None:
    file = NotebookFile.read("n.ipynb", written([("markdown", "# t"), ("code", source)], **options))
    for number, line in enumerate(["a = 'é𐐀'", '\tb"\\'], 1):
        for column, character in enumerate(line, 1):
            assert character_at(file, 2, number, column) == character


def test_lines_and_columns_are_those_of_the_file() -> None:
    data = written([("code", ["x = 1\n", "y = 2"])], indent=1)
    file = NotebookFile.read("n.ipynb", data)
    line, column = file.position(1, 2, 1)
    assert data.decode().splitlines()[line - 1][column - 1 :].startswith("y = 2")


def test_ends_of_lines_are_positions_too() -> None:
    file = NotebookFile.read("n.ipynb", written([("code", ["ab\n", "c"]), ("code", "")], indent=1))
    text = file.source.text
    end_of_first, end_of_last = file.offset(1, 1, 3), file.offset(1, 2, 2)
    assert end_of_first is not None
    assert end_of_last is not None
    assert text[end_of_first:].startswith('\\n"')
    assert text[end_of_last] == '"'
    assert file.offset(1, 1, 99) == end_of_first
    empty = file.offset(2, 1, 1)
    assert empty is not None
    assert text[empty - 1 : empty + 1] == '""'


def test_windows_line_ends_are_one_line_end() -> None:
    file = NotebookFile.read("n.ipynb", written([("code", "a\r\nb\rc")]))
    assert [character_at(file, 1, line, 1) for line in (1, 2, 3)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"cells": 3}', b'{"cells": [{"source": 1}]}', b'{"cells": [{', b'"\xff"']
)
def test_what_is_no_notebook_has_no_cells(data: bytes) -> None:
    file = NotebookFile.read("n.ipynb", data)
    assert file.pieces == {}
    assert file.position(1, 1, 1) == (1, 1)


TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=30)


@given(st.lists(TEXT, max_size=4), st.sampled_from([None, 1]), st.booleans(), st.booleans())
def test_any_source_is_found(sources: list[str], indent: int | None, ascii_only: bool, split: bool) -> None:
    cells: Cells = [("code", text.splitlines(keepends=True) if split else text) for text in sources]
    file = NotebookFile.read("n.ipynb", written(cells, indent=indent, ensure_ascii=ascii_only))
    for cell, text in enumerate(sources, 1):
        for number, line in enumerate(text.split("\n"), 1):
            for column, character in enumerate(line, 1):
                assert character_at(file, cell, number, column) == character


def test_format_3_has_its_cells_in_worksheets() -> None:
    cells = [{"cell_type": "markdown", "source": ["text"]}, {"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]
    file = NotebookFile.read("old.ipynb", json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode())
    assert sorted(file.pieces) == [1, 2]
    assert character_at(file, 2, 2, 1) == "b"
