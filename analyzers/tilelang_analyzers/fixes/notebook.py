"""Changes of the code cells of a notebook, written into its JSON text.

The file is not written anew from data: only the texts of changed cells are replaced, and in a cell that is a list of
lines, only the lines that differ. So a diff of the notebook shows the fix and nothing else.
"""

from __future__ import annotations

import codecs
import json
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from tilelang.syntax.notebook import load_notebook
from tilelang.syntax.notebook_json import cell_sources, elements
from tilelang_analyzers.fixes.document import CannotRewrite
from tilelang_analyzers.fixes.edits import Change, applied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.syntax.notebook_json import Value


class NotebookDocument:
    """A notebook; its source is that of its code cells, one after the other."""

    def __init__(self, path: str, data: bytes) -> None:
        self._path = path
        self._mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        try:
            self._json = data[len(self._mark) :].decode()
        except UnicodeDecodeError:
            raise CannotRewrite("it is not UTF-8") from None
        self._notebook = load_notebook(path, data)
        self.source = self._notebook.source
        self.code = self._notebook.module.source

    def changed(self, changes: Iterable[Change]) -> bytes:
        by_cell: dict[int, list[Change]] = {}
        for change in changes:
            cell, within = self._in_cell(change)
            by_cell.setdefault(cell, []).append(within)
        places = list(cell_sources(self._json))
        text = self._json
        for cell, within in sorted(by_cell.items(), reverse=True):
            place = places[self._notebook.cells[cell].index]
            if place is None:
                raise CannotRewrite("a cell has no source")
            new = applied(self._cell_text(cell), within)
            text = text[: place.start] + self._written(place, new) + text[place.end :]
        data = self._mark + text.encode()
        expected = [self._cell_text(cell) for cell in range(len(self._notebook.cells))]
        for cell, within in by_cell.items():
            expected[cell] = applied(expected[cell], within)
        if load_notebook(self._path, data).source.text != "\n".join(expected):
            raise CannotRewrite("its JSON has an unusual form")
        return data

    def faults(self) -> int:
        return len(self._notebook.module.problems)

    def _bounds(self, cell: int) -> tuple[int, int]:
        """Where the text of a code cell starts and ends in the joined text."""
        starts = self.source.line_starts
        first = self._notebook.cells[cell]
        after = first.start_line - 1 + first.line_count
        return starts[first.start_line - 1], starts[after] - 1 if after < len(starts) else len(self.source.text)

    def _cell_text(self, cell: int) -> str:
        start, end = self._bounds(cell)
        return self.source.text[start:end]

    def _in_cell(self, change: Change) -> tuple[int, Change]:
        """The code cell of a change, and the change in the cell's own text."""
        for cell in range(len(self._notebook.cells)):
            start, end = self._bounds(cell)
            if not start <= change.start <= end:
                continue
            first, last = change.start - start, change.end - start
            if change.end == end + 1 and not change.text:
                # The removal of a cell's last line, whose line end is the border to the next cell.
                last -= 1
                first -= first > 0 and self._cell_text(cell)[first - 1] == "\n"
            elif change.end > end:
                raise CannotRewrite("a fix reaches over two cells")
            return cell, Change(first, last, change.text)
        raise CannotRewrite("a fix lies outside the cells")

    def _written(self, place: Value, text: str) -> str:
        """The JSON of a cell's new text, in the form that the old one has."""
        ascii_only = self._json.isascii()
        if isinstance(place.value, str):
            return _dumped(_with_line_ends(text, place.value), ascii_only)
        lines = list(elements(self._json, place.start))
        if not lines:
            raise CannotRewrite("a cell has no source")
        old = [str(element.value) for element in lines]
        new = _with_line_ends(text, "".join(old)).splitlines(keepends=True) or [""]
        written: list[str] = []
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                written += [self._json[element.start : element.end] for element in lines[a:b]]
            else:
                written += [_dumped(line, ascii_only) for line in new[c:d]]
        opening = self._json[place.start + 1 : lines[0].start]
        closing = self._json[lines[-1].end : place.end - 1]
        separator = self._json[lines[0].end : lines[1].start] if len(lines) > 1 else f",{opening or ' '}"
        return f"[{opening}{separator.join(written)}{closing}]"


def _dumped(text: str, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)


def _with_line_ends(text: str, like: str) -> str:
    return text.replace("\n", "\r\n") if "\r\n" in like else text
