"""When files are checked: in one worker thread, the newest text only, after a pause while one types.

A newer text cancels the check of an older one. Whoever needs the result of the newest text awaits :meth:`fresh`, which
ends the pause.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from tilelang.frontend.cancellation import Cancellation, Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang_lsp.analysis import Analysis
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.session import Session

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Job:
    file: SourceFile
    done: asyncio.Future[Analysis | None]
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    cancellation: Cancellation = field(default_factory=Cancellation)
    task: asyncio.Task[None] | None = None


PATIENCE = 1.0
"""Seconds after which a check counts as slow: faster ones would only make a progress bar flash."""


class Scheduler:
    """``finished`` is called in the server's thread with each analysis of a text that is still the newest; ``slow``
    with the check of a file that takes longer than ``patience``, while it is under way."""

    def __init__(
        self,
        session: Session,
        finished: Callable[[Analysis], None],
        slow: Callable[[SourceFile, asyncio.Future[Analysis | None]], None] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._session = session
        self._finished = finished
        self._slow = slow
        self._patience = patience
        self._worker = ThreadPoolExecutor(1, "tilelang-check")
        self._jobs: dict[str, _Job] = {}

    @property
    def busy(self) -> bool:
        return bool(self._jobs)

    def touch(self, file: SourceFile, pause: float = 0) -> None:
        """Check a text after ``pause`` seconds; what is under way for an older one is given up."""
        self.drop(file.path)
        loop = asyncio.get_running_loop()
        job = self._jobs[file.path] = _Job(file, loop.create_future())
        job.task = loop.create_task(self._run(job, pause))

    def drop(self, path: str) -> None:
        """Give up the check of a file."""
        old = self._jobs.pop(path, None)
        if old is not None:
            old.cancellation.cancel()
            old.hurry.set()
            _finish(old, None)

    async def fresh(self, path: str) -> Analysis | None:
        """The analysis of the newest text, awaited; None if the file is not open or a newer text came in meanwhile."""
        job = self._jobs.get(path)
        if job is None:
            return self._session.analyses.get(path)
        job.hurry.set()
        return await asyncio.shield(job.done)

    async def examine(self, file: SourceFile, cancellation: Cancellation) -> Analysis | None:
        """Check a file that no editor holds; None if it was cancelled."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._examine, file, cancellation)

    def warm_up(self) -> None:
        """Have the worker get ready for the first check."""
        self._worker.submit(self._session.warm_up)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in the thread of the checks: the evaluator builds one program at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    async def _run(self, job: _Job, pause: float) -> None:
        if pause:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(job.hurry.wait(), pause)
        analysis = None
        if not job.cancellation.cancelled:
            work = asyncio.ensure_future(self.examine(job.file, job.cancellation))
            _, unfinished = await asyncio.wait({work}, timeout=self._patience)
            if unfinished and self._slow is not None:
                self._slow(job.file, work)
            analysis = await work
        if self._jobs.get(job.file.path) is job:
            del self._jobs[job.file.path]
        if analysis is not None and self._session.is_current(job.file):
            self._session.analyses[job.file.path] = analysis
            self._finished(analysis)
        else:
            analysis = None
        _finish(job, analysis)

    def _examine(self, file: SourceFile, cancellation: Cancellation) -> Analysis | None:
        try:
            cancellation.check()
            return self._session.examine(file, cancellation)
        except Cancelled:
            return None

    def shutdown(self) -> None:
        """Give up everything."""
        for path in list(self._jobs):
            self.drop(path)
        self._worker.shutdown(wait=False, cancel_futures=True)


def _finish(job: _Job, analysis: Analysis | None) -> None:
    if not job.done.done():
        job.done.set_result(analysis)
