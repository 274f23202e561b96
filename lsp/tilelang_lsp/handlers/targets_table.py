"""`tilelang/table`: the kernels of a document on the chosen targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang_lsp.handlers.diagnostics import as_json
from tilelang_lsp.handlers.place import fresh, location_of
from tilelang_lsp.handlers.plain import plain
from tilelang_lsp.ide.targets_table import targets_table

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

METHOD = "tilelang/table"


def register(server: Server) -> None:
    server.feature(METHOD)(table)


async def table(ls: Server, params: Any) -> object:
    """Parameters: ``textDocument``."""
    snapshot = await fresh(ls, params.textDocument.uri)
    if snapshot is None:
        return None
    return plain(targets_table(snapshot), lambda span: as_json(location_of(ls, span)))
