"""Semantic tokens: tiles by memory, loop variables, indices of the launch, names of the language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.stmt import For
from tilelang_lsp.ide.language import item_of
from tilelang_lsp.ide.tiles import buffer_at, buffer_of, loop_of

if TYPE_CHECKING:
    from tilelang_lsp.analysis import Map
    from tilelang_lsp.ide.names import Occurrence
    from tilelang_lsp.session import Snapshot

TYPES = ("tile", "loopVariable", "blockIndex", "threadIndex", "parameter", "function", "type", "decorator", "macro")
MODIFIERS = ("declaration", "modification", "global", "shared", "fragment", "local")

_SCOPES = {
    "global": "global",
    "shared.dyn": "shared",
    "shared": "shared",
    "local.fragment": "fragment",
    "local": "local",
    "local.var": "local",
}


@dataclass(frozen=True, slots=True)
class Token:
    """``length`` and ``col`` in UTF-8 bytes."""

    line: int
    col: int
    length: int
    type: str
    modifiers: tuple[str, ...] = ()


def semantic_tokens(snapshot: Snapshot, first: int, last: int) -> list[Token]:
    """The tokens between two lines, in order."""
    file = snapshot.file
    tokens: dict[tuple[int, int], Token] = {}
    for occurrence in file.names.occurrences:
        if first <= occurrence.span.line <= last:
            token = _name(snapshot, occurrence)
            if token is not None:
                tokens[token.line, token.col] = token
    for span, node, scope in file.names.attributes:
        if not first <= span.line <= last:
            continue
        item = item_of(file.names.dotted(node, scope))
        if item is not None:
            kind = {"dtype": "type", "annotation": "type", "class": "type", "decorator": "decorator"}.get(item.kind)
            tokens[span.line, span.col] = Token(span.line, span.col, span.end_col - span.col, kind or "function")
    return [tokens[key] for key in sorted(tokens)]


def _name(snapshot: Snapshot, occurrence: Occurrence) -> Token | None:
    span, symbol = occurrence.span, occurrence.symbol
    flags = ("declaration",) if occurrence.writes else ()
    length = span.end_col - span.col
    found = snapshot.map_at(span.line)
    if found is not None:
        token = _in_kernel(occurrence, found, flags)
        if token is not None:
            return token
    if symbol.kind == "function" and symbol.function is not None:
        decorators = [snapshot.file.names.dotted(each, symbol.scope) for each in symbol.function.decorator_list]
        kind = "macro" if "tilelang.language.macro" in decorators else "function"
        return Token(span.line, span.col, length, kind, flags)
    if symbol.kind == "parameter":
        return Token(span.line, span.col, length, "parameter", flags)
    return None


def _in_kernel(occurrence: Occurrence, found: Map, flags: tuple[str, ...]) -> Token | None:
    span, symbol = occurrence.span, occurrence.symbol
    length = span.end_col - span.col
    buffer = buffer_of(symbol, found) or buffer_at(occurrence, found)
    if buffer is not None:
        scope = _SCOPES.get(buffer.scope)
        written = any(
            access.writes and (access.span.line, access.span.col) == (span.line, span.col)
            for access in found.uses[buffer.root]
        )
        modifiers = (*flags, *(("modification",) if written else ()), *((scope,) if scope else ()))
        return Token(span.line, span.col, length, "tile", modifiers)
    stmt = loop_of(symbol, found)
    if stmt is None:
        return None
    if isinstance(stmt, For):
        return Token(span.line, span.col, length, "loopVariable", flags)
    names = [var.name for var in stmt.block_vars]
    kind = "blockIndex" if symbol.name in names or len(symbol.definitions) != 1 else "threadIndex"
    return Token(span.line, span.col, length, kind, flags)
