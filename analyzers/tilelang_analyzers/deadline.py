"""A limit on the processor time of one file: a busy machine makes no file too slow."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class OutOfTime(BaseException):
    """The time is over. No ``Exception``: code that copes with any error must not swallow it."""


class Deadline:
    """A ``with`` block that raises :class:`OutOfTime` after ``seconds`` of processor time.

    It works in the main thread of a process on systems with interval timers. Elsewhere the block runs without a limit:
    the evaluator counts its steps, and the pool of worker processes has its own clock.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._armed:
            self._previous = signal.signal(signal.SIGPROF, _raise)
            signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, self._previous)


def _raise(number: int, frame: FrameType | None) -> None:
    raise OutOfTime
