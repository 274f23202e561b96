"""The checker survives damaged and hostile files; `make fuzz` checks more of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fuzz.mutate import CORPUS, mutant
from fuzz.runner import Limits, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX")


@pytest.mark.fuzz
def test_mutants(fuzz_count: int, fuzz_seed: int) -> None:
    """No crash, no output, no trace, within the time and memory of a file."""
    outcomes = list(run("fuzz.checkers:check", fuzz_seed, range(fuzz_count), Limits()))
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


def fine(path: str) -> str | None:
    return None


def faulty(path: str) -> str | None:
    """A checker with every fault, by the size of the file."""
    if path.startswith(str(Path(__file__).parents[2])):
        return None  # Warming up.
    kind = Path(path).stat().st_size % 6
    if kind == 0:
        print("escaped")
    elif kind == 1:
        Path("escaped.txt").write_text("x")
    elif kind == 2:
        raise ValueError("refused")
    elif kind == 3:
        sys.exit(3)
    elif kind == 4:
        return "wrong"
    else:
        bytearray(2 << 30)
    return None


def test_the_runner_notices_faults() -> None:
    outcomes = list(run("fuzz.test_mutants:faulty", 0, range(1, 40, 2), Limits(wall=30), jobs=1))
    assert len(outcomes) == 20
    assert all(outcome.fault for outcome in outcomes)
    kinds = {outcome.fault.split(":")[0].split(" b'")[0] for outcome in outcomes}
    assert kinds == {"printed", "left files behind", "ValueError", "SystemExit", "wrong", "MemoryError"}


def test_the_runner_notices_a_dead_process() -> None:
    (outcome,) = run("fuzz.test_mutants:dying", 0, [1], Limits(), jobs=1)
    assert outcome.fault == "the process died (exit code 9)"


def dying(path: str) -> str | None:
    import os

    if not path.startswith(str(Path(__file__).parents[2])):
        os._exit(9)
    return None
