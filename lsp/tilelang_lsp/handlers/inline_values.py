"""`textDocument/inlineValue`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, fresh, range_of
from tilelang_lsp.ide.inline_values import inline_values

if TYPE_CHECKING:
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_INLINE_VALUE)(text_document_inline_value)


async def text_document_inline_value(ls: Server, params: types.InlineValueParams) -> list[types.InlineValue] | None:
    """Up to the line where the debugger stands."""
    uri = params.text_document.uri
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    first, last = core_lines(snapshot.file, uri, params.range)
    _, stopped = core_lines(snapshot.file, uri, params.context.stopped_location)
    found = inline_values(snapshot, first, min(last, stopped))
    return [types.InlineValueText(range_of(ls, each.span, snapshot.file), each.text) for each in found]
