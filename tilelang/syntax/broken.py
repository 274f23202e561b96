"""Recovery of one broken top-level statement.

Every logical line is tried alone. What fails is replaced (`repair`), the block structure is mended (`structure`), and
the result is parsed with all lines in place. Trees of error-tolerant parsers are no help here: after an unclosed
bracket they lose the statements that follow it, while logical lines find them again at the next line.
"""

from __future__ import annotations

import re
from ast import iter_child_nodes
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tilelang.syntax.cpython import (
    PARSE_ERRORS,
    ParseError,
    Placement,
    depth_message,
    is_depth_error,
    nesting_levels,
    parse,
    parse_error,
    problem_from,
)
from tilelang.syntax.limits import MAX_BROKEN_BLOCK, MAX_PROBLEMS
from tilelang.syntax.lines import SOFT_KEYWORDS, LogicalLine, has_stray_closer, indent_width, logical_lines, scan_line
from tilelang.syntax.module import MISSING
from tilelang.syntax.problem import SyntaxProblem
from tilelang.syntax.repair import repaired, standalone
from tilelang.syntax.structure import Fault, Statement, arrange
from tilelang.syntax.versions import needed_version, version_message

if TYPE_CHECKING:
    import ast

    from tilelang.syntax.text import SourceText

# Broken lines of a block that are first read as Python reads them; each may look at the rest of the block.
_STRICT_TRIES = 4
_STRUCTURE_TRIES = 4
# Characters of a block that are read again after broken lines. An unclosed bracket makes each line reach its end.
_REREAD = 5_000_000
# Logical lines tried at once, doubled while all is well.
_WINDOW = 8

_LINE_END = re.compile(r"\r\n?|\n")

LineRange = tuple[int, int]


@dataclass(slots=True)
class Recovered:
    """What a broken text still has; `repaired` are the line ranges (inclusive) whose text was replaced."""

    body: list[ast.stmt] = field(default_factory=list["ast.stmt"])
    problems: list[SyntaxProblem] = field(default_factory=list[SyntaxProblem])
    repaired: list[LineRange] = field(default_factory=list[LineRange])

    def extend(self, other: Recovered) -> None:
        """Append what was recovered from a later part of the text."""
        self.body += other.body
        self.problems += other.problems
        self.repaired += other.repaired


def recover_block(source: SourceText, text: str, start: int, end: int, error: ParseError) -> Recovered:
    """Read one top-level statement, `text[start:end]`, which starts at the start of a line.

    `error` is why Python refuses it, with the lines of the file.
    """
    return _Block(source, text, start, end).read(error)


def following_position(source: SourceText, text: str, end: int) -> tuple[int, int] | None:
    """Position of the first token after a block that ends at `end`: the only thing outside that its problems show."""
    following = next(logical_lines(text, end), None)
    return source.position_at(following.start) if following else None


