"""`textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import place, range_of, uri_of
from tilelang_lsp.ide import calls

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

_KINDS = {
    "kernel": types.SymbolKind.Module,
    "function": types.SymbolKind.Function,
    "module": types.SymbolKind.File,
    "operation": types.SymbolKind.Event,
}


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(prepare)
    server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)(incoming)
    server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(outgoing)


def prepare(ls: Server, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    where = place(ls, params.text_document.uri, params.position)
    item = calls.prepare(where.snapshot, where.line, where.col) if where is not None else None
    return [_convert(ls, item)] if item is not None else None


async def incoming(ls: Server, params: types.CallHierarchyIncomingCallsParams) -> list[types.CallHierarchyIncomingCall]:
    path, line = _place(ls, params.item)
    found = await asyncio.to_thread(calls.incoming, ls.session.workspace, path, line)
    return [
        types.CallHierarchyIncomingCall(_convert(ls, each.item), [range_of(ls, span) for span in each.places])
        for each in found
    ]


async def outgoing(ls: Server, params: types.CallHierarchyOutgoingCallsParams) -> list[types.CallHierarchyOutgoingCall]:
    path, line = _place(ls, params.item)
    found = await asyncio.to_thread(calls.outgoing, ls.session.workspace, path, line)
    return [
        types.CallHierarchyOutgoingCall(_convert(ls, each.item), [range_of(ls, span) for span in each.places])
        for each in found
    ]


def _convert(ls: Server, item: calls.Item) -> types.CallHierarchyItem:
    return types.CallHierarchyItem(
        name=item.name,
        kind=_KINDS[item.kind],
        uri=uri_of(ls, item.span.path, item.span.line),
        range=range_of(ls, item.whole),
        selection_range=range_of(ls, item.span),
        data={"path": item.span.path, "line": item.span.line},
    )


def _place(ls: Server, item: types.CallHierarchyItem) -> tuple[str, int]:
    data: object = item.data
    if isinstance(data, dict) and "path" in data and "line" in data:
        return str(data["path"]), int(data["line"])  # pyright: ignore[reportUnknownArgumentType]
    return ls.uris.path(item.uri), item.selection_range.start.line + 1
