"""Edits of source text for fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit
from tilelang.ir.span import Span

if TYPE_CHECKING:
    from tilelang_analyzers.rule import Context


def within(span: Span, snippet: str, start: int, end: int) -> Span:
    """The span of ``snippet[start:end]``, where ``snippet`` is the text of ``span``."""
    first_line, first_col = _position(span, snippet, start)
    last_line, last_col = _position(span, snippet, end)
    return Span(span.path, first_line, first_col, last_line, last_col)


def _position(span: Span, snippet: str, offset: int) -> tuple[int, int]:
    before = snippet[:offset]
    line = before.count("\n")
    column = len(before.rpartition("\n")[2].encode())
    return span.line + line, column if line else span.col + column


def add_argument(ctx: Context, call: Span, argument: str) -> Edit | None:
    """Append ``argument`` to a call; None if ``call`` is not the text of a call."""
    snippet = ctx.snippet(call)
    if not snippet.endswith(")"):
        return None
    body = snippet[:-1].rstrip()
    if "#" in body.rpartition("\n")[2]:
        return None
    separator = "" if body.endswith("(") else " " if body.endswith(",") else ", "
    return Edit(within(call, snippet, len(body), len(body)), separator + argument)
