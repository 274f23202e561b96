"""Random messages, sensible and not: every request is answered, and the server is right afterwards."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, change_file, open_file, published, start
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

EXPECTED = {
    types.LSPErrorCodes.ContentModified.value,
    types.LSPErrorCodes.RequestCancelled.value,
    types.LSPErrorCodes.RequestFailed.value,
}
AT_A_POSITION = (
    ("textDocument/hover", types.HoverParams),
    ("textDocument/completion", types.CompletionParams),
    ("textDocument/signatureHelp", types.SignatureHelpParams),
    ("textDocument/definition", types.DefinitionParams),
    ("textDocument/declaration", types.DeclarationParams),
    ("textDocument/typeDefinition", types.TypeDefinitionParams),
    ("textDocument/documentHighlight", types.DocumentHighlightParams),
    ("textDocument/prepareRename", types.PrepareRenameParams),
    ("textDocument/prepareCallHierarchy", types.CallHierarchyPrepareParams),
)
OF_A_DOCUMENT = (
    ("textDocument/codeLens", types.CodeLensParams),
    ("textDocument/documentSymbol", types.DocumentSymbolParams),
    ("textDocument/foldingRange", types.FoldingRangeParams),
    ("textDocument/semanticTokens/full", types.SemanticTokensParams),
)
BROKEN = ("(", '"""', "\\\n", "T.gemm(A_tile, ", "def f(:\n", "\t\n", "🙂", "# tl: ignore[", "matmul(", "\r", "\x00")


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path)
    yield
    await lsp_client.shutdown_session()


def some_request(chance: random.Random, uri: str, text: str) -> tuple[str, Any]:
    document = types.TextDocumentIdentifier(uri)
    lines = text.count("\n")
    place = types.Position(chance.randrange(lines + 5), chance.randrange(120))
    span = types.Range(place, types.Position(place.line + chance.randrange(10), chance.randrange(120)))
    kind = chance.randrange(5)
    if kind == 0:
        method, make = chance.choice(OF_A_DOCUMENT)
        return method, make(document)
    if kind == 1:
        return "textDocument/inlayHint", types.InlayHintParams(document, span)
    if kind == 2:
        return "textDocument/codeAction", types.CodeActionParams(document, span, types.CodeActionContext([]))
    method, make = chance.choice(AT_A_POSITION)
    return method, make(document, place)


@pytest.mark.asyncio
async def test_random_messages(client: LanguageClient, tmp_path: Path) -> None:
    chance = random.Random(7)
    text = GEMM
    uri = open_file(client, tmp_path / "k.py", text)
    codes: list[int] = []
    answered = 0
    for version in range(2, 32):
        offset = chance.randrange(len(text))
        text = (text[:offset] + chance.choice(BROKEN) + text[offset:]) if chance.random() < 0.7 else GEMM
        change_file(client, uri, version, text)
        requests = [
            asyncio.ensure_future(client.protocol.send_request_async(*some_request(chance, uri, text)))
            for _ in range(6)
        ]
        if chance.random() < 0.3:
            for identifier in list(client.protocol._request_futures)[:2]:
                client.cancel_request(types.CancelParams(identifier))
        if chance.random() < 0.5:
            client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        for outcome in await asyncio.wait_for(asyncio.gather(*requests, return_exceptions=True), 60):
            answered += 1
            if isinstance(outcome, JsonRpcException):
                codes.append(outcome.code)
            elif isinstance(outcome, Exception):
                raise outcome
    assert answered == 180
    assert set(codes) <= EXPECTED, codes
    change_file(client, uri, 100, GEMM)
    final = await published(client, uri, 100)
    fresh = open_file(client, tmp_path / "again.py", GEMM)
    assert [each.message for each in await published(client, fresh, 1)] == [each.message for each in final]
    assert final
