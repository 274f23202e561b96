"""From generated CUDA C++ to a loadable artifact."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.backends.build import BuildResult
from tilelang.backends.cuda.nvrtc import compile_cuda
from tilelang.backends.cuda.resources import with_dynamic

if TYPE_CHECKING:
    from tilelang.backends.artifact import Artifact
    from tilelang.ir.problem import Problem
    from tilelang.ir.program import Program
    from tilelang.targets import Target


def assemble(artifact: Artifact, program: Program, target: Target) -> BuildResult:
    """The artifact with PTX, cubin and the resources of its kernels. What cannot be placed on a line of the user is a
    problem of the program as a whole."""
    binary = compile_cuda(artifact.source, target.compiled_as, sources=artifact.files)
    if binary.cubin is None:
        return BuildResult(None, tuple(_placed(problem, program, target) for problem in binary.problems))
    kernels = tuple(
        replace(kernel, resources=with_dynamic(binary.resources, kernel.symbol, kernel.dynamic_shared))
        for kernel in artifact.kernels
    )
    return BuildResult(replace(artifact, ptx=binary.ptx, cubin=binary.cubin, log=binary.log, kernels=kernels))


def _placed(problem: Problem, program: Program, target: Target) -> Problem:
    span = problem.span if problem.span.line else program.span
    return replace(problem, span=span, data={**problem.data, "target": target.arch})
