"""Worker processes: results, crashes, hangs, cancelling, order, memory."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest
from backends.programs import instances, target

from tilelang.backends import compiling, workers
from tilelang.backends.compiling import Job
from tilelang.backends.workers import Pool
from tilelang.ir.printer import print_program

pytest.importorskip("tvm")


def job(arch: str = "sm_80", stages: tuple[str, ...] = ("cuda",), link: bool = False) -> Job:
    return Job(instances("examples/vector_add.py")[0].program, target(arch), stages=stages, link=link)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as pool:
        yield pool


def wait_for(condition: object) -> None:
    """Until a function gives something true; the test fails after half a minute."""
    deadline = time.monotonic() + 30
    while not condition():  # type: ignore[operator]  # pyright: ignore
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_programs_travel_whole() -> None:
    program = instances("examples/flash_attention.py")[0].program
    assert print_program(pickle.loads(pickle.dumps(program)), lines=True) == print_program(program, lines=True)


def test_a_job_has_its_listings(pool: Pool) -> None:
    outcome = pool.submit(job(stages=("tile-ir", "cuda"))).result()
    assert outcome.problems == ()
    assert outcome.artifact is not None
    assert [listing.stage for listing in outcome.listings] == ["tile-ir", "cuda"]
    listing = outcome.listing("cuda")
    assert listing is not None
    assert outcome.artifact.source.count("__global__") == 1
    assert any("__global__" in line.text for line in listing.lines)


def test_workers_stay_between_jobs(pool: Pool) -> None:
    pool.submit(job()).result()
    before = pool.process_ids()
    pool.submit(job("sm_90")).result()
    assert pool.process_ids() == before


def test_a_crash_is_a_problem_of_its_job_only(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.submit(job()).result()
    (process,) = pool.process_ids()
    os.kill(process, signal.SIGSTOP)
    crashing, next_one = pool.submit(job()), pool.submit(job("sm_90"))
    wait_for(crashing.running)
    os.kill(process, signal.SIGKILL)
    (problem,) = crashing.result().problems
    assert problem.kind == "compile-error"
    assert problem.data["crash"] is True
    assert "SIGKILL" in str(problem.data["message"])
    assert problem.span == job().program.span
    assert next_one.result().artifact is not None
    assert pool.process_ids() != (process,)


def test_a_hang_is_given_up() -> None:
    with Pool(1, timeout=60) as pool:
        pool.submit(job()).result()
        pool._timeout = 0.2  # pyright: ignore[reportPrivateUsage]  # warming up takes longer than this
        os.kill(pool.process_ids()[0], signal.SIGSTOP)
        (problem,) = pool.submit(job()).result().problems
        assert problem.data["timeout"] is True


def test_a_running_job_can_be_cancelled(pool: Pool) -> None:
    pool.submit(job()).result()
    os.kill(pool.process_ids()[0], signal.SIGSTOP)
    future = pool.submit(job())
    wait_for(future.running)
    assert pool.cancel(future)
    assert future.result().problems[0].data["cancelled"] is True
    assert not pool.cancel(future)


def test_a_waiting_job_can_be_cancelled(pool: Pool) -> None:
    first, second = pool.submit(job()), pool.submit(job("sm_90"))
    assert pool.cancel(second)
    assert first.result().artifact is not None
    with pytest.raises(CancelledError):
        second.result()


def test_the_lowest_priority_is_next(pool: Pool) -> None:
    pool.submit(job()).result()
    (process,) = pool.process_ids()
    os.kill(process, signal.SIGSTOP)
    blocking = pool.submit(job())
    wait_for(blocking.running)
    order: list[str] = []
    late, early = pool.submit(job("sm_90"), priority=5), pool.submit(job("sm_89"), priority=1)
    done = threading.Barrier(2)
    late.add_done_callback(lambda _: (order.append("late"), done.wait()))
    early.add_done_callback(lambda _: order.append("early"))
    os.kill(process, signal.SIGCONT)
    done.wait(30)
    assert order == ["early", "late"]


def test_a_large_worker_is_replaced() -> None:
    with Pool(1, memory=1) as pool:
        assert pool.submit(job()).result().artifact is not None
        wait_for(lambda: pool.process_ids() == ())
        assert pool.submit(job()).result().artifact is not None


def test_a_bug_of_the_compiler_is_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(compiling, "build", broken)
    (problem,) = compiling.compile_job(job()).problems
    assert problem.data["internal"] is True
    assert problem.data["message"] == "the compiler failed: ZeroDivisionError: oops"


def test_what_cannot_travel_is_a_problem(pool: Pool) -> None:
    unsendable = Job(job().program, target("sm_80"), (("key", lambda: 0),))
    (problem,) = pool.submit(unsendable).result().problems
    assert problem.data["internal"] is True
    assert pool.submit(job()).result().artifact is not None


def test_a_closed_pool_takes_no_jobs() -> None:
    pool = Pool(1)
    pool.submit(job()).result()
    pool.close()
    assert pool.submit(job()).cancelled()
    wait_for(lambda: pool.process_ids() == ())


def test_the_default_size_is_the_number_of_cores() -> None:
    assert Pool().size == len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert workers.ROOT.joinpath("tilelang", "backends").is_dir()
