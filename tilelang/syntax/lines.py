"""Logical lines of Python text that may be broken anywhere.

The scanner knows strings, comments, brackets and continuation lines, and nothing else of the grammar. Two modes
differ in where an unclosed bracket ends. *Strict* follows Python's rule that brackets join lines, and stops only before
a line that cannot continue an expression (`return`, `def`, `for ...:`). It never splits valid code. *Soft* is for a
line that is known to be broken: it also stops where the layout says that a new statement begins.

Every logical line is found from its own first character alone, so scanning can start at any of them.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_KEYWORDS = frozenset(
    ("if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "async", "match", "case")
)
SOFT_KEYWORDS = frozenset(("match", "case"))
CONTINUATION_KEYWORDS = frozenset(("elif", "else", "except", "finally"))

_INDENT = re.compile(r"[ \t\f]*")
_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")
_TOKEN = re.compile(
    r"""\#[^\r\n]* | \\(?:\r\n?|\n) | \r\n?|\n | \"{3}|'{3}|"|' | [()\[\]{}] | [:;] | (?<!\w)lambda(?!\w)""", re.VERBOSE
)
_WORD = re.compile(r"[^\W\d]\w*|@")
_STRING_STOP = {
    '"': re.compile(r'\\(?:\r\n|[\s\S])|"|[\r\n]'),
    "'": re.compile(r"\\(?:\r\n|[\s\S])|'|[\r\n]"),
    '"""': re.compile(r'\\[\s\S]|"{3}'),
    "'''": re.compile(r"\\[\s\S]|'{3}"),
}
_PREFIXED_F = re.compile(r"(?<!\w)(?:[fFtT][rR]?|[rR][fFtT])\Z")
_FIELD_TOKEN = re.compile(r"""\"{3}|'{3}|"|'|[()\[\]{}]|:|[\r\n]""")
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}

