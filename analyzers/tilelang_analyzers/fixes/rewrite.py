"""Applies fixes to the content of one file, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang_analyzers.fixes.document import CannotRewrite, Document, document
from tilelang_analyzers.fixes.edits import Chosen, choose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.diagnostics import Diagnostic

BREAKS_SYNTAX = "it would break the syntax"


class Rewritten(NamedTuple):
    """The new content of a file, the findings whose fixes are in it, and those whose fixes were dropped, each with the
    reason. Findings that are in neither overlap with a fix that was applied."""

    data: bytes
    applied: tuple[Diagnostic, ...] = ()
    dropped: tuple[tuple[Diagnostic, str], ...] = ()


def rewrite(path: str, data: bytes, findings: Sequence[Diagnostic]) -> Rewritten:
    """Apply the fixes of ``findings``, all of which are about this file. A fix that would break the syntax, or that
    cannot be written in the file's encoding, is dropped, and the others are applied."""
    try:
        before = document(path, data)
    except CannotRewrite as error:
        return Rewritten(data, dropped=tuple((finding, str(error)) for finding in findings))
    chosen = choose(findings, before.source)
    limit = before.faults()
    after, trouble = _attempt(path, before, chosen, limit)
    if not trouble:
        return Rewritten(after, tuple(one.finding for one in chosen))
    return _one_by_one(path, before, chosen, limit)


def _one_by_one(path: str, before: Document, chosen: Iterable[Chosen], limit: int) -> Rewritten:
    """Find out which of the fixes is the bad one."""
    good: list[Chosen] = []
    dropped: list[tuple[Diagnostic, str]] = []
    content = before.changed(())
    for one in chosen:
        after, trouble = _attempt(path, before, [*good, one], limit)
        if trouble:
            dropped.append((one.finding, trouble))
        else:
            content = after
            good.append(one)
    return Rewritten(content, tuple(one.finding for one in good), tuple(dropped))


def _attempt(path: str, before: Document, chosen: Iterable[Chosen], limit: int) -> tuple[bytes, str]:
    """The content after some fixes, and why it cannot be had; that is empty if all is well."""
    changes = [change for one in chosen for change in one.changes]
    if not changes:
        return before.changed(()), ""
    try:
        after = before.changed(changes)
        trouble = BREAKS_SYNTAX if document(path, after).faults() > limit else ""
    except CannotRewrite as error:
        return b"", str(error)
    return after, trouble
