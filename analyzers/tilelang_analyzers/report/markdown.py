"""A table of findings in Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers.report.coverage import summary
from tilelang_analyzers.report.escape import one_line, valid_text
from tilelang_analyzers.report.places import shown_path
from tilelang_analyzers.report.remarks import message, trouble, where_text
from tilelang_analyzers.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.report import Run

MAX_ROWS = 200
"""Rows of the table. GitHub refuses summaries above 1 MiB; a row takes up to 1 KiB."""
_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "ℹ️"}
_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&@$])")


def render(run: Run, style: Style) -> Iterator[str]:
    findings, *coverage = summary(run, Style(width=10_000))
    yield f"### tilelang-check: {_text(findings)}"
    yield ""
    rows = list(_rows(run))
    if rows:
        yield "| | rule | place | message |"
        yield "| --- | --- | --- | --- |"
        yield from rows[:MAX_ROWS]
        yield ""
    if len(rows) > MAX_ROWS:
        yield f"{len(rows) - MAX_ROWS} more are not shown."
        yield ""
    for line in coverage:
        yield _text(line)
        yield ""


def _rows(run: Run) -> Iterator[str]:
    for path, rule, text in trouble(run):
        yield f"| {_SIGNS[Severity.ERROR]} | {rule} | {_code(shown_path(path))} | {_text(text)} |"
    for finding in sorted(run.findings(), key=lambda finding: -finding.severity):
        place, text = where_text(finding.span, run.sources), message(finding)
        yield f"| {_SIGNS[finding.severity]} | {finding.rule} | {_code(place)} | {_text(text)} |"


def _text(text: str) -> str:
    """Plain text with `code` as Markdown: code stays, everything else is escaped."""
    parts = _CODE.split(one_line(valid_text(text)))
    return "".join(_code(part[1:-1]) if index % 2 else _SPECIAL.sub(r"\\\1", part) for index, part in enumerate(parts))


def _code(text: str) -> str:
    """A code span in a table cell. A backtick would end it and becomes another quote; a bar is escaped even there."""
    inner = one_line(valid_text(text)).replace("`", "'").replace("|", "\\|")
    return f"`{inner}`" if inner else ""
