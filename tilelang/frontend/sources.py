"""Parsed project files, read once and shared by all evaluations of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from tilelang.syntax.module import Module as ParsedModule
    from tilelang.syntax.text import SourceText

MAX_FILE_BYTES = 4_000_000
"""Larger files are generated data; they are not read as imports."""


class SourceCache:
    """Files by path. ``overlay`` holds texts that are newer than the disk: unsaved editors, standard input."""

    def __init__(self) -> None:
        self._parsed: dict[str, ParsedModule | None] = {}
        self._content: dict[str, int] = {}
        self.overlay: dict[str, bytes] = {}
        self.read: set[str] = set()
        """Every file that was asked for: what a cached result depends on."""

    def parsed(self, path: str) -> ParsedModule | None:
        """The module of a file, or ``None`` if it cannot be read."""
        self.read.add(path)
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        return self._parsed[path]

    def tree(self, path: str) -> ParsedModule | None:
        """Like :meth:`parsed`: the object has the statements in ``body``."""
        return self.parsed(path)

    def source(self, path: str) -> SourceText | None:
        """The text of a file."""
        parsed = self.parsed(path)
        return None if parsed is None else parsed.source

    def put(self, path: str, data: bytes, parsed: ParsedModule | None = None) -> bool:
        """Use ``data`` instead of what is on disk; ``parsed`` is what it says, if somebody has read it already. False
        if the file was read with this very content already."""
        if path in self._parsed and self._content.get(path) == hash(data):
            return False
        self.overlay[path] = data
        self._parsed.pop(path, None)
        if parsed is not None:
            self._parsed[path] = parsed
            self._content[path] = hash(data)
        return True

    def forget(self, path: str) -> None:
        """Read the file anew next time."""
        self.overlay.pop(path, None)
        self._parsed.pop(path, None)

    def _parse(self, path: str) -> ParsedModule | None:
        data = self.overlay.get(path)
        if data is None:
            try:
                file = Path(path)
                if not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
                    return None
                data = file.read_bytes()
            except OSError:
                return None
        self._content[path] = hash(data)
        if path.endswith(".ipynb"):
            from tilelang.syntax.notebook import load_notebook

            return load_notebook(path, data).module
        from tilelang.syntax import SourceText, parse_module

        return parse_module(SourceText.from_bytes(path, data))


def statements(module: ParsedModule) -> list[ast.stmt]:
    """The top-level statements of a parsed file."""
    return module.body
