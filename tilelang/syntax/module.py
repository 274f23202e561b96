"""`parse_module`: the statements of a file, whatever its state."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.syntax.cpython import PARSE_ERRORS, parse, paused_collection
from tilelang.syntax.limits import cut_depth, size_problem

if TYPE_CHECKING:
    import ast

    from tilelang.syntax.problem import SyntaxProblem
    from tilelang.syntax.text import SourceText

# The name that stands for what could not be read. No program defines it, so its value is unknown.
MISSING = "__missing__"
_FEW_PROBLEMS = 3
# Characters up to which a text is first tried as a whole.
_PARSED_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Module:
    """Statements of a file with all that is wrong with its text, in order of position.

    `repaired` are the line ranges (1-based, inclusive) of statements whose text was replaced: what the file says there
    is not known. An unreadable expression is the name `MISSING`.
    """

    body: list[ast.stmt]
    problems: tuple[SyntaxProblem, ...]
    source: SourceText
    repaired: tuple[tuple[int, int], ...] = ()


def parse_module(source: SourceText) -> Module:
    """Parse a file. A broken statement costs itself and not its neighbours; positions are those of the file."""
    too_large = size_problem(source)
    if too_large is not None:
        return Module([], (*source.problems, too_large), source, ((1, source.line_count),))
    with paused_collection():
        body, problems, repaired = _statements(source, source.readable)
        problems += cut_depth(source, body, MISSING)
    return assemble(source, body, problems, repaired)


def assemble(
    source: SourceText, body: list[ast.stmt], problems: list[SyntaxProblem], repaired: list[tuple[int, int]]
) -> Module:
    """A module from what was read of its text."""
    reported = sorted((*source.problems, *_without_prose(problems)))
    return Module(body, tuple(reported), source, tuple(sorted(repaired)))


def _without_prose(problems: list[SyntaxProblem]) -> list[SyntaxProblem]:
    """Problems without those of text that was read as code because a triple quote is missing or too many.

    Such a quote turns strings into code and code into strings up to the end of the file.
    """
    inverted = any(problem.message.startswith("unterminated triple-quoted") for problem in problems)
    if not inverted or len(problems) <= _FEW_PROBLEMS:
        return problems
    first = min(problem for problem in problems if problem.kind == "syntax")
    return [first, *(problem for problem in problems if problem.kind != "syntax")]


def _statements(source: SourceText, text: str) -> tuple[list[ast.stmt], list[SyntaxProblem], list[tuple[int, int]]]:
    if len(text) <= _PARSED_AT_ONCE:
        with suppress(*PARSE_ERRORS):
            return parse(text), [], []
    from tilelang.syntax.recover import parse_or_recover

    recovered = parse_or_recover(source, text)
    return recovered.body, recovered.problems, recovered.repaired
