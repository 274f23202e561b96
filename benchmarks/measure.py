"""Timing of commands: wall time and peak memory of a child process, in interleaved rounds."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a command. ``cpu`` counts the seconds of processor time, ``peak`` is the largest resident set in MiB;
    both include the children that the command waited for."""

    seconds: float
    cpu: float
    peak: float
    code: int
    output: str


@dataclass(slots=True)
class Series:
    """All runs of one command."""

    samples: list[Sample] = field(default_factory=list[Sample])

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(sample.seconds for sample in self.samples)

    @property
    def cpu(self) -> float:
        """The median."""
        return statistics.median(sample.cpu for sample in self.samples)

    @property
    def peak(self) -> float:
        return max(sample.peak for sample in self.samples)

    @property
    def last(self) -> Sample:
        return self.samples[-1]


def run(command: Sequence[str], folder: Path) -> Sample:
    """Run one command to its end. Its output is kept, its errors are not."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stdout.close()
    cpu = usage.ru_utime + usage.ru_stime
    return Sample(seconds, cpu, usage.ru_maxrss / 1024, child.returncode, output)


def interleave(jobs: Mapping[str, Callable[[], Sample]], rounds: int) -> dict[str, Series]:
    """Run every job once a round, so that a slow minute of the machine meets all of them."""
    series = {name: Series() for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            series[name].samples.append(job())
    return series
