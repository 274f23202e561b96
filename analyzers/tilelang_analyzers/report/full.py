"""Findings with the source line, carets on the exact range, and each note with its own excerpt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.coverage import failures, summary
from tilelang_analyzers.report.excerpt import excerpt
from tilelang_analyzers.report.places import location
from tilelang_analyzers.report.remarks import how
from tilelang_analyzers.report.style import clean, wrap
from tilelang_analyzers.report.trace import trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.report.style import Style


def render(run: Run, style: Style) -> Iterator[str]:
    for finding in run.findings():
        yield from _finding(finding, run, style)
        yield ""
    if run.trace:
        yield from trace(run, style)
        yield ""
    yield from failures(run, style)
    yield from summary(run, style)


def _finding(finding: Diagnostic, run: Run, style: Style) -> Iterator[str]:
    role = finding.severity.label
    spans = [finding.span, *(note.span for note in finding.notes if note.span)]
    gutter = max(len(str(span.line)) for span in spans)
    yield from _headline(f"{role}[{finding.rule}]", finding.message, role, style)
    yield from _place(finding.span, run, style, role, gutter)
    only = _only(finding, run)
    if only:
        yield f"{' ' * gutter} {style.paint('=', 'gutter')} {only}"
    for note in finding.notes:
        yield from _headline("note", note.message, "note", style)
        if note.span:
            yield from _place(note.span, run, style, "note", gutter)
    if finding.fix:
        yield from _headline("help", finding.fix.title + how(finding.fix), "help", style)


def _headline(kind: str, message: str, role: str, style: Style) -> Iterator[str]:
    lines = wrap(clean(f"{kind}: {message}"), style.width)
    first = next(lines)
    yield style.paint(kind, role) + style.paint(
        first[len(kind) :], "bold" if role in ("error", "warning", "info") else ""
    )
    yield from lines


def _place(span: Span, run: Run, style: Style, role: str, gutter: int) -> Iterator[str]:
    yield f"{' ' * gutter}{style.paint('-->', 'gutter')} {location(span, run.sources)}"
    if run.sources.text(span.path):
        yield from excerpt(span, run.sources, style, role, gutter)


def _only(finding: Diagnostic, run: Run) -> str:
    """``sm_75 only``, where the finding holds for some of several targets and the message does not name them."""
    if not finding.targets or all(arch in finding.message for arch in finding.targets):
        return ""
    names = ", ".join(finding.targets)
    return names if len(finding.targets) == len(run.targets) else f"{names} only"
