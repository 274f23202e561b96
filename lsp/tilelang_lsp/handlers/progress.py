"""Work-done progress: of what the client asked for, and of checks that take long."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tilelang_lsp.handlers.status import asked

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.server import Server


async def show(ls: Server, file: SourceFile, work: asyncio.Future[Analysis | None]) -> None:
    """Show that a file is being checked until that has ended."""
    progress = await Progress.begin(ls, None, f"Checking {Path(file.path).name}", 1)
    try:
        await asyncio.wait({work})
    finally:
        progress.end()


class Progress:
    """Work-done progress under the client's token, or one of ours where the client shows those."""

    def __init__(self, ls: Server, token: types.ProgressToken | None, total: int) -> None:
        self._ls, self._token, self._total = ls, token, total

    @staticmethod
    async def begin(ls: Server, token: types.ProgressToken | None, title: str, total: int) -> Progress:
        if token is None and ls.client.shows_progress:
            token = f"tilelang-{uuid.uuid4()}"
            await asked(ls.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token)))
        if token is not None:
            begin = types.WorkDoneProgressBegin(title=title, percentage=0, cancellable=True)
            ls.work_done_progress.begin(token, begin)
        return Progress(ls, token, total)

    @property
    def is_cancelled(self) -> bool:
        """Whether the user pressed the button."""
        known: Any = self._ls.work_done_progress
        tokens: dict[types.ProgressToken, Future[None]] = known.tokens
        future = tokens.get(self._token) if self._token is not None else None
        return future is not None and future.cancelled()

    def report(self, done: int, message: str) -> None:
        if self._token is not None:
            share = int(100 * done / max(self._total, 1))
            report = types.WorkDoneProgressReport(message=message, percentage=share)
            self._ls.work_done_progress.report(self._token, report)

    def end(self) -> None:
        if self._token is not None:
            self._ls.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
