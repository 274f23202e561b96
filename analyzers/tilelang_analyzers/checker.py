"""Checks one file at a time and keeps what files of one project share.

A process has one :class:`Checker`. It turns every failure into a report, so that one file never takes another down.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from tilelang_analyzers.deadline import Deadline, OutOfTime
from tilelang_analyzers.relevance import Relevance
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.selection import choose
from tilelang_analyzers.settings import SettingsError
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from tilelang.frontend.project import Project
    from tilelang_analyzers.selection import TargetChoice
    from tilelang_analyzers.settings import Settings


class Checker:
    """Checks files; see :meth:`check`. ``overlays`` are the contents of files that differ from what is on disk;
    ``profile``: the reports tell where the time went."""

    def __init__(self, overlays: Mapping[str, bytes] = MappingProxyType({}), *, profile: bool = False) -> None:
        self._overlays = overlays
        self._profile = profile
        self._projects: dict[object, Project] = {}
        self._choices: dict[int, tuple[Settings, TargetChoice]] = {}
        self._relevance = Relevance()

    def check(self, path: str, data: bytes, settings: Settings) -> FileReport:
        """The report on one file. ``path`` is absolute; ``data`` is its content, on disk or in an editor.

        Raises :class:`SettingsError` for a target that does not exist, and nothing else.
        """
        choice = self._choice(settings)
        if not self._relevance.matters(path, data, settings.root):
            return FileReport(path)
        from tilelang_analyzers.engine import check

        try:
            with Deadline(settings.timeout):
                project = self._project(settings, choice)
                sources = Sources(lambda file: _tree(project, file), self._overlays)
                sources.overlay(path, data)
                if not self._profile:
                    return check(project.analyse(Path(path), data), sources, settings, choice)
                from tilelang_analyzers.profile import EVALUATION, Stopwatch

                watch = Stopwatch()
                with watch.step(EVALUATION):
                    analysis = project.analyse(Path(path), data)
                report = check(analysis, sources, settings, choice, watch)
                return report._replace(timings=watch.times())
        except OutOfTime:
            message = f"took longer than {settings.timeout:g} s and was given up (`timeout` in the settings)"
            return FileReport(path, uses_tilelang=True, failure=Failure(message, internal=False))
        except SettingsError:
            raise
        except Exception as error:  # noqa: BLE001  # the promise of this method
            from traceback import format_exc

            message = f"{type(error).__name__}: {error}".rstrip(": ")
            return FileReport(path, uses_tilelang=True, failure=Failure(message, detail=format_exc()))

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
                project.sources.put(path, data)
        return project


def _tree(project: Project, path: str) -> ast.Module | None:
    """The syntax tree that the project has of a file; None if the file is broken."""
    import ast

    parsed = project.sources.parsed(path)
    return None if parsed is None or parsed.problems else ast.Module(parsed.body, [])
