"""``# tl: ignore[rule, ...]`` comments and the lines that they cover.

- After code: the line itself, and the whole logical line if the comment stands at its first or last line.
- Alone on a line: the next logical line.
- At a decorator, or alone above it: the whole decorated function or class.
- ``# tl: ignore-file[...]``: the whole file.

Without brackets a comment means every rule. Text after it is a reason, for people.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGN = "tl:"
_DIRECTIVE = re.compile(r"#\s*tl:\s*ignore(?P<file>-file)?(?:\[(?P<rules>[^\]\n]*)\])?(?![\w\[-])")


class IgnoreComment(NamedTuple):
    """One comment. Columns count characters from 0. ``rules`` is empty if every rule is meant; ``lines`` is None for
    the whole file. ``alone``: nothing but the comment is on its line."""

    line: int
    start: int
    end: int
    rules: tuple[str, ...]
    lines: range | None
    alone: bool

    def covers(self, line: int) -> bool:
        return self.lines is None or line in self.lines


def ignore_comments(text: str, tree: ast.Module | None) -> list[IgnoreComment]:
    """All such comments of a file. ``tree`` is its syntax tree; without one every physical line stands for itself."""
    if SIGN not in text:
        return []
    # Not `splitlines`, which also splits at form feeds and Unicode separators. Columns stay as they are.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    layout = _Layout(tree)
    lines = text.split("\n")
    found: list[IgnoreComment] = []
    for line, start, comment in _comments(text):
        match = _DIRECTIVE.search(comment)
        if match is None:
            continue
        alone = not lines[line - 1][:start].strip() and match.start() == 0
        rules = tuple(name.strip() for name in (match["rules"] or "").split(",") if name.strip())
        covered = None if match["file"] else layout.covered(line, lines, alone=alone)
        found.append(IgnoreComment(line, start + match.start(), start + len(comment), rules, covered, alone))
    return found


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column and text of every comment. From the place where the tokenizer gives up, everything from a ``#`` on
    counts."""
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                last = token.start[0]
                yield *token.start, token.string
    except (tokenize.TokenError, SyntaxError):
        for number, line in enumerate(text.split("\n"), 1):
            if number > last and "#" in line:
                start = line.index("#")
                yield number, start, line[start:]


class _Layout:
    """Logical lines and decorated definitions of a file, as ranges of lines."""

    def __init__(self, tree: ast.Module | None) -> None:
        self._logical: dict[int, range] = {}
        self._decorated: dict[int, range] = {}
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
                first = node.decorator_list[0].lineno
                for decorator in node.decorator_list:
                    for line in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1):
                        self._decorated[line] = range(first, (node.end_lineno or node.lineno) + 1)
            if isinstance(node, ast.stmt):
                lines = _own_lines(node)
                for line in lines:
                    # An inner statement on the same line is the narrower one, and comes later.
                    self._logical[line] = lines

    def covered(self, line: int, lines: list[str], *, alone: bool) -> range:
        """The lines that a comment at ``line`` covers."""
        if alone and line not in self._logical:
            following = range(line, len(lines))
            line = next((n + 1 for n in following if lines[n].strip() and lines[n].lstrip()[0] != "#"), line)
            return self._decorated.get(line) or self._logical.get(line) or range(line, line + 1)
        if line in self._decorated:
            return self._decorated[line]
        logical = self._logical.get(line, range(line, line + 1))
        return logical if line in (logical[0], logical[-1]) else range(line, line + 1)


def _own_lines(node: ast.stmt) -> range:
    """The lines of a statement without those of its body."""
    end = node.end_lineno or node.lineno
    body: list[ast.stmt] = getattr(node, "body", [])
    if body:
        inner = body[0]
        first = min([inner.lineno, *(it.lineno for it in getattr(inner, "decorator_list", ()))])
        end = max(node.lineno, min(end, first - 1))
    return range(node.lineno, end + 1)
