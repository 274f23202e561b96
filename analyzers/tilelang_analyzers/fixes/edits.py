"""Edits of findings as changes of one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic, Edit
    from tilelang.syntax.text import SourceText


class Change(NamedTuple):
    """What takes the place of ``text[start:end]``; offsets count characters."""

    start: int
    end: int
    text: str


class Chosen(NamedTuple):
    """A finding whose fix is applied, with its changes. ``changes`` is empty if another finding has the same fix."""

    finding: Diagnostic
    changes: tuple[Change, ...]


def choose(findings: Iterable[Diagnostic], source: SourceText) -> list[Chosen]:
    """The findings whose fixes can be applied together: the first one wins where two overlap."""
    chosen: list[Chosen] = []
    taken: set[tuple[Change, ...]] = set()
    accepted: list[Change] = []
    for finding in findings:
        edits = finding.fix.edits if finding.fix else ()
        changes = tuple(_change(edit, source) for edit in edits)
        if changes in taken:
            chosen.append(Chosen(finding, ()))
        elif changes and not _collide(changes, accepted):
            chosen.append(Chosen(finding, changes))
            taken.add(changes)
            accepted += changes
    return chosen


def applied(text: str, changes: Iterable[Change]) -> str:
    """``text`` with changes that do not overlap."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def _change(edit: Edit, source: SourceText) -> Change:
    """The change of an edit, with the line ends of the place where it is made."""
    start = source.char_offset(edit.span.line, edit.span.col)
    end = source.char_offset(edit.span.end_line, edit.span.end_col)
    return Change(start, max(start, end), edit.text.replace("\n", line_end(source, edit.span.line)))


def line_end(source: SourceText, line: int) -> str:
    """How a line ends, or for the last line, the one before it."""
    starts = source.line_starts
    line = min(max(line, 1), len(starts) - 1)
    if line == 0:
        return "\n"
    before = source.text[max(starts[line] - 2, 0) : starts[line]]
    return "\r\n" if before == "\r\n" else before[-1:] or "\n"


def _collide(changes: tuple[Change, ...], accepted: list[Change]) -> bool:
    return any(_overlap(one, other) for one in changes for other in accepted)


def _overlap(a: Change, b: Change) -> bool:
    """Two insertions at one place count: their order is not known."""
    return a.start == b.start or (a.start < b.end and b.start < a.end)
