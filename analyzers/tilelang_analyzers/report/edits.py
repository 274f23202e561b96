"""Fixes as changes of files, for formats that carry them to other tools.

In a notebook a change is one of the JSON text: it must stay inside one string of the cell's source, and what it inserts
is escaped. A fix that cannot be written so is left out whole.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.report.places import Place, file_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.diagnostics import Edit, Fix
    from tilelang.ir.span import Span
    from tilelang.syntax.text import SourceText
    from tilelang_analyzers.sources import Sources


class FileEdit(NamedTuple):
    """Replace the characters from ``start`` to ``end`` of the file at ``path`` by ``text``."""

    path: str
    start: int
    end: int
    text: str


def file_edits(fix: Fix | None, sources: Sources) -> tuple[FileEdit, ...]:
    """The changes of a fix by file and position; empty if there is none, or one cannot be written as such."""
    found = [_file_edit(edit, sources) for edit in fix.edits] if fix else []
    edits = [edit for edit in found if edit is not None]
    return tuple(sorted(edits)) if len(edits) == len(found) else ()


def merged(edits: Sequence[FileEdit], sources: Sources) -> FileEdit | None:
    """One change that does what several changes of one file do; None for none, for several files, and for overlaps."""
    if not edits or len({edit.path for edit in edits}) > 1:
        return None
    text = text_of_file(edits[0].path, sources).text
    first, last = edits[0], edits[-1]
    parts: list[str] = []
    position = first.start
    for edit in edits:
        if edit.start < position:
            return None
        parts += (text[position : edit.start], edit.text)
        position = edit.end
    return FileEdit(first.path, first.start, last.end, "".join(parts))


def text_of_file(path: str, sources: Sources) -> SourceText:
    """The text of a file itself: for a notebook its JSON."""
    notebook = sources.notebook_file(path)
    return notebook.source if notebook else sources.file(path)


def file_snippet(span: Span, sources: Sources) -> str:
    """The text of a range in the file itself."""
    here = file_place(span, sources)
    file = text_of_file(here.path, sources)
    lines = [file.line_text(line) for line in range(here.line, here.end_line + 1)]
    lines[-1] = lines[-1][: here.end_column - 1]
    lines[0] = lines[0][here.column - 1 :]
    return "\n".join(lines)


def place_of(edit: FileEdit, sources: Sources) -> Place:
    """The range that a change replaces, in lines and columns of the file."""
    file = text_of_file(edit.path, sources)
    line, column = _position(file, edit.start)
    end_line, end_column = _position(file, edit.end)
    return Place(edit.path, 0, line, column, end_line, end_column)


def _position(file: SourceText, offset: int) -> tuple[int, int]:
    line, _ = file.position_at(offset)
    return line, offset - file.line_starts[line - 1] + 1


def _file_edit(edit: Edit, sources: Sources) -> FileEdit | None:
    span = edit.span
    file = sources.file(span.path)
    notebook = sources.notebook_file(span.path)
    if notebook is None:
        start = file.char_offset(span.line, span.col)
        return FileEdit(span.path, start, max(start, file.char_offset(span.end_line, span.end_col)), edit.text)
    cell, line = sources.locate(span.path, span.line)
    end_cell, end_line = sources.locate(span.path, span.end_line)
    if cell is None or cell != end_cell:
        return None
    start_at = notebook.offset(cell, line, file.char_column(span.line, span.col) + 1)
    end_at = notebook.offset(cell, end_line, file.char_column(span.end_line, span.end_col) + 1)
    if start_at is None or end_at is None:
        return None
    if not any(first <= start_at <= end_at <= last for first, last in notebook.pieces.get(cell, ())):
        return None
    return FileEdit(span.path, start_at, end_at, json.dumps(edit.text, ensure_ascii=False)[1:-1])
