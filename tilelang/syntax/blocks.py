"""Top-level statements as ranges of text, found without parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.syntax.lines import CONTINUATION_KEYWORDS, HEADER_KEYWORDS, indent_width, logical_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.syntax.lines import LogicalLine


class BlockRange(NamedTuple):
    """Characters of a top-level statement with its decorators and body, by whole lines.

    It ends after its last code line; the blank lines and comments between two blocks belong to neither. A block that is
    `closed` depends on no text after the next block and the first line of the one after that.
    """

    start: int
    end: int
    closed: bool


def block_ranges(text: str, start: int = 0) -> Iterator[BlockRange]:
    """The blocks from `start` on, which is the start of a line and not inside a block.

    A statement at the margin does not begin a block if it cannot stand alone there: a clause such as `else`, what a
    decorator waits for, a closing bracket, or a simple statement with indented lines below it, which strayed to the
    margin from a body that goes on.
    """
    block: list[LogicalLine] = []
    for line, following in _with_next(logical_lines(text, start)):
        if block and _begins_block(text, block[-1], line, following):
            yield _range(block)
            block = []
        block.append(line)
    if block:
        yield _range(block)


def _with_next(lines: Iterator[LogicalLine]) -> Iterator[tuple[LogicalLine, LogicalLine | None]]:
    line = next(lines, None)
    while line is not None:
        following = next(lines, None)
        yield line, following
        line = following


def _begins_block(text: str, previous: LogicalLine, line: LogicalLine, following: LogicalLine | None) -> bool:
    if indent_width(line.indent) > 0 or line.keyword in CONTINUATION_KEYWORDS or text[line.start] in ")]}":
        return False
    if previous.keyword == "@" and indent_width(previous.indent) == 0:
        return False
    strayed = following is not None and indent_width(following.indent) > 0 and not line.opens
    return not strayed or line.keyword in HEADER_KEYWORDS or line.keyword == "@"


def _range(block: list[LogicalLine]) -> BlockRange:
    first, last = block[0], block[-1]
    return BlockRange(first.start - len(first.indent), last.next, all(line.closed for line in block))
