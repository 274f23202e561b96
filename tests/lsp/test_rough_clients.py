"""Messages of all kinds, sensible, wrong and broken, with cancels, saves, two folders, and compilers that are killed:
the server answers each request, does not grow, and is right afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsp.ide import GEMM
from lsp.raw import RawClient, children, resident
from lsp.session import COMMAND

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system has no /proc")
BROKEN = ("(", '"""', "\\\n", "T.gemm(A_tile, ", "def f(:\n", "\t\n", "🙂", "# tl: ignore[", "matmul(", "\r", "\x00")
AT_PLACES = [
    "hover",
    "completion",
    "signatureHelp",
    "definition",
    "declaration",
    "typeDefinition",
    "implementation",
    "documentHighlight",
    "prepareRename",
    "prepareCallHierarchy",
]
OF_DOCUMENTS = ["codeLens", "documentSymbol", "foldingRange", "semanticTokens/full", "diagnostic"]
GROWTH = 1.2
"""How much larger the server may be at the end than after its first third."""
ROUND = 20
"""Messages that are sent before their answers are awaited."""
SMALL = GEMM.replace("block_m=128, block_n=128", "block_m=64, block_n=64")


class Soak:
    """What one run sends. ``texts``: what the documents have, by URI."""

    def __init__(self, client: RawClient, folders: list[Path], seed: int) -> None:
        self.client = client
        self.chance = random.Random(seed)
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.requests: list[int] = []
        for folder in folders:
            for name in ("a.py", "b.py"):
                uri = (folder / name).as_uri()
                self.open(uri)
        self.kinds: list[tuple[int, Callable[[], None]]] = [
            (8, self.edit), (10, self.ask), (3, self.wrong), (2, self.broken), (2, self.cancel), (1, self.save),
            (1, self.reopen), (1, self.code), (1, self.folder),
        ]  # fmt: skip

    def open(self, uri: str) -> None:
        self.texts[uri], self.versions[uri] = SMALL, 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": SMALL}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    @property
    def uri(self) -> str:
        return self.chance.choice(list(self.texts))

    def place(self) -> dict[str, int]:
        return {"line": self.chance.randrange(40), "character": self.chance.randrange(120)}

    def step(self) -> None:
        weights = [weight for weight, _ in self.kinds]
        self.chance.choices([kind for _, kind in self.kinds], weights)[0]()

    def edit(self) -> None:
        uri = self.uri
        text = self.texts[uri]
        at = self.chance.randrange(len(text))
        text = text[:at] + self.chance.choice(BROKEN) + text[at:] if self.chance.random() < 0.6 else SMALL
        self.replace(uri, text)

    def replace(self, uri: str, text: str) -> None:
        self.texts[uri], self.versions[uri] = text, self.versions[uri] + 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def ask(self) -> None:
        document: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        start = self.place()
        span = {"start": start, "end": {"line": start["line"] + 5, "character": 0}}
        match self.chance.randrange(4):
            case 0:
                method, params = self.chance.choice(OF_DOCUMENTS), document
            case 1:
                method, params = "inlayHint", {**document, "range": span}
            case 2:
                method, params = "codeAction", {**document, "range": span, "context": {"diagnostics": []}}
            case _:
                method, params = self.chance.choice(AT_PLACES), {**document, "position": start}
        if method == "implementation" and self.chance.random() < 0.8:
            method = "definition"
        self.requests.append(self.client.request(f"textDocument/{method}", params))

    def wrong(self) -> None:
        """Requests with wrong parameters, and methods that do not exist."""
        method, params = self.chance.choice(
            [
                ("textDocument/hover", {}),
                ("textDocument/hover", {"textDocument": {"uri": 7}, "position": "here"}),
                ("textDocument/hover", {"textDocument": {"uri": "file:///nowhere.py"}, "position": self.place()}),
                (
                    "textDocument/completion",
                    {"textDocument": {"uri": self.uri}, "position": {"line": -4, "character": -1}},
                ),
                (
                    "textDocument/completion",
                    {"textDocument": {"uri": self.uri}, "position": {"line": 9**9, "character": 9**9}},
                ),
                (
                    "textDocument/rename",
                    {"textDocument": {"uri": self.uri}, "position": self.place(), "newName": "1 x"},
                ),
                ("workspace/executeCommand", {"command": "no.such", "arguments": []}),
                ("workspace/executeCommand", {"command": "tilelang.selectInstance", "arguments": ["x"]}),
                ("workspace/textDocumentContent", {"uri": "tilelang-listing:/x"}),
                ("tilelang/listing", {"textDocument": {"uri": self.uri}}),
                ("tilelang/listing", None),
                ("no/suchMethod", {"a": [1, 2]}),
            ]
        )
        self.requests.append(self.client.request(method, params))

    def broken(self) -> None:
        """Messages that are no messages: nothing answers them."""
        self.client.send_bytes(
            self.chance.choice(
                [
                    b"{",
                    b"[]",
                    b"null",
                    b"\xff\xfe",
                    b'{"jsonrpc": "2.0"}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": 3}}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen"}',
                    b'{"jsonrpc": "2.0", "id": 987654, "result": {"no": "question"}}',
                    b'{"jsonrpc": "2.0", "method": "$/unknown", "params": {}}',
                ]
            )
        )

    def cancel(self) -> None:
        identifier = self.chance.choice([*self.requests[-3:], 123456, "x"])
        self.client.notify("$/cancelRequest", {"id": identifier})

    def save(self) -> None:
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def reopen(self) -> None:
        uri = self.uri
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.open(uri)

    def code(self) -> None:
        """Generated code, while compilers die."""
        if self.chance.random() < 0.5:
            for child in children(self.client.process.pid):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        params = {"textDocument": {"uri": self.uri}, "position": {"line": 18, "character": 20}, "stage": "tir"}
        self.requests.append(self.client.request("tilelang/listing", params))

    def folder(self) -> None:
        folder = {"uri": self.uri.rpartition("/")[0], "name": "again"}
        change = self.chance.choice([{"added": [folder], "removed": []}, {"added": [], "removed": [folder]}])
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": change})


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[RawClient]:
    client = await RawClient.start(COMMAND)
    yield client
    if client.process.returncode is None:
        client.process.kill()
        await client.process.wait()


