"""A finding as lines of plain text, for formats with one text field: message, notes with their places, and fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.places import place, shown_path
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Fix
    from tilelang.ir.span import Span
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.sources import Sources


def message(finding: Diagnostic) -> str:
    """The message on one line, with the targets that it does not name itself."""
    targets = [arch for arch in finding.targets if arch not in finding.message]
    only = f" ({', '.join(targets)})" if targets else ""
    return f"{clean(finding.message)}{only}"


def message_in_file(finding: Diagnostic, sources: Sources) -> str:
    """The message for a format that knows lines of files only: in a notebook it begins with the cell."""
    return f"{in_cell(finding.span, sources)}{message(finding)}"


def in_cell(span: Span, sources: Sources) -> str:
    """``cell 3, line 5: `` in a notebook, else nothing."""
    here = place(span, sources)
    return f"cell {here.cell}, line {here.line}: " if here.cell else ""


def remarks(finding: Diagnostic, sources: Sources) -> Iterator[str]:
    """One line for each note and one for the fix."""
    for note in finding.notes:
        if note.span:
            yield f"note: {clean(note.message)} ({where_text(note.span, sources)})"
    yield from advice(finding)


def advice(finding: Diagnostic) -> Iterator[str]:
    """One line for each note without a place and one for the fix."""
    for note in finding.notes:
        if not note.span:
            yield f"note: {clean(note.message)}"
    if finding.fix:
        yield f"help: {clean(finding.fix.title)}{how(finding.fix)}"


def where_text(span: Span, sources: Sources) -> str:
    """``kernels/gemm.py:12:5``, or ``nb.ipynb, cell 3, line 2``."""
    here = place(span, sources)
    path = shown_path(here.path)
    return f"{path}, cell {here.cell}, line {here.line}" if here.cell else f"{path}:{here.line}:{here.column}"


def how(fix: Fix) -> str:
    """How to have a fix applied, if it can be."""
    if not fix.edits:
        return ""
    return " (--fix)" if fix.safe else " (--fix --unsafe-fixes)"


def trouble(run: Run) -> Iterator[tuple[str, str, str]]:
    """(path, rule, message) of each file that could not be checked. The rule is ``internal-error`` for a bug of the
    checker, else ``unreadable-file``: names that no rule has."""
    for path, text in run.unreadable:
        yield path, "unreadable-file", clean(text)
    for file in run.files:
        if file.failure:
            rule = "internal-error" if file.failure.internal else "unreadable-file"
            yield file.path, rule, clean(file.failure.message)
