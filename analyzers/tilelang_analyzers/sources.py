"""The text of source files, for excerpts, suppressions and rules that look at the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from tilelang.ir.span import Span
    from tilelang.syntax.text import SourceText


class Sources:
    """Files by path, read once. Text that an editor or standard input holds is put in by :meth:`overlay`."""

    __slots__ = ("_files", "_trees")

    def __init__(self) -> None:
        self._files: dict[str, SourceText] = {}
        self._trees: dict[str, ast.Module | None] = {}

    def overlay(self, path: str, data: bytes) -> None:
        """Use ``data`` as the content of ``path``."""
        self._files[path] = _read_text(path, data)
        self._trees.pop(path, None)

    def file(self, path: str) -> SourceText:
        """The text of a file; empty if it cannot be read."""
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = _read_text(path, _read(path))
        return found

    def text(self, path: str) -> str:
        return self.file(path).text

    def snippet(self, span: Span) -> str:
        """The text of a span."""
        file = self.file(span.path)
        start, end = file.char_offset(span.line, span.col), file.char_offset(span.end_line, span.end_col)
        return file.text[start:end]

    def tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a file; None if Python cannot parse it."""
        if path not in self._trees:
            self._trees[path] = _parse(self.text(path))
        return self._trees[path]


def _read(path: str) -> bytes:
    from pathlib import Path  # noqa: PLC0415

    try:
        return Path(path).read_bytes()
    except (OSError, ValueError):
        return b""


def _read_text(path: str, data: bytes) -> SourceText:
    from tilelang.syntax.text import SourceText

    return SourceText.from_bytes(path, data)


def _parse(text: str) -> ast.Module | None:
    import ast  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
