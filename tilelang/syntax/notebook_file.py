"""Where the source of a notebook's cells stands in the text of its `.ipynb` file.

A cell's source is one JSON string or a list of them, with line ends and quotes escaped. Tools that mark lines of files
(code scanning, review comments) need positions in that text, and so does a change that is written back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.syntax.notebook_json import cell_sources
from tilelang.syntax.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
"""One character of a JSON string as it is spelled; an escaped surrogate pair is one character."""
_NEW_LINES = (r"\n", r"\u000a", r"\u000A")
_RETURNS = (r"\r", r"\u000d", r"\u000D")

Piece = tuple[int, int]
"""Start and end of the inside of one JSON string, in characters of the file."""


@dataclass(frozen=True, slots=True)
class NotebookFile:
    """The text of an `.ipynb` file and, by cell (all cells counted from 1), the strings of its source."""

    source: SourceText
    pieces: Mapping[int, tuple[Piece, ...]]

    @staticmethod
    def read(path: str, data: bytes) -> NotebookFile:
        """Read a file; one that is no notebook has no pieces."""
        source = SourceText.from_bytes(path, data)
        pieces: dict[int, tuple[Piece, ...]] = {}
        try:
            for cell, found in enumerate(cell_sources(source.text), start=1):
                strings = found.strings(source.text) if found is not None else ()
                if strings:
                    pieces[cell] = tuple((each.start + 1, each.end - 1) for each in strings)
        except (ValueError, LookupError, TypeError, RecursionError):
            return NotebookFile(source, {})
        return NotebookFile(source, pieces)

    def position(self, cell: int, line: int, column: int) -> tuple[int, int]:
        """Line and column in the file, from 1 and in characters, of a position in a cell. The start of the file if the
        cell is not there."""
        offset = self.offset(cell, line, column)
        if offset is None:
            return 1, 1
        file_line, _ = self.source.position_at(offset)
        return file_line, offset - self.source.line_starts[file_line - 1] + 1

    def offset(self, cell: int, line: int, column: int) -> int | None:
        """Offset in the text of the file, in characters, of a position in a cell. A column behind the end of its line
        is clamped to it."""
        at_line, at_column = 1, 1
        last: int | None = None
        after_return = False
        for start, end in self.pieces.get(cell, ()):
            if last is None or at_column == 1:
                last = start
            for match in _CHARACTER.finditer(self.source.text, start, end):
                if after_return and match[0] in _NEW_LINES:
                    after_return = False
                    last = match.end()
                    continue
                if at_line == line and at_column == column:
                    return match.start()
                after_return = match[0] in _RETURNS
                if after_return or match[0] in _NEW_LINES:
                    if at_line == line:
                        return match.start()
                    at_line, at_column = at_line + 1, 1
                else:
                    at_column += 1
                last = match.end()
        return last
