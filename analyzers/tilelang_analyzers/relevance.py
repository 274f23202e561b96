"""Which files are worth an evaluation: those that mention TileLang, and those that import such a file of the project.

A search in the bytes spares most files of a project the parser. It may say yes too often; the evaluator decides.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNS_OF_USE = (b"tilelang", b"prim_func", b".Kernel(")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+(?P<members>\([^)]*\)|[^\n]*)"
    rb"|import[ \t]+(?P<plain>[^\n]+))",
    re.MULTILINE,
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_DOTTED = re.compile(rb"[A-Za-z_][\w.]*")
DEPTH = 3
"""Imports that are followed from file to file."""
MAX_FILE_BYTES = 1_000_000


def mentions_language(data: bytes) -> bool:
    """Whether a file may hold a kernel itself."""
    return any(sign in data for sign in _SIGNS_OF_USE) or data.startswith(_WIDE_MARKS)


class Relevance:
    """Answers for the files of one run; what it reads on the way it keeps."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}
        self._modules = _Modules()

    def matters(self, path: str, data: bytes, root: str, depth: int = DEPTH) -> bool:
        """Whether a file mentions TileLang or leads to a file of the project below ``root`` that does."""
        if mentions_language(data):
            return True
        if depth == 0 or b"import" not in data:
            return False
        return any(
            self._file_matters(found, root, depth - 1) for found in self._modules.imported_files(path, data, root)
        )

    def _file_matters(self, path: str, root: str, depth: int) -> bool:
        if path not in self._known:
            # A cycle of imports ends here: the first file of it answers for all.
            self._known[path] = False
            self._known[path] = self.matters(path, _read(path), root, depth)
        return self._known[path]


class _Modules:
    """Where the modules are that import statements name. Every question to the disk is asked once."""

    def __init__(self) -> None:
        self._folders: dict[tuple[str, str], list[str]] = {}
        self._files: dict[tuple[str, str], str] = {}

    def imported_files(self, path: str, data: bytes, root: str) -> Iterator[str]:
        """Files of the project that the import statements may name."""
        folder = os.path.dirname(path)  # noqa: PTH120
        folders = self._search_folders(folder, root)
        for match in _IMPORT.finditer(data):
            if match["plain"] is not None:
                for dotted in _DOTTED.findall(match["plain"]):
                    yield from self._module_files(folders, dotted.decode())
                continue
            dots = len(match["dots"])
            places = [_above(folder, dots - 1)] if dots else folders
            module = match["module"].decode("ascii", "ignore")
            yield from self._module_files(places, module)
            for member in _WORD.findall(match["members"]):
                yield from self._module_files(places, f"{module}.{member.decode()}".lstrip("."))

    def _search_folders(self, folder: str, root: str) -> list[str]:
        """Where absolute imports are looked up: the folder, those above it up to the root, and source folders."""
        if (folder, root) not in self._folders:
            folders = [folder]
            while folders[-1] != root and os.path.dirname(folders[-1]) != folders[-1]:  # noqa: PTH120
                folders.append(os.path.dirname(folders[-1]))  # noqa: PTH120
            self._folders[folder, root] = list(dict.fromkeys((*folders, root, f"{root}/src", f"{root}/python")))
        return self._folders[folder, root]

    def _module_files(self, folders: list[str], module: str) -> Iterator[str]:
        if module.partition(".")[0] in sys.stdlib_module_names:
            return
        for folder in folders:
            key = (folder, module)
            if key not in self._files:
                self._files[key] = _module_file(folder, module)
            if self._files[key]:
                yield self._files[key]


def _module_file(folder: str, module: str) -> str:
    """The file of a module in one folder; empty if there is none."""
    base = "/".join((folder, *module.split("."))) if module else folder
    if module and os.path.isfile(f"{base}.py"):  # noqa: PTH113
        return f"{base}.py"
    package = f"{base}/__init__.py"
    return package if os.path.isfile(package) else ""  # noqa: PTH113


def _above(folder: str, levels: int) -> str:
    for _ in range(levels):
        folder = os.path.dirname(folder)  # noqa: PTH120
    return folder


def _read(path: str) -> bytes:
    try:
        file = Path(path)
        return file.read_bytes() if file.is_file() and file.stat().st_size <= MAX_FILE_BYTES else b""
    except OSError:
        return b""
