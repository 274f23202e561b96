"""Top-level statements as ranges of text, found without parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.syntax.lines import CONTINUATION_KEYWORDS, indent_width, logical_lines

if TYPE_CHECKING:
    from collections.abc import Iterator


class BlockRange(NamedTuple):
    """Characters of a top-level statement with its decorators and body, by whole lines.

    It ends after its last code line; the blank lines and comments between two blocks belong to neither. A block that is
    `closed` depends on no text after the first line of the next block.
    """

    start: int
    end: int
    closed: bool


def block_ranges(text: str, start: int = 0) -> Iterator[BlockRange]:
    """The blocks from `start` on, which is the start of a line and not inside a block."""
    block_start = block_end = -1
    decorated, closed = False, True
    for line in logical_lines(text, start):
        line_start = line.start - len(line.indent)
        outermost = indent_width(line.indent) == 0 and not decorated and line.keyword not in CONTINUATION_KEYWORDS
        if block_start < 0:
            block_start = line_start
        elif outermost:
            yield BlockRange(block_start, block_end, closed)
            block_start, closed = line_start, True
        decorated = line.keyword == "@" and line.colon < 0
        closed &= line.closed
        block_end = line.next
    if block_start >= 0:
        yield BlockRange(block_start, block_end, closed)
