"""Sizes and depths above which a file is not analysed, so that no input can exhaust memory or the stack."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from tilelang.syntax.problem import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.syntax.text import SourceText

# A syntax tree takes about 750 bytes a node and has at most 1.7 nodes per word, comma or opening bracket.
MAX_WORDS = 600_000
# Levels of one statement's expressions, and of statements in each other (a chain of `elif` nests). Python's own limit
# is about 3,000; a walker that spends two frames a level then stays within the default recursion limit.
MAX_DEPTH = 400
# More broken places than this and the rest of the file is not read: it is no Python file.
MAX_PROBLEMS = 100
# A broken top-level statement of more characters is dropped as a whole: mending reads it several times.
MAX_BROKEN_BLOCK = 100_000
# Python builds trees on the C stack, which overflows at some 100,000 levels: version 3.10 trees of any depth, later
# versions those of a depth that grows with the recursion limit, which the evaluator raises.
_USUAL_RECURSION_LIMIT = 5_000
_MAX_CHAIN = 20_000
# Before 3.12 Python's time for an f-string grows with the square of its fields.
_MAX_FIELDS = 20_000

_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"[-+*/%@&|^~.]|\b(?:not|if|lambda)\b")
# The line end before a line that probably starts a statement.
_STATEMENT = re.compile(r"\n(?=[ \t]*[\w@])")
_LINK = re.compile(r"[)\]]\s*[.(\[]")

_SUITES: dict[type[ast.AST], tuple[str, ...]] = {
    ast.FunctionDef: ("body",),
    ast.AsyncFunctionDef: ("body",),
    ast.ClassDef: ("body",),
    ast.If: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.AsyncFor: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.With: ("body",),
    ast.AsyncWith: ("body",),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.ExceptHandler: ("body",),
    ast.Match: ("cases",),
    ast.match_case: ("body",),
}
if sys.version_info >= (3, 11):
    _SUITES[ast.TryStar] = _SUITES[ast.Try]
# Fields whose expression is read, so that an unknown name can stand for it.
_READ_FIELDS = ("value", "test", "iter", "subject", "exc")


def size_problem(source: SourceText) -> SyntaxProblem | None:
    """The problem of a text that is too large to be parsed at all."""
    text = source.text
    message = ""
    if len(text) > MAX_WORDS:
        words = sum(1 for _ in _WORD.finditer(text)) + sum(map(text.count, ",([{"))
        if words > MAX_WORDS:
            message = f"file too large to be analysed ({words:,} words and brackets, at most {MAX_WORDS:,})"
    if not message and (sys.version_info < (3, 11) or sys.getrecursionlimit() > _USUAL_RECURSION_LIMIT):
        chain = _longest_chain(text)
        if chain > _MAX_CHAIN:
            message = f"nested too deeply ({chain:,} levels)"
    if not message and sys.version_info < (3, 12) and text.count("{") > _MAX_FIELDS:
        fields = max(line.count("{") for line in text.splitlines())
        if fields > _MAX_FIELDS:
            message = f"too many fields or braces in one line ({fields:,}, at most {_MAX_FIELDS:,})"
    if not message:
        return None
    return SyntaxProblem(1, 0, 1, source.byte_column(1, len(source.line_text(1))), message, "limit")


def _longest_chain(text: str) -> int:
    """Most operators or calls that may nest in one statement, if they are many enough to matter."""
    if len(text) <= _MAX_CHAIN:
        return 0
    longest = 0
    for statement in _STATEMENT.split(text):
        if len(statement) > _MAX_CHAIN:
            links = sum(1 for _ in _LINK.finditer(statement))
            operators = (sum(1 for _ in _OPERATOR.finditer(part)) for part in statement.split(","))
            longest = max(longest, links, *operators)
    return longest


def cut_depth(source: SourceText, body: list[ast.stmt], missing: str) -> list[SyntaxProblem]:
    """Replace what nests deeper than `MAX_DEPTH` by the name `missing` or by `pass`, in place.

    `body` has the lines of `source`. Statements are walked, expressions only where their text is long enough.
    """
    problems: list[SyntaxProblem] = []
    stack: list[tuple[list[ast.stmt], int]] = [(body, 1)]
    while stack:
        suite, level = stack.pop()
        for index, statement in enumerate(suite):
            names = _SUITES.get(type(statement))
            if names and level >= MAX_DEPTH:
                problems.append(_too_deep(source, statement, level + _levels_below([statement])))
                suite[index] = ast.copy_location(ast.Pass(), statement)
                continue
            if _long(source, statement, names):
                depth, replaced = _cut_expressions(statement, missing)
                if depth:
                    problems.append(_too_deep(source, statement, depth))
                    if not replaced:
                        suite[index] = ast.copy_location(ast.Pass(), statement)
                        continue
            if names:
                stack.extend((getattr(statement, name), level + 1) for name in names)
    return problems


def _too_deep(source: SourceText, statement: ast.stmt, levels: int) -> SyntaxProblem:
    line, column = statement.lineno, statement.col_offset
    end = source.byte_column(line, len(source.line_text(line)))
    return SyntaxProblem(line, column, line, max(end, column), f"nested too deeply ({levels:,} levels)", "limit")


def _levels_below(suite: list[ast.stmt]) -> int:
    deepest = 0
    stack: list[tuple[list[ast.stmt], int]] = [(suite, 0)]
    while stack:
        statements, level = stack.pop()
        deepest = max(deepest, level)
        for statement in statements:
            stack.extend((getattr(statement, name), level + 1) for name in _SUITES.get(type(statement), ()))
    return deepest


def _long(source: SourceText, statement: ast.stmt, suites: tuple[str, ...] | None) -> bool:
    """Whether a statement's own expressions have text enough to nest too deeply: a level takes a byte at least."""
    if not hasattr(statement, "lineno"):
        return True
    line, column = statement.lineno, statement.col_offset
    end_line, end_column = statement.end_lineno or line, statement.end_col_offset or column
    if suites:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        if decorators:
            line, column = decorators[0].lineno, decorators[0].col_offset
        first = getattr(statement, suites[0])[0]
        if hasattr(first, "lineno"):
            end_line, end_column = first.lineno, first.col_offset
    if line == end_line:
        return end_column - column > MAX_DEPTH
    starts = source.byte_starts
    return starts[end_line - 1] + end_column - starts[line - 1] - column > MAX_DEPTH


def _cut_expressions(statement: ast.stmt, missing: str) -> tuple[int, bool]:
    """Depth of the expressions if it is too large, else 0, and whether replacing one of them was enough."""
    depth, replaced = 0, True
    suites = _SUITES.get(type(statement), ())
    for name in statement._fields:
        if name in suites:
            continue
        value = getattr(statement, name, None)
        levels = max((_expression_depth(node) for node in _nodes(value)), default=0)
        if levels <= MAX_DEPTH:
            continue
        depth = max(depth, levels)
        if name in _READ_FIELDS and isinstance(value, ast.expr):
            setattr(statement, name, ast.copy_location(ast.Name(missing, ast.Load()), value))
        else:
            replaced = False
    return depth, replaced


def _nodes(value: object) -> Iterator[ast.AST]:
    if isinstance(value, ast.AST):
        yield value
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]: lists of an ast field have no type
            if isinstance(item, ast.AST):
                yield item


def _expression_depth(node: ast.AST) -> int:
    deepest = 0
    stack = [(node, 1)]
    while stack:
        inner, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(inner))
    return deepest
