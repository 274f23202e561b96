"""Top-level statements as ranges of text, found without parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.syntax.lines import CONTINUATION_KEYWORDS, indent_width, logical_lines

if TYPE_CHECKING:
    from collections.abc import Iterator


def block_ranges(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """(start, end) in characters of each top-level statement with its decorators and body.

    `start` is the start of a line, and the text of a block before it has no influence. A block begins at the start of
    a line and ends after its last code line; the blank lines and comments between two blocks belong to neither.
    """
    block_start = block_end = -1
    decorated = False
    for line in logical_lines(text, start):
        outermost = indent_width(line.indent) == 0 and not decorated and line.keyword not in CONTINUATION_KEYWORDS
        if block_start < 0:
            block_start = line.start - len(line.indent)
        elif outermost:
            yield block_start, block_end
            block_start = line.start - len(line.indent)
        decorated = line.keyword == "@" and line.colon < 0
        block_end = line.next
    if block_start >= 0:
        yield block_start, block_end
