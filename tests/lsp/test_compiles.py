"""Which compiles run, which are shared, and which are given up: with workers that do what the test says."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import cast

import pytest
from lsp.ide import GEMM, checked

from tilelang.backends.compiling import Job, Outcome
from tilelang.backends.workers import Pool
from tilelang.ir.problem import Problem
from tilelang.listing import Line, Listing
from tilelang_lsp.compiles import Compiled, Compiles, Wanted
from tilelang_lsp.ide.generated import moved, to_compile, wanted
from tilelang_lsp.session import Snapshot


class Workers:
    """A pool whose jobs end when :meth:`finish` is called."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Job, Future[Outcome]]] = []

    def submit(self, job: Job, priority: int = 0) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_running_or_notify_cancel()
        self.jobs.append((job, future))
        return future

    def cancel(self, future: Future[Outcome]) -> bool:
        if future.done():
            return False
        job = next(job for job, known in self.jobs if known is future)
        problem = Problem("compile-error", job.program.span, {"message": "cancelled", "cancelled": True})
        future.set_result(Outcome(None, (problem,)))
        return True

    def finish(self, number: int = -1) -> None:
        job, future = self.jobs[number]
        listings = tuple(Listing(stage, "k", "sm_80", (Line("x", "statement"),)) for stage in job.stages)
        future.set_result(Outcome(None, (), listings))


def make() -> tuple[Compiles, Workers, list[Compiled | None]]:
    workers, told = Workers(), list[Compiled | None]()
    compiles = Compiles(lambda _, made: told.append(made), lambda: cast("Pool", workers))
    return compiles, workers, told


def job_of(snapshot: Snapshot) -> Wanted:
    assert snapshot.analysis is not None
    (kernel,) = snapshot.analysis.kernels
    return wanted(snapshot, kernel, 0, snapshot.analysis.targets(kernel.instances[0])[0])


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_who_asks_for_the_same_shares_one_compile() -> None:
    compiles, workers, told = make()
    job = job_of(checked(GEMM))
    first, second = (asyncio.ensure_future(compiles.compile(job, ("sass",))) for _ in range(2))
    await settle()
    assert len(workers.jobs) == 1
    assert compiles.running == 1
    workers.finish()
    made = await first
    assert made is not None
    assert await second is made
    assert told == [None, made]
    assert await compiles.compile(job, ("sass",)) is made
    assert len(workers.jobs) == 1


@pytest.mark.asyncio
async def test_another_stage_adds_to_the_result() -> None:
    compiles, workers, _ = make()
    job = job_of(checked(GEMM))
    for stages in (("sass",), ("sass", "tir")):
        request = asyncio.ensure_future(compiles.compile(job, stages))
        await settle()
        workers.finish()
        made = await request
    assert made is not None
    assert [job.stages for job, _ in workers.jobs] == [("sass",), ("tir",)]
    assert [job.link for job, _ in workers.jobs] == [True, False]
    assert made.listing("sass") is not None
    assert made.listing("tir") is not None


@pytest.mark.asyncio
async def test_a_newer_program_gives_up_the_compile_of_the_older_one() -> None:
    compiles, workers, _ = make()
    old, new = job_of(checked(GEMM)), job_of(checked(GEMM.replace("num_stages=3", "num_stages=2")))
    assert old.key == new.key
    assert old.fingerprint != new.fingerprint
    before = asyncio.ensure_future(compiles.compile(old, ("sass",)))
    await settle()
    after = asyncio.ensure_future(compiles.compile(new, ("sass",)))
    await settle()
    assert await before is None
    workers.finish()
    made = await after
    assert made is not None
    assert made.wanted is new
    assert list(compiles.results.values()) == [made]


@pytest.mark.asyncio
async def test_cancelling_and_closing_keep_nothing() -> None:
    compiles, workers, told = make()
    job = job_of(checked(GEMM))
    request = asyncio.ensure_future(compiles.compile(job, ("sass",)))
    await settle()
    compiles.forget(job.key.path)
    assert await request is None
    assert (compiles.results, compiles.running, told) == ({}, 0, [None])
    assert len(workers.jobs) == 1


def test_a_comment_changes_no_program() -> None:
    plain = job_of(checked(GEMM))
    commented = job_of(checked(GEMM.replace("    T.clear(acc)", "    # Zeros.\n            T.clear(acc)")))
    assert plain.fingerprint == commented.fingerprint


def test_what_a_save_compiles() -> None:
    twice = GEMM + "matmul(4096, 4096, 4096)\nmatmul(8, 8)\n"
    found = list(to_compile(checked(twice)))
    assert [(each.key.instance, each.key.arch) for each in found] == [
        (0, "sm_75"),
        (0, "sm_80"),
        (1, "sm_75"),
        (1, "sm_80"),
    ]
    uncalled = GEMM.replace("\nmatmul(1024, 1024, 1024)\n", "")
    assert list(to_compile(checked(uncalled))) == []


def test_lines_follow_the_text() -> None:
    old = checked("a\nb\nc\nd\n").file
    assert moved(old, checked("a\nnew\nb\nd\n").file) == {1: 1, 2: 3, 4: 4}
    assert moved(old, old) == {1: 1, 2: 2, 3: 3, 4: 4}
    assert moved(old, checked("").file) == {}
