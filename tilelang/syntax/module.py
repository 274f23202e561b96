"""`parse_module`: the statements of a file, whatever its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.syntax.errors import PARSE_ERRORS, parse
from tilelang.syntax.limits import cut_depth, size_problem

if TYPE_CHECKING:
    import ast

    from tilelang.syntax.problem import SyntaxProblem
    from tilelang.syntax.text import SourceText

# The name that stands for what could not be read. No program defines it, so its value is unknown.
MISSING = "__missing__"


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
    # Python refuses null bytes anywhere, even in comments. They are reported already.
    text = source.text.replace("\0", " ")
    problems = list(source.problems)
    repaired: list[tuple[int, int]] = []
    try:
        body = parse(text)
    except PARSE_ERRORS:
        from tilelang.syntax.recover import recover

        recovered = recover(source, text)
        body = recovered.body
        problems += recovered.problems
        repaired += recovered.repaired
    problems += cut_depth(source, body, MISSING)
    return Module(body, tuple(sorted(problems)), source, tuple(sorted(repaired)))
