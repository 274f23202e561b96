"""`textDocument/documentSymbol` and `workspace/symbol`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, fresh, location_of, range_of, uri_of
from tilelang_lsp.ide.symbols import FileSymbol, document_symbols, workspace_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.server import Server

_KINDS = {
    "class": types.SymbolKind.Class,
    "function": types.SymbolKind.Function,
    "kernel": types.SymbolKind.Module,
    "parameter": types.SymbolKind.Field,
    "tile": types.SymbolKind.Array,
    "loop": types.SymbolKind.Namespace,
    "operation": types.SymbolKind.Event,
    "variable": types.SymbolKind.Variable,
}


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbol)
    server.feature(types.WORKSPACE_SYMBOL)(workspace_symbol)


async def document_symbol(
    ls: Server, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    uri = params.text_document.uri
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    first, last = core_lines(snapshot.file, uri)
    found = [each for each in document_symbols(snapshot) if first <= each.name_span.line <= last]
    if ls.client.nests_symbols:
        return [_nested(ls, snapshot.file, each) for each in found]
    return list(_flat(ls, found, None))


def _nested(ls: Server, file: SourceFile, symbol: FileSymbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=_KINDS[symbol.kind],
        range=range_of(ls, symbol.span, file),
        selection_range=range_of(ls, symbol.name_span, file),
        detail=symbol.detail or None,
        children=[_nested(ls, file, each) for each in symbol.children] or None,
    )


def _flat(ls: Server, symbols: Iterable[FileSymbol], container: str | None) -> Iterator[types.SymbolInformation]:
    for symbol in symbols:
        yield types.SymbolInformation(
            location_of(ls, symbol.span), symbol.name, _KINDS[symbol.kind], container_name=container
        )
        yield from _flat(ls, symbol.children, symbol.name)


async def workspace_symbol(ls: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    found = await asyncio.to_thread(workspace_symbols, ls.session.workspace, params.query)
    return [
        types.WorkspaceSymbol(
            types.Location(uri_of(ls, match.span.path, match.span.line), range_of(ls, match.span)),
            match.name,
            _KINDS[match.kind],
            container_name=match.container,
        )
        for match in found
    ]
