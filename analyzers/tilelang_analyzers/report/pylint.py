"""Lines as pylint's parseable output has them: ``path:line: [E(rule)] message``, for tools that read those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.coverage import summary
from tilelang_analyzers.report.escape import one_line
from tilelang_analyzers.report.places import file_place, shown_path
from tilelang_analyzers.report.remarks import message_in_file, trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style

_LETTERS = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.INFO: "I"}
_FATAL = "F"


def render(run: Run, style: Style) -> Iterator[str]:
    for finding in run.findings():
        line = file_place(finding.span, run.sources).line
        yield _line(
            finding.span.path, line, _LETTERS[finding.severity], finding.rule, message_in_file(finding, run.sources)
        )
    for path, rule, text in trouble(run):
        yield _line(path, 1, _FATAL, rule, text)
    yield from summary(run, style)


def _line(path: str, line: int, letter: str, rule: str, text: str) -> str:
    return f"{shown_path(path)}:{line}: [{letter}({rule})] {one_line(text)}"
