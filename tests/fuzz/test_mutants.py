"""The checker survives damaged and hostile files; `make fuzz` checks more of them."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import pytest
from fuzz.mutate import CORPUS, mutant
from fuzz.runner import Limits, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX")

SLOWEST = 15.0


@pytest.mark.fuzz
def test_mutants(fuzz_count: int, fuzz_seed: int) -> None:
    """No crash, no output, no trace, within the time and memory of a file."""
    # The limit of a file is 2 s; no test may fail because a machine is slow, so this one only asks for the order.
    limits = Limits(cpu=SLOWEST)
    outcomes = list(run("fuzz.checkers:check", fuzz_seed, range(fuzz_count), limits))
    assert sorted(outcome.index for outcome in outcomes) == list(range(fuzz_count))
    corpus = [path.read_bytes() for path in CORPUS]
    faults = [f"{o.index} ({mutant(corpus, fuzz_seed, o.index).name}): {o.fault}" for o in outcomes if o.fault]
    assert not faults, "\n".join([f"{len(faults)} of {fuzz_count} mutants:", *faults])


def test_mutants_are_reproducible_and_differ() -> None:
    corpus = [path.read_bytes() for path in CORPUS]
    first = [mutant(corpus, 7, index) for index in range(60)]
    assert first == [mutant(corpus, 7, index) for index in range(60)]
    assert len({made.data for made in first}) > 55
    assert first != [mutant(corpus, 8, index) for index in range(60)]


def prints(path: str) -> None:
    print("escaped")


def writes(path: str) -> None:
    Path("escaped.txt").write_text("x", encoding="utf-8")


def raises(path: str) -> None:
    raise ValueError("refused")


def exits(path: str) -> None:
    sys.exit(3)


def says_so(path: str) -> str:
    return "wrong"


def takes_memory(path: str) -> None:
    bytearray(2 << 30)


def takes_time(path: str) -> None:
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass


def dies(path: str) -> None:
    os._exit(9)


def hangs(path: str) -> None:
    time.sleep(60)


@pytest.mark.parametrize(
    ("checker", "fault"),
    [
        ("prints", r"printed b'escaped.*'"),
        ("writes", r"left files behind: escaped\.txt"),
        ("raises", r"ValueError: refused"),
        ("exits", r"SystemExit: 3"),
        ("says_so", r"wrong"),
        ("takes_memory", r"MemoryError"),
        ("takes_time", r"took \d+\.\d s of 0\.2 s"),
        ("dies", r"the process died \(exit code 9\)"),
        ("hangs", r"no answer in 2 s"),
    ],
)
def test_the_runner_notices(checker: str, fault: str) -> None:
    limits = Limits(cpu=0.2, wall=2.0)
    outcomes = list(run(f"fuzz.test_mutants:{checker}", 0, [1, 2], limits, jobs=1, warm_up=False))
    assert len(outcomes) == 2
    for outcome in outcomes:
        assert re.fullmatch(fault, outcome.fault)
