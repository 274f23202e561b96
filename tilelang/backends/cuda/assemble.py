"""Generated CUDA text as PTX and machine code, with what the assembler says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.backends.build import BuildResult
from tilelang.backends.cuda.nvrtc import compile_cuda
from tilelang.backends.cuda.resources import with_dynamic

if TYPE_CHECKING:
    from tilelang.backends.artifact import Artifact
    from tilelang.ir.program import Program
    from tilelang.targets import Target

QUIET = ("-diag-suppress=177,549,550,1046",)
"""Remarks on generated text that tell users nothing: unused variables, inexact decimal constants."""


def assemble(artifact: Artifact, program: Program, target: Target, options: tuple[str, ...] = ()) -> BuildResult:
    """The artifact with its code. Problems of embedded CUDA stand at their place in the program."""
    from tilelang.backends.cuda.build import PROLOGUE_NAME, prologue

    found = compile_cuda(
        artifact.source,
        target.compiled_as,
        headers={PROLOGUE_NAME: prologue()},
        options=(*QUIET, *options),
        sources=artifact.files,
    )
    problems = tuple(
        problem if problem.span.line else replace(problem, span=program.span) for problem in found.problems
    )
    if found.cubin is None:
        return BuildResult(None, problems)
    kernels = tuple(
        replace(kernel, resources=with_dynamic(found.resources, kernel.symbol, kernel.dynamic_shared))
        for kernel in artifact.kernels
    )
    return BuildResult(replace(artifact, kernels=kernels, ptx=found.ptx, cubin=found.cubin, log=found.log), problems)
