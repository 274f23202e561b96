"""The state of the server without protocol: settings, the checker, and the newest version of each document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.config import Config
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.settings import SettingsError, validate
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version of one document."""

    uri: str
    path: str
    version: int
    text: str


@dataclass(slots=True)
class Session:
    """``options`` are settings that the editor gives; they win over `pyproject.toml`. :meth:`check` runs in one worker
    thread, everything else in the thread of the server."""

    options: Mapping[str, object] = field(default_factory=dict[str, object])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    published: set[str] = field(default_factory=set[str])
    """Documents that the editor shows findings for."""
    _checker: Checker = field(default_factory=Checker)

    def is_current(self, snapshot: Snapshot) -> bool:
        """Whether nothing newer of the document has come in, and it is still open."""
        return self.versions.get(snapshot.uri) == snapshot.version

    def forget_files(self) -> None:
        """Read the files of the project again: something was saved."""
        self._checker = Checker()

    def check(self, snapshot: Snapshot) -> tuple[FileReport, Sources]:
        """The report on a snapshot and the texts that its positions refer to. Never raises."""
        data = snapshot.text.encode("utf-8", "surrogatepass")
        sources = Sources()
        sources.overlay(snapshot.path, data)
        try:
            settings = Config(validate(self.options, "editor settings")).for_file(snapshot.path)
            return self._checker.check(snapshot.path, data, settings), sources
        except SettingsError as error:
            return FileReport(snapshot.path, failure=Failure(str(error), internal=False)), sources
