"""The story of a T4, in its steps: somebody opens a kernel that was written for an A100."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, TIMEOUT, change_file, open_file, position, published, start
from lsprotocol import types
from pytest_lsp import LanguageClient

STAGES = GEMM.replace("block_k=32, num_stages=3", "block_k=64, num_stages=2").replace(
    "matmul(1024, 1024, 1024)", "matmul(4096, 4096, 4096, num_stages=3)"
)


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path, target=("t4", "a100", "h100"))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_a_kernel_of_an_a100_on_a_t4(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_file(client, tmp_path / "gemm.py", STAGES)
    document = types.TextDocumentIdentifier(uri)

    # The call site is underlined, with the numbers, and the notes name each buffer with its bytes and stages.
    found = await published(client, uri, 1)
    (overflow,) = [each for each in found if each.code == "shared-memory-overflow"]
    assert overflow.severity == types.DiagnosticSeverity.Error
    assert overflow.message.startswith("shared memory 98 304 B exceeds the 49 152 B of a block on T4 (sm_75)")
    line = STAGES.splitlines()[overflow.range.start.line]
    assert line[overflow.range.start.character : overflow.range.end.character] == "3"
    notes = [each.message for each in overflow.related_information or []]
    assert any(note.startswith("`A_tile` takes 49 152 B, 3 copies of 16 384 B") for note in notes)
    assert any(note.startswith("`B_tile` takes 49 152 B, 3 copies of 16 384 B") for note in notes)

    # Above the kernel stands one verdict a target.
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document)) or []
    titles = [lens.command.title for lens in lenses if lens.command is not None]
    assert titles[0].startswith("T4 ✗ 96 KiB of 48 KiB · A100 ✓ 96 KiB, 1 block/SM · H100 ✓ ")
    assert titles[1:] == ["Show assembly", "Compare targets"]

    # The quick fix says what would fit, and does it.
    context = types.CodeActionContext([overflow], [types.CodeActionKind.QuickFix])
    actions = await client.text_document_code_action_async(types.CodeActionParams(document, overflow.range, context))
    fix = next(each for each in actions or [] if each.title == "Set `num_stages=1` (fits in 32 768 B)")
    assert isinstance(fix, types.CodeAction)
    assert fix.edit is not None
    assert fix.edit.changes is not None
    (edit,) = fix.edit.changes[uri]
    assert edit.range == overflow.range
    fixed = STAGES.replace("num_stages=3", f"num_stages={edit.new_text}")
    change_file(client, uri, 2, fixed)

    # Then it fits: the finding is gone, and so is the mark above the kernel.
    assert "shared-memory-overflow" not in [each.code for each in await published(client, uri, 2)]
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document)) or []
    assert lenses[0].command is not None
    assert lenses[0].command.title.startswith("T4 ✓ 32 KiB")

    # On save the kernel is compiled for each of them, and the assembly beside the editor follows the cursor.
    pytest.importorskip("tvm")
    ended = asyncio.Event()
    results: list[Any] = []

    def on_compiled(params: Any) -> None:
        results.extend(params.results)
        if params.running == 0:
            ended.set()

    client.protocol.fm.features["tilelang/compiled"] = on_compiled
    client.text_document_did_save(types.DidSaveTextDocumentParams(document))
    await asyncio.wait_for(ended.wait(), TIMEOUT)
    assert [(each.target, each.ok) for each in results] == [(each.target, True) for each in results]
    assert {each.target for each in results} == {"sm_75", "sm_80", "sm_90"}
    gemm = position(fixed, "T.gemm(")
    listing = next(each.uri for each in results if each.target == "sm_75")
    mapped = await client.protocol.send_request_async("tilelang/listingMap", {"uri": listing})
    (entry,) = [each for each in mapped.python if each.line == gemm.line]
    first, last = entry.lines[0]
    content = await client.workspace_text_document_content_async(types.TextDocumentContentParams(listing))
    assert any("HMMA.1688" in text for text in content.text.splitlines()[first : last + 1])
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(document, types.Range(types.Position(gemm.line, 0), types.Position(gemm.line + 1, 0)))
    )
    assert any("HMMA.1688" in part.value for hint in hints or [] for part in hint.label if not isinstance(part, str))
