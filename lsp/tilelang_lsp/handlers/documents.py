"""Open, change, save and close of Python files: each leads to a check of the newest text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tilelang.syntax.document import Change
from tilelang_lsp.files import SourceFile
from tilelang_lsp.handlers import compiling, diagnostics, status
from tilelang_lsp.positions import from_editor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_lsp.server import Server


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    update(ls, SourceFile.open(ls.uris.path(document.uri), document.text, document.version))


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    path = ls.uris.path(params.text_document.uri)
    file = ls.session.workspace.open.get(path)
    if file is not None:
        update(ls, changed(ls, file, params.content_changes, params.text_document.version), ls.session.options.debounce)
        compiling.get_ready(ls, file)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """A saved file may hold callers or helpers of the other open ones, so those are checked again too."""
    saved = ls.uris.path(params.text_document.uri)
    ls.session.workspace.forget(saved)
    if not ls.client.registers_watchers:
        ls.session.configure()
    check_all(ls, first=saved)
    status.in_background(compiling.saved(ls, params.text_document.uri))


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    path = ls.uris.path(params.text_document.uri)
    ls.scheduler.drop(path)
    ls.session.close(path)
    ls.compiles.forget(path)
    ls.tokens.pop(params.text_document.uri, None)
    diagnostics.clear(ls, params.text_document.uri)


def update(ls: Server, file: SourceFile, pause: float = 0) -> None:
    """Take a new text of a file and have it checked."""
    ls.session.put(file)
    ls.scheduler.touch(file, pause)


def check_all(ls: Server, first: str = "") -> None:
    """Check every open file again: something on disk or in the settings is different."""
    ls.session.forget_callers()
    files = ls.session.workspace.open
    for path in sorted(files, key=lambda path: path != first):
        ls.scheduler.touch(files[path])
    diagnostics.ask_again(ls)


def changed(
    ls: Server, file: SourceFile, changes: Iterable[types.TextDocumentContentChangeEvent], version: int
) -> SourceFile:
    """The file after an editor's changes, each of which counts from what the one before left."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = (
                (place.line + 1, from_editor(file.source, place.line + 1, place.character, ls.encoding))
                for place in (change.range.start, change.range.end)
            )
            file = file.edit([Change(start, end, change.text)], version)
        else:
            file = SourceFile.open(file.path, change.text, version)
    return file
