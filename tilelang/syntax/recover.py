"""Statements of a text that Python refuses as a whole.

The text is cut into top-level blocks, and runs of good blocks are parsed at once around the broken ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import takewhile
from typing import TYPE_CHECKING

from tilelang.syntax.blocks import block_ranges
from tilelang.syntax.broken import Recovered, recover_block
from tilelang.syntax.cpython import PARSE_ERRORS, ParseError, parse
from tilelang.syntax.limits import MAX_PROBLEMS
from tilelang.syntax.problem import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.syntax.blocks import BlockRange
    from tilelang.syntax.text import SourceText

# Lines parsed at once while all is well. Python reads a text that it refuses twice and to its end, which must not cost
# more than a small part of a large file.
_CHUNK_LINES = 2_000
# Blocks parsed at once after a failure, doubled while all is well.
_WINDOW = 8

# A line at which a top-level statement starts, unless it lies in a string or in brackets.
_TOP_LEVEL_LINE = re.compile(r"^(?!(?:elif|else|except|finally)\b)[^\W\d]|^@", re.MULTILINE)


def parse_or_recover(source: SourceText, text: str) -> Recovered:
    """Statements of `text`, which has the positions of `source`, with all that is wrong with it."""
    result = Recovered()
    start = 0
    while start < len(text):
        end = _chunk_end(source, text, start)
        line = bisect_right(source.line_starts, start)
        try:
            result.body += parse("\n" * (line - 1) + text[start:end])
        except PARSE_ERRORS as error:
            # A block that goes on after the end of the chunk may be why it failed: then try again what is whole.
            ranges = _blocks_between(text, start, end)
            whole = not ranges or ranges[-1].end <= end
            allowed = MAX_PROBLEMS - count_errors(result.problems)
            read = read_blocks(source, text, ranges, allowed, error if whole else None)
            for block in read:
                result.extend(block)
            if len(read) < len(ranges):
                end = ranges[len(read)].start
            elif ranges:
                end = max(ranges[-1].end, end)
        start = end
        if count_errors(result.problems) >= MAX_PROBLEMS:
            following = next(block_ranges(text, start), None)
            if following is not None:
                result.extend(unread_rest(source, following.start))
            break
    return result


def _blocks_between(text: str, start: int, end: int) -> list[BlockRange]:
    return list(takewhile(lambda block: block.start < end, block_ranges(text, start)))


def count_errors(problems: Iterable[SyntaxProblem]) -> int:
    """How many of the problems count towards `MAX_PROBLEMS`."""
    return sum(problem.kind == "syntax" for problem in problems)


def unread_rest(source: SourceText, offset: int) -> Recovered:
    """What stands for the text from `offset` on after too many problems."""
    line, column = source.position_at(offset)
    message = f"more than {MAX_PROBLEMS} syntax errors, the rest of the file is not read"
    return Recovered([], [SyntaxProblem(line, column, line, column + 1, message, "limit")], [(line, source.line_count)])


def read_blocks(
    source: SourceText,
    text: str,
    ranges: Sequence[BlockRange],
    max_problems: int = MAX_PROBLEMS,
    error: ParseError | None = None,
) -> list[Recovered]:
    """Read adjacent blocks, good ones in runs; after `max_problems` syntax errors the rest is left out.

    `error` is why Python refuses all of them together, if it has been asked.
    """
    results: list[Recovered] = []
    problems, window = 0, _WINDOW
    last = len(ranges)
    while len(results) < len(ranges) and problems < max_problems:
        if error is None:
            last = min(len(results) + window, len(ranges))
            error = _read_run(source, text, ranges, last, results)
            window *= 2
            continue
        # Blocks `first` to before `last` fail together. Python may stumble over a good one, the fault being before it.
        first = len(results)
        suspect = _suspect(source, ranges, error, first, last)
        if suspect > first:
            earlier = _read_run(source, text, ranges, suspect, results)
            if earlier is not None:
                last, error = suspect, earlier
                continue
            if _line_of(error) is None and last - suspect > 1:
                continue
        block = recover_block(source, text, ranges[suspect].start, ranges[suspect].end, error)
        results.append(block)
        problems += count_errors(block.problems)
        error, window = None, _WINDOW
    return results


def _read_run(
    source: SourceText, text: str, ranges: Sequence[BlockRange], last: int, results: list[Recovered]
) -> ParseError | None:
    """Parse the blocks that `results` lacks up to `last` and append them, or return why that is not possible."""
    run = ranges[len(results) : last]
    lines = [bisect_right(source.line_starts, block.start) for block in run]
    try:
        body = parse("\n" * (lines[0] - 1) + text[run[0].start : run[-1].end])
    except PARSE_ERRORS as error:
        return error
    blocks = [Recovered() for _ in run]
    for statement in body:
        blocks[bisect_right(lines, statement.lineno) - 1].body.append(statement)
    results += blocks
    return None


def _chunk_end(source: SourceText, text: str, start: int) -> int:
    """Where to stop parsing at once: at a line that probably starts a statement.

    If the text up to there parses, it ends in no string, bracket or decorator, so the line does start one.
    """
    line = bisect_right(source.line_starts, start) + _CHUNK_LINES
    if line >= source.line_count:
        return len(text)
    match = _TOP_LEVEL_LINE.search(text, source.line_starts[line])
    return match.start() if match else len(text)


def _suspect(source: SourceText, ranges: Sequence[BlockRange], error: ParseError, first: int, last: int) -> int:
    """Index of the block that an error points into, among those from `first` to before `last`."""
    line = _line_of(error)
    if line is None:
        return (first + last) // 2 if last - first > 1 else first
    index = bisect_right(ranges, (source.char_offset(line, 0), len(source.text))) - 1
    return min(max(index, first), last - 1)


def _line_of(error: ParseError) -> int | None:
    return error.lineno if isinstance(error, SyntaxError) else None
