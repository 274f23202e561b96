"""CUDA source that a program brings itself, with directives that lead its lines to the string that they stand in."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.listing.paths import written_path
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.lower.lines import Lines

UNNAMED = "embedded.cu"
"""How logs call text whose place is not known, such as text that a program put together."""


def source_text(given: object, span: Span, lines: Lines) -> str:
    """CUDA text, or that of a file, as code with places. Raises :class:`Unsupported` for text that is not known and for
    a file that cannot be read."""
    if isinstance(given, Path):
        given = str(given)
    if not isinstance(given, str):
        raise Unsupported("the CUDA source is not known before the program runs", span)
    file = _file(given, span)
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Unsupported(f"{file} cannot be read: {error}", span) from None
        return _placed(text, str(file), 1, lines)
    line = _line_of(given, span)
    return f'#line 1 "{UNNAMED}"\n{given}' if line is None else _placed(given, span.path, line, lines)


def _placed(text: str, path: str, line: int, lines: Lines) -> str:
    lines.number_of(path)
    return f'#line {line} "{written_path(path)}"\n{text}'


def _file(given: str, span: Span) -> Path | None:
    """The file that a text names, from the working folder or beside the program."""
    if "\n" in given or len(given) > 1000:
        return None
    candidates = (Path(given), Path(span.path).parent / given)
    return next((path.resolve() for path in candidates if path.is_file()), None)


def _line_of(text: str, span: Span) -> int | None:
    """The line of the program on which a string begins that is written there as one literal; the nearest one if there
    are several."""
    found = [line for literal, line in _literals(span.path) if literal == text]
    return min(found, key=lambda line: abs(line - span.line), default=None)


@cache
def _parsed(path: str, changed: float) -> tuple[tuple[str, int], ...]:
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (node.value, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        # An escape for the end of a line moves the lines behind it.
        and node.value.count("\n") == (node.end_lineno or node.lineno) - node.lineno
    )


def _literals(path: str) -> tuple[tuple[str, int], ...]:
    try:
        return _parsed(path, Path(path).stat().st_mtime)
    except OSError:
        return ()
