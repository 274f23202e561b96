"""Leaves out what ``# tl: ignore[...]`` comments hide, and reports comments that hide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Diagnostic, Edit, Fix
from tilelang.ir.span import Span
from tilelang_analyzers.settings import suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tilelang.frontend.instance import FileAnalysis
    from tilelang_analyzers.ignore_comments import IgnoreComment
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
    """The diagnostics that no comment hides, and one for each comment that hides nothing."""
    found = list(diagnostics)
    path = analysis.path
    if "tl:" not in sources.text(path):
        return found
    from tilelang_analyzers.ignore_comments import ignore_comments

    comments = ignore_comments(sources.text(path), sources.tree(path))
    used: dict[IgnoreComment, set[str]] = {comment: set() for comment in comments}
    kept: list[Diagnostic] = []
    for item in found:
        hiding = [comment for comment in comments if item.span.path == path and _hides(comment, item)]
        for comment in hiding:
            used[comment].add(item.rule)
        if not hiding:
            kept.append(item)
    if UNUSED in levels.active:
        for comment in comments:
            names = _unused(comment, used[comment], levels, targets_chosen=targets_chosen)
            if names is not None and not _in_unchecked_kernel(comment, analysis):
                kept.append(_report(comment, names, path, sources, levels))
    return kept


def _hides(comment: IgnoreComment, item: Diagnostic) -> bool:
    return comment.covers(item.span.line) and (not comment.rules or item.rule in comment.rules)


def _unused(
    comment: IgnoreComment, used: Collection[str], levels: Levels, *, targets_chosen: bool
) -> tuple[str, ...] | None:
    """The rules of a comment that hide nothing, all of them as an empty tuple; None if the comment is needed.

    A rule that does not run, or that depends on the target while nobody chose the targets, may be needed elsewhere.
    """
    if not comment.rules:
        return None if used else ()
    names = tuple(name for name in comment.rules if name not in used and _counts(name, levels, targets_chosen))
    if not names:
        return None
    return () if len(names) == len(comment.rules) else names


def _counts(name: str, levels: Levels, targets_chosen: bool) -> bool:
    entry = levels.active.get(name)
    if entry is None:
        return name not in levels.known
    return targets_chosen or not entry[0].target_dependent


def _in_unchecked_kernel(comment: IgnoreComment, analysis: FileAnalysis) -> bool:
    """Whether the comment may hide what was not followed."""
    for kernel in analysis.kernels:
        whole = range(kernel.span.line, kernel.span.end_line + 1)
        if kernel.state != "checked" and (comment.lines is None or set(comment.lines) & set(whole)):
            return True
    return False


def _report(comment: IgnoreComment, names: tuple[str, ...], path: str, sources: Sources, levels: Levels) -> Diagnostic:
    """``names``: the rules to take out of the comment; empty for the whole comment."""
    shown = names or comment.rules
    if not shown:
        message = "no finding is hidden by this comment"
    else:
        listed = ", ".join(f"`{name}`" for name in shown)
        message = f"no finding of {listed} is hidden by this comment"
        unknown = next((name for name in shown if name not in levels.known), None)
        if unknown is not None:
            message = f"there is no rule `{unknown}`{suggestion(unknown, levels.known)}"
    rule, level = levels.active[UNUSED]
    span = _span(comment.line, comment.start, comment.end, path, sources)
    return Diagnostic(rule.name, level, message, span, fix=_fix(comment, names, path, sources))


def _fix(comment: IgnoreComment, names: tuple[str, ...], path: str, sources: Sources) -> Fix:
    text = sources.file(path).line_text(comment.line)
    if names:
        left = ", ".join(name for name in comment.rules if name not in names)
        opening, closing = text.index("[", comment.start), text.index("]", comment.start)
        edit = Edit(_span(comment.line, opening + 1, closing, path, sources), left)
        return Fix(f"Remove {', '.join(names)} from the comment", (edit,), safe=True)
    if comment.alone:
        whole = Span(path, comment.line, 0, comment.line + 1, 0)
        return Fix("Remove the comment", (Edit(whole, ""),), safe=True)
    start = len(text[: comment.start].rstrip())
    return Fix("Remove the comment", (Edit(_span(comment.line, start, comment.end, path, sources), ""),), safe=True)


def _span(line: int, start: int, end: int, path: str, sources: Sources) -> Span:
    """A span from columns in characters."""
    file = sources.file(path)
    return Span(path, line, file.byte_column(line, start), line, file.byte_column(line, end))
