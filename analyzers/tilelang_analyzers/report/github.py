"""Workflow commands of GitHub Actions, which become annotations on the lines of a pull request.

GitHub keeps ten annotations of each level for a step. What is beyond that is printed as plain lines, and the last lines
say so. The command writes the Markdown report to the step's summary besides (`GITHUB_STEP_SUMMARY`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.coverage import summary
from tilelang_analyzers.report.places import file_place, repository_path
from tilelang_analyzers.report.remarks import message, message_in_file, remarks, trouble, where_text
from tilelang_analyzers.report.style import clean, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.sources import Sources

LIMIT = 10
"""Annotations of one level that GitHub shows for a step."""
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(run: Run, style: Style) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for path, rule, text in trouble(run):
        shown["error"] += 1
        if shown["error"] <= LIMIT:
            yield _command("error", {"file": clean(repository_path(path)), "title": rule}, text)
        else:
            yield plain(f"error[{rule}]: {clean(repository_path(path))}: {text}")
    rest: list[Diagnostic] = []
    for finding in run.findings():
        level = _COMMANDS[finding.severity]
        shown[level] += 1
        if shown[level] <= LIMIT:
            yield _annotation(finding, level, run.sources)
        else:
            rest.append(finding)
    for finding in rest:
        place = where_text(finding.span, run.sources)
        yield plain(f"{finding.severity.label}[{finding.rule}]: {place}: {message(finding)}")
    left = [
        f"{count - LIMIT} {level}{'s' if count > LIMIT + 1 else ''}" for level, count in shown.items() if count > LIMIT
    ]
    lines = list(summary(run, style))
    if left:
        text = f"{', '.join(left)} above without annotation: GitHub shows {LIMIT} of a level for a step"
        lines += wrap(text, style.width)
    yield from map(plain, lines)


def plain(line: str) -> str:
    """A line that the runner takes for text, whatever it quotes from a checked file."""
    line = line.replace("##[", "## [")
    return f"- {line}" if line.lstrip().startswith("::") else line


def _annotation(finding: Diagnostic, level: str, sources: Sources) -> str:
    here = file_place(finding.span, sources)
    properties: dict[str, object] = {"file": clean(repository_path(here.path)), "line": here.line}
    properties["endLine"] = here.end_line
    if here.line == here.end_line:
        # GitHub takes columns only for ranges on one line.
        properties |= {"col": here.column, "endColumn": here.end_column}
    properties["title"] = finding.rule
    return _command(level, properties, "\n".join((message_in_file(finding, sources), *remarks(finding, sources))))


def _command(level: str, properties: dict[str, object], text: str) -> str:
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {written}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
