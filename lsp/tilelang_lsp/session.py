"""The state of the server without protocol: open files, settings, checks, and snapshots of it all for the features.

Everything here runs in the thread of the server, except :meth:`Session.examine`, which one worker thread runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang_analyzers.checker import Checker
from tilelang_analyzers.config import Config
from tilelang_analyzers.memory import Memory
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.settings import SettingsError
from tilelang_lsp.analysis import Analysis, Map
from tilelang_lsp.options import EditorOptions
from tilelang_lsp.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.diagnostics import Diagnostic
    from tilelang.frontend.cancellation import Cancellation
    from tilelang.frontend.instance import Instance
    from tilelang_analyzers.settings import Settings
    from tilelang_lsp.analysis import Kernel
    from tilelang_lsp.compiles import Compiled, Key
    from tilelang_lsp.files import SourceFile

Picks = tuple[str, str]
"""A file and the name of a kernel in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What a feature works on. ``analysis`` is the last one that was finished: it may be of an older version of the
    file, which :attr:`is_current` tells."""

    file: SourceFile
    analysis: Analysis | None
    workspace: Workspace
    options: EditorOptions
    picks: Mapping[Picks, int]
    maps: dict[int, Map]
    compiled: Mapping[Key, Compiled]

    @property
    def is_current(self) -> bool:
        return self.analysis is not None and self.analysis.file is self.file

    def instance(self, kernel: Kernel) -> Instance:
        """The instance of a kernel that views show."""
        return kernel.chosen(self.picks.get((self.file.path, kernel.name)))[1]

    def map_of(self, instance: Instance) -> Map:
        """Where the parts of an instance are in this file."""
        key = id(instance.program)
        if key not in self.maps:
            self.maps[key] = Map(instance, self.file.path)
        return self.maps[key]

    def map_at(self, line: int) -> Map | None:
        """The map of the shown instance of the kernel around a line."""
        kernel = self.analysis.kernel_at(line) if self.analysis is not None else None
        return self.map_of(self.instance(kernel)) if kernel is not None else None


class Session:
    """One connection."""

    def __init__(self) -> None:
        self.options = EditorOptions()
        self.workspace = Workspace()
        self.analyses: dict[str, Analysis] = {}
        self.picks: dict[Picks, int] = {}
        self.compiled: Mapping[Key, Compiled] = {}
        """The results of the compiler, which :class:`~tilelang_lsp.compiles.Compiles` fills in."""
        self._config = Config()
        self._checker = Checker()
        self._memories: dict[tuple[str, int], Memory] = {}
        self._maps: tuple[Analysis | None, dict[int, Map]] = (None, {})

    # --- documents ----------------------------------------------------------------------------------------------

    def put(self, file: SourceFile) -> None:
        """An editor has this text of a file."""
        self.workspace.open[file.path] = file

    def close(self, path: str) -> None:
        """The text on disk counts again."""
        self.workspace.open.pop(path, None)
        self.analyses.pop(path, None)
        self._memories = {key: value for key, value in self._memories.items() if key[0] != path}
        self.forget(path)

    def forget(self, path: str) -> None:
        """A file was changed, made or removed on disk, or an editor let go of it."""
        self.workspace.forget(path)
        if path not in self.workspace.open:
            self._checker.forget(path)

    def forget_callers(self) -> None:
        """A file was saved: it may call kernels of others, or no longer call them."""
        self._checker = Checker()

    def snapshot(self, path: str) -> Snapshot | None:
        """The state of an open file now."""
        file = self.workspace.open.get(path)
        if file is None:
            return None
        analysis = self.analyses.get(path)
        maps = self._maps_of(analysis)
        return Snapshot(file, analysis, self.workspace, self.options, self.picks, maps, self.compiled)

    def _maps_of(self, analysis: Analysis | None) -> dict[int, Map]:
        """Maps are kept as long as one file is worked on."""
        if self._maps[0] is not analysis:
            self._maps = (analysis, {})
        return self._maps[1]

    # --- settings -----------------------------------------------------------------------------------------------

    def configure(self, options: EditorOptions | None = None) -> None:
        """Use other settings of the editor, or read configuration files again."""
        self.options = options or self.options
        self._config = Config(self.options.checker)
        # What is remembered of instances holds under the settings of that time.
        self._memories = {}

    def settings(self, path: str) -> Settings:
        """The settings of a file. Raises :class:`SettingsError`."""
        return self._config.for_file(path)

    # --- checking -----------------------------------------------------------------------------------------------

    def is_current(self, file: SourceFile) -> bool:
        """Whether nothing newer of the file has come in, and it is still open."""
        return self.workspace.open.get(file.path) is file

    def dependents(self, path: str) -> list[str]:
        """Other open files whose findings rest on a file."""
        return [
            other
            for other, analysis in self.analyses.items()
            if other != path and other in self.workspace.open and path in analysis.report.dependencies
        ]

    @staticmethod
    def warm_up() -> None:
        """Load what every check needs, while the editor still makes itself ready."""
        from tilelang.frontend.evaluator import load_handlers
        from tilelang_analyzers import engine, rules

        load_handlers()
        rules.load_all()
        assert engine is not None

    def examine(self, file: SourceFile, cancellation: Cancellation | None = None) -> Analysis:
        """Check one version of a file. Raises ``Cancelled``, and nothing on the file's account."""
        checker = self._checker
        try:
            settings = self.settings(file.path)
            for other in list(self.workspace.open.values()):
                if other is not file and not other.cells and other.mentions_language:
                    checker.put(other.path, other.data, other.module)
            memory = self._memories.setdefault((file.path, id(settings)), Memory())
            parsed = None if file.cells else file.module
            done = checker.examine(file.path, file.data, settings, parsed, memory, cancellation)
        except SettingsError as error:
            report = FileReport(file.path, failure=Failure(str(error), internal=False))
            return Analysis(file, report, Memory())
        made = Analysis(file, done.report, memory, done.analysis, done.sources, done.choice)
        return made.prepare() if done.analysis is not None else made


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


def findings_of(analysis: Analysis) -> tuple[Diagnostic, ...]:
    """The findings that an editor shows in a file."""
    path = analysis.file.path
    shown = (in_file(finding, path) for finding in analysis.report.findings)
    return tuple(finding for finding in shown if finding.span.path == path)
