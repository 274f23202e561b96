"""What unknown names and unknown arguments have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang_analyzers.rules._edits import within
from tilelang_analyzers.rules._text import entry, problem_notes

if TYPE_CHECKING:
    from tilelang.ir.problem import Problem
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import ProblemContext


def report_name(ctx: ProblemContext, problem: Problem, wrong: str, message: str) -> None:
    """Report a name that does not exist. A near miss of a known name is an error with a fix; a name that some release
    had, or that nothing resembles, may come from a release that is not known here; not so if the problem is ``closed``,
    since then all names that there are were seen."""
    suggestion, version = entry(problem, "suggestion"), entry(problem, "known_version")
    closed = problem.data.get("closed") is True
    if version:
        message += f" in this release; it was part of {version}"
    elif suggestion:
        message += f"; did you mean `{suggestion}`?"
    certain = version is None and (closed or suggestion is not None)
    ctx.report(
        _mention(ctx, problem, wrong) or problem.span,
        message,
        notes=problem_notes(problem),
        fix=rename(ctx, problem, wrong, suggestion) if certain and suggestion else None,
        data=problem.data,
        severity=Severity.ERROR if certain else Severity.INFO,
    )


def rename(ctx: ProblemContext, problem: Problem, wrong: str, right: str) -> Fix | None:
    """Replace the name ``wrong`` in the problem's span; None if the span does not contain it."""
    place = _mention(ctx, problem, wrong)
    return None if place is None else Fix(f"Replace `{wrong}` by `{right}`", (Edit(place, right),))


def _mention(ctx: ProblemContext, problem: Problem, name: str) -> Span | None:
    """Where a name is written in the problem's span: after a dot, else at its first mention as a word of its own."""
    snippet = ctx.snippet(problem.span)
    found = re.search(rf"(?<=\.){re.escape(name)}(?!\w)", snippet) or re.search(
        rf"(?<![\w.]){re.escape(name)}(?!\w)", snippet
    )
    return within(problem.span, snippet, *found.span()) if found is not None else None
