"""One compile from a program to what a caller wants to see, as data that travels between processes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilelang.backends.build import build
from tilelang.backends.listings import BUILT, FORMS, LINKED, is_tile_ir, listings_of, tile_ir_listings
from tilelang.ir.problem import Problem

if TYPE_CHECKING:
    from tilelang.backends.artifact import Artifact
    from tilelang.ir.program import Program
    from tilelang.listing import Listing
    from tilelang.targets import Target

CODE = ("cuda", *BUILT)
"""Stages that are there although the assembler refuses the program."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to compile and which listings to make of it. ``link``: down to machine code, which listings of machine code
    need anyway. ``control``: SASS with its scheduling."""

    program: Program
    target: Target
    pass_configs: tuple[tuple[str, object], ...] = ()
    stages: tuple[str, ...] = ()
    link: bool = True
    control: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """``artifact`` is None if the problems kept it from being made; it has no loaded module. ``seconds`` were spent on
    the code, and on the listings."""

    artifact: Artifact | None
    problems: tuple[Problem, ...] = ()
    listings: tuple[Listing, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)

    def listing(self, stage: str) -> Listing | None:
        """The listing of one stage."""
        return next((it for it in self.listings if it.stage == stage), None)


def compile_job(job: Job) -> Outcome:
    """Compile in this process. A bug of the compiler is a problem with ``internal`` in its data."""
    started = time.perf_counter()
    try:
        result = build(
            job.program,
            job.target,
            job.pass_configs,
            link=job.link or any(stage in LINKED for stage in job.stages),
            stages=tuple(FORMS[stage] for stage in job.stages if stage in FORMS),
        )
        built = time.perf_counter()
        artifact, stages = result.artifact, job.stages
        if artifact is None and any(stage in CODE for stage in stages):
            # What the assembler complains about can be looked at.
            kept = tuple(stage for stage in stages if stage in CODE)
            artifact = build(job.program, job.target, job.pass_configs, link=False, stages=kept).artifact
            stages = tuple(stage for stage in stages if stage in CODE or is_tile_ir(stage))
        if artifact is not None:
            listings = listings_of(
                artifact, job.program, job.target, stages, control=job.control, pass_configs=job.pass_configs
            )
        else:
            shown = filter(is_tile_ir, stages)
            listings = tuple(tile_ir_listings(job.program, job.target, shown, job.pass_configs))
    except Exception as error:  # noqa: BLE001  # a bug here must not look like one of the program
        return Outcome(None, (internal_problem(job, error),))
    made = None if result.artifact is None else replace(result.artifact, host=None)
    return Outcome(made, tuple(result.problems), listings, (built - started, time.perf_counter() - built))


def internal_problem(job: Job, error: BaseException) -> Problem:
    """A bug of ours, met with this program."""
    from traceback import format_exception

    message = f"the compiler failed: {type(error).__name__}: {error}".rstrip(": ")
    detail = "".join(format_exception(type(error), error, error.__traceback__))
    return failure(job, message, internal=True, detail=detail)


def failure(job: Job, message: str, **data: object) -> Problem:
    """A problem of the program as a whole."""
    return Problem("compile-error", job.program.span, {"message": message, "target": job.target.arch, **data})
