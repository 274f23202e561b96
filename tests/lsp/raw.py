"""A client without manners: it sends what it likes, and keeps what comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

TIMEOUT = 120


class RawClient:
    """Speaks over the pipes of a server process. ``answers`` are by id; ``published`` has the last findings by URI."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: dict[object, Mapping[str, Any]] = {}
        self.published: dict[str, Mapping[str, Any]] = {}
        self.refusals: list[str] = []
        self._next = 0
        self._news = asyncio.Event()
        self._reader = asyncio.get_running_loop().create_task(self._read())

    @staticmethod
    async def start(command: Sequence[str]) -> RawClient:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=1 << 26
        )
        return RawClient(process)

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message: object) -> None:
        self.send_bytes(json.dumps(message).encode())

    def notify(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object) -> int:
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    async def answer(self, identifier: int) -> Mapping[str, Any]:
        await self.until(lambda: identifier in self.answers)
        return self.answers[identifier]

    async def ask(self, method: str, params: object) -> Any:
        """The result of a request. Fails for an error."""
        found = await self.answer(self.request(method, params))
        assert "error" not in found, found
        return found["result"]

    async def until(self, condition: Any) -> None:
        """Wait until something is there; fails after two minutes, and when the server ends."""

        async def wait() -> None:
            while not condition():
                assert self.process.returncode is None, "the server has ended"
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), TIMEOUT)

    async def stop(self) -> None:
        await self.ask("shutdown", None)
        self.notify("exit", None)
        await asyncio.wait_for(self.process.wait(), TIMEOUT)
        await self._reader

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := await stream.readline():
            length = int(line.partition(b":")[2])
            while (await stream.readline()).strip():
                pass
            self._take(json.loads(await stream.readexactly(length)))
            self._news.set()
        self._news.set()

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self.answers[message.get("id")] = message
        elif "id" in message:
            result: object = None
            if method == "workspace/configuration":
                result = [None for _ in cast("list[object]", message["params"]["items"])]
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif method == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]


def resident(pid: int) -> int:
    """Bytes that a process holds in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise ProcessLookupError(pid)


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]
