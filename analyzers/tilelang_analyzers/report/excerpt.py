"""A source line with carets below the exact range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_analyzers.report.style import Style, char_width, clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang_analyzers.sources import Sources

TAB = "    "
CONTEXT = 0.4
"""Share of the line shown left of the carets where a long line is cut."""


def excerpt(span: Span, sources: Sources, style: Style, role: str, gutter: int) -> Iterator[str]:
    """Three lines. A range over several lines is marked on its first one."""
    file = sources.file(span.path)
    text = file.line_text(span.line)
    start = file.char_column(span.line, span.col)
    end = file.char_column(span.line, span.end_col) if span.end_line == span.line else len(text.rstrip())
    line, start, end = _expanded(text, start, max(end, start + 1))
    line, start, end = _cut(line, start, end, style.width - gutter - 3, style.dots)
    bar = style.paint("|", "gutter")
    number = style.paint(f"{sources.locate(span.path, span.line)[1]:>{gutter}}", "gutter")
    pad = " " * gutter
    yield f"{pad} {bar}"
    yield f"{number} {bar} {line}".rstrip()
    yield f"{pad} {bar} {' ' * start}{style.paint('^' * max(end - start, 1), role)}"


def _expanded(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The line as shown, tabs as spaces, and the range in display columns."""
    shown: list[str] = []
    column, first, last = 0, 0, 0
    for index, character in enumerate(text):
        if index == start:
            first = column
        piece = TAB if character == "\t" else clean(character)
        shown.append(piece)
        column += len(TAB) if character == "\t" else char_width(piece)
        if index == end - 1:
            last = column
    first = column if start >= len(text) else first
    return "".join(shown), first, max(last, first + 1)


def _cut(line: str, start: int, end: int, width: int, dots: str) -> tuple[str, int, int]:
    """A window of ``width`` columns that shows the start of the range."""
    total = sum(map(char_width, line))
    if total <= width:
        return line, start, end
    left = max(0, min(start - int(width * CONTEXT), total - width))
    if start < left + 1:
        left = max(0, start - 1)
    kept: list[str] = []
    column = 0
    for character in line:
        wide = char_width(character)
        if column >= left and column + wide <= left + width:
            kept.append(character)
        column += wide
    window = "".join(kept)
    if left > 0:
        window = dots + window[1:]
    if total > left + width:
        window = window[:-1] + dots
    return window, start - left, min(end - left, width)
