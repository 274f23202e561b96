"""`textDocument/definition`, `declaration`, `typeDefinition`, `references` and `documentHighlight`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, fresh_place, location_of, place, range_of, uri_of
from tilelang_lsp.ide.navigation import find_references, goto, highlights

if TYPE_CHECKING:
    from tilelang_lsp.ide.navigation import What
    from tilelang_lsp.server import Server

Found = list[types.Location] | list[types.LocationLink] | None
_MODES = {
    "read": types.DocumentHighlightKind.Read,
    "write": types.DocumentHighlightKind.Write,
    "text": types.DocumentHighlightKind.Text,
}


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(definition)
    server.feature(types.TEXT_DOCUMENT_DECLARATION)(declaration)
    server.feature(types.TEXT_DOCUMENT_TYPE_DEFINITION)(type_definition)
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(references)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(document_highlight)


async def definition(ls: Server, params: types.DefinitionParams) -> Found:
    return await _goto(ls, params.text_document, params.position, "definition")


async def declaration(ls: Server, params: types.DeclarationParams) -> Found:
    return await _goto(ls, params.text_document, params.position, "declaration")


async def type_definition(ls: Server, params: types.TypeDefinitionParams) -> Found:
    return await _goto(ls, params.text_document, params.position, "type")


async def _goto(ls: Server, document: types.TextDocumentIdentifier, position: types.Position, what: What) -> Found:
    uri = document.uri
    # Only the type of a tile needs the check.
    where = await fresh_place(ls, uri, position) if what == "type" else place(ls, uri, position)
    if where is None:
        return None
    found = goto(where.snapshot, where.line, where.col, what)
    if not ls.client.follows_links:
        return [location_of(ls, each.span) for each in found]
    return [
        types.LocationLink(
            uri_of(ls, each.span.path, each.span.line),
            range_of(ls, each.whole),
            range_of(ls, each.span),
            origin_selection_range=range_of(ls, each.origin),
        )
        for each in found
    ]


async def references(ls: Server, params: types.ReferenceParams) -> list[types.Location] | None:
    where = place(ls, params.text_document.uri, params.position)
    if where is None:
        return None
    search = partial(
        find_references, where.snapshot, where.line, where.col, declarations=params.context.include_declaration
    )
    return [location_of(ls, span) for span in await asyncio.to_thread(search)]


async def document_highlight(ls: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
    uri = params.text_document.uri
    where = await fresh_place(ls, uri, params.position)
    if where is None:
        return None
    first, last = core_lines(where.snapshot.file, uri)
    return [
        types.DocumentHighlight(range_of(ls, each.span, where.snapshot.file), _MODES[each.mode])
        for each in highlights(where.snapshot, where.line, where.col)
        if first <= each.span.line <= last
    ]
