"""One version of one file, as every feature sees it: text, statements, tree and names, each read once on demand."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from tilelang.frontend.project import mentions_language
from tilelang.syntax.document import Document
from tilelang.syntax.notebook import masked_text
from tilelang_lsp.ide.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from tilelang.syntax.document import Change
    from tilelang.syntax.module import Module
    from tilelang.syntax.text import SourceText


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell of an open notebook: what the editor calls it, and the lines it takes in the joined text."""

    uri: str
    start_line: int
    line_count: int


@dataclass(frozen=True, eq=False)
class SourceFile:
    """Immutable; compared by identity. ``data`` is what the checker reads: for a notebook, a notebook of its cells.

    The text of a notebook is that of its code cells, with Python in place of what only IPython understands.
    """

    path: str
    version: int
    document: Document
    data: bytes
    cells: tuple[Cell, ...] = ()

    @staticmethod
    def open(path: str, text: str, version: int = 0) -> SourceFile:
        """A Python file. Line ends stay as they are."""
        document = Document.open(path, text, version)
        return SourceFile(path, version, document, _encoded(document.source))

    @staticmethod
    def of_cells(path: str, cells: Sequence[tuple[str, str]], version: int = 0) -> SourceFile:
        """A notebook of code cells, each a name and a text."""
        places: list[Cell] = []
        texts = [text.replace("\r\n", "\n").replace("\r", "\n") for _, text in cells]
        line = 1
        for (uri, _), text in zip(cells, texts, strict=True):
            count = text.count("\n") + 1
            places.append(Cell(uri, line, count))
            line += count
        joined = "\n".join(masked_text(text) for text in texts)
        content: dict[str, object] = {
            "cells": [{"cell_type": "code", "source": text} for text in texts],
            "metadata": {},
        }
        document = Document.open(path, joined, version)
        return SourceFile(path, version, document, json.dumps(content).encode(), tuple(places))

    def edit(self, changes: Iterable[Change], version: int) -> SourceFile:
        """The file after changes that apply one after the other."""
        document = self.document.edit(changes, version)
        return SourceFile(self.path, version, document, _encoded(document.source))

    @property
    def source(self) -> SourceText:
        return self.document.source

    @property
    def module(self) -> Module:
        return self.document.module

    @property
    def root(self) -> Node:
        """The root of the tree-sitter tree."""
        return self.document.tree.root_node

    @cached_property
    def names(self) -> Names:
        """Every name with what it stands for."""
        return Names.of(self.path, self.module.body, self.source)

    def names_near(self, line: int) -> Names:
        """The names that count at a line, also where reading the whole file would take too long for a keystroke."""
        if "names" in self.__dict__:
            return self.names
        return _names_near(self, line)

    @cached_property
    def mentions_language(self) -> bool:
        """Whether the file has anything to do with TileLang. On other files the server keeps quiet."""
        return mentions_language(self.source.text)

    def cell_at(self, line: int) -> Cell | None:
        """The cell of a line of the joined text; None for a file that is no notebook."""
        index = bisect_right([cell.start_line for cell in self.cells], line) - 1
        return self.cells[index] if index >= 0 else None


@lru_cache(maxsize=2)
def _names_near(file: SourceFile, line: int) -> Names:
    return Names.of(file.path, file.module.body, file.source, line)


def _encoded(source: SourceText) -> bytes:
    """The text as the checker reads it from disk. The byte order mark of UTF-8 keeps a coding comment from changing
    what the editor has decoded already."""
    data = source.text.encode("utf-8", "replace")
    return b"\xef\xbb\xbf" + data if b"coding" in data[:400] else data
