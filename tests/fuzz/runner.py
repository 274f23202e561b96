"""Checks mutants in worker processes, which have a limit on time and memory and may neither print nor write nor die.

A checker is named as `module:function`; the function takes the path of a file and returns None, or what is wrong with
its answer. Whatever else it does (raise, print, leave files, exit, crash, take too long) is a fault too.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.mutate import CORPUS, mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor seconds and wall seconds of one file, bytes of address space of a worker."""

    cpu: float = 2.0
    wall: float = 60.0
    memory: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one mutant went: `fault` is empty if all is well, `cpu` in seconds, `memory` the worker's peak in bytes."""

    index: int
    name: str
    fault: str
    cpu: float
    memory: int


def run(
    checker: str, seed: int, indices: Iterable[int], limits: Limits, jobs: int = 2, *, warm_up: bool = True
) -> Iterator[Outcome]:
    """Check mutants and yield their outcomes as they come.

    One that is too slow is timed once more at the end, when nothing else runs, and that time counts. `warm_up`: workers
    first check the corpus, so that imports count for no mutant.
    """
    slow: list[int] = []
    for outcome in _run(checker, seed, iter(indices), limits, jobs, warm_up):
        if outcome.cpu > limits.cpu and not outcome.fault:
            slow.append(outcome.index)
        else:
            yield outcome
    for outcome in _run(checker, seed, iter(slow), limits, 1, warm_up):
        too_slow = f"took {outcome.cpu:.1f} s of {limits.cpu:g} s" if outcome.cpu > limits.cpu else ""
        yield Outcome(outcome.index, outcome.name, outcome.fault or too_slow, outcome.cpu, outcome.memory)


def _run(
    checker: str, seed: int, indices: Iterator[int], limits: Limits, jobs: int, warm_up: bool
) -> Iterator[Outcome]:
    workers = [_Worker(checker, seed, limits, warm_up) for _ in range(jobs)]
    try:
        busy = [worker for worker in workers if worker.start(indices)]
        while busy:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in list(busy):
                outcome = worker.finish(worker.pipe in ready)
                if outcome is not None:
                    yield outcome
                    if not worker.start(indices):
                        busy.remove(worker)
    finally:
        for worker in workers:
            worker.close()


class _Worker:
    """One process and the mutant that it is at."""

    def __init__(self, checker: str, seed: int, limits: Limits, warm_up: bool) -> None:
        self._arguments = checker, seed, limits, warm_up
        self._limits = limits
        self._process: BaseProcess | None = None
        self._output = tempfile.NamedTemporaryFile()  # noqa: SIM115  # closed by `close`
        self.pipe: Connection

    def start(self, indices: Iterator[int]) -> bool:
        """Begin the next mutant, in a new process if there is none; False after the last one."""
        index = next(indices, None)
        if index is None:
            return False
        if self._process is None or not self._process.is_alive():
            context = multiprocessing.get_context("spawn")
            self.pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=_work, args=(theirs, self._output.name, *self._arguments), daemon=True
            )
            self._process.start()
            theirs.close()
            self.pipe.recv()  # Warmed up.
        self._index, self._started = index, time.monotonic()
        self.pipe.send(index)
        return True

    def finish(self, ready: bool) -> Outcome | None:
        """The outcome of the current mutant, None as long as there is none."""
        fault = ""
        if ready:
            try:
                outcome: Outcome = self.pipe.recv()
                if outcome.fault:
                    self.stop()  # What went wrong may still be going on.
                return outcome
            except EOFError:
                assert self._process is not None
                self._process.join()
                said = Path(self._output.name).read_text(errors="replace").strip().split("\n")
                fault = f"the process died (exit code {self._process.exitcode}) {said[0]}".rstrip()
        elif time.monotonic() - self._started > self._limits.wall:
            fault = f"no answer in {self._limits.wall:g} s"
        if not fault:
            return None
        self.stop()
        return Outcome(self._index, "", fault, 0.0, 0)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def close(self) -> None:
        self.stop()
        self._output.close()


def _work(pipe: Connection, output_path: str, checker: str, seed: int, limits: Limits, warm_up: bool) -> None:
    """Body of a worker process."""
    module, _, function = checker.partition(":")
    check: Callable[[str], str | None] = getattr(importlib.import_module(module), function)
    corpus = [path.read_bytes() for path in CORPUS]
    with tempfile.TemporaryDirectory() as folder, Path(output_path).open("r+b") as output:
        output.truncate(0)
        os.chdir(folder)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        for path in CORPUS if warm_up else ():
            check(str(path))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        pipe.send("ready")
        while True:
            index: int = pipe.recv()
            made = mutant(corpus, seed, index)
            path = Path(folder, f"kernel{made.suffix}")
            path.write_bytes(made.data)
            start = time.process_time()
            try:
                fault = check(str(path)) or ""
            except BaseException as error:  # noqa: BLE001  # whatever it is, it is a fault of the checker
                fault = "".join(traceback.format_exception_only(error)).strip()
            cpu = time.process_time() - start
            path.unlink()
            fault = fault or _traces(Path(folder), output.fileno())
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            pipe.send(Outcome(index, made.name, fault, cpu, memory))


def _traces(folder: Path, output: int) -> str:
    """What the check has left behind: files, or text on the standard streams."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    if left:
        return f"left files behind: {', '.join(left)}"
    os.lseek(output, 0, os.SEEK_SET)
    printed = os.read(output, 2_000)
    os.ftruncate(output, 0)
    os.lseek(output, 0, os.SEEK_SET)
    return f"printed {printed!r}" if printed else ""
