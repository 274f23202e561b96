"""Logging commands of Azure Pipelines: ``##vso[task.logissue ...]message``, which the run's page lists.

Azure knows errors and warnings only; findings of level info are plain lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.coverage import summary
from tilelang_analyzers.report.escape import one_line
from tilelang_analyzers.report.places import file_place, repository_path
from tilelang_analyzers.report.remarks import message, message_in_file, trouble, where_text
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style

_ESCAPES = (("%", "%AZP25"), (";", "%3B"), ("\r", "%0D"), ("\n", "%0A"), ("]", "%5D"))


def render(run: Run, style: Style) -> Iterator[str]:
    for finding in run.findings():
        here = file_place(finding.span, run.sources)
        place = {"linenumber": here.line, "columnnumber": here.column}
        if finding.severity == Severity.INFO:
            where = where_text(finding.span, run.sources)
            yield plain(f"info[{finding.rule}]: {where}: {one_line(message(finding))}")
        else:
            text = message_in_file(finding, run.sources)
            yield _issue(finding.severity.label, here.path, place, finding.rule, text)
    for path, rule, text in trouble(run):
        yield _issue("error", path, {}, rule, text)
    yield from map(plain, summary(run, style))


def plain(line: str) -> str:
    """A line that the agent takes for text, whatever it quotes from a checked file."""
    return line.replace("##", "# #")


def _issue(kind: str, path: str, place: dict[str, int], rule: str, text: str) -> str:
    properties = {"type": kind, "sourcepath": clean(repository_path(path)), **place, "code": rule}
    written = "".join(f"{key}={_escaped(str(value))};" for key, value in properties.items())
    return f"##vso[task.logissue {written}]{_data(one_line(text))}"


def _escaped(text: str) -> str:
    for sign, escape in _ESCAPES:
        text = text.replace(sign, escape)
    return text


def _data(text: str) -> str:
    """The part behind the bracket ends with its line and takes fewer escapes."""
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")
