"""Python's own parser: its trees, and what it says about text that it refuses."""

from __future__ import annotations

import ast
import gc
import re
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.syntax.problem import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Generator

    from tilelang.syntax.text import SourceText

# What `ast.parse` raises on text: MemoryError where its parser's stack ends, RecursionError where a tree is too deep,
# ValueError for null bytes and lone surrogates.
PARSE_ERRORS = (SyntaxError, ValueError, MemoryError, RecursionError)
ParseError = SyntaxError | ValueError | MemoryError | RecursionError

_TOKEN = re.compile(r"\w+|[^\s\w]")
_BRACKET = re.compile(r"[()\[\]{}]")
_OPERATOR = re.compile(r"[-+*/%@&|^~.([{]|\b(?:not|if|elif|lambda|await)\b")
_DEPTH_PHRASES = ("too many nested parentheses", "too many levels of indentation", "nested too deeply")


@contextmanager
def paused_collection() -> Generator[None]:
    """Keep the cyclic collector from running: trees have no cycles, and it takes two thirds of the time of a parse."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def parse(text: str) -> list[ast.stmt]:
    """Statements of `text`, without Python's warnings; raises one of `PARSE_ERRORS`."""
    with paused_collection(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text).body


def parse_error(text: str) -> ParseError | None:
    """Why Python refuses `text`; None if it does not."""
    try:
        parse(text)
    except PARSE_ERRORS as error:
        return error
    return None


def is_depth_error(error: ParseError) -> bool:
    """Whether Python refused the text because it nests too deeply, which says nothing about its syntax."""
    if isinstance(error, SyntaxError):
        return any(phrase in (error.msg or "") for phrase in _DEPTH_PHRASES)
    return isinstance(error, (MemoryError, RecursionError))


def nesting_levels(text: str) -> int:
    """How deeply one logical line nests: its brackets, or its operators if those are more than brackets allow."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        depth = depth + 1 if match[0] in "([{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest if deepest > 100 else sum(1 for _ in _OPERATOR.finditer(text))


def depth_message(levels: int) -> str:
    """What to say of text that Python's parser gives up on."""
    return f"nested too deeply ({levels:,} levels)" if levels > 50 else "too complex to be parsed"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where text that was parsed apart stands in the file: its lines `first` to `last`.

    `extra_lines` is by how much the parsed text's line numbers exceed those of the file, and `shift` what to add to the
    columns of the first line.
    """

    first: int
    last: int
    extra_lines: int = 0
    shift: int = 0


def problem_from(error: SyntaxError | ValueError, source: SourceText, placement: Placement) -> SyntaxProblem:
    """Python's message and range for text that was parsed apart, in the positions of the file."""
    if not isinstance(error, SyntaxError):
        return SyntaxProblem(placement.first, 0, placement.first, 0, str(error))
    message = error.msg or "invalid syntax"
    line, start = _mapped(error.lineno, error.offset, placement)
    end_line, end = _mapped(error.end_lineno, error.end_offset, placement)
    text = source.line_text(line)
    if message.startswith("f-string: ") and sys.version_info < (3, 12):
        # Before 3.12 the columns are those of "(expression)", the field parsed by itself.
        field = (error.text or "").strip()[1:-1]
        found = text.find(field) if field else -1
        start, end_line, end = (found, line, found + len(field)) if found >= 0 else (0, line, len(text))
    start = min(max(start, 0), len(text))
    if (end_line, end) <= (line, start):
        token = _TOKEN.match(text, start)
        end_line, end = line, token.end() if token else start + 1
    column = source.byte_column(line, start)
    end_column = source.byte_column(end_line, end)
    return SyntaxProblem(line, column, end_line, max(end_column, column) if end_line == line else end_column, message)


def _mapped(line: int | None, offset: int | None, placement: Placement) -> tuple[int, int]:
    """(line, column in characters) of a position as `SyntaxError` gives it, 1-based in both."""
    line = (line or 0) - placement.extra_lines
    column = (offset or 0) - 1 + (placement.shift if line == placement.first else 0)
    return min(max(line, placement.first), placement.last), column
