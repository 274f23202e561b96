"""`textDocument/rename` and `prepareRename`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tilelang_lsp.handlers.convert import to_workspace_edit
from tilelang_lsp.handlers.place import place, range_of
from tilelang_lsp.ide import rename as ide

if TYPE_CHECKING:
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_RENAME)(rename)
    server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(prepare_rename)


def prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
    where = place(ls, params.text_document.uri, params.position)
    if where is None:
        return None
    try:
        span = ide.prepare(where.snapshot, where.line, where.col)
    except ide.CannotRename as error:
        raise _refused(error) from None
    return range_of(ls, span, where.snapshot.file)


async def rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    where = place(ls, params.text_document.uri, params.position)
    if where is None:
        return None
    try:
        edits = await asyncio.to_thread(ide.rename, where.snapshot, where.line, where.col, params.new_name)
    except ide.CannotRename as error:
        raise _refused(error) from None
    return to_workspace_edit(ls, edits)


def _refused(error: ide.CannotRename) -> JsonRpcException:
    return JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value)
