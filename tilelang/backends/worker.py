"""The life of one worker process: jobs come in on standard input and outcomes go out on standard output, as pickles
with their lengths before them. Started by :mod:`tilelang.backends.workers`, which is the only one that writes to it.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from tilelang.backends.compiling import Outcome

LENGTH = struct.Struct("<Q")


def read_message(stream: BinaryIO) -> object:
    """The next message. Raises ``EOFError`` at the end, also in the middle of a message."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def write_message(stream: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def memory_bytes() -> int:
    """What this process holds in memory; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def warm_up() -> None:
    """Load what every job needs, so that the first one is as fast as the others."""
    from contextlib import suppress

    from tilelang.backends.cuda.nvrtc import compile_cuda

    with suppress(ImportError):
        from tilelang.backends.cuda.build import prologue

        compile_cuda(prologue(), "sm_80")


def main() -> None:
    """Serve until the input ends."""
    # Ctrl-C goes to all processes of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    jobs = os.fdopen(os.dup(0), "rb")
    outcomes = os.fdopen(os.dup(1), "wb")
    # What libraries print must not get between the messages.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.setrecursionlimit(10_000)
    from tilelang.backends.compiling import Job, compile_job

    while True:
        try:
            job = read_message(jobs)
        except EOFError:
            return
        outcome: Outcome | None = None
        if isinstance(job, Job):
            outcome = compile_job(job)
        else:
            warm_up()
        try:
            write_message(outcomes, (outcome, memory_bytes()))
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
