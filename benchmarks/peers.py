"""How long other servers take from their start to the first findings in the file of `server.py`,
and upstream's compiler to import and lower the same kernels.

    python benchmarks/peers.py [--upstream-python OTHER_VENV/bin/python] [--runs 3]

They check different things; the figures are a feel for the field.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from server import source

if TYPE_CHECKING:
    from collections.abc import Sequence

BIN = Path(sys.executable).parent
SERVERS = {
    "tilelang-lsp": (sys.executable, "-m", "tilelang_lsp.server"),
    "ruff server": (str(BIN / "ruff"), "server"),
    "ty server": (str(BIN / "ty"), "server"),
    "basedpyright": (str(BIN / "basedpyright-langserver"), "--stdio"),
}
PATIENCE = 120
LOWER = "import tilelang; from runpy import run_path; import sys; run_path(sys.argv[1])"


async def first_findings(command: Sequence[str], folder: Path, text: str) -> float:
    """Seconds. A name that is not defined gives each of them something to find."""
    path = folder / "kernels.py"
    path.write_text(text)
    client = LanguageClient("peers", "1")
    found = asyncio.Event()

    def published(params: types.PublishDiagnosticsParams) -> None:
        if params.diagnostics:
            found.set()

    def settings(params: types.ConfigurationParams) -> list[None]:
        return [None for _ in params.items]

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    client.feature(types.WORKSPACE_CONFIGURATION)(settings)
    for method in (types.WINDOW_LOG_MESSAGE, types.WINDOW_SHOW_MESSAGE, types.CLIENT_REGISTER_CAPABILITY):
        client.feature(method)(lambda *_: None)
    began = time.perf_counter()
    await client.start_io(*command)
    folders = [types.WorkspaceFolder(folder.as_uri(), "peers")]
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri(), workspace_folders=folders)
    )
    client.initialized(types.InitializedParams())
    item = types.TextDocumentItem(path.as_uri(), types.LanguageKind.Python, 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await asyncio.wait_for(found.wait(), PATIENCE)
    took = time.perf_counter() - began
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description="Time other language servers on our file of kernels.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--upstream-python", help="an interpreter whose environment has upstream's tilelang")
    options = parser.parse_args()
    text = source() + "\n\nno_such_name()\n"
    folder = Path(tempfile.mkdtemp())
    times: dict[str, list[float]] = {name: [] for name in SERVERS}
    # They take turns, so that a busy minute of the machine meets all of them.
    for _ in range(options.runs):
        for name, command in SERVERS.items():
            times[name].append(asyncio.run(first_findings(command, folder, text)))
    if options.upstream_python:
        began = time.perf_counter()
        subprocess.run([options.upstream_python, "-c", LOWER, str(folder / "kernels.py")], check=False)
        times["upstream, import and lowering"] = [time.perf_counter() - began]
    print(f"{text.count(chr(10))} lines, {options.runs} runs, seconds from start to first findings")
    for name, values in times.items():
        print(f"  {name:30} {median(values):6.2f}")


if __name__ == "__main__":
    main()
