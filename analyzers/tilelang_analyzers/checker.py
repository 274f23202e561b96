"""Checks one file at a time and keeps what files of one project share.

A process has one :class:`Checker`. It turns every failure into a report, so that one file never takes another down.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.deadline import Deadline, OutOfTime
from tilelang_analyzers.relevance import Relevance
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.selection import choose
from tilelang_analyzers.settings import SettingsError
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from tilelang.frontend.cancellation import Cancellation
    from tilelang.frontend.instance import FileAnalysis
    from tilelang.frontend.project import Project
    from tilelang.syntax.module import Module
    from tilelang_analyzers.compiling import Compiler
    from tilelang_analyzers.memory import Memory
    from tilelang_analyzers.profile import Stopwatch
    from tilelang_analyzers.selection import TargetChoice
    from tilelang_analyzers.settings import Settings


class Examination(NamedTuple):
    """A report and what it was made from. The rest is None for a file without kernels and for one that failed."""

    report: FileReport
    analysis: FileAnalysis | None = None
    sources: Sources | None = None
    choice: TargetChoice | None = None


class Checker:
    """Checks files; see :meth:`check`. ``overlays`` are the contents of files that differ from what is on disk;
    ``profile``: the reports tell where the time went. ``compile_jobs``: processes to compile in where the settings ask
    for that; one per core by default."""

    def __init__(
        self,
        overlays: Mapping[str, bytes] = MappingProxyType({}),
        *,
        profile: bool = False,
        compile_jobs: int | None = None,
    ) -> None:
        self._compile_jobs = compile_jobs
        self._compiler: Compiler | None = None
        self._overlays = overlays
        self._profile = profile
        self._projects: dict[object, Project] = {}
        self._choices: dict[int, tuple[Settings, TargetChoice]] = {}
        self._relevance = Relevance()
        self._open: dict[str, tuple[bytes, Module | None]] = {}

    def check(self, path: str, data: bytes, settings: Settings) -> FileReport:
        """The report on one file. ``path`` is absolute; ``data`` is its content, on disk or in an editor.

        Raises :class:`SettingsError` for a target that does not exist, and nothing else.
        """
        return self.examine(path, data, settings).report

    def examine(
        self,
        path: str,
        data: bytes,
        settings: Settings,
        parsed: Module | None = None,
        memory: Memory | None = None,
        cancellation: Cancellation | None = None,
    ) -> Examination:
        """Like :meth:`check`, with what the report was made from.

        ``parsed`` is what ``data`` says, if that has been read already; ``memory`` speeds up later checks of the same
        file. Raises ``Cancelled`` if ``cancellation`` says so.
        """
        choice = self._choice(settings)
        if not self._relevance.matters(path, data, settings.root):
            return Examination(FileReport(path))
        from tilelang.syntax.cpython import paused_collection
        from tilelang_analyzers.engine import check

        try:
            with Deadline(settings.timeout):
                project = self._project(settings, choice)
                held = {other: content for other, (content, _) in self._open.items()}
                sources = Sources(lambda file: _tree(project, file), {**self._overlays, **held})
                sources.overlay(path, data)
                watch = self._stopwatch()
                with watch.evaluation() if watch is not None else nullcontext():
                    analysis = project.analyse(Path(path), data, parsed, cancellation)
                if memory is not None:
                    analysis = memory.adopt(analysis, project.sources)
                pulse = cancellation.check if cancellation is not None else None
                with paused_collection():
                    compiler = self._compile(settings) if memory is None else None
                    report = check(analysis, sources, settings, choice, watch, memory, pulse, compiler)
                if watch is not None:
                    report = report._replace(timings=watch.times())
                return Examination(report, analysis, sources, choice)
        except OutOfTime:
            message = f"took longer than {settings.timeout:g} s and was given up (`timeout` in the settings)"
            return Examination(_failed(path, Failure(message, internal=False)))
        except SettingsError:
            raise
        except Exception as error:  # noqa: BLE001  # the promise of this method
            from traceback import format_exc

            message = f"{type(error).__name__}: {error}".rstrip(": ")
            return Examination(_failed(path, Failure(message, detail=format_exc())))

    def put(self, path: str, data: bytes, parsed: Module | None = None) -> None:
        """Use ``data`` as the content of a file for the checks of other files: an editor has it open."""
        self._open[path] = (data, parsed)
        for project in self._projects.values():
            project.put(path, data, parsed)

    def forget(self, path: str) -> None:
        """Read a file again: it was closed, saved, made or removed."""
        self._open.pop(path, None)
        for project in self._projects.values():
            project.forget(path)
        self._relevance = Relevance()

    def _compile(self, settings: Settings) -> Compiler | None:
        """The compiler of this process, if the settings ask for one. An editor compiles by itself."""
        if not settings.compile:
            return None
        from tilelang_analyzers.compiling import Compiler

        if self._compiler is None:
            self._compiler = Compiler(self._compile_jobs)
        self._compiler.forget()
        return self._compiler

    def _stopwatch(self) -> Stopwatch | None:
        if not self._profile:
            return None
        from tilelang_analyzers.profile import Stopwatch

        return Stopwatch()

    def _choice(self, settings: Settings) -> TargetChoice:
        known = self._choices.get(id(settings))
        if known is None:
            known = self._choices[id(settings)] = (settings, choose(settings))
        return known[1]

    def _project(self, settings: Settings, choice: TargetChoice) -> Project:
        from tilelang.frontend.project import EvaluatorSettings, Project

        archs = tuple(target.arch for target in choice.chosen or ())
        key = (settings.root, archs, tuple(settings.environment.items()), settings.max_instances)
        project = self._projects.get(key)
        if project is None:
            evaluator = EvaluatorSettings(
                environment=dict(settings.environment), max_instances=settings.max_instances, archs=archs
            )
            project = self._projects[key] = Project(Path(settings.root), evaluator)
            for path, data in self._overlays.items():
                project.put(path, data)
            for path, (data, parsed) in self._open.items():
                project.put(path, data, parsed)
        return project


def _failed(path: str, failure: Failure) -> FileReport:
    return FileReport(path, uses_tilelang=True, failure=failure)


def _tree(project: Project, path: str) -> ast.Module | None:
    """The syntax tree that the project has of a file; None if the file is broken."""
    import ast

    parsed = project.sources.parsed(path)
    return None if parsed is None or parsed.problems else ast.Module(parsed.body, [])
