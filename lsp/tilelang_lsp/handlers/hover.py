"""`textDocument/hover`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import fresh_place, range_of
from tilelang_lsp.ide.hover_page import hover_page, page_text
from tilelang_lsp.ide.hover_text import without_marks

if TYPE_CHECKING:
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(text_document_hover)


async def text_document_hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    place = await fresh_place(ls, params.text_document.uri, params.position)
    found = hover_page(place.snapshot, place.line, place.col) if place is not None else None
    if place is None or found is None:
        return None
    text = page_text(found)
    if ls.client.shows_markdown:
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
    else:
        content = types.MarkupContent(types.MarkupKind.PlainText, without_marks(text))
    return types.Hover(content, range_of(ls, found.span, place.snapshot.file))
