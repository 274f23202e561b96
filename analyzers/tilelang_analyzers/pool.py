"""Worker processes for many files.

Unlike the pools of the standard library, this one outlives its workers: a worker that crashes or takes too long is
replaced, its file is reported, and the others go on.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.results import Failure, FileReport
from tilelang_analyzers.runner import can_fork

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from multiprocessing.context import SpawnContext
    from multiprocessing.process import BaseProcess

    from tilelang_analyzers.settings import Settings

    Task = tuple[str, bytes, Settings]

PATIENCE = 4
"""A worker is stopped from outside after that many times the processor time that a file may take."""
POLL_SECONDS = 5.0


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    channel: Connection
    task: Task | None = None
    deadline: float = 0.0

    def give(self, task: Task) -> None:
        self.task = task
        # Compiles take their time, and have limits of their own.
        patience = math.inf if task[2].compile else PATIENCE * task[2].timeout
        self.deadline = time.monotonic() + patience
        self.channel.send(task)

    def stop(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.join()


def check_in_parallel(
    tasks: Sequence[Task],
    jobs: int,
    overlays: Mapping[str, bytes] = MappingProxyType({}),
    *,
    profile: bool = False,
    compile_jobs: int = 1,
) -> Iterator[FileReport]:
    """Reports in the order in which they are ready. The workers end with the generator, however that ends.
    ``compile_jobs``: processes that each worker may compile in."""
    # Forking is ten times faster than a fresh interpreter, and safe here: the parent has no threads.
    context = cast("SpawnContext", multiprocessing.get_context("fork" if can_fork() else "spawn"))
    waiting = list(reversed(tasks))
    workers: list[_Worker] = []
    try:
        while waiting or any(worker.task for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_start(context, overlays, profile, compile_jobs))
            for worker in workers:
                if waiting and worker.task is None:
                    worker.give(waiting.pop())
            busy = [worker for worker in workers if worker.task]
            patience = max(min(worker.deadline for worker in busy) - time.monotonic(), 0)
            ready = wait([worker.channel for worker in busy], None if math.isinf(patience) else patience)
            for worker in busy:
                if worker.channel in ready:
                    report = _receive(worker)
                elif time.monotonic() >= worker.deadline:
                    report = _given_up(worker)
                else:
                    continue
                if worker.task is not None:
                    worker.stop()
                    workers.remove(worker)
                yield report
    finally:
        for worker in workers:
            worker.stop()


def _start(context: SpawnContext, overlays: Mapping[str, bytes], profile: bool, compile_jobs: int) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, dict(overlays), profile, compile_jobs), daemon=True)
    with _held_interrupt():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _held_interrupt() -> Generator[None]:
    """Let Ctrl-C wait. It goes to all processes of a terminal, and a worker that is being made could not ignore it yet;
    its own start lets it through again."""
    if not can_fork():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _receive(worker: _Worker) -> FileReport:
    """The answer of a worker, which is free then; one that died keeps its task."""
    assert worker.task is not None
    try:
        report = worker.channel.recv()
    except (EOFError, OSError):
        worker.process.join(1.0)
        code = worker.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
        return FileReport(
            worker.task[0], uses_tilelang=True, failure=Failure(f"the process that checked it ended {how}")
        )
    worker.task = None
    return report


def _given_up(worker: _Worker) -> FileReport:
    assert worker.task is not None
    path, _, settings = worker.task
    message = f"took longer than {settings.timeout:g} s and was given up (`timeout` in the settings)"
    return FileReport(path, uses_tilelang=True, failure=Failure(message, internal=False))


def _serve(channel: Connection, overlays: Mapping[str, bytes], profile: bool, compile_jobs: int) -> None:
    """The life of a worker: one file after another until the parent closes the channel or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if can_fork():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = os.getppid()
    checker = Checker(overlays, profile=profile, compile_jobs=compile_jobs)
    while True:
        # A forked worker holds copies of its siblings' channels, so the death of the parent does not close its own.
        while not channel.poll(POLL_SECONDS):
            if os.getppid() != parent:
                return
        try:
            path, data, settings = channel.recv()
        except (EOFError, OSError):
            return
        channel.send(checker.check(path, data, settings))
