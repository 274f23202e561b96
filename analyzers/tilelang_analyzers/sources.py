"""The text of source files, for excerpts, suppressions and rules that look at the source."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping

    from tilelang.ir.span import Span
    from tilelang.syntax.notebook import Notebook
    from tilelang.syntax.notebook_file import NotebookFile
    from tilelang.syntax.suppressions import Comments
    from tilelang.syntax.text import SourceText

NOTEBOOK_SUFFIX = ".ipynb"


class Sources:
    """Files by path, read once. Text that an editor or standard input holds is put in by :meth:`overlay`.

    The text of a notebook is that of its code cells, one after the other; its lines are lines of that text. ``parse``
    gives syntax trees that somebody else has made already. ``contents`` are looked at before the disk.
    """

    __slots__ = (
        "_comments",
        "_contents",
        "_data",
        "_files",
        "_notebook_files",
        "_notebooks",
        "_overlays",
        "_parse",
        "_trees",
    )

    def __init__(
        self,
        parse: Callable[[str], ast.Module | None] | None = None,
        contents: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        self._parse = parse
        self._contents = contents
        self._files: dict[str, SourceText] = {}
        self._notebooks: dict[str, Notebook] = {}
        self._data: dict[str, bytes] = {}
        self._notebook_files: dict[str, NotebookFile] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self._comments: dict[str, Comments] = {}
        self._overlays: set[str] = set()

    def overlay(self, path: str, data: bytes) -> None:
        """Use ``data`` as the content of ``path``."""
        self._overlays.add(path)
        self._load(path, data)

    def _load(self, path: str, data: bytes) -> None:
        self._trees.pop(path, None)
        self._comments.pop(path, None)
        if path.endswith(NOTEBOOK_SUFFIX):
            from tilelang.syntax.notebook import load_notebook

            self._notebooks[path] = load_notebook(path, data)
            self._data[path] = data
            self._notebook_files.pop(path, None)
            self._files[path] = self._notebooks[path].source
        else:
            from tilelang.syntax.text import SourceText

            self._files[path] = SourceText.from_bytes(path, data)

    def holds(self, path: str) -> bool:
        """Whether the content of ``path`` was put in by :meth:`overlay`."""
        return path in self._overlays

    def file(self, path: str) -> SourceText:
        """The text of a file; empty if it cannot be read."""
        if path not in self._files:
            self._load(path, self._contents[path] if path in self._contents else _read(path))
        return self._files[path]

    def text(self, path: str) -> str:
        return self.file(path).text

    def locate(self, path: str, line: int) -> tuple[int | None, int]:
        """The cell, from 1, and the line in it; for a file that is no notebook, None and the line."""
        if not path.endswith(NOTEBOOK_SUFFIX):
            return None, line
        self.file(path)
        notebook = self._notebooks.get(path)
        place = notebook.locate(line) if notebook else None
        return (None, line) if place is None else (place[0] + 1, place[1])

    def notebook(self, path: str) -> Notebook | None:
        """The notebook at ``path``; None for another file."""
        self.file(path)
        return self._notebooks.get(path)

    def notebook_file(self, path: str) -> NotebookFile | None:
        """The text of a notebook's file with the places of its cells; None for a file that is no notebook."""
        if not path.endswith(NOTEBOOK_SUFFIX):
            return None
        self.file(path)
        if path not in self._notebook_files:
            from tilelang.syntax.notebook_file import NotebookFile

            self._notebook_files[path] = NotebookFile.read(path, self._data[path])
        return self._notebook_files[path]

    def snippet(self, span: Span) -> str:
        """The text of a span."""
        file = self.file(span.path)
        start, end = file.char_offset(span.line, span.col), file.char_offset(span.end_line, span.end_col)
        return file.text[start:end]

    def tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a file; None if Python cannot parse it."""
        if path not in self._trees:
            self._trees[path] = self._parse(path) if self._parse else _parse(self.text(path))
        return self._trees[path]

    def comments(self, path: str) -> Comments:
        """The comments of a file that speak to the checker."""
        if path not in self._comments:
            from tilelang.syntax.suppressions import comments

            self._comments[path] = comments(self.file(path))
        return self._comments[path]


def _read(path: str) -> bytes:
    from pathlib import Path

    try:
        return Path(path).read_bytes()
    except (OSError, ValueError):
        return b""


def _parse(text: str) -> ast.Module | None:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
