"""`textDocument/semanticTokens/*`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, fresh
from tilelang_lsp.ide.semantic_tokens import MODIFIERS, TYPES, Token, semantic_tokens
from tilelang_lsp.positions import to_editor

if TYPE_CHECKING:
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.server import Server

LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))
_ids = itertools.count(1)


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)(full)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, LEGEND)(delta)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)(in_range)


async def full(ls: Server, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    uri = params.text_document.uri
    data = await _data(ls, uri)
    return None if data is None else types.SemanticTokens(data, _remember(ls, uri, data))


async def delta(
    ls: Server, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    """One edit between the part at the start and the part at the end that are the same."""
    uri = params.text_document.uri
    known = ls.tokens.get(uri)
    data = await _data(ls, uri)
    if data is None:
        return None
    identifier = _remember(ls, uri, data)
    if known is None or known[0] != params.previous_result_id:
        return types.SemanticTokens(data, identifier)
    old = known[1]
    head = next((n for n, (a, b) in enumerate(zip(old, data, strict=False)) if a != b), min(len(old), len(data)))
    room = min(len(old), len(data)) - head
    tail = next((n for n in range(room) if old[-1 - n] != data[-1 - n]), room)
    if head == len(old) == len(data):
        return types.SemanticTokensDelta([], identifier)
    edit = types.SemanticTokensEdit(head, len(old) - head - tail, data[head : len(data) - tail])
    return types.SemanticTokensDelta([edit], identifier)


async def in_range(ls: Server, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    data = await _data(ls, params.text_document.uri, params.range)
    return None if data is None else types.SemanticTokens(data)


async def _data(ls: Server, uri: str, wanted: types.Range | None = None) -> list[int] | None:
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    first, last = core_lines(snapshot.file, uri, wanted)
    start = core_lines(snapshot.file, uri)[0]
    return list(_encoded(ls, snapshot.file, semantic_tokens(snapshot, first, last), start))


def _encoded(ls: Server, file: SourceFile, tokens: list[Token], start: int) -> list[int]:
    """Five numbers a token, lines and columns relative to the token before."""
    data: list[int] = []
    line, col = start, 0
    for token in tokens:
        first = to_editor(file.source, token.line, token.col, ls.encoding)
        end = to_editor(file.source, token.line, token.col + token.length, ls.encoding)
        flags = sum(1 << MODIFIERS.index(each) for each in token.modifiers)
        data += [token.line - line, first - col if token.line == line else first, end - first]
        data += [TYPES.index(token.type), flags]
        line, col = token.line, first
    return data


def _remember(ls: Server, uri: str, data: list[int]) -> str:
    identifier = str(next(_ids))
    ls.tokens[uri] = (identifier, data)
    return identifier
