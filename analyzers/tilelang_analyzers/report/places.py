"""Paths and positions as people and programs read them.

A finding in a notebook has two positions. People, and programs that know notebooks, want the cell and the line in it
(:func:`place`). Programs that mark lines of files want the line of the `.ipynb` file (:func:`file_place`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang_analyzers.sources import Sources

REPOSITORY_VARIABLES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")
"""Where GitHub, GitLab and Azure Pipelines say that the checkout is."""


class Place(NamedTuple):
    """A range. Lines and columns count from 1, columns in characters; the end is exclusive. ``cell`` is 0 outside
    notebooks."""

    path: str
    cell: int
    line: int
    column: int
    end_line: int
    end_column: int


def display_path(path: str) -> str:
    """Relative to the working folder where that is shorter to read, with forward slashes."""
    try:
        relative = os.path.relpath(path)
    except ValueError:
        # Another drive of Windows.
        return path.replace(os.sep, "/")
    return (path if relative.startswith("..") else relative).replace(os.sep, "/")


def shown_path(path: str) -> str:
    """As :func:`display_path`, without characters that could drive a terminal."""
    return clean(display_path(path))


def repository_path(path: str) -> str:
    """Relative to the checkout where a CI service says where that is, since it looks files up there; else as
    :func:`display_path`."""
    for name in REPOSITORY_VARIABLES:
        root = os.environ.get(name, "")
        if root and os.path.isabs(root):  # noqa: PTH117
            try:
                relative = os.path.relpath(path, root)
            except ValueError:
                continue
            if not relative.startswith(".."):
                return relative.replace(os.sep, "/")
    return display_path(path)


def place(span: Span, sources: Sources) -> Place:
    """Where a span is, in the cell if it is in a notebook."""
    file = sources.file(span.path)
    cell, line = sources.locate(span.path, span.line)
    notebook = None if cell else sources.notebook_file(span.path)
    if notebook is not None:
        # What is wrong with a notebook as a whole, such as broken JSON, has a position in the file.
        file = notebook.source
    return Place(
        span.path,
        cell or 0,
        line,
        file.char_column(span.line, span.col) + 1,
        line + span.end_line - span.line,
        file.char_column(span.end_line, span.end_col) + 1,
    )


def file_place(span: Span, sources: Sources) -> Place:
    """Where a span is in its file, at least at line 1. In a notebook this is the line of the JSON text that holds the
    line of the cell."""
    here = place(span, sources)
    notebook = sources.notebook_file(span.path)
    if notebook is None or not here.cell:
        return here._replace(line=max(here.line, 1), end_line=max(here.end_line, here.line, 1))
    line, column = notebook.position(here.cell, here.line, here.column)
    end_line, end_column = notebook.position(here.cell, here.end_line, here.end_column)
    return here._replace(line=line, column=column, end_line=end_line, end_column=end_column)


def location(span: Span, sources: Sources) -> str:
    """``path:line:column``, both from 1, columns in characters; ``path:cell 3:line:column`` in a notebook."""
    here = place(span, sources)
    cell = f"cell {here.cell}:" if here.cell else ""
    return f"{shown_path(span.path)}:{cell}{here.line}:{here.column}"


def line_location(path: str, line: int, sources: Sources) -> str:
    """``path:line``; ``path:cell 3:line`` in a notebook."""
    cell, line = sources.locate(path, line)
    return f"{shown_path(path)}:{f'cell {cell}:' if cell else ''}{line}"
