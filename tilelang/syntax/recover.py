"""Statements of a text that Python refuses as a whole.

The text is cut into top-level blocks. In a broken block every logical line is tried alone; what fails is
replaced (`repair`), the block structure is mended (`structure`), and the result is parsed with all lines in place.
Trees of error-tolerant parsers are no help here: after an unclosed bracket they lose the statements that follow it,
while logical lines find them again at the next line.
"""

from __future__ import annotations

import re
from ast import iter_child_nodes
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang.syntax.blocks import block_ranges
from tilelang.syntax.errors import (
    PARSE_ERRORS,
    ParseError,
    Placement,
    is_depth_error,
    nesting_levels,
    parse,
    parse_error,
    problem_from,
)
from tilelang.syntax.lines import HEADER_KEYWORDS, SOFT_KEYWORDS, LogicalLine, indent_width, logical_lines, scan_line
from tilelang.syntax.module import MISSING
from tilelang.syntax.problem import SyntaxProblem
from tilelang.syntax.repair import repaired, standalone
from tilelang.syntax.structure import Fault, Statement, arrange

if TYPE_CHECKING:
    import ast

    from tilelang.syntax.text import SourceText

# More broken places than this and the rest of the file is not read: it is no Python file.
MAX_PROBLEMS = 100
# Broken lines of a block that are first read as Python reads them; each may look at the rest of the block.
_STRICT_TRIES = 20
_STRUCTURE_TRIES = 8
# Blocks parsed at once after a failure, doubled while all is well: Python reads to the end of a text that it refuses.
_WINDOW = 8

_LINE_END = re.compile(r"\r\n?|\n")

LineRange = tuple[int, int]


@dataclass(slots=True)
class Recovered:
    """What a broken text still has; `repaired` are the line ranges (inclusive) whose text was replaced."""

    body: list[ast.stmt] = field(default_factory=lambda: [])
    problems: list[SyntaxProblem] = field(default_factory=list[SyntaxProblem])
    repaired: list[LineRange] = field(default_factory=list[LineRange])

    def extend(self, other: Recovered) -> None:
        """Append what was recovered from a later part of the text."""
        self.body += other.body
        self.problems += other.problems
        self.repaired += other.repaired


def recover(source: SourceText, text: str) -> Recovered:
    """Read `text`, which has the positions of `source` and which Python refuses as a whole."""
    result = Recovered()
    ranges = list(block_ranges(text))
    first, window = 0, _WINDOW
    while first < len(ranges):
        last = min(first + window, len(ranges))
        error = _extend(source, text, ranges[first:last], result.body)
        while error is not None and last - first > 1:
            # The statement that Python stumbles over may be good, and the one at fault further up.
            last = _suspect(source, ranges, error, first, last)
            window = _WINDOW
            error = _extend(source, text, ranges[first:last], result.body)
        if error is None:
            first, window = last, window * 2
            continue
        result.extend(recover_block(source, text, *ranges[first]))
        first, window = first + 1, _WINDOW
        if len(result.problems) >= MAX_PROBLEMS and first < len(ranges):
            line, column = source.position_at(ranges[first][0])
            message = f"more than {MAX_PROBLEMS} syntax errors, the rest of the file is not read"
            result.problems.append(SyntaxProblem(line, column, line, column + 1, message, "limit"))
            break
    return result


def _extend(source: SourceText, text: str, ranges: list[LineRange], body: list[ast.stmt]) -> ParseError | None:
    """Parse adjacent blocks and append their statements, or return why that is not possible."""
    start, end = ranges[0][0], ranges[-1][1]
    line = bisect_right(source.line_starts, start)
    try:
        body += parse("\n" * (line - 1) + text[start:end])
    except PARSE_ERRORS as error:
        return error
    return None


