"""Comments that speak to the checker: suppressions and directives.

    x = T.gemm(a, b, c)  # tl: ignore[gemm-shape-mismatch] padded by the caller
    # tl: ignore-file[unused-buffer]
    # tilelang: instance(M=4096, dtype="float16")
    # tilelang: targets=sm_90+

A comment at the end of a statement, or between its lines, is about that statement; one on a line of its own is about
the next. A statement is a logical line: for a compound statement its header. On a decorator it is the whole function or
class. Text in strings is no comment, also where other parts of the file are broken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tilelang.syntax.problem import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.syntax.lines import LogicalLine
    from tilelang.syntax.text import SourceText

LineRange = tuple[int, int]

_MARK = re.compile(r"#[^\r\n]*?\b(?:tl|tilelang):")
_SUPPRESSION = re.compile(r"#\s*tl:\s*(?P<kind>[\w-]*)[ \t]*(?P<list>\[(?P<rules>[^\]#]*)\])?[ \t]*(?P<reason>[^#]*)")
_DIRECTIVE = re.compile(
    r"#\s*tilelang:\s*(?P<name>[^\W\d][\w-]*)\s*(?:\((?P<call>.*)\)|=\s*(?P<value>[^#]*))?(?P<rest>.*)"
)
# Directives that are sure not to be prose, even without a value.
_DIRECTIVES = frozenset(("instance", "targets"))
_RULE = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class RuleName:
    """A rule named in a suppression, with its UTF-8 columns on the comment's line."""

    name: str
    column: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# tl: ignore[...]` or, if `whole_file`, `# tl: ignore-file[...]`.

    The comment starts at `line` and `column`; it covers findings on the lines `covers` (1-based, inclusive).
    """

    line: int
    column: int
    end_column: int
    rules: tuple[RuleName, ...]
    reason: str
    covers: LineRange
    whole_file: bool = False


@dataclass(frozen=True, slots=True)
class Directive:
    """`# tilelang: name(value)` or `# tilelang: name=value`, unparsed. `value_column` is where `value` starts.

    `covers` are the lines of the statement it is about, None after the last one.
    """

    line: int
    column: int
    end_column: int
    name: str
    value: str
    value_column: int
    covers: LineRange | None


# Lines without end that are first read as Python reads them; each may reach the end of the file.
_STRICT_TRIES = 4


@dataclass(frozen=True, slots=True)
class Comments:
    """All comments to the checker in a file; `problems` are those that it does not understand."""

    suppressions: tuple[Suppression, ...] = ()
    directives: tuple[Directive, ...] = ()
    problems: tuple[SyntaxProblem, ...] = ()


@lru_cache(maxsize=4)
def comments(source: SourceText) -> Comments:
    """Find the comments to the checker; the file may be broken."""
    text = source.text
    if not _MARK.search(text):
        return Comments()
    suppressions: list[Suppression] = []
    directives: list[Directive] = []
    problems: list[SyntaxProblem] = []
    lines = _code_lines(text)
    for offset, covers in _comments_with_range(source, lines):
        line, column = source.position_at(offset)
        start = offset - source.line_starts[line - 1]
        content = source.line_text(line)
        for match in _SUPPRESSION.finditer(content, start):
            place = line, source.byte_column(line, match.start())
            end_column = source.byte_column(line, match.start() + len(match[0].rstrip()))
            rules = _rules(source, line, match)
            kind = match["kind"]
            if kind not in ("ignore", "ignore-file"):
                if not kind.startswith("ign") and match["list"] is None:
                    continue  # Prose: "tl: top left".
                message = f"unknown comment 'tl: {kind}', expected 'tl: ignore[rule]' or 'tl: ignore-file[rule]'"
            elif not rules:
                message = f"'tl: {kind}' names no rule, expected 'tl: {kind}[rule]'"
            else:
                whole_file = kind == "ignore-file"
                range_ = (1, source.line_count) if whole_file else covers or (line, line)
                reason = match["reason"].strip()
                suppressions.append(Suppression(*place, end_column, rules, reason, range_, whole_file))
                continue
            problems.append(SyntaxProblem(*place, line, end_column, message))
        directive = _DIRECTIVE.search(content, start)
        if directive is None:
            continue
        column = source.byte_column(line, directive.start())
        end_column = source.byte_column(line, len(content.rstrip()))
        group = "call" if directive["call"] is not None else "value"
        if directive[group] is None:
            if directive["name"] not in _DIRECTIVES:
                continue
            message = f"'tilelang: {directive['name']}' has no value"
            problems.append(SyntaxProblem(line, column, line, end_column, message))
            continue
        value_column = source.byte_column(line, directive.start(group))
        value = directive[group].strip()
        directives.append(Directive(line, column, end_column, directive["name"], value, value_column, covers))
    return Comments(tuple(suppressions), tuple(directives), tuple(problems))


def _rules(source: SourceText, line: int, match: re.Match[str]) -> tuple[RuleName, ...]:
    if match["rules"] is None:
        return ()
    names = _RULE.finditer(match.string, *match.span("rules"))
    return tuple(
        RuleName(name[0], source.byte_column(line, name.start()), source.byte_column(line, name.end()))
        for name in names
    )


def _code_lines(text: str) -> list[LogicalLine]:
    """Logical lines; where a bracket or string has no end, the layout decides where the line ends."""
    from tilelang.syntax.lines import logical_lines  # Late: most files have no such comment.

    result: list[LogicalLine] = []
    position = unclosed = 0
    while True:
        line = next(logical_lines(text, position, soft=unclosed > _STRICT_TRIES), None)
        if line is not None and not line.closed and unclosed <= _STRICT_TRIES:
            unclosed += 1
            line = next(logical_lines(text, position, soft=True), None)
        if line is None:
            return result
        result.append(line)
        position = line.next


def _comments_with_range(source: SourceText, lines: list[LogicalLine]) -> Iterator[tuple[int, LineRange | None]]:
    """Offset of each comment and the lines of the statement that it is about."""
    from tilelang.syntax.lines import comment_offsets

    position = 0
    for index, line in enumerate(lines):
        covers = _range(source, lines, index)
        for offset in comment_offsets(source.text, position, line.next):
            yield offset, covers
        position = line.next
    for offset in comment_offsets(source.text, position, len(source.text)):
        yield offset, None


def _range(source: SourceText, lines: list[LogicalLine], index: int) -> LineRange:
    """Lines of a logical line; for a decorator, of what it decorates."""
    from tilelang.syntax.lines import indent_width

    first = last = lines[index]
    if first.keyword == "@":
        width = indent_width(first.indent)
        while last.keyword == "@" and index + 1 < len(lines) and indent_width(lines[index + 1].indent) == width:
            index += 1
            last = lines[index]
        while index + 1 < len(lines) and indent_width(lines[index + 1].indent) > width:
            index += 1
            last = lines[index]
    end = max(last.end - 1, first.start)
    return bisect_right(source.line_starts, first.start), bisect_right(source.line_starts, end)
