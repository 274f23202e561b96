"""Opening a file runs nothing: not the file, not what it imports, not the environment of the workspace."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsp.ide import GEMM
from lsp.session import CONFIG, open_file, position, published, start
from lsprotocol import types
from pytest_lsp import LanguageClient


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await start(lsp_client, tmp_path)
    yield
    await lsp_client.shutdown_session()


def set_traps(folder: Path) -> Path:
    """An environment and modules that leave a mark when anything runs them."""
    mark = folder / "sprung"
    spring = f"open({str(mark)!r}, 'a').write(__file__ if '__file__' in globals() else 'pth')\n"
    packages = folder / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    for name in ("sitecustomize.py", "usercustomize.py", "trapped.py", "torch.py", "tilelang.py"):
        (packages / name).write_text(f"{spring}def inside(): ...\n")
    (packages / "trap.pth").write_text(f"import os; {spring}")
    binaries = folder / ".venv" / "bin"
    binaries.mkdir()
    (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for name in ("python", "python3"):
        (binaries / name).write_text(f"#!/bin/sh\necho ran >> {mark}\n")
        (binaries / name).chmod(0o755 | stat.S_IEXEC)
    for name in ("sitecustomize.py", "conftest.py", "helper.py", "setup.py", "jedi.py"):
        (folder / name).write_text(f"{spring}def inside(): ...\n")
    (folder / ".jedi").mkdir()
    (folder / ".jedi" / "project.json").write_text('[1, {"load_unsafe_extensions": true}]')
    (folder / "native.so").write_bytes(os.urandom(64))
    return mark


@pytest.mark.asyncio
async def test_nothing_in_the_workspace_runs(client: LanguageClient, tmp_path: Path) -> None:
    mark = set_traps(tmp_path)
    spring = f"open({str(mark)!r}, 'a').write('the file')\n"
    text = GEMM + spring + "import helper, native, torch, trapped\nhelper.\ntorch.\ntrapped.\nnative.\nimport trap\n"
    uri = open_file(client, tmp_path / "k.py", text)
    await published(client, uri, 1)
    document = types.TextDocumentIdentifier(uri)
    seen: dict[str, list[str]] = {}
    for needle in ("helper.\n", "torch.\n", "trapped.\n", "native.\n", "import trap\n"):
        where = position(text, needle[:-1], after=True, nth=0)
        found = await client.text_document_completion_async(types.CompletionParams(document, where))
        assert isinstance(found, types.CompletionList)
        seen[needle] = [item.label for item in found.items]
        await client.text_document_hover_async(types.HoverParams(document, where))
        await client.text_document_definition_async(types.DefinitionParams(document, where))
    # Compilers look at the kernels, not at the file.
    await client.protocol.send_request_async("tilelang/compile", {"textDocument": {"uri": uri}})
    client.text_document_did_save(types.DidSaveTextDocumentParams(document))
    await client.text_document_code_lens_async(types.CodeLensParams(document))
    # The packages were read: their names are known.
    assert "inside" in seen["helper.\n"]
    assert "inside" in seen["trapped.\n"]
    assert not mark.exists(), mark.read_text()
