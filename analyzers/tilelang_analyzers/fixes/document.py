"""A file whose text can be changed: how text becomes the bytes of a Python file or of a notebook, and the other way.

Everything that a change does not touch stays byte for byte: encoding, byte order mark and line ends of a Python file;
indentation, key order, escapes and outputs of a notebook.
"""

from __future__ import annotations

import codecs
import io
import tokenize
from typing import TYPE_CHECKING, Protocol

from tilelang.syntax.text import SourceText
from tilelang_analyzers.fixes.edits import applied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.fixes.edits import Change


class CannotRewrite(Exception):
    """The text cannot be written back; the message says why."""


class Document(Protocol):
    """One version of a file. ``source`` has the text and the positions that findings use."""

    @property
    def source(self) -> SourceText: ...

    @property
    def code(self) -> SourceText:
        """The source as Python: what only IPython understands is masked. Positions are the same."""
        ...

    def changed(self, changes: Iterable[Change]) -> bytes:
        """The bytes of the file after the changes. Raises :class:`CannotRewrite`."""
        ...

    def faults(self) -> int:
        """How many syntax errors the file has."""
        ...


def document(path: str, data: bytes) -> Document:
    """The document of a file, by the suffix of its name. Raises :class:`CannotRewrite`."""
    if path.endswith(".ipynb"):
        from tilelang_analyzers.fixes.notebook import NotebookDocument

        return NotebookDocument(path, data)
    return PythonDocument(path, data)


class PythonDocument:
    """A Python file."""

    def __init__(self, path: str, data: bytes) -> None:
        self.source = self.code = SourceText.from_bytes(path, data)
        self._mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        self._encoding = _encoding(data)
        if self._encoded(self.source.text) != data:
            raise CannotRewrite("its text is not valid in its encoding")

    def changed(self, changes: Iterable[Change]) -> bytes:
        data = self._encoded(applied(self.source.text, changes))
        if data is None:
            raise CannotRewrite(f"the new text has characters that {self._encoding} lacks")
        return data

    def faults(self) -> int:
        from tilelang.syntax import parse_module

        return len(parse_module(self.source).problems)

    def _encoded(self, text: str) -> bytes | None:
        try:
            return self._mark + text.encode(self._encoding)
        except (UnicodeEncodeError, LookupError):
            return None


def _encoding(data: bytes) -> str:
    """The encoding that Python reads the file in. Raises :class:`CannotRewrite`."""
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise CannotRewrite(str(error)) from None
    return "utf-8" if name == "utf-8-sig" else name
