"""The story of a T4, in its steps: somebody opens a kernel that was written for an A100."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, change_file, open_file, published, start
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
    (lens,) = lenses
    assert lens.command is not None
    assert lens.command.title.startswith("T4 ✗ 96 KiB of 48 KiB · A100 ✓ 96 KiB, 1 block/SM · H100 ✓ ")

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
