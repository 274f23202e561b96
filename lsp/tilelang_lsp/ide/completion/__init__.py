"""Completion by context: members of the language by where the cursor is, tiles that fit an argument, keyword arguments,
dtypes and other strings, names in scope, snippets. Each source is one module; :func:`complete` asks them and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_lsp.ide.callee import callee_of, full_name
from tilelang_lsp.ide.completion import arguments, members, scope, snippets, strings
from tilelang_lsp.ide.completion.item import Completion, Request
from tilelang_lsp.ide.cursor import cursor_at
from tilelang_lsp.ide.surroundings import surroundings
from tilelang_lsp.ide.symbols import fuzzy

if TYPE_CHECKING:
    from tilelang_lsp.session import Snapshot

__all__ = ["MAX_ITEMS", "Completion", "complete", "request"]

MAX_ITEMS = 100
"""A list that is cut is asked for again after the next key; converting more would cost milliseconds."""


def request(snapshot: Snapshot, line: int, col: int) -> Request:
    """What is asked for at a position."""
    cursor = cursor_at(snapshot.file, line, col)
    frame = cursor.call
    callee = callee_of(snapshot, frame.callee, line, col) if frame is not None else None
    receiver = full_name(snapshot, cursor.receiver, line, col) if cursor.receiver else ""
    return Request(snapshot, cursor, surroundings(snapshot.file, line), callee, receiver)


def complete(asked: Request) -> list[Completion]:
    """The completions that the server knows itself, best first."""
    cursor = asked.cursor
    if cursor.in_comment:
        return []
    if cursor.string is not None:
        found = strings.complete(asked)
    elif asked.receiver:
        found = members.complete(asked)
    else:
        found = [*arguments.complete(asked), *scope.complete(asked), *snippets.complete(asked)]
    prefix = cursor.prefix if cursor.string is None else cursor.string
    ranked = [(_rank(each, prefix), each) for each in found if fuzzy(prefix, each.filter_text) is not None]
    ranked.sort(key=lambda pair: (pair[0], pair[1].label))
    unique = {each.label: each for _, each in reversed(ranked)}
    ordered = [each for _, each in ranked if unique.pop(each.label, None) is not None]
    return ordered[:MAX_ITEMS]


def _rank(each: Completion, prefix: str) -> tuple[int, float]:
    """A prefix that matches the start comes first, then what fits the place, then what is used most."""
    text = each.filter_text
    start = 0 if text.startswith(prefix) else 1 if text.lower().startswith(prefix.lower()) else 2
    return start, -each.score
