"""Columns between the core, which counts UTF-8 bytes, and an editor, which counts what was agreed on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tilelang.syntax.text import SourceText

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def to_editor(source: SourceText, line: int, column: int, encoding: Encoding) -> int:
    """A UTF-8 column (line from 1) in the editor's units."""
    if encoding == "utf-8":
        return column
    return source.char_column(line, column) if encoding == "utf-32" else source.utf16_column(line, column)


def from_editor(source: SourceText, line: int, column: int, encoding: Encoding) -> int:
    """A column of the editor in UTF-8 bytes; behind the end of the line, that end."""
    if encoding == "utf-16":
        return source.byte_column_from_utf16(line, column)
    if encoding == "utf-32":
        return source.byte_column(line, column)
    # Inside a character: its start.
    return len(source.line_text(line)[: source.char_column(line, column)].encode())
