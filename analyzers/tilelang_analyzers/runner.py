"""One run over many files: find them, take what the cache has, check the rest, in parallel where that is faster."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.discover import Discovered, discover
from tilelang_analyzers.relevance import Relevance
from tilelang_analyzers.report import Run
from tilelang_analyzers.results import FileReport
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
"""Files below which starting a second process costs more than it saves: 30 ms against 10 to 40 ms a file."""
MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. ``jobs``: worker processes, 0 for one per core; ``with_instances``: the report shows instances;
    ``stdin``: the name and the content of a file that is not read from disk."""

    jobs: int = 0
    use_cache: bool = True
    with_instances: bool = True
    stdin: tuple[str, bytes] | None = None
    trace: bool = False
    debug: bool = False


def run(
    paths: Sequence[str],
    config: Config,
    options: Options,
    progress: Progress | None = None,
    on_report: OnReport | None = None,
) -> Run:
    """Check files and folders. ``on_report`` is called for each file as soon as it and all before it in the order of
    paths are checked. Raises ``SettingsError`` for settings that cannot be used."""
    sources = Sources()
    found = Discovered()
    if options.stdin is None:
        found = discover(paths, config.for_folder)
    else:
        path = os.path.abspath(options.stdin[0])  # noqa: PTH100
        sources.overlay(path, options.stdin[1])
        found.files.append(path)
    unreadable = list(found.problems)
    reports: dict[str, FileReport] = {}
    tasks: list[Task] = []
    relevance = Relevance()
    for path in found.files:
        data = options.stdin[1] if options.stdin else _read(path)
        if isinstance(data, str):
            unreadable.append((path, data))
            continue
        settings = config.for_file(path)
        if relevance.matters(path, data, settings.root):
            tasks.append((path, data, settings))
        else:
            reports[path] = FileReport(path)
    ready = _InOrder(sorted([*reports, *(task[0] for task in tasks)]), reports, sources, on_report)
    for report in _reports(tasks, options, progress):
        reports[report.path] = report
        ready.advance()
    ready.advance()
    return Run(
        files=tuple(reports[path] for path in sorted(reports)),
        sources=sources,
        unreadable=tuple(unreadable),
        targets=_targets(reports.values(), config),
        trace=options.trace,
        debug=options.debug,
    )


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


def _reports(tasks: list[Task], options: Options, progress: Progress | None) -> Iterator[FileReport]:
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
    for done, report in enumerate(_check(rest, options), 1):
        data, settings = contents[report.path]
        if cache and settings.cache:
            cache.store(report, data, settings, started)
        if progress:
            progress(done, len(rest))
        yield report


def _open_cache(options: Options) -> Cache | None:
    if not options.use_cache or options.stdin is not None:
        return None
    from tilelang_analyzers.cache import Cache

    return Cache(with_instances=options.with_instances or options.trace)


def _check(tasks: list[Task], options: Options) -> Iterator[FileReport]:
    jobs = min(options.jobs or _cores(), len(tasks))
    if jobs > 1 and (len(tasks) >= PARALLEL_FROM or options.jobs > 1):
        from tilelang_analyzers.pool import check_in_parallel

        # The largest files first, so that none of them is left for the end.
        yield from check_in_parallel(sorted(tasks, key=lambda task: -len(task[1])), jobs)
        return
    from tilelang_analyzers.checker import Checker

    checker = Checker()
    for path, data, settings in tasks:
        yield checker.check(path, data, settings)


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
