"""Compiled kernels: results by kernel, instance and target, and the compiles that are under way.

Compiling happens in worker processes. Everything here runs in the thread of the server. A result stays until the next
one of the same kernel; whoever shows it says whether it is still that of the text (`ide/generated.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tilelang.backends.compiling import Job
from tilelang.backends.listings import stages_of
from tilelang.backends.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from tilelang.backends.compiling import Outcome
    from tilelang.frontend.instance import Instance
    from tilelang.ir.problem import Problem
    from tilelang.listing import Listing
    from tilelang.targets import Target
    from tilelang_lsp.files import SourceFile

MAX_RESULTS = 64
"""Results that are kept; a listing of a large kernel takes some MB. The ones that were made longest ago go first."""
PROCESSES = 2
"""Worker processes at most: each holds TVM, 0.2 GB. One compiles the kernel that is edited, one the rest."""
ASSEMBLED = ("ptx", "sass", "cpu")


@dataclass(frozen=True, slots=True)
class Key:
    """``kernel``: its name, as :func:`~tilelang_lsp.ide.generated.kernel_key` makes it unique in the file."""

    path: str
    kernel: str
    instance: int
    arch: str


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What to compile. ``fingerprint``: equal for programs that compile to the same. ``line``: of the ``def``."""

    key: Key
    instance: Instance
    target: Target
    file: SourceFile
    fingerprint: str
    line: int


@dataclass(frozen=True, eq=False)
class Compiled:
    """The result of a compile. ``stages``: those that were asked for, with or without success."""

    wanted: Wanted
    outcome: Outcome
    stages: frozenset[str]

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.outcome.problems

    @property
    def ok(self) -> bool:
        return self.outcome.artifact is not None

    @property
    def seconds(self) -> float:
        return sum(self.outcome.seconds)

    def listing(self, stage: str) -> Listing | None:
        return self.outcome.listing(stage)

    @cached_property
    def code(self) -> Listing | None:
        """The listing of the last stage: what the machine executes."""
        for stage in reversed(stages_of(self.wanted.target)):
            found = self.outcome.listing(stage)
            if found is not None and found.lines:
                return found
        return None


def is_compilable(target: Target) -> bool:
    """Whether there is a code generator for a target: the package of its family."""
    return len(stages_of(target)) > 2 and find_spec(f"tilelang.backends.{target.family}") is not None


def code_stages(target: Target) -> tuple[str, ...]:
    """What a compile on save makes: the stages that views of single lines show."""
    return stages_of(target)[-1:]


@dataclass(slots=True, eq=False)
class _Running:
    wanted: Wanted
    stages: frozenset[str]
    future: Future[Outcome]
    task: asyncio.Task[Compiled | None] | None = None


class Compiles:
    """``changed`` is called whenever a compile starts, with None, and when it ends, with its result."""

    def __init__(
        self, changed: Callable[[Wanted, Compiled | None], None], make_pool: Callable[[], Pool] | None = None
    ) -> None:
        self.results: dict[Key, Compiled] = {}
        self._changed = changed
        self._make_pool = make_pool or (lambda: Pool(PROCESSES))
        self._pool: Pool | None = None
        self._running: dict[Key, _Running] = {}
        self._closed = False
        self.is_warm = False
        """Whether the workers have been started, or will be."""

    @property
    def running(self) -> int:
        return len(self._running)

    def process_ids(self) -> tuple[int, ...]:
        """The worker processes, for reports and tests."""
        return self._pool.process_ids() if self._pool is not None else ()

    def warm(self) -> None:
        """Start the workers, since somebody works on kernels and will save."""
        if not self._closed:
            self._workers().warm()

    def forget(self, path: str) -> None:
        """A file was closed: nobody looks at its code any more."""
        self.cancel(path)
        for key in [key for key in self.results if key.path == path]:
            del self.results[key]

    def cancel(self, path: str | None = None) -> None:
        """Give up what is under way, for one file or for all."""
        for key, running in list(self._running.items()):
            if path in (None, key.path) and self._pool is not None:
                self._pool.cancel(running.future)

    def close(self) -> None:
        """End the worker processes."""
        self._closed = True
        if self._pool is not None:
            self._pool.close()

    def fresh(self, wanted: Wanted, stages: Iterable[str]) -> Compiled | None:
        """The result that is there already for this very program with these stages."""
        known = self.results.get(wanted.key)
        if known is None or known.wanted.fingerprint != wanted.fingerprint or not known.stages.issuperset(stages):
            return None
        # A crash says little about the program: the next one who asks tries again.
        return None if any(each.data.get("crash") for each in known.problems) else known

    async def compile(self, wanted: Wanted, stages: Iterable[str], priority: int = 0) -> Compiled | None:
        """The result for a program, compiled now if need be; None if it was given up. What is under way for an older
        program of the same kernel is given up."""
        needed = frozenset(stages)
        while (known := self.fresh(wanted, needed)) is None:
            running = self._running.get(wanted.key)
            if running is None:
                running = self._start(wanted, needed, priority)
            elif running.wanted.fingerprint != wanted.fingerprint:
                self._workers().cancel(running.future)
            assert running.task is not None
            same = running.wanted.fingerprint == wanted.fingerprint
            # The compile is shared: that one of those who wait for it goes away does not end it.
            outcome = await asyncio.shield(running.task)
            if same and (outcome is None or outcome.stages >= needed):
                return outcome
        return known

    def _start(self, wanted: Wanted, needed: frozenset[str], priority: int) -> _Running:
        known = self.fresh(wanted, ())
        missing = needed - known.stages if known is not None else needed
        order = [stage for stage in stages_of(wanted.target) if stage in missing]
        job = Job(
            wanted.instance.program,
            wanted.target,
            wanted.instance.jit.pass_configs,
            stages=tuple(order),
            link=any(stage in ASSEMBLED for stage in order),
        )
        running = _Running(wanted, needed, self._workers().submit(job, priority))
        running.task = asyncio.get_running_loop().create_task(self._finish(running, known))
        self._running[wanted.key] = running
        self._changed(wanted, None)
        return running

    async def _finish(self, running: _Running, known: Compiled | None) -> Compiled | None:
        wanted = running.wanted
        try:
            outcome = await asyncio.wrap_future(running.future)
        except asyncio.CancelledError:
            outcome = None
        del self._running[wanted.key]
        if outcome is None or any(problem.data.get("cancelled") for problem in outcome.problems):
            return None
        if known is not None:
            outcome = _merged(known.outcome, outcome)
        made = Compiled(wanted, outcome, running.stages if known is None else running.stages | known.stages)
        self.results.pop(wanted.key, None)
        self.results[wanted.key] = made
        while len(self.results) > MAX_RESULTS:
            del self.results[next(iter(self.results))]
        self._changed(wanted, made)
        return made

    def _workers(self) -> Pool:
        if self._pool is None:
            self._pool = self._make_pool()
        return self._pool


def _merged(old: Outcome, new: Outcome) -> Outcome:
    """Two results of one program that were asked for different stages. The one that was assembled has the figures."""
    assembled = [each for each in (new, old) if each.artifact is not None and _has_code(each)]
    base = assembled[0] if assembled else new
    replaced = {listing.stage for listing in new.listings}
    kept = tuple(listing for listing in old.listings if listing.stage not in replaced)
    problems = [*base.problems, *(each for each in old.problems if each not in base.problems)]
    return replace(base, problems=tuple(problems), listings=(*kept, *new.listings))


def _has_code(outcome: Outcome) -> bool:
    artifact = outcome.artifact
    return artifact is not None and (artifact.cubin is not None or artifact.target == "cpu")