class _Block:
    """One broken block; all lines are those of the file, all offsets those of the block."""

    def __init__(self, source: SourceText, text: str, start: int, end: int) -> None:
        self.source = source
        self.text = text[start:end]
        self.start = start
        self.first_line = bisect_right(source.line_starts, start)
        self.following = following_position(source, text, end)
        self.result = Recovered()

    def read(self, error: ParseError) -> Recovered:
        if len(self.text) > MAX_BROKEN_BLOCK:
            self._drop_all(error)
            return self.result
        statements = self._statements()
        faults, rewrite = arrange(statements)
        for fault in faults:
            self._report_fault(fault)
        self.result.body = self._parse(statements, rewrite=rewrite)
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
                has_body = _is_deeper(lines, index + 1, line)
                if keyword in SOFT_KEYWORDS and not has_body:
                    keyword = ""
                text = repaired(text, keyword, has_body=has_body)
                replacement = scan_line(text, 0, len(text), "", soft=False)
                keyword, opens = replacement.keyword, replacement.opens
            statements.append(Statement(first, last, line.indent, text, keyword, opens))
        return statements

    def _split(self) -> tuple[list[LogicalLine], set[int]]:
        """Logical lines of the block and the indices of those that Python refuses."""
        lines = list(logical_lines(self.text))
        broken: set[int] = set()
        checked = tries = reread = 0
        while (index := _first_broken(self.text, lines, checked)) is not None:
            line = lines[index]
            tries += 1
            reread += len(self.text) - line.start
            if tries > MAX_PROBLEMS or reread > _REREAD:
                del lines[index:]
                break
            soft = scan_line(self.text, line.start, len(self.text), line.indent, soft=True)
            if soft.next != line.next:
                rest = logical_lines(self.text, soft.next, soft=tries > _STRICT_TRIES)
                lines[index:] = [soft, *rest]
            elif has_stray_closer(self.text, line):
                index = self._join_with_opener(lines, broken, index)
            broken.add(index)
            checked = index + 1
        return lines, broken

    def _join_with_opener(self, lines: list[LogicalLine], broken: set[int], index: int) -> int:
        """Join a line that closes too many brackets to the statement that lost its opening bracket or closed it early.

        That is the nearest line before that is not deeper, if it is broken or has lines below it that cannot be its
        body. A line that does not start with the bracket must itself be deeper, below a header without colon.
        """
        closer = lines[index]
        leads = self.text[closer.start] in ")]}"
        width = indent_width(closer.indent) - (not leads)
        first = index - 1
        while first >= 0 and indent_width(lines[first].indent) > width:
            first -= 1
        if first < 0:
            return index
        opener = lines[first]
        lost = first in broken or (leads and first < index - 1 and not opener.opens)
        if not lost or not (leads or opener.colon < 0):
            return index
        lines[first : index + 1] = [replace(opener, end=closer.end, next=closer.next, colon=-1, closed=False)]
        broken.difference_update(range(first, index + 1))
        return first

    def _report(self, line: LogicalLine) -> None:
        """Add the problem of a broken logical line, in Python's words."""
        text = self.text[line.start : line.end]
        if self.source.has_bad_bytes and "\ufffd" in text:
            return
        first, last = self._line_at(line.start), self._line_at(line.end)
        version = needed_version(text)
        if version is not None:
            column, end = len(line.indent.encode()), len(self.source.line_text(first).encode())
            self.result.problems.append(SyntaxProblem(first, column, first, end, version_message(version), "limit"))
            return
        before, after = standalone(line)
        lead = first - 1 - before.count("\n")
        error = parse_error("\n" * lead + before + text + after)
        if isinstance(error, (SyntaxError, ValueError)) and not is_depth_error(error):
            shift = len(line.indent) - len(before.rpartition("\n")[2])
            problem = problem_from(error, self.source, Placement(first, last, max(-lead, 0), shift))
        else:
            message = depth_message(nesting_levels(text)) if error else "invalid syntax"
            start_line, column = self.source.position_at(self.start + line.start)
            token = (start_line, column, start_line, column + max(len(line.keyword.encode()), 1))
            problem = SyntaxProblem(*token, message, "limit" if error else "syntax")
        self.result.problems.append(problem)

    def _report_fault(self, fault: Fault) -> None:
        """Add the problem of a fault of structure, unless another one explains it."""
        if fault.mended is not None:
            self.result.repaired.append((fault.mended.line, fault.mended.end_line))
        place = fault.place or (fault.mended if self.following is None else None)
        if place is not None:
            line, column, keyword = place.line, len(place.indent.encode()), place.keyword
        else:
            assert self.following is not None
            (line, column), keyword = self.following, ""
        end = self._last_line() if fault.place is None else line
        problems = self.result.problems
        if len(problems) < MAX_PROBLEMS and not any(fault.since <= problem.line <= end for problem in problems):
            token = (line, column, line, column + max(len(keyword.encode()), 1))
            problems.append(SyntaxProblem(*token, fault.message, "limit" if fault.is_limit else "syntax"))

    def _parse(self, statements: list[Statement], *, rewrite: bool) -> list[ast.stmt]:
        """Statements of the mended block, with the positions of the original text."""
        for _ in range(_STRUCTURE_TRIES):
            text = _written(statements, rewrite=rewrite)
            try:
                body = parse(text)
            except PARSE_ERRORS as error:
                if not self._drop(statements, error):
                    break
            else:
                if rewrite:
                    _shift(body, {s.line: len(s.indent.encode()) - s.level for s in statements})
                return body
        self.result.repaired.append((self.first_line, self._last_line()))
        return []

    def _drop(self, statements: list[Statement], error: ParseError) -> bool:
        """Report an error that no line has by itself and replace its statement; False if it has no place."""
        if is_depth_error(error) or not isinstance(error, SyntaxError) or error.lineno is None:
            line = self.first_line
            message = depth_message(len(statements)) if is_depth_error(error) else str(error)
            self.result.problems.append(SyntaxProblem(line, 0, line, 1, message, "limit"))
            return False
        index = max(bisect_right([s.line for s in statements], error.lineno) - 1, 0)
        statement = statements[index]
        self.result.repaired.append((statement.line, statement.end_line))
        if not any(problem.line == statement.line for problem in self.result.problems):
            placement = Placement(statement.line, statement.end_line)
            self.result.problems.append(problem_from(error, self.source, placement))
        statement.text = f"if {MISSING}:" if statement.opens else "pass"
        return True

    def _drop_all(self, error: ParseError) -> None:
        """Report what Python says about the block as a whole, which is too large to be mended."""
        first, last = self.first_line, self._last_line()
        if isinstance(error, SyntaxError) and error.lineno is not None and not is_depth_error(error):
            self.result.problems.append(problem_from(error, self.source, Placement(first, last)))
        else:
            message = depth_message(nesting_levels(self.text))
            self.result.problems.append(SyntaxProblem(first, 0, first, 1, message, "limit"))
        self.result.repaired.append((first, last))

    def _last_line(self) -> int:
        return self._line_at(len(self.text.rstrip("\r\n")))

    def _line_at(self, offset: int) -> int:
        """Line of the file at an offset in the block."""
        return bisect_right(self.source.line_starts, self.start + offset)


def _is_deeper(lines: list[LogicalLine], index: int, than: LogicalLine) -> bool:
    return index < len(lines) and indent_width(lines[index].indent) > indent_width(than.indent)


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


def _written(statements: list[Statement], *, rewrite: bool) -> str:
    """Text of the statements, each on its line."""
    parts: list[str] = []
    line = 1
    for statement in statements:
        text = _LINE_END.sub("\n", statement.text)
        parts += "\n" * (statement.line - line), " " * statement.level if rewrite else statement.indent, text
        line = statement.line + text.count("\n")
    return "".join(parts)


def _shift(body: list[ast.stmt], shifts: dict[int, int]) -> None:
    """Add to the columns of each line what `shifts` has for it."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        attributes = node.__dict__
        if "lineno" in attributes:
            attributes["col_offset"] += shifts.get(attributes["lineno"], 0)
            attributes["end_col_offset"] += shifts.get(attributes["end_lineno"], 0)
        stack.extend(iter_child_nodes(node))
