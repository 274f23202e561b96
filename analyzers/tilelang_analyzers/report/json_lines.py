"""One JSON object a line: findings as in the JSON report, then failures, then the summary.

`docs/json-schema/report-lines.schema.json` describes it. Without options that need all results, the command prints the
lines of a file as soon as it and all files before it are checked, so a reader need not wait for the end of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report import identity, in_order
from tilelang_analyzers.report.escape import json_text
from tilelang_analyzers.report.json import SCHEMA_VERSION, coverage_data, failure_data, finding_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import FileReport
    from tilelang_analyzers.sources import Sources


def render(run: Run, style: Style) -> Iterator[str]:
    stream = Stream()
    for file in run.files:
        yield from stream.lines(file, run.sources)
    yield from stream.closing(run)


class Stream:
    """The lines of a run whose results arrive file by file, in the order of their paths."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def lines(self, file: FileReport, sources: Sources) -> Iterator[str]:
        """The findings of one file that no earlier file had."""
        for finding in in_order(file.findings):
            key = identity(finding)
            if key not in self._seen:
                self._seen.add(key)
                yield _line("finding", finding_data(finding, sources))
        if file.failure:
            yield _line("failure", failure_data(file.path, file.failure.message, internal=file.failure.internal))

    def closing(self, run: Run) -> Iterator[str]:
        """What follows the last file."""
        for path, message in run.unreadable:
            yield _line("failure", failure_data(path, message, internal=False))
        counts = {severity.label: run.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}
        yield _line(
            "summary",
            {"version": SCHEMA_VERSION, "findings": counts, "coverage": coverage_data(run)},
        )


def _line(kind: str, data: dict[str, object]) -> str:
    return json_text({"kind": kind, **data}, indent=None)
