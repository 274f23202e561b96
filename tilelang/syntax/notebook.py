"""Jupyter notebooks: code cells as one module whose positions lead back to the cells.

All code cells share one namespace, so their texts are joined, cell after cell. Lines that are IPython and not Python
(`%magic`, `!command`, `name?`) become statements of no effect, and cells in another language (`%%bash`) become blank.
Masking keeps every line and every column before it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tilelang.syntax.cpython import parse_error
from tilelang.syntax.lines import scan_line
from tilelang.syntax.module import MISSING, Module, parse_module
from tilelang.syntax.problem import SyntaxProblem
from tilelang.syntax.text import SourceText

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n?")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_INDENT = re.compile(r"[ \t\f]*")
# Cell magics that run the rest of the cell as Python here.
_PYTHON_MAGICS = frozenset(("time", "timeit", "capture", "prun", "memit", "python", "python3", "pypy", "debug"))
# Line magics whose argument is a Python statement, unless options come first.
_TIMED = re.compile(r"%(?:time|timeit|prun|memit)(?=[ \t]+[^\s-])")
_ESCAPED_LINE = re.compile(r"[%!?]|[\w.*%]+(?:\[[^\]\r\n]*\])?\?{1,2}[ \t]*(?:#.*)?$", re.MULTILINE)
_ESCAPED_VALUE = re.compile(r"[^\W\d][\w, \t.]*=[ \t]*(?=[!%])")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its index among all cells of the notebook from 0, and the lines it takes in the joined text."""

    index: int
    start_line: int
    line_count: int


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook as one module.

    `source` is the joined text as the author wrote it, for excerpts; `module` was parsed from the masked text and has
    the same positions. A file that is no notebook has no cells, and its problem has a position in the file itself.
    """

    path: str
    cells: tuple[Cell, ...]
    source: SourceText
    module: Module

    def locate(self, line: int) -> tuple[int, int] | None:
        """(cell index, line in the cell from 1) of a line of the joined text; None if there are no cells."""
        index = bisect_right([cell.start_line for cell in self.cells], line) - 1
        if index < 0:
            return None
        cell = self.cells[index]
        return cell.index, line - cell.start_line + 1


def load_notebook(path: str, data: bytes) -> Notebook:
    """Read an `.ipynb` file; one of another language than Python has no cells."""
    file = SourceText.from_bytes(path, data)
    try:
        content: object = json.loads(file.text)
        cells = list(_code_cells(content))
    except json.JSONDecodeError as error:
        line, column = file.position_at(error.pos)
        return _unreadable(file, line, column, f"notebook is not valid JSON: {error.msg}")
    except (ValueError, TypeError) as error:
        return _unreadable(file, 1, 0, f"not a notebook: {error}")
    except RecursionError:
        return _unreadable(file, 1, 0, "notebook is nested too deeply")
    places: list[Cell] = []
    line = 1
    for index, text in cells:
        count = text.count("\n") + 1
        places.append(Cell(index, line, count))
        line += count
    source = SourceText.from_text(path, "\n".join(text for _, text in cells))
    masked = [masked_text(text) for _, text in cells]
    return Notebook(path, tuple(places), source, _parse(path, places, masked))


def _unreadable(file: SourceText, line: int, column: int, message: str) -> Notebook:
    problem = SyntaxProblem(line, column, line, column + 1, message)
    empty = SourceText.from_text(file.path, "")
    return Notebook(file.path, (), empty, Module([], (*file.problems, problem), empty))


def _code_cells(content: object) -> Iterator[tuple[int, str]]:
    """(index, text) of the code cells, with plain line ends; raises ValueError or TypeError if it is no notebook."""
    notebook = _object(content, "the file")
    metadata = _object(notebook.get("metadata", {}), "metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        language = _object(metadata.get(key, {}), key).get(name, "python")
        if str(language).lower() not in ("python", "ipython", "python3"):
            return
    cells = notebook.get("cells")
    if cells is None:
        # Format 3 has sheets of cells.
        sheets = _list(notebook.get("worksheets"), "cells")
        cells = [cell for sheet in sheets for cell in _list(_object(sheet, "sheet").get("cells"), "cells")]
    for index, item in enumerate(_list(cells, "cells")):
        cell = _object(item, f"cell {index}")
        if cell.get("cell_type") != "code":
            continue
        text = cell.get("source", cell.get("input", ""))
        if isinstance(text, list):
            text = "".join(str(part) for part in cast("list[object]", text))
        yield index, _LINE_END.sub("\n", str(text))


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{what} is no JSON object")
    return cast("dict[str, Any]", value)


def _list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"no list of {what}")
    return cast("list[object]", value)


def _parse(path: str, places: list[Cell], texts: list[str]) -> Module:
    """All cells as one module. If Python refuses them together each is read alone, so that no fault crosses a cell."""
    source = SourceText.from_text(path, "\n".join(texts))
    if parse_error(source.readable) is None:
        return parse_module(source)
    body: list[ast.stmt] = []
    problems: list[SyntaxProblem] = []
    repaired: list[tuple[int, int]] = []
    for cell, text in zip(places, texts, strict=True):
        module = parse_module(SourceText.from_text(path, "\n" * (cell.start_line - 1) + text))
        body += module.body
        problems += module.problems
        repaired += module.repaired
    return Module(body, tuple(problems), source, tuple(repaired))


def masked_text(text: str) -> str:
    """A cell's text with Python in place of what only IPython understands."""
    magic = _CELL_MAGIC.match(text)
    if magic:
        head, end, rest = text.partition("\n")
        if magic[1] not in _PYTHON_MAGICS:
            return "\n" * text.count("\n")
        return "#" * len(head) + end + masked_text(rest)
    parts: list[str] = []
    position = 0
    while position < len(text):
        indent = _INDENT.match(text, position)
        first = indent.end() if indent else position
        value = _ESCAPED_VALUE.match(text, first)
        timed = _TIMED.match(text, first)
        if timed:
            # The statement stays where it is, after one of no effect.
            parts.append(text[position:first] + "0;".ljust(len(timed[0])))
            position = timed.end()
        elif value or _ESCAPED_LINE.match(text, first):
            end = _escaped_end(text, first)
            kept = text[position : value.end()] + MISSING if value else text[position:first] + "pass"
            parts.append(kept + "\n" * text.count("\n", first, end))
            position = end
        else:
            end = _statement_end(text, first)
            parts.append(text[position:end])
            position = end
    return "".join(parts)


def _escaped_end(text: str, start: int) -> int:
    """End of a magic or shell line, which a backslash continues; its line end is not part of it."""
    while True:
        end = text.find("\n", start)
        if end < 0:
            return len(text)
        if text[end - 1] != "\\":
            return end
        start = end + 1


def _statement_end(text: str, first: int) -> int:
    """Start of the line after a logical line, or after a blank line or comment."""
    if first < len(text) and text[first] in "#\n":
        end = text.find("\n", first)
        return len(text) if end < 0 else end + 1
    return scan_line(text, first, len(text), "", soft=False).next if first < len(text) else len(text)
