"""How long the language server takes while one types: a replay over its own protocol.

    python benchmarks/server.py [--keys 500] [--pause 0.03] [--json FILE]

A file of about 500 lines with five kernels is opened, and a session is replayed in it key by key: new operations are
typed into kernel bodies, an argument is changed, lines are made and removed again. After every key a client asks for
completions, as editors do; now and then for hover, signature help and hints. Times are those that the client waits for
an answer, on its clock; the time of an edit is from the notification to the answer of a request that needs no check.
Memory is the resident size of the server at the end. On a busy machine the client's clock measures the others; the
second table has the time that the server's threads were on a core meanwhile (Linux only): its main thread for answers,
all of them for findings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NAMES = ("gemm", "flash_attention", "softmax", "rms_norm", "gemm_splitk", "conv2d")
LINES = 500
TYPED = ("T.copy(acc, acc)", "T.clear(acc)", "x = T.alloc_shared((128, 32), T.float16)", "for i in T.Parallel(32):")
BUDGETS = {"edit": 15.0, "completion": 10.0, "hover": 10.0, "signature help": 10.0, "findings": 150.0}
"""Milliseconds at the 95th percentile."""


def source() -> str:
    """About 500 lines of kernels: examples one after the other, imports once."""
    parts: list[str] = []
    for name in NAMES:
        text = (EXAMPLES / f"{name}.py").read_text()
        parts.append(text.partition("def main()")[0].rstrip() if parts else text.partition("if __name__")[0].rstrip())
    text = "\n\n\n".join(parts) + "\n"
    while text.count("\n") < LINES:
        text += "\n\n" + parts[0].partition("import tilelang.language as T\n")[2].replace("matmul", f"again{len(text)}")
        text += "\n"
    return text


class Replay:
    """One client, one file, and the times of what it asked."""

    def __init__(self, client: LanguageClient, uri: str, text: str) -> None:
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        self.times: dict[str, list[float]] = defaultdict(list)
        self.findings: dict[int, float] = {}
        self.sent: dict[int, float] = {}
        self.cpu: dict[str, list[float]] = defaultdict(list)
        self.cpu_sent: dict[int, float] = {}

    def on_core(self, *, everything: bool = False) -> float:
        """Milliseconds that the server's main thread, or all of its threads, spent on a core so far."""
        server = self.client._server
        if server is None or not Path("/proc/self/schedstat").exists():
            return 0.0
        tasks = Path(f"/proc/{server.pid}/task")
        threads = tasks.iterdir() if everything else [tasks / str(server.pid)]
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e6

    def open(self) -> None:
        self.sent[1] = time.perf_counter()
        item = types.TextDocumentItem(self.uri, types.LanguageKind.Python, 1, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def published(self, params: types.PublishDiagnosticsParams) -> None:
        if params.version is not None:
            first = params.version not in self.findings
            self.findings.setdefault(params.version, time.perf_counter())
            if first and params.version in self.cpu_sent:
                self.cpu["findings"].append(self.on_core(everything=True) - self.cpu_sent[params.version])

    def edit(self, offset: int, removed: int, text: str) -> None:
        start, end = self.position(offset), self.position(offset + removed)
        self.text = self.text[:offset] + text + self.text[offset + removed :]
        self.version += 1
        self.sent[self.version] = time.perf_counter()
        self.cpu_sent[self.version] = self.on_core(everything=True)
        change = types.TextDocumentContentChangePartial(types.Range(start, end), text)
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def position(self, offset: int) -> types.Position:
        before = self.text[:offset]
        return types.Position(before.count("\n"), offset - before.rfind("\n") - 1)

    async def timed(self, what: str, method: str, params: Any) -> Any:
        start, used = time.perf_counter(), self.on_core()
        result = await self.client.protocol.send_request_async(method, params)
        self.times[what].append((time.perf_counter() - start) * 1e3)
        self.cpu[what].append(self.on_core() - used)
        return result

    async def key(self, offset: int, removed: int, text: str) -> None:
        """One keystroke, and what an editor asks after it."""
        start, used = time.perf_counter(), self.on_core()
        self.edit(offset, removed, text)
        document = types.TextDocumentIdentifier(self.uri)
        where = self.position(offset + len(text))
        # A selection needs the tree of the new text and nothing else.
        await self.client.text_document_selection_range_async(types.SelectionRangeParams(document, [where]))
        self.times["edit"].append((time.perf_counter() - start) * 1e3)
        self.cpu["edit"].append(self.on_core() - used)
        await self.timed("completion", "textDocument/completion", types.CompletionParams(document, where))
        if "(" in text or "," in text:
            await self.timed("signature help", "textDocument/signatureHelp", types.SignatureHelpParams(document, where))


def _without_name(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """pygls marks the functions it is given, which a bound method does not allow."""

    def call(params: Any) -> None:
        method(params)

    return call


def percentiles(values: list[float]) -> tuple[float, float, float]:
    cuts = quantiles(values, n=100) if len(values) > 1 else values * 99
    return cuts[49], cuts[94], max(values)


async def replay(keys: int, pause: float) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp())
    path, text = folder / "kernels.py", source()
    path.write_text(text)
    client = LanguageClient("replay", "1")
    began = time.perf_counter()
    await client.start_io(sys.executable, "-m", "tilelang_lsp.server")
    run = Replay(client, path.as_uri(), text)
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(_without_name(run.published))
    client.feature(types.WINDOW_LOG_MESSAGE)(lambda *_: None)
    await client.initialize_async(
        types.InitializeParams(
            types.ClientCapabilities(),
            root_uri=folder.as_uri(),
            initialization_options={"target": ["t4", "a100", "h100"]},
        )
    )
    client.initialized(types.InitializedParams())
    run.open()
    while 1 not in run.findings:
        await asyncio.sleep(0.002)
    first = run.findings[1] - began
    first_cpu = run.on_core(everything=True) / 1e3
    chance = random.Random(0)
    document = types.TextDocumentIdentifier(run.uri)
    done = 0
    while done < keys:
        bodies = [n for n in range(len(run.text)) if run.text.startswith("T.clear(", n)]
        place = chance.choice(bodies)
        line_start = run.text.rfind("\n", 0, place) + 1
        indent = " " * (place - line_start)
        typed = chance.choice(TYPED)
        for number, letter in enumerate(f"{indent}{typed}\n"):
            await run.key(line_start + number, 0, letter)
            done += 1
            await asyncio.sleep(pause)
        await asyncio.sleep(0.3)
        where = run.position(place + len(indent) + len(typed) + 10)
        await run.timed("hover", "textDocument/hover", types.HoverParams(document, where))
        whole = types.Range(types.Position(0, 0), types.Position(LINES * 2, 0))
        await run.timed("inlay hints", "textDocument/inlayHint", types.InlayHintParams(document, whole))
        await run.timed("code lens", "textDocument/codeLens", types.CodeLensParams(document))
        await run.key(line_start, len(indent) + len(typed) + 1, "")
        done += 1
        await asyncio.sleep(0.3)
    await asyncio.sleep(1)
    assert client._server is not None
    memory = _resident(client._server.pid)
    settled = [
        (run.findings[version] - sent) * 1e3
        for version, sent in run.sent.items()
        if version > 1 and version in run.findings
    ]
    run.times["findings"] = settled
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return {
        "first": first,
        "first_cpu": first_cpu,
        "keys": done,
        "lines": run.text.count("\n"),
        "memory": memory,
        "times": dict(run.times),
        "cpu": dict(run.cpu),
    }


def _resident(pid: int) -> float:
    """Megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Replay keystrokes against the language server.")
    parser.add_argument("--keys", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0.03, help="seconds between keys")
    parser.add_argument("--json", help="write the figures to a file")
    options = parser.parse_args()
    result = asyncio.run(replay(options.keys, options.pause))
    print(f"{result['keys']} keys in {result['lines']} lines")
    print(f"start to first findings: {result['first']:.2f} s ({result['first_cpu']:.2f} s on a core)")
    print(f"resident: {result['memory']:.0f} MB")
    for title, table in (("ms until the answer", result["times"]), ("ms on a core", result["cpu"])):
        print(f"{title:20} {'count':>6} {'p50':>8} {'p95':>8} {'max':>8}  budget of p95")
        for what, values in table.items():
            half, most, worst = percentiles(values)
            budget = f"{BUDGETS[what]:.0f}" if what in BUDGETS else ""
            print(f"  {what:18} {len(values):6} {half:8.1f} {most:8.1f} {worst:8.1f}  {budget}")
    if options.json:
        Path(options.json).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