def _suspect(source: SourceText, ranges: list[LineRange], error: ParseError, first: int, last: int) -> int:
    """End of the blocks that precede the one an error points into, at least one and fewer than before."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    if line is None:
        return (first + last) // 2
    index = bisect_right(ranges, (source.char_offset(line, 0), len(source.text))) - 1
    return min(max(index, first + 1), last - 1)


def recover_block(source: SourceText, text: str, start: int, end: int) -> Recovered:
    """Read one broken top-level statement, `text[start:end]`, which starts at the start of a line."""
    return _Block(source, text, start, end).read()


class _Block:
    """Recovery of one block. Lines are counted from the block's first line, and problems have those of the file."""

    def __init__(self, source: SourceText, text: str, start: int, end: int) -> None:
        self.source = source
        self.text = text[start:end]
        self.start = start
        self.first_line = bisect_right(source.line_starts, start)
        self.following = next(logical_lines(text, end), None)
        self.result = Recovered()

    def read(self) -> Recovered:
        statements = self._statements()
        faults, rewrite = arrange(statements, self.first_line)
        for fault in faults:
            self._report_fault(fault)
        self.result.body = self._parse(statements, rewrite)
        self.result.problems.sort()
        return self.result

    def _statements(self) -> list[Statement]:
        """Every logical line, those that are broken replaced and reported."""
        lines, broken = self._split()
        statements: list[Statement] = []
        for index, line in enumerate(lines):
            text, keyword, opens = self.text[line.start : line.end], line.keyword, line.opens
            first, last = self._line_at(line.start), self._line_at(line.end)
            if index in broken:
                self._report(line)
                self.result.repaired.append((first, last))
                below = lines[index + 1] if index + 1 < len(lines) else None
                has_body = below is not None and indent_width(below.indent) > indent_width(line.indent)
                text, keyword = _replacement(text, keyword, has_body=has_body)
                opens = scan_line(text, 0, len(text), "", soft=False).opens
            line_in_block = first - self.first_line + 1
            statements.append(Statement(line_in_block, last - first + line_in_block, line.indent, text, keyword, opens))
        return statements

    def _split(self) -> tuple[list[LogicalLine], set[int]]:
        """Logical lines of the block and the indices of those that Python refuses."""
        lines = list(logical_lines(self.text))
        broken: set[int] = set()
        checked = 0
        while (index := _first_broken(self.text, lines, checked)) is not None:
            if len(broken) >= MAX_PROBLEMS:
                del lines[index:]
                break
            line = lines[index]
            soft = scan_line(self.text, line.start, len(self.text), line.indent, soft=True)
            if soft.next != line.next:
                rest = logical_lines(self.text, soft.next, soft=len(broken) > _STRICT_TRIES)
                lines[index:] = [soft, *rest]
            broken.add(index)
            checked = index + 1
        return lines, broken

    def _report(self, line: LogicalLine) -> None:
        """Add the problem of a broken logical line, in Python's words."""
        text = self.text[line.start : line.end]
        if "\ufffd" in text and any(problem.kind == "encoding" for problem in self.source.problems):
            return
        first, last = self._line_at(line.start), self._line_at(line.end)
        before, after = standalone(line)
        lead = first - 1 - before.count("\n")
        error = parse_error("\n" * lead + before + text + after)
        if isinstance(error, (SyntaxError, ValueError)) and not is_depth_error(error):
            shift = len(line.indent) - len(before.rpartition("\n")[2])
            problem = problem_from(error, self.source, Placement(first, last, max(-lead, 0), shift))
        else:
            levels = nesting_levels(text)
            message, kind = (
                (f"nested too deeply ({levels:,} levels)", "limit") if error else ("invalid syntax", "syntax")
            )
            problem = SyntaxProblem(*self._first_token(line), message, kind)
        self.result.problems.append(problem)

    def _report_fault(self, fault: Fault) -> None:
        """Add the problem of a fault of structure, unless its place has one already."""
        mended = fault.mended
        if mended is not None:
            first = self.first_line + mended.line - 1
            self.result.repaired.append((first, first + mended.end_line - mended.line))
        place = fault.place or (mended if self.following is None else None)
        if place is not None:
            line = self.first_line + place.line - 1
            column = len(place.indent.encode())
            end_column = self.source.byte_column(line, len(self.source.line_text(line).rstrip()))
            token = (line, column, line, max(min(end_column, column + len(place.keyword) or end_column), column))
        else:
            assert self.following is not None
            line, column = self.source.position_at(self.following.start)
            token = (line, column, line, column + max(len(self.following.keyword.encode()), 1))
        if not any(problem.line == token[0] for problem in self.result.problems):
            self.result.problems.append(SyntaxProblem(*token, fault.message, "limit" if fault.is_limit else "syntax"))

    def _parse(self, statements: list[Statement], rewrite: bool) -> list[ast.stmt]:
        """Statements of the mended block, with the positions of the original text."""
        for _ in range(_STRUCTURE_TRIES):
            text = _written(statements, rewrite=rewrite)
            try:
                body = parse(text)
            except PARSE_ERRORS as error:
                if not self._drop(statements, error):
                    return []
            else:
                shifts = {s.line: len(s.indent.encode()) - s.level for s in statements} if rewrite else {}
                _move(body, self.first_line - 1, shifts)
                return body
        return []

    def _drop(self, statements: list[Statement], error: ParseError) -> bool:
        """Report an error that no line has by itself and replace its statement; False if it has no place."""
        line = error.lineno if isinstance(error, SyntaxError) else None
        index = bisect_right([s.line for s in statements], line) - 1 if line is not None else -1
        if index < 0 or is_depth_error(error) or not isinstance(error, SyntaxError):
            last = self.source.position_at(self.start + len(self.text))[0]
            self.result.repaired.append((self.first_line, last))
            message = f"nested too deeply ({len(statements):,} levels)"
            if not is_depth_error(error):
                message = str(error)
            self.result.problems.append(SyntaxProblem(self.first_line, 0, self.first_line, 1, message, "limit"))
            return False
        statement = statements[index]
        first = self.first_line + statement.line - 1
        last = first + statement.end_line - statement.line
        self.result.repaired.append((first, last))
        if not any(problem.line == first for problem in self.result.problems):
            placement = Placement(first, last, 1 - self.first_line)
            self.result.problems.append(problem_from(error, self.source, placement))
        statement.text = f"if {MISSING}:" if statement.opens else "pass"
        return True

    def _line_at(self, offset: int) -> int:
        """Line of the file at an offset in the block."""
        return bisect_right(self.source.line_starts, self.start + offset)

    def _first_token(self, line: LogicalLine) -> tuple[int, int, int, int]:
        start_line, column = self.source.position_at(self.start + line.start)
        return start_line, column, start_line, column + max(len(line.keyword.encode()), 1)


