"""Open, change, save and close: each leads to a check of the newest text, after a short pause while one types.

pygls passes the server to handlers whose first parameter is called ``ls``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import to_fs_path

from tilelang_lsp.handlers.convert import to_diagnostic
from tilelang_lsp.session import Snapshot, in_file

if TYPE_CHECKING:
    from tilelang_lsp.server import Server

PAUSE = 0.15
"""Seconds without a keystroke before a changed document is checked."""


def register(server: Server) -> None:
    """Add the handlers to a server."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


async def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    await check(ls, params.text_document.uri)


async def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    await check(ls, params.text_document.uri, PAUSE)


async def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """A saved file may hold callers or helpers of the other open ones, so those are checked again too."""
    ls.session.forget_files()
    saved = params.text_document.uri
    for uri in sorted(ls.session.versions, key=lambda uri: uri != saved):
        await check(ls, uri)


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.session.versions.pop(uri, None)
    _publish(ls, uri, None, [])


async def check(ls: Server, uri: str, pause: float = 0) -> None:
    """Check the newest text of a document and publish the findings, unless a newer one has come in the meantime."""
    document = ls.workspace.get_text_document(uri)
    path = to_fs_path(uri) or document.path
    snapshot = Snapshot(uri, path, document.version or 0, document.source)
    ls.session.versions[uri] = snapshot.version
    if pause:
        await asyncio.sleep(pause)
        if not ls.session.is_current(snapshot):
            return
    loop = asyncio.get_running_loop()
    report, sources = await loop.run_in_executor(ls.worker, ls.session.check, snapshot)
    if not ls.session.is_current(snapshot):
        return
    if report.failure is not None:
        text = f"{path}: {report.failure.message}\n{report.failure.detail}".rstrip()
        ls.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
    encoding, related = ls.position_encoding, ls.shows_related_information
    shown = [in_file(finding, path) for finding in report.findings]
    diagnostics = [
        to_diagnostic(finding, sources, encoding, related=related) for finding in shown if finding.span.path == path
    ]
    _publish(ls, uri, snapshot.version, diagnostics)


def _publish(ls: Server, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
    """Nothing is sent about a document without findings that never had any: other Python files see no traffic."""
    published = ls.session.published
    if not diagnostics and uri not in published:
        return
    (published.add if diagnostics else published.discard)(uri)
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))
