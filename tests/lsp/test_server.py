"""The language server end to end, over stdin and stdout."""

from __future__ import annotations

from collections.abc import AsyncIterator  # pytest-lsp evaluates annotations of fixtures
from pathlib import Path

import pytest
import pytest_lsp
from lsp.session import CONFIG, change_file, open_file, published, start
from lsprotocol import types
from pytest_lsp import LanguageClient

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def double(N, block=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            tile = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], tile)
            T.copy(tile, B[bx * block])

    return kernel


name = "größe 🙂"; double(4096, 256)
"""
TOO_LARGE = KERNEL.replace("double(4096, 256)", "double(4096, 65536)")


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, types.PositionEncodingKind.Utf16)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CONFIG)
async def utf8_client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, types.PositionEncodingKind.Utf8)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_findings_appear_and_go_while_one_types(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_file(client, tmp_path / "k.py", TOO_LARGE)
    (found,) = await published(client, uri, 1)
    assert (found.code, found.severity, found.source) == (
        "shared-memory-overflow",
        types.DiagnosticSeverity.Error,
        "tilelang",
    )
    assert found.message.startswith("shared memory 262 144 B exceeds the 49 152 B of a block on T4 (sm_75)")
    line = TOO_LARGE.splitlines()[16]
    # 🙂 is two UTF-16 units and one character.
    assert found.range.start == types.Position(16, line.index("65536") + 1)
    assert found.related_information
    assert {item.location.uri for item in found.related_information} == {uri}
    assert found.code_description
    assert found.code_description.href.endswith("/shared-memory-overflow.md")
    assert found.data is not None
    assert found.data["targets"] == ["sm_75", "sm_90"]

    for version in range(2, 6):
        change_file(client, uri, version, TOO_LARGE + "\n" * version)
    change_file(client, uri, 6, KERNEL)
    assert await published(client, uri, 6) == []
    assert not client.diagnostics[uri]


@pytest.mark.asyncio
async def test_columns_follow_the_agreed_encoding(utf8_client: LanguageClient, tmp_path: Path) -> None:
    uri = open_file(utf8_client, tmp_path / "k.py", TOO_LARGE)
    (found,) = await published(utf8_client, uri, 1)
    before = TOO_LARGE.splitlines()[16].partition("65536")[0]
    assert found.range.start.character == len(before.encode())


@pytest.mark.asyncio
async def test_a_saved_caller_counts_in_the_other_open_files(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    kernels, caller = tmp_path / "k.py", tmp_path / "use.py"
    uncalled = KERNEL.rpartition("name =")[0]
    kernels.write_text(uncalled)
    uri = open_file(client, kernels, uncalled)
    text = "from k import double\ndouble(4096, 65536)\n"
    caller_uri = open_file(client, caller, text)
    (at_call,) = await published(client, caller_uri, 1)
    assert at_call.range.start.line == 1
    assert not client.diagnostics.get(uri)
    caller.write_text(text)
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(caller_uri)))
    found = await published(client, uri, 1)
    assert [item.code for item in found] == ["shared-memory-overflow"]
    assert [item.message for item in found[0].related_information or ()][:1] == ["caused here"]


@pytest.mark.asyncio
async def test_files_without_tilelang_see_no_traffic(client: LanguageClient, tmp_path: Path) -> None:
    plain = open_file(client, tmp_path / "plain.py", "import os\n\ndef f(:\n")
    change_file(client, plain, 2, "import os\n")
    uri = open_file(client, tmp_path / "k.py", TOO_LARGE)
    await published(client, uri, 1)
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await published(client, uri, None) == []
    assert plain not in client.diagnostics


@pytest.mark.asyncio
async def test_settings_that_cannot_be_used_are_logged(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tilelang]\nmax-instances = 'many'\n")
    open_file(client, tmp_path / "k.py", TOO_LARGE)
    message = await client.wait_for_notification(types.WINDOW_LOG_MESSAGE)
    assert "`max-instances` must be a whole number above 0, not 'many'" in message.message
    assert "Traceback" not in message.message
    toml = (tmp_path / "pyproject.toml").as_uri()
    (shown,) = await published(client, toml, None)
    assert (shown.range.start.line, shown.range.start.character) == (1, 0)
    assert shown.message.startswith("`max-instances` must be")
