"""One run over many files: find them, take what the cache has, check the rest, in parallel where that is faster."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.discover import discover, is_left_out
from tilelang_analyzers.relevance import Relevance
from tilelang_analyzers.report import Run
from tilelang_analyzers.results import FileReport, words_of
from tilelang_analyzers.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tilelang_analyzers.cache import Cache
    from tilelang_analyzers.config import Config
    from tilelang_analyzers.settings import Settings

    Task = tuple[str, bytes, Settings]
    Progress = Callable[[int, int], None]
    OnReport = Callable[[FileReport, Sources], None]

PARALLEL_FROM = 8
"""Files below which a second worker costs more than it saves, since it has to import everything again."""
MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. ``jobs``: worker processes, 0 for one per core; ``with_instances``: the report shows instances;
    ``stdin``: the name and the content of a file that is not read from disk; ``in_process``: no worker where one would
    do, so that nothing protects the caller from a crash or a hang in native code."""

    jobs: int = 0
    use_cache: bool = True
    with_instances: bool = True
    stdin: tuple[str, bytes] | None = None
    trace: bool = False
    debug: bool = False
    profile: bool = False
    in_process: bool = False


def run(
    paths: Sequence[str],
    config: Config,
    options: Options,
    progress: Progress | None = None,
    on_report: OnReport | None = None,
) -> Run:
    """Check files and folders; see :meth:`Checkup.start`."""
    checkup = Checkup(paths, config, options, progress)
    checkup.start(on_report)
    return checkup.result()


class Checkup:
    """The files of one run with their reports, which can be brought up to date as files change.

    ``contents`` has every file of the run that could be read; ``reports`` has one report for each.
    """

    def __init__(
        self, paths: Sequence[str], config: Config, options: Options, progress: Progress | None = None
    ) -> None:
        self.contents: dict[str, bytes] = {}
        self.reports: dict[str, FileReport] = {}
        self.sources = Sources()
        self._paths = paths
        self._config = config
        self._options = options
        self._progress = progress
        self.folders: list[str] = []
        """Folders that were searched for files."""
        self._found: list[str] = []
        self._unreadable: list[tuple[str, str]] = []

    def start(self, on_report: OnReport | None = None) -> None:
        """Find the files and check them. ``on_report`` is called for each file as soon as it and all before it in the
        order of paths are checked. Raises ``SettingsError`` for settings that cannot be used."""
        stdin = self._options.stdin
        if stdin is None:
            found = discover(self._paths, self._config.for_folder)
            self._found, self.folders = found.files, found.folders
            self._unreadable += found.problems
            for path in found.files:
                data = _read(path)
                if isinstance(data, str):
                    self._unreadable.append((path, data))
                else:
                    self.contents[path] = data
        else:
            path = os.path.abspath(stdin[0])  # noqa: PTH100
            self.sources.overlay(path, stdin[1])
            if not is_left_out(Path(path), self._config.for_file(path)):
                self.contents[path] = stdin[1]
        self._check(self.contents, {}, use_cache=self._options.use_cache and stdin is None, on_report=on_report)

    def is_complete(self) -> bool:
        """Whether the files of the run are still those that would be found."""
        return self._options.stdin is not None or discover(self._paths, self._config.for_folder).files == self._found

    def update(self, changed: Mapping[str, bytes]) -> set[str]:
        """Check files again that have a new content, on disk or not, and those that read or are called by them. The
        result says which those are."""
        for path, data in changed.items():
            self.contents[path] = data
            self.sources.overlay(path, data)
        stale = {path for path in self.contents if path in changed or self._depends(path, changed)}
        overlays = {path: data for path, data in self.contents.items() if path in changed or self.sources.holds(path)}
        self._check(stale, overlays, use_cache=False)
        return stale

    def result(self) -> Run:
        """The state of all files."""
        return Run(
            files=tuple(self.reports[path] for path in sorted(self.reports)),
            sources=self.sources,
            unreadable=tuple(self._unreadable),
            targets=_targets(self.reports.values(), self._config),
            trace=self._options.trace,
            debug=self._options.debug,
        )

    def _depends(self, path: str, changed: Mapping[str, bytes]) -> bool:
        report = self.reports.get(path)
        if report is None or not set(report.dependencies).isdisjoint(changed):
            return True
        words = [word.encode() for word in words_of(report, self.contents[path])]
        return any(word in data for data in changed.values() for word in words)

    def _check(
        self,
        paths: Iterable[str],
        overlays: Mapping[str, bytes],
        *,
        use_cache: bool,
        on_report: OnReport | None = None,
    ) -> None:
        tasks: list[Task] = []
        relevance = Relevance()
        for path in paths:
            data, settings = self.contents[path], self._config.for_file(path)
            if relevance.matters(path, data, settings.root):
                tasks.append((path, data, settings))
            else:
                self.reports[path] = FileReport(path)
        options = replace(self._options, use_cache=use_cache)
        ready = _InOrder(sorted(paths), self.reports, self.sources, on_report)
        for report in _reports(tasks, options, overlays, self._progress):
            self.reports[report.path] = report
            ready.advance()
        ready.advance()


