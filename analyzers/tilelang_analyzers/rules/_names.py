"""What unknown names and unknown arguments have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.rules._edits import within
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang_analyzers.rule import ProblemContext


def report_name(ctx: ProblemContext, problem: Problem, wrong: str, message: str) -> None:
    """Report a name that does not exist. A near miss of a known name is an error with a fix; a name that some release
    had, or that nothing resembles, may come from a release that is not known here."""
    suggestion, version = entry(problem, "suggestion"), entry(problem, "known_version")
    if version:
        message += f" in this release; it was part of {version}"
    elif suggestion:
        message += f"; did you mean `{suggestion}`?"
    certain = suggestion is not None and version is None
    ctx.report(
        problem.span,
        message,
        notes=problem_notes(problem),
        fix=rename(ctx, problem, wrong, suggestion) if certain and suggestion else None,
        data=problem.data,
        severity=Severity.ERROR if certain else Severity.INFO,
    )


def rename(ctx: ProblemContext, problem: Problem, wrong: str, right: str) -> Fix | None:
    """Replace the last mention of ``wrong`` in the text of the problem's span, or before it on its line, where the name
    of an argument stands."""
    span = problem.span
    word = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)")
    for place in (span, Span(span.path, span.line, 0, span.line, span.col)):
        snippet = ctx.snippet(place)
        mentions = list(word.finditer(snippet))
        if mentions:
            edit = Edit(within(place, snippet, *mentions[-1].span()), right)
            return Fix(f"Replace `{wrong}` by `{right}`", (edit,))
    return None
