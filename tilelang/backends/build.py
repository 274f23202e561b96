"""From a program and a target to an artifact. A fault of a program is a problem, never an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.backends.artifact import Artifact
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.targets import Target


class BuildResult(NamedTuple):
    """``artifact`` is ``None`` if the problems kept it from being made."""

    artifact: Artifact | None
    problems: tuple[Problem, ...] = ()


def build(
    program: Program,
    target: Target,
    pass_configs: Iterable[tuple[str, object]] = (),
    *,
    link: bool = True,
    stages: Iterable[str] = (),
) -> BuildResult:
    """Compile one program. ``link``: down to machine code, else the text of the generated source is enough. ``stages``:
    intermediate forms whose text is wanted, of ``tile-ir`` and ``tir``."""
    from tilelang.lower.unsupported import Unsupported

    try:
        if target.family == "cuda":
            from tilelang.backends.cuda.build import build_cuda

            return build_cuda(program, target, tuple(pass_configs), link=link, stages=tuple(stages))
        if target.family == "cpu":
            from tilelang.backends.cpu import build_cpu

            return build_cpu(program, target, tuple(pass_configs), link=link, stages=tuple(stages))
    except Unsupported as problem:
        span = problem.span if problem.span.line else program.span
        return BuildResult(None, (_unsupported(problem.message, span, target),))
    message = f"there is no code generator for {target.family} yet"
    return BuildResult(None, (_unsupported(message, program.span, target),))


def _unsupported(message: str, span: Span, target: Target) -> Problem:
    """What this compiler cannot do, which says nothing against the program."""
    data = {"message": message, "target": target.arch, "unsupported": True}
    return Problem("compile-error", span, data)
