"""Writes a suppression comment for every finding: `--add-ignore` lets a project adopt the checker in one command.

The comment goes to the end of the finding's own line. If that is inside a string or continued by a backslash, it goes
to the end of the statement. A comment that is there already gets the new rules in its brackets.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tilelang.diagnostics import Diagnostic, Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang.syntax.lines import logical_lines
from tilelang.syntax.suppressions import comments
from tilelang_analyzers.fixes.document import CannotRewrite, document
from tilelang_analyzers.fixes.edits import Change, applied
from tilelang_analyzers.fixes.fixpoint import FixedFile, Repair
from tilelang_analyzers.fixes.rewrite import rewrite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tilelang.syntax.suppressions import Suppression
    from tilelang.syntax.text import SourceText

NOT_SUPPRESSED = frozenset(("syntax-error", "unused-suppression"))
"""A comment in a broken file may not be where it seems, and a comment that hides the need for comments is none."""


def suppress_all(findings: Iterable[Diagnostic], contents: Mapping[str, bytes], reason: str) -> Repair:
    """The files with comments for all errors and warnings in them. ``contents`` has the files that may be changed."""
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for finding in findings:
        if finding.severity >= Severity.WARNING and finding.rule not in NOT_SUPPRESSED:
            by_file[finding.span.path].append(finding)
    done = Repair()
    for path, found in by_file.items():
        if path not in contents:
            done.dropped += [(finding, "the file is not among those to check") for finding in found]
            continue
        made, refused = _comments(path, contents[path], found, reason)
        done.dropped += refused
        written = rewrite(path, contents[path], made)
        done.dropped += written.dropped
        if written.data != contents[path]:
            done.files.append(FixedFile(path, contents[path], written.data, list(written.applied)))
    return done


def _comments(
    path: str, data: bytes, found: Iterable[Diagnostic], reason: str
) -> tuple[list[Diagnostic], list[tuple[Diagnostic, str]]]:
    """One fix for each comment to write, and the findings that cannot have one."""
    try:
        opened = document(path, data)
    except CannotRewrite as error:
        return [], [(finding, str(error)) for finding in found]
    if opened.faults():
        return [], [(finding, "the file has syntax errors") for finding in found]
    source = opened.source
    statements = _statements(opened.code)
    existing = comments(opened.code).suppressions
    rules: dict[Suppression | int, dict[str, Diagnostic]] = defaultdict(dict)
    refused: list[tuple[Diagnostic, str]] = []
    for finding in found:
        place = _place(finding.span.line, statements, existing, opened.code)
        if place is None:
            refused.append((finding, "no comment can stand there"))
        else:
            rules[place].setdefault(finding.rule, finding)
    return [_fix(path, place, wanted, source, reason) for place, wanted in rules.items()], refused


def _statements(source: SourceText) -> list[tuple[int, int]]:
    """First and last line of each logical line."""
    ranges: list[tuple[int, int]] = []
    for line in logical_lines(source.text):
        first, _ = source.position_at(line.start)
        last, _ = source.position_at(max(line.end - 1, line.start))
        ranges.append((first, last))
    return ranges


def _place(
    line: int, statements: Iterable[tuple[int, int]], existing: Sequence[Suppression], source: SourceText
) -> Suppression | int | None:
    """The comment to extend, or the line at whose end a new one goes; None if there is no such line."""
    statement = next(((first, last) for first, last in statements if first <= line <= last), (line, line))
    for one in existing:
        above = one.line < statement[0] and one.covers == statement
        if not one.whole_file and (one.line == line or above):
            return one
    return next((each for each in (line, statement[1]) if _takes_comment(source, each)), None)


def _takes_comment(source: SourceText, line: int) -> bool:
    """Whether what is written at the end of a line is a comment: not inside a string, nor after a backslash."""
    text = source.line_text(line)
    if text.rstrip().endswith("\\"):
        return False
    end = source.char_offset(line, len(text.encode()))
    trial = type(source).from_text(source.path, applied(source.text, [Change(end, end, "  # tl: ignore[x]")]))
    return any(one.line == line and one.rules[-1].name == "x" for one in comments(trial).suppressions)


def _fix(
    path: str, place: Suppression | int, wanted: Mapping[str, Diagnostic], source: SourceText, reason: str
) -> Diagnostic:
    names = sorted(wanted)
    if isinstance(place, int):
        text = source.line_text(place)
        end = len(text.rstrip().encode())
        span = Span(path, place, end, place, len(text.encode()))
        edit = Edit(span, f"  # tl: ignore[{', '.join(names)}]{f' {reason}' if reason else ''}")
    else:
        known = {name.name for name in place.rules}
        end = place.rules[-1].end_column
        span = Span(path, place.line, end, place.line, end)
        edit = Edit(span, "".join(f", {name}" for name in names if name not in known))
    title = f"Ignore {', '.join(names)}"
    return Diagnostic(names[0], Severity.INFO, title, span, fix=Fix(title, (edit,), safe=True))


def check_reason(reason: str) -> Iterator[str]:
    """What is wrong with a reason, in sentences."""
    if "#" in reason or not reason.isprintable():
        yield "a reason is one line of text without `#`"
