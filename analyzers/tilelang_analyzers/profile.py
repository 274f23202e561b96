"""Where the time of a run goes: by step and rule, and by file.

Rules share what they compute (`InstanceContext.shared`, resource plans): the first one that asks pays for it.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tilelang_analyzers.report.places import display_path

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from tilelang_analyzers.results import FileReport

EVALUATION = "evaluation"
"""Parsing and evaluating the file and what it imports."""
RULE = "rule "
"""Begins the names of rules among the steps."""
MAX_FILES_SHOWN = 10
MIN_SHARE = 0.001
"""Smaller steps are counted only."""


class Stopwatch:
    """Seconds by step."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        """A ``with`` block whose time belongs to a step."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - started

    def evaluation(self) -> AbstractContextManager[None]:
        """A ``with`` block around the evaluation of a file."""
        return self.step(EVALUATION)

    def times(self) -> tuple[tuple[str, float], ...]:
        return tuple(self._seconds.items())


def profile_lines(files: Iterable[FileReport], seconds: float) -> Iterator[str]:
    """Tables of the steps and the slowest files. ``seconds`` is what the whole run took on the clock."""
    by_step, by_file = _sums(files)
    whole = sum(by_step.values())
    yield f"checking took {seconds:.2f} s; {whole:.2f} s of work in {_files(len(by_file))}"
    yield f"{'seconds':>9} {'share':>6}  step"
    steps = _slowest(by_step)
    shown = [(name, spent) for name, spent in steps if spent >= MIN_SHARE * whole]
    for name, spent in shown:
        yield f"{spent:9.3f} {spent / whole if whole else 0:6.1%}  {name}"
    if len(steps) > len(shown):
        yield f"{'':18}and {len(steps) - len(shown)} steps of less than {MIN_SHARE:.1%}"
    yield f"{'seconds':>9} {'share':>6}  file"
    for path, spent in _slowest(by_file)[:MAX_FILES_SHOWN]:
        yield f"{spent:9.3f} {spent / whole if whole else 0:6.1%}  {display_path(path)}"
    if len(by_file) > MAX_FILES_SHOWN:
        yield f"{'':18}and {_files(len(by_file) - MAX_FILES_SHOWN)} more"


def profile_json(files: Iterable[FileReport], seconds: float) -> str:
    """The same as JSON, with every file and its steps."""
    every = sorted((file for file in files if file.timings), key=lambda it: it.path)
    by_step, _ = _sums(every)
    document = {
        "version": 1,
        "seconds": round(seconds, 6),
        "steps": {name: round(spent, 6) for name, spent in _slowest(by_step)},
        "files": [
            {"path": display_path(file.path), "steps": {name: round(spent, 6) for name, spent in file.timings}}
            for file in every
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _sums(files: Iterable[FileReport]) -> tuple[dict[str, float], dict[str, float]]:
    by_step: dict[str, float] = defaultdict(float)
    by_file: dict[str, float] = defaultdict(float)
    for file in files:
        for name, spent in file.timings:
            by_step[name] += spent
            by_file[file.path] += spent
    return by_step, by_file


def _slowest(times: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(times.items(), key=lambda item: (-item[1], item[0]))


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
