"""The state of the server without protocol: settings, the checker, and the newest version of each document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang_analyzers.checker import Checker
from tilelang_analyzers.config import Config
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.settings import SettingsError, validate
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.diagnostics import Diagnostic


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


def in_file(finding: Diagnostic, path: str) -> Diagnostic:
    """The finding as one file shows it: what a call elsewhere causes in a kernel is shown at the kernel, with the call
    as a note."""
    if finding.span.path == path:
        return finding
    here = next((note for note in finding.notes if note.span and note.span.path == path), None)
    if here is None or here.span is None:
        return finding
    others = tuple(note for note in finding.notes if note is not here)
    return replace(finding, span=here.span, notes=(Note("caused here", finding.span), *others))
