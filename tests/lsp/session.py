"""A client for tests: it answers what servers ask of clients, and starts with what a test needs."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from weakref import WeakKeyDictionary

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

COMMAND = [sys.executable, "-m", "tilelang_lsp.server"]
SILENT = (
    types.CLIENT_REGISTER_CAPABILITY,
    types.WORKSPACE_CODE_LENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
)
TIMEOUT = 60
_PUBLISHED: WeakKeyDictionary[LanguageClient, dict[str, types.PublishDiagnosticsParams]] = WeakKeyDictionary()
"""By client: what was published last about each document and not looked at yet."""


def make_client() -> LanguageClient:
    client = make_test_lsp_client()
    for method in SILENT:
        client.feature(method)(lambda *_: None)
    for notification in ("tilelang/status", "tilelang/compiled"):
        client.feature(notification)(lambda *_: None)
    latest: dict[str, types.PublishDiagnosticsParams] = {}
    _PUBLISHED[client] = latest
    features = client.protocol.fm.features
    keep = features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

    def publish(params: types.PublishDiagnosticsParams) -> None:
        latest[params.uri] = params
        keep(params)

    features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = publish
    return client


CONFIG = ClientServerConfig(server_command=COMMAND, client_factory=make_client)


def capabilities(*encodings: types.PositionEncodingKind, pull: bool = False) -> types.ClientCapabilities:
    """Those of VS Code, with one kind of positions; findings are pushed unless ``pull``."""
    found = client_capabilities("visual-studio-code")
    assert found.general is not None
    assert found.text_document is not None
    found.general.position_encodings = list(encodings) or None
    found.experimental = {"tilelangStatus": True}
    if not pull:
        found.text_document.diagnostic = None
    return found


async def start(
    client: LanguageClient,
    folder: Path,
    *encodings: types.PositionEncodingKind,
    pull: bool = False,
    target: tuple[str, ...] = ("t4", "h100"),
) -> types.InitializeResult:
    return await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities(*encodings, pull=pull),
            root_uri=folder.as_uri(),
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
            initialization_options={"target": list(target), "debounce": 0.01},
        )
    )


def open_file(client: LanguageClient, path: Path, text: str) -> str:
    uri = path.as_uri()
    item = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


def change_file(client: LanguageClient, uri: str, version: int, text: str) -> None:
    whole = types.TextDocumentContentChangeWholeDocument(text)
    identifier = types.VersionedTextDocumentIdentifier(version, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))


async def published(client: LanguageClient, uri: str, version: int | None) -> list[types.Diagnostic]:
    """The diagnostics of a document once they are those of one version, each publication once."""

    async def arrived() -> list[types.Diagnostic]:
        while True:
            params = _PUBLISHED[client].pop(uri, None)
            if params is not None and params.version == version:
                return list(params.diagnostics)
            await asyncio.sleep(0.005)

    return await asyncio.wait_for(arrived(), timeout=TIMEOUT)


def position(text: str, needle: str, encoding: str = "utf-16", *, nth: int = 0, after: bool = False) -> types.Position:
    """Where the nth occurrence of a text starts, or ends, in the units of an encoding."""
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(needle, offset + 1)
    offset += len(needle) if after else 0
    before = text[:offset]
    line_start = before.rfind("\n") + 1
    head = before[line_start:]
    column = {"utf-8": len(head.encode()), "utf-16": len(head.encode("utf-16-le")) // 2, "utf-32": len(head)}[encoding]
    return types.Position(before.count("\n"), column)