class _InOrder:
    """Hands reports on in the order of ``paths``, however they arrive in ``reports``."""

    def __init__(
        self, paths: list[str], reports: Mapping[str, FileReport], sources: Sources, on_report: OnReport | None
    ) -> None:
        self._waiting = deque(paths)
        self._reports = reports
        self._sources = sources
        self._on_report = on_report

    def advance(self) -> None:
        """Hand on what is ready."""
        while self._on_report and self._waiting and self._waiting[0] in self._reports:
            self._on_report(self._reports[self._waiting.popleft()], self._sources)


def _read(path: str) -> bytes | str:
    """The content of a file, or why it cannot be read."""
    try:
        if not os.path.isfile(path):  # noqa: PTH113
            return "no regular file"
        if os.path.getsize(path) > MAX_FILE_BYTES:  # noqa: PTH202
            return f"larger than {MAX_FILE_BYTES // 1_000_000} MB"
        return Path(path).read_bytes()
    except OSError as error:
        return error.strerror or "cannot be read"


def _reports(
    tasks: list[Task], options: Options, overlays: Mapping[str, bytes], progress: Progress | None
) -> Iterator[FileReport]:
    rest: list[Task] = []
    cache = _open_cache(options)
    for path, data, settings in tasks:
        stored = cache.load(path, data, settings) if cache and settings.cache else None
        if stored is not None:
            yield stored
        else:
            rest.append((path, data, settings))
    for settings in {id(settings): settings for _, _, settings in rest}.values():
        _choose(settings)
    started = time.time()
    contents = {path: (data, settings) for path, data, settings in rest}
    for done, report in enumerate(_check(rest, options, overlays), 1):
        data, settings = contents[report.path]
        if cache and settings.cache:
            cache.store(report, data, settings, started)
        if progress:
            progress(done, len(rest))
        yield report


def _open_cache(options: Options) -> Cache | None:
    if not options.use_cache or options.profile:
        return None
    from tilelang_analyzers.cache import Cache

    return Cache(with_instances=options.with_instances or options.trace)


def _check(tasks: list[Task], options: Options, overlays: Mapping[str, bytes]) -> Iterator[FileReport]:
    jobs = min(options.jobs or (_cores() if len(tasks) >= PARALLEL_FROM else 1), len(tasks))
    if jobs > 1 or (tasks and can_fork() and not options.in_process):
        from tilelang_analyzers.pool import check_in_parallel

        # The largest files first, so that none of them is left for the end.
        ordered = sorted(tasks, key=lambda task: -len(task[1]))
        compile_jobs = max((options.jobs or _cores()) // max(jobs, 1), 1)
        yield from check_in_parallel(ordered, jobs, overlays, profile=options.profile, compile_jobs=compile_jobs)
        return
    from tilelang_analyzers.checker import Checker

    checker = Checker(overlays, profile=options.profile, compile_jobs=options.jobs or None)
    for path, data, settings in tasks:
        yield checker.check(path, data, settings)


def can_fork() -> bool:
    """Whether a worker starts at once, so that even a single file is checked in one. Not on macOS, whose system
    libraries do not survive forking."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _targets(reports: Iterable[FileReport], config: Config) -> tuple[tuple[str, str], ...]:
    """The chosen targets of all files, in the order in which they are named."""
    if all(not report.uses_tilelang for report in reports):
        return _choose(config.for_folder(Path.cwd()))
    return tuple(dict.fromkeys(target for report in reports for target in report.targets))


def _choose(settings: Settings) -> tuple[tuple[str, str], ...]:
    """The targets of some settings. Raises ``SettingsError`` for a name that no target has."""
    from tilelang_analyzers.selection import choose

    return tuple((target.arch, target.label) for target in choose(settings).chosen or ())