def _first_broken(text: str, lines: list[LogicalLine], first: int) -> int | None:
    """Index of the first logical line from `first` on that Python refuses, found by parsing many at once."""
    window = _WINDOW
    while first < len(lines):
        last = min(first + window, len(lines))
        if parse_error("\n".join(_alone(text, line) for line in lines[first:last])) is None:
            first, window = last, window * 2
        elif last - first == 1:
            return first
        else:
            window = (last - first) // 2
    return None


def _alone(text: str, line: LogicalLine) -> str:
    before, after = standalone(line)
    return f"{before}{text[line.start : line.end]}{after}"


def _replacement(text: str, keyword: str, *, has_body: bool) -> tuple[str, str]:
    """What stands for a broken logical line, and its keyword; a line with a body becomes a header."""
    if keyword in SOFT_KEYWORDS and not has_body:
        keyword = ""
    if keyword in HEADER_KEYWORDS or keyword == "@":
        return repaired(text, keyword), keyword
    return (f"if {MISSING}:", "if") if has_body else (repaired(text, ""), keyword)


def _written(statements: list[Statement], *, rewrite: bool) -> str:
    """Text of the statements, each on its line of the block."""
    parts: list[str] = []
    line = 1
    for statement in statements:
        parts.append("\n" * (statement.line - line))
        text = _LINE_END.sub("\n", statement.text)
        parts.append(" " * statement.level if rewrite else statement.indent)
        parts.append(text)
        line = statement.line + text.count("\n")
    return "".join(parts)


def _move(body: list[ast.stmt], lines: int, shifts: dict[int, int]) -> None:
    """Add `lines` to all line numbers, and to the columns of a line what `shifts` has for it."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        attributes = node.__dict__
        if "lineno" in attributes:
            if shifts:
                attributes["col_offset"] += shifts.get(attributes["lineno"], 0)
                attributes["end_col_offset"] += shifts.get(attributes["end_lineno"], 0)
            attributes["lineno"] += lines
            attributes["end_lineno"] += lines
        stack.extend(iter_child_nodes(node))