# A physical line that cannot stand inside brackets: a statement keyword, or a header of `for`, `if` or `while` that is
# complete with its colon (`if` and `for` alone may belong to a comprehension).
_STATEMENT_ONLY = re.compile(
    r"""(?:def|class|return|with|while|import|raise|try|assert|del|pass|break|continue|global|nonlocal|elif)\b
        (?![ \t]*[=,)\]}.:])
      | (?:else|try|finally)[ \t]*:[ \t]*(?:\#|[\r\n]|\Z)
      | from[ \t]+[\w.]+[ \t]+import\b
      | async[ \t]+(?:def|with)\b""",
    re.VERBOSE,
)
_BLOCK_HEADER = re.compile(
    r"""(?:for\b(?=.*[ \t]in[ \t]) | if\b(?!.*[ \t]else[ \t]) | async[ \t]+for\b)
        ([^\#\r\n]*):[ \t]*(?:\#|[\r\n]|\Z)""",
    re.VERBOSE,
)
_DECORATOR = re.compile(r"@[ \t]*[^\W\d]")
# In soft mode: what the body of an unclosed header begins with.
_BODY_LIKE = re.compile(
    r"""[^\W\d][\w.]*(?:\[[^\r\n]*\])?(?:[ \t]*,[ \t]*[^\W\d][\w.]*)*[ \t]+(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=[ \t]
      | [^\W\d][\w.]*\([^\r\n]*\)[ \t]*(?:\#[^\r\n]*)?(?:[\r\n]|\Z)
      | @[ \t]*[^\W\d]""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One statement line, header or decorator; offsets are characters of the scanned text.

    `end` excludes a trailing comment, `next` is where the following physical line starts. `colon` is the colon that
    ends a header (-1 without), `semicolons` those between statements. `closed` says that every bracket and
    string ends inside the line: then no later text decides where it ends.
    """

    start: int
    end: int
    next: int
    indent: str
    keyword: str
    colon: int
    semicolons: tuple[int, ...]
    closed: bool

    @property
    def is_header(self) -> bool:
        """Whether it is a compound statement's header with its colon, as far as a keyword can tell."""
        if self.colon < 0 or self.keyword not in HEADER_KEYWORDS:
            return False
        return self.keyword not in SOFT_KEYWORDS or self.colon > self.start + len(self.keyword)

    @property
    def opens(self) -> bool:
        """Whether a body must follow on lines of its own."""
        return self.is_header and self.colon == self.end - 1


def logical_lines(text: str, start: int = 0, stop: int | None = None, *, soft: bool = False) -> Iterator[LogicalLine]:
    """Logical lines from `start`, which is at the start of a physical line, to `stop`; blank lines are skipped."""
    stop = len(text) if stop is None else stop
    position = start
    while position < stop:
        first = _end_of(_INDENT, text, position, stop)
        if first == stop:
            return
        if text[first] in "#\r\n":
            position = _end_of(_REST_OF_LINE, text, first, stop)
            continue
        line = scan_line(text, first, stop, text[position:first], soft=soft)
        yield line
        position = line.next


def scan_line(text: str, first: int, stop: int, indent: str, *, soft: bool) -> LogicalLine:
    """The logical line whose first token is at `first`."""
    word = _WORD.match(text, first, stop)
    keyword = word[0] if word else ""
    brackets: list[str] = []
    colon, lambdas, closed = -1, 0, True
    semicolons: list[int] = []
    position, code_end = first, -1
    end = after = stop
    while (match := _TOKEN.search(text, position, stop)) is not None:
        token, position = match[0], match.end()
        kind = token[0]
        if kind in "\r\n":
            if not brackets:
                end, after = match.start(), position
                break
            if _cuts(text, position, stop, indent, keyword, soft=soft):
                end, after, closed = match.start(), position, False
                break
            code_end = -1
        elif kind == "#":
            code_end = match.start()
        elif kind in "\"'":
            position, ended = _string_end(text, match.start(), stop, token)
            if soft and len(token) == 3 and (cut := _code_inside(text, match.end(), position, indent)) >= 0:
                end, after, closed = cut, cut, False
                break
            closed &= ended
        elif kind in "([{":
            brackets.append(kind)
        elif kind in ")]}":
            closed &= _close(brackets, kind)
        elif brackets:
            continue
        elif kind == "l":
            lambdas += 1
        elif kind == ";":
            semicolons.append(match.start())
        elif kind == ":" and not text.startswith("=", position):
            if lambdas:
                lambdas -= 1
            elif colon < 0:
                colon = match.start()
    else:
        closed &= not brackets
    if code_end >= 0:
        end = code_end
    end = first + len(text[first:end].rstrip(" \t\f\r\n"))
    return LogicalLine(first, end, after, indent, keyword, colon, tuple(semicolons), closed)


def top_level_characters(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """(offset, character) of what lies outside brackets, strings and comments of one logical line."""
    depth, position = 0, start
    while position < stop:
        character = text[position]
        if character in "\"'":
            quote = character * 3 if text.startswith(character * 3, position) else character
            position, _ = _string_end(text, position, stop, quote)
            continue
        if character == "#":
            position = _end_of(_REST_OF_LINE, text, position, stop)
            continue
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= depth > 0
        elif not depth:
            yield position, character
        position += 1


def has_stray_closer(text: str, line: LogicalLine) -> bool:
    """Whether a logical line closes a bracket that it does not open."""
    brackets: list[str] = []
    position = line.start
    while (match := _TOKEN.search(text, position, line.end)) is not None:
        token, position = match[0], match.end()
        if token[0] in "\"'":
            position, _ = _string_end(text, match.start(), line.end, token)
        elif token in _CLOSER_OF:
            brackets.append(token)
        elif token in ")]}" and not _close(brackets, token) and not brackets:
            return True
    return False


def nests_quotes(text: str) -> bool:
    """Whether an f-string has a field with its own quotes, as Python 3.12 allows."""
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        token, position = match[0], match.end()
        if token[0] in "\"'":
            plain, _ = _string_end(text, match.start(), len(text), token)
            if _PREFIXED_F.search(text, max(match.start() - 3, 0), match.start()):
                end = _format_string_end(text, position, len(text), token, 0)
                if end > plain:
                    return True
            position = plain
    return False


def open_brackets(text: str, start: int, stop: int) -> str:
    """The closers that the brackets left open in one logical line need, innermost first."""
    brackets: list[str] = []
    position = start
    while (match := _TOKEN.search(text, position, stop)) is not None:
        token, position = match[0], match.end()
        if token[0] in "\"'":
            position, _ = _string_end(text, match.start(), stop, token)
        elif token in _CLOSER_OF:
            brackets.append(token)
        elif token in ")]}":
            _close(brackets, token)
    return "".join(_CLOSER_OF[bracket] for bracket in reversed(brackets))


def comment_offsets(text: str, start: int, stop: int) -> Iterator[int]:
    """Offsets of the comments between two offsets, the first of which is outside strings."""
    position = start
    while (match := _TOKEN.search(text, position, stop)) is not None:
        token, position = match[0], match.end()
        if token[0] == "#":
            yield match.start()
        elif token[0] in "\"'":
            position, _ = _string_end(text, match.start(), stop, token)


def indent_width(indent: str, tab: int = 8) -> int:
    """Column that leading white space reaches; a form feed starts over, as in Python's tokenizer."""
    indent = indent.rpartition("\f")[2]
    if "\t" not in indent:
        return len(indent)
    width = 0
    for character in indent:
        width = (width // tab + 1) * tab if character == "\t" else width + 1
    return width


def _end_of(pattern: re.Pattern[str], text: str, position: int, stop: int) -> int:
    match = pattern.match(text, position, stop)
    return match.end() if match else position


def _close(brackets: list[str], closer: str) -> bool:
    """Take the bracket that `closer` closes off the stack, with those above it; False unless it was the innermost."""
    if brackets and _CLOSER_OF[brackets[-1]] == closer:
        brackets.pop()
        return True
    for index in range(len(brackets) - 1, -1, -1):
        if _CLOSER_OF[brackets[index]] == closer:
            del brackets[index:]
            break
    return False


def _string_end(text: str, start: int, stop: int, quote: str) -> tuple[int, bool]:
    """Offset after a string whose quotes are at `start`, and whether it is certain to end there."""
    well_formed = True
    if sys.version_info >= (3, 12) and _PREFIXED_F.search(text, max(start - 3, 0), start):
        end = _format_string_end(text, start + len(quote), stop, quote, 0)
        if end >= 0:
            return end, True
        well_formed = False
    for match in _STRING_STOP[quote].finditer(text, start + len(quote), stop):
        token = match[0]
        if token == quote:
            return match.end(), well_formed
        if token in "\r\n":
            return match.start(), False
    return stop, False


def _format_string_end(text: str, position: int, stop: int, quote: str, nesting: int) -> int:
    """Offset after an f-string of Python 3.12, whose fields may hold its own quotes; -1 if it has no end."""
    stops = re.compile(r"\\(?:\r\n|[\s\S])|\{\{|\{|[\r\n]|" + quote)
    while (match := stops.search(text, position, stop)) is not None:
        token, position = match[0], match.end()
        if token == quote:
            return position
        if token == "{":
            position = _field_end(text, position, stop, quote, nesting)
            if position < 0:
                return -1
        elif token in "\r\n" and len(quote) == 1:
            return -1
    return -1


def _field_end(text: str, position: int, stop: int, quote: str, nesting: int) -> int:
    """Offset after the brace that closes a replacement field; -1 if there is none or it nests deeper than is sane."""
    if nesting > 4:
        return -1
    depth = 0
    while (match := _FIELD_TOKEN.search(text, position, stop)) is not None:
        token, position = match[0], match.end()
        if token in ("(", "[", "{"):
            depth += 1
        elif token == "}" and depth == 0:
            return position
        elif token in (")", "]", "}"):
            depth -= 1
        elif token == ":" and depth == 0:
            return _format_spec_end(text, position, stop, quote, nesting)
        elif token[0] in "\"'":
            inner = _PREFIXED_F.search(text, max(match.start() - 3, 0), match.start())
            if inner:
                position = _format_string_end(text, position, stop, token, nesting + 1)
            else:
                position, ended = _string_end(text, match.start(), stop, token)
                position = position if ended else -1
            if position < 0:
                return -1
        elif token in "\r\n" and len(quote) == 1:
            return -1
    return -1


def _format_spec_end(text: str, position: int, stop: int, quote: str, nesting: int) -> int:
    """Offset after the brace that ends a format specification, in which quotes mean nothing."""
    while position < stop:
        character = text[position]
        position += 1
        if character == "}":
            return position
        if text.startswith(quote, position - 1) or (character in "\r\n" and len(quote) == 1):
            return -1
        if character == "{":
            position = _field_end(text, position, stop, quote, nesting + 1)
            if position < 0:
                return -1
    return -1


def _cuts(text: str, position: int, stop: int, indent: str, keyword: str, *, soft: bool) -> bool:
    """Whether an open bracket ends before the physical line at `position`."""
    while position < stop:
        first = _end_of(_INDENT, text, position, stop)
        if first < stop and text[first] in "#\r\n":
            position = _end_of(_REST_OF_LINE, text, first, stop)
            continue
        break
    else:
        return soft
    if first == stop:
        return soft
    if _STATEMENT_ONLY.match(text, first, stop):
        return True
    header = _BLOCK_HEADER.match(text, first, stop)
    if header and _balanced(header[1]):
        return True
    deeper = indent_width(text[position:first]) > indent_width(indent)
    if not deeper and _DECORATOR.match(text, first, stop):
        return True
    if not soft:
        return False
    if deeper:
        return keyword in HEADER_KEYWORDS and _BODY_LIKE.match(text, first, stop) is not None
    return text[first] not in ")]}:,.="


def _balanced(text: str) -> bool:
    return all(text.count(opener) == text.count(closer) for opener, closer in _CLOSER_OF.items())


def _code_inside(text: str, start: int, end: int, indent: str) -> int:
    """Where code starts again inside a triple-quoted string of a broken line: a line that is clearly a statement and
    not indented deeper than the line with the quotes; -1 if there is none."""
    width = indent_width(indent)
    position = _end_of(_REST_OF_LINE, text, start, end)
    while position < end:
        first = _end_of(_INDENT, text, position, end)
        outside = first < end and indent_width(text[position:first]) <= width
        if outside and any(pattern.match(text, first) for pattern in (_STATEMENT_ONLY, _BLOCK_HEADER, _BODY_LIKE)):
            return position
        position = max(_end_of(_REST_OF_LINE, text, first, end), position + 1)
    return -1
