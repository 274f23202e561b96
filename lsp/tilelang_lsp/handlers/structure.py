"""`textDocument/foldingRange` and `textDocument/selectionRange`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, place, range_of
from tilelang_lsp.ide.structure import folds, selections

if TYPE_CHECKING:
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(folding_range)
    server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)(selection_range)


def folding_range(ls: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    uri = params.text_document.uri
    snapshot = ls.session.snapshot(ls.uris.path(uri))
    if snapshot is None or not snapshot.file.mentions_language:
        return None
    first, last = core_lines(snapshot.file, uri)
    return [
        types.FoldingRange(fold.first - first, fold.last - first, kind=fold.kind)
        for fold in folds(snapshot.file)
        if first <= fold.first and fold.last <= last
    ]


def selection_range(ls: Server, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    found: list[types.SelectionRange] = []
    for position in params.positions:
        where = place(ls, params.text_document.uri, position)
        if where is None:
            return None
        current: types.SelectionRange | None = None
        for span in reversed(selections(where.snapshot.file, where.line, where.col)):
            current = types.SelectionRange(range_of(ls, span, where.snapshot.file), current)
        found.append(current or types.SelectionRange(types.Range(position, position)))
    return found
