"""`tilelang/layout`: a tile element by element, for a picture of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang_lsp.handlers.diagnostics import as_json
from tilelang_lsp.handlers.place import fresh_place, location_of
from tilelang_lsp.handlers.plain import plain
from tilelang_lsp.ide.layout_view import layout_view

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

METHOD = "tilelang/layout"


def register(server: Server) -> None:
    server.feature(METHOD)(layout)


async def layout(ls: Server, params: Any) -> object:
    """Parameters: ``textDocument``, ``position``, and the label of a ``target`` if not the first one."""
    position = types.Position(params.position.line, params.position.character)
    place = await fresh_place(ls, params.textDocument.uri, position)
    if place is None:
        return None
    found = layout_view(place.snapshot, place.line, place.col, getattr(params, "target", None))
    return plain(found, lambda span: as_json(location_of(ls, span)))
