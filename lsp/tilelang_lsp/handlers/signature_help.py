"""`textDocument/signatureHelp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang_lsp.handlers.place import place
from tilelang_lsp.ide.signature_help import signature_help

if TYPE_CHECKING:
    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    options = types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[")", "="])
    server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, options)(text_document_signature_help)


def text_document_signature_help(ls: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    where = place(ls, params.text_document.uri, params.position)
    found = signature_help(where.snapshot, where.line, where.col) if where is not None else None
    if found is None:
        return None
    parameters = [
        types.ParameterInformation(_range(found.label, each.start, each.end), each.doc or None)
        for each in found.parameters
    ]
    doc = types.MarkupContent(types.MarkupKind.Markdown, found.doc) if found.doc else None
    signature = types.SignatureInformation(found.label, doc, parameters, found.active)
    return types.SignatureHelp([signature], 0, found.active)


def _range(label: str, start: int, end: int) -> tuple[int, int]:
    """Offsets in labels count UTF-16 units, whatever was agreed on for documents."""
    return len(label[:start].encode("utf-16-le")) // 2, len(label[:end].encode("utf-16-le")) // 2
