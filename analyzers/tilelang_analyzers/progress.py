"""The progress bar on a terminal. It appears only when a run takes a while, so quick runs never flash."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from tilelang_analyzers.runner import Progress

PATIENCE = 0.5
"""Seconds without a bar."""


class ProgressBar:
    """A ``with`` block that gives a function to call with (files done, files in all)."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self._show

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._started < PATIENCE or done == total:
                return
            self._bar = self._started_bar(total)
        self._bar.update(self._task, completed=done)

    def _started_bar(self, total: int) -> Any:
        # Rich takes longer to import than most checks take to run.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.start()
        self._task = bar.add_task("checking", total=total)
        return bar