async def run(client: RawClient, folder: Path, count: int, seed: int) -> None:
    folders = [folder / "one", folder / "two"]
    for each in folders:
        each.mkdir()
        (each / "pyproject.toml").write_text("")
    workspace = [{"uri": each.as_uri(), "name": each.name} for each in folders]
    options = {"target": ["t4", "a100"], "debounce": 0.01}
    start = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": workspace}
    await client.ask("initialize", {**start, "initializationOptions": options})
    client.notify("initialized", {})
    soak = Soak(client, folders, seed)
    early = 0
    for number in range(0, count, ROUND):
        waiting = len(soak.requests)
        for _ in range(ROUND):
            soak.step()
        for each in soak.requests[waiting:]:
            await client.answer(each)
        if not early and number >= count // 3:
            early = resident(client.process.pid)
    late = resident(client.process.pid)
    assert late <= early * GROWTH + (16 << 20), f"{early} bytes after a third, {late} at the end"
    # What was sent last counts, as if it had been opened fresh.
    for uri in list(soak.texts):
        soak.replace(uri, SMALL)
    fresh = (folder / "one" / "fresh.py").as_uri()
    soak.open(fresh)
    await client.until(
        lambda: (
            all(client.published.get(uri, {}).get("version") == soak.versions[uri] for uri in soak.texts)
            if client.published.get(fresh)
            else False
        )
    )
    lenses = {uri: await client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}}) for uri in soak.texts}
    titles = {uri: [lens["command"]["title"] for lens in found] for uri, found in lenses.items()}
    assert all(found == titles[fresh] for found in titles.values())
    assert titles[fresh]
    # A compiler that was killed is told of until the next save.
    messages = {
        uri: [each["message"] for each in client.published[uri]["diagnostics"] if each["code"] != "not-compiled"]
        for uri in soak.texts
    }
    assert all(found == messages[fresh] for found in messages.values())
    await client.stop()


@pytest.mark.asyncio
async def test_a_rough_client(client: RawClient, tmp_path: Path) -> None:
    await run(client, tmp_path, 300, 7)


@pytest.mark.fuzz
@pytest.mark.asyncio
async def test_rough_clients_for_long(client: RawClient, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    count: Any = request.config.getoption("--fuzz-count")
    seed: Any = request.config.getoption("--fuzz-seed")
    await run(client, tmp_path, int(count), int(seed))


@pytest.mark.asyncio
async def test_a_cancelled_request_answers_at_once(client: RawClient, tmp_path: Path) -> None:
    """While a check of seconds is under way: the answer does not wait for it."""
    await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    client.notify("initialized", {})
    slow = SMALL + "".join(f"matmul({1024 + 64 * number}, 1024, 1024)\n" for number in range(300))
    uri = (tmp_path / "k.py").as_uri()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": slow}
    client.notify("textDocument/didOpen", {"textDocument": item})
    request = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    await asyncio.sleep(0.3)
    assert request not in client.answers
    client.notify("$/cancelRequest", {"id": request})
    began = asyncio.get_running_loop().time()
    found = await client.answer(request)
    took = asyncio.get_running_loop().time() - began
    assert found["error"]["code"] == -32800
    # Not waiting for the check is what counts here; benchmarks measure milliseconds.
    assert uri not in client.published, f"answered after {took:.3f} s, with the check"
    print(f"cancelled in {took * 1e3:.1f} ms", file=sys.stderr)
    await client.stop()
