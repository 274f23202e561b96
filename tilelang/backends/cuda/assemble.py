"""Generated CUDA text as PTX and machine code, with what the assembler says of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.backends.build import BuildResult
from tilelang.backends.cuda.nvrtc import compile_cuda
from tilelang.backends.cuda.resources import with_dynamic
from tilelang.ir.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.backends.artifact import Artifact
    from tilelang.ir.program import Program
    from tilelang.targets import Target

QUIET = ("-diag-suppress=177,549,550,1046",)
"""Remarks on generated text that tell users nothing: unused variables, inexact decimal constants."""


_ENTRY = re.compile(r"\.entry\s+([$\w]+)")


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
    entries = _ENTRY.findall(found.ptx or "")
    missing = next((kernel.symbol for kernel in artifact.kernels if _symbol(kernel.symbol, entries) is None), None)
    if missing is not None:
        message = f"the CUDA source has no kernel {missing}; it has {', '.join(entries) or 'none'}"
        return BuildResult(None, (Problem("compile-error", program.span, {"message": message}),))
    named = (replace(kernel, symbol=_symbol(kernel.symbol, entries) or "") for kernel in artifact.kernels)
    kernels = tuple(
        replace(kernel, resources=with_dynamic(found.resources, kernel.symbol, kernel.dynamic_shared))
        for kernel in named
    )
    return BuildResult(replace(artifact, kernels=kernels, ptx=found.ptx, cubin=found.cubin, log=found.log), problems)


def _symbol(name: str, entries: Sequence[str]) -> str | None:
    """The name of a kernel in the machine code: C++ kernels have the types of their parameters in it."""
    if name in entries:
        return name
    mangled = f"_Z{len(name)}{name}"
    return next((entry for entry in entries if entry.startswith(mangled)), None)
