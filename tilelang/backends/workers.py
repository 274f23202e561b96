"""Worker processes that compile, so that a crash of LLVM or NVRTC is a problem of one kernel and nothing else.

Workers are plain child processes: unlike those of :mod:`multiprocessing` they do not import the main program again, so
any program may use them, and they end when their input does, however the parent ends. They stay warm between jobs, and
are replaced when they crash, hang, or have grown too large.
"""

from __future__ import annotations

import atexit
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tilelang.backends.compiling import Job, Outcome, failure, internal_problem
from tilelang.backends.worker import read_message, write_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
"""The folder that the package lies in: workers must load this one, not another ``tilelang`` of the environment."""
TIMEOUT = 120.0
"""Seconds for one job. The slowest kernels of upstream's examples take a few seconds."""
MEMORY_BYTES = 2 << 30
"""A worker that holds more than this after a job is replaced. TVM alone takes 0.2 GB."""


def _start() -> str:
    """What a worker runs. It imports from where this process does, which may be no environment at all but folders that
    an editor's extension brings along."""
    path = [str(ROOT), *(each for each in sys.path if Path(each).is_absolute())]
    return f"import sys; sys.path[:0] = {path!r}; from tilelang.backends.worker import main; main()"


@dataclass(order=True)
class _Task:
    priority: int
    number: int
    job: Job | None = field(compare=False)
    future: Future[Outcome] = field(compare=False, default_factory=Future[Outcome])
    cancelled: bool = field(compare=False, default=False)


class _Stopped(Exception):
    """The pool is closed."""


class Pool:
    """Compiles jobs in ``size`` processes (default: one per core that this process may use). They start with the first
    job that needs them, or with :meth:`warm`. All methods may be called from any thread."""

    def __init__(self, size: int | None = None, *, timeout: float = TIMEOUT, memory: int = MEMORY_BYTES) -> None:
        self.size = size or _cores()
        self._timeout = timeout
        self._memory = memory
        self._tasks: queue.PriorityQueue[_Task] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._slots: list[_Slot] = []
        self._waiting = 0
        self._closed = False

    def submit(self, job: Job, priority: int = 0) -> Future[Outcome]:
        """Compile a job; of those that wait, the one with the lowest ``priority`` is next. The future has an outcome in
        any case: crashes, hangs and bugs are problems in it. Its ``cancel`` works until the job starts."""
        task = _Task(priority, next(self._numbers), job)
        with self._lock:
            if self._closed:
                task.future.cancel()
                return task.future
            self._waiting += 1
            idle = sum(slot.task is None for slot in self._slots)
            if len(self._slots) < self.size and idle < self._waiting:
                self._slots.append(_Slot(self))
        self._tasks.put(task)
        return task.future

    def cancel(self, future: Future[Outcome]) -> bool:
        """Give up a job, also one that has started: its process is ended. False if the job is done already."""
        if future.cancel():
            return True
        with self._lock:
            slot = next((it for it in self._slots if it.task is not None and it.task.future is future), None)
            if slot is None or slot.task is None:
                return False
            slot.task.cancelled = True
            slot.kill()
            return True

    def map(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """The outcomes of jobs in their order."""
        futures = [self.submit(job) for job in jobs]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def warm(self) -> None:
        """Start all processes now, so that the first jobs need not wait for them."""
        with self._lock:
            missing = 0 if self._closed else self.size - len(self._slots)
            self._slots += [_Slot(self, warm=True) for _ in range(missing)]

    def process_ids(self) -> tuple[int, ...]:
        """The processes that run now."""
        with self._lock:
            return tuple(slot.process.pid for slot in self._slots if slot.process is not None)

    def close(self) -> None:
        """End all processes. Jobs that wait are cancelled; those that run end as crashed."""
        with self._lock:
            self._closed = True
            slots = list(self._slots)
        while True:
            try:
                self._tasks.get_nowait().future.cancel()
            except queue.Empty:
                break
        for slot in slots:
            self._tasks.put(_Task(sys.maxsize, next(self._numbers), None))
            slot.kill()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what slots call ---

    def next_task(self, slot: _Slot) -> _Task:
        """The next job that is still wanted. Raises ``_Stopped`` when the pool is closed."""
        while True:
            task = self._tasks.get()
            if task.job is None:
                raise _Stopped
            with self._lock:
                self._waiting -= 1
                if task.future.set_running_or_notify_cancel():
                    slot.task = task
                    return task

    def done(self, slot: _Slot, task: _Task, outcome: Outcome) -> None:
        with self._lock:
            slot.task = None
        task.future.set_result(outcome)

    @property
    def timeout(self) -> float:
        return self._timeout

    @property
    def memory(self) -> int:
        return self._memory


class _Slot:
    """One place for a process, with the thread that talks to it. ``task``: what it works on."""

    def __init__(self, pool: Pool, *, warm: bool = False) -> None:
        self.task: _Task | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self._pool = pool
        self._timed_out = False
        self._warm = warm
        threading.Thread(target=self._run, name="tilelang-compile", daemon=True).start()

    def kill(self) -> None:
        process = self.process
        if process is not None:
            process.kill()

    def _run(self) -> None:
        if self._warm:
            self._exchange("warm")
        while True:
            try:
                task = self._pool.next_task(self)
            except _Stopped:
                self._end()
                return
            assert task.job is not None
            self._pool.done(self, task, self._outcome(task, task.job))

    def _outcome(self, task: _Task, job: Job) -> Outcome:
        self._timed_out = False
        timer = threading.Timer(self._pool.timeout, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange(job)
        except Exception as error:  # noqa: BLE001  # the future must have a result; a program may not be picklable
            self._end()
            return Outcome(None, (internal_problem(job, error),))
        finally:
            timer.cancel()
        if answer is not None:
            outcome, memory = answer
            if memory > self._pool.memory:
                self._end()
            return outcome
        how = self._end()
        if task.cancelled:
            return Outcome(None, (failure(job, "the compile was cancelled", cancelled=True),))
        if self._timed_out:
            message = f"compiling took longer than {self._pool.timeout:g} s and was given up"
            return Outcome(None, (failure(job, message, timeout=True),))
        return Outcome(None, (failure(job, f"the compiler crashed ({how})", crash=True),))

    def _give_up(self) -> None:
        self._timed_out = True
        self.kill()

    def _exchange(self, message: object) -> tuple[Outcome, int] | None:
        """Send a message and wait for the answer; None if the process ended instead."""
        process = self._ready()
        try:
            write_message(cast("BinaryIO", process.stdin), message)
            return cast("tuple[Outcome, int]", read_message(cast("BinaryIO", process.stdout)))
        except (EOFError, OSError):
            return None

    def _ready(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            # -I: neither the user's folder nor their variables decide what is imported. -S as this process was started:
            # the path is this process's own then.
            self.process = subprocess.Popen(
                [sys.executable, "-I", *(["-S"] if sys.flags.no_site else []), "-c", _start()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self.process

    def _end(self) -> str:
        """End the process, and say how it ended."""
        process, self.process = self.process, None
        if process is None:
            return "it did not start"
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                # What was not written goes nowhere.
                with suppress(OSError):
                    stream.close()
        try:
            code = process.wait(1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        return _signal_name(-code) if code < 0 else f"exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number}, {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def shared_pool() -> Pool:
    """The pool of this process, which ends with it."""
    pool = Pool()
    atexit.register(pool.close)
    return pool
