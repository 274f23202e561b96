"""Leaves out what ``# tl: ignore[...]`` comments hide, and reports comments that hide nothing.

A comment in the middle of a statement over several lines, such as at one entry of a list, covers its own line only: the
other lines have room for comments of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Diagnostic, Edit, Fix
from tilelang.ir.span import Span
from tilelang_analyzers.settings import nearest, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.frontend.instance import FileAnalysis
    from tilelang.syntax.suppressions import RuleName, Suppression
    from tilelang_analyzers.levels import Levels
    from tilelang_analyzers.sources import Sources

UNUSED = "unused-suppression"


def apply_suppressions(
    diagnostics: Iterable[Diagnostic],
    analysis: FileAnalysis,
    sources: Sources,
    levels: Levels,
    *,
    targets_chosen: bool,
) -> list[Diagnostic]:
    """The diagnostics that no comment hides, and one for each comment of the file that hides nothing."""
    kept: list[Diagnostic] = []
    used: set[tuple[Suppression, str]] = set()
    for item in diagnostics:
        hiding = [one for one in sources.comments(item.span.path).suppressions if _hides(one, item, sources)]
        used.update((one, item.rule) for one in hiding)
        if not hiding:
            kept.append(item)
    if UNUSED in levels.active:
        kept += _misread(analysis.path, sources, levels)
        for one in sources.comments(analysis.path).suppressions:
            idle = [
                name
                for name in one.rules
                if (one, name.name) not in used and _counts(name.name, levels, targets_chosen)
            ]
            if idle and not _in_unchecked_kernel(one, analysis):
                kept.append(_unused(one, idle, analysis.path, sources, levels))
    return kept


def _hides(one: Suppression, item: Diagnostic, sources: Sources) -> bool:
    if all(item.rule != name.name for name in one.rules):
        return False
    first, last = one.covers
    line = item.span.line
    if not one.whole_file and first < one.line < last:
        return line == one.line or (line == one.line + 1 and _is_alone(one, item.span.path, sources))
    return first <= line <= last


def _is_alone(one: Suppression, path: str, sources: Sources) -> bool:
    """Whether nothing but the comment is on its line."""
    return not sources.file(path).line_text(one.line).encode()[: one.column].strip()


def _counts(name: str, levels: Levels, targets_chosen: bool) -> bool:
    """Whether a rule that hides nothing is worth a word: one that does not run, or that depends on the target while
    nobody chose the targets, may be needed in another run."""
    entry = levels.active.get(name)
    if entry is None:
        return name not in levels.known
    return targets_chosen or not entry[0].target_dependent


def _in_unchecked_kernel(one: Suppression, analysis: FileAnalysis) -> bool:
    """Whether the comment may hide what was not followed."""
    first, last = one.covers
    return any(
        kernel.state != "checked" and kernel.span.line <= last and first <= kernel.span.end_line
        for kernel in analysis.kernels
    )


# --- findings about comments ------------------------------------------------------------------------------------------


def _misread(path: str, sources: Sources, levels: Levels) -> Iterable[Diagnostic]:
    """Comments that are meant for the checker and say nothing that it understands."""
    rule, level = levels.active[UNUSED]
    for problem in sources.comments(path).problems:
        span = Span(path, problem.line, problem.column, problem.end_line, problem.end_column)
        yield Diagnostic(rule.name, level, problem.message, span)


def _unused(one: Suppression, idle: Sequence[RuleName], path: str, sources: Sources, levels: Levels) -> Diagnostic:
    rule, level = levels.active[UNUSED]
    names = ", ".join(f"`{name.name}`" for name in idle)
    message = f"no finding of {names} is hidden by this comment"
    unknown = next((name for name in idle if name.name not in levels.known), None)
    if unknown is not None:
        message = f"there is no rule `{unknown.name}`{suggestion(unknown.name, levels.known)}"
        meant = nearest(unknown.name, levels.known)
        if meant and all(meant != name.name for name in one.rules):
            span = Span(path, one.line, unknown.column, one.line, unknown.end_column)
            fix = Fix(f"Replace `{unknown.name}` by `{meant}`", (Edit(span, meant),), safe=True)
            return Diagnostic(rule.name, level, message, span, fix=fix)
    if len(idle) == len(one.rules):
        span = Span(path, one.line, one.column, one.line, one.end_column)
        fix = _without_comment(one, path, sources)
    else:
        span = Span(path, one.line, idle[0].column, one.line, idle[-1].end_column)
        fix = _without_rules(one, idle, path)
    return Diagnostic(rule.name, level, message, span, fix=fix)


def _without_comment(one: Suppression, path: str, sources: Sources) -> Fix:
    """The whole line if nothing else is on it, else the comment with the space before it."""
    if _is_alone(one, path, sources):
        span = Span(path, one.line, 0, one.line + 1, 0)
    else:
        before = sources.file(path).line_text(one.line).encode()[: one.column]
        span = Span(path, one.line, len(before.rstrip()), one.line, one.end_column)
    return Fix("Remove the comment", (Edit(span, ""),), safe=True)


def _without_rules(one: Suppression, idle: Sequence[RuleName], path: str) -> Fix:
    left = ", ".join(name.name for name in one.rules if name not in idle)
    span = Span(path, one.line, one.rules[0].column, one.line, one.rules[-1].end_column)
    title = f"Remove {', '.join(name.name for name in idle)} from the comment"
    return Fix(title, (Edit(span, left),), safe=True)
