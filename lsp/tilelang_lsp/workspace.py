"""The files of the open folders: those that an editor holds, else those on disk, and which import names which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.frontend.index import python_files
from tilelang.frontend.modules import ModuleTable
from tilelang.frontend.sources import MAX_FILE_BYTES, SourceCache
from tilelang.syntax.text import SourceText
from tilelang_analyzers.config import project_root
from tilelang_lsp.files import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_KNOWN = 200
"""Files from disk that stay parsed."""


class Workspace:
    """Shared by all snapshots; what it reads from disk it keeps until :meth:`forget`."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self.open: dict[str, SourceFile] = {}
        self._disk: dict[str, SourceFile | None] = {}
        self._listed: dict[str, list[str]] = {}
        self._modules: dict[str, ModuleTable] = {}

    def file(self, path: str) -> SourceFile | None:
        """The newest text of a file; None if it cannot be read or is no Python file."""
        held = self.open.get(path)
        if held is not None:
            return held
        if path in self._disk:
            return self._disk.get(path)
        if len(self._disk) > MAX_KNOWN:
            self._disk.clear()
        found = self._disk[path] = _read(path)
        return found

    def forget(self, path: str) -> None:
        """A file was changed, made or removed on disk."""
        self._disk.pop(path, None)
        self._listed.clear()
        self._modules.clear()

    def root_of(self, path: str) -> str:
        """The open folder that a file is in, else the root of its project."""
        inside = [folder for folder in self.folders if path.startswith(folder.rstrip("/\\") + "/")]
        return max(inside, key=len) if inside else str(project_root(Path(path).parent))

    def paths(self) -> Iterator[str]:
        """Python files of the open folders, those of the editor first."""
        # A copy: searches run in other threads, while the editor opens and closes files.
        held = list(self.open)
        yield from held
        for folder in list(self.folders):
            listed = self._listed.get(folder)
            if listed is None:
                listed = self._listed[folder] = [str(path) for path in python_files(Path(folder))]
            yield from (path for path in listed if path not in held)

    def importers(self, word: str) -> Iterator[SourceFile]:
        """Files of the workspace whose text has a word, for searches by name. The text is looked at before parsing."""
        needle = word.encode()
        for path in self.paths():
            held = self.open.get(path)
            if held is not None:
                if word in held.source.text:
                    yield held
            elif path in self._disk or needle in _bytes(path):
                file = self.file(path)
                if file is not None and word in file.source.text:
                    yield file

    def module(self, name: str, importer: str) -> str | None:
        """The project file of a module name, relative if it starts with dots."""
        root = self.root_of(importer)
        if root not in self._modules:
            self._modules[root] = ModuleTable(SourceCache(), Path(root))
        found = self._modules[root].imported_file(name, importer)
        return None if found is None else str(found)


def _bytes(path: str) -> bytes:
    try:
        file = Path(path)
        return file.read_bytes() if file.stat().st_size <= MAX_FILE_BYTES else b""
    except OSError:
        return b""


def _read(path: str) -> SourceFile | None:
    if not path.endswith((".py", ".pyi")) or not Path(path).is_file():
        return None
    return SourceFile.open(path, SourceText.from_bytes(path, _bytes(path)).text)
