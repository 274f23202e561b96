"""Listings of an artifact: every stage that it has, with what its kernels take."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tilelang.listing import (
    Function,
    Listing,
    assembly_listing,
    cuda_listing,
    ptx_listing,
    sass_listing,
    tile_ir_listing,
    tir_listing,
)
from tilelang.targets import occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.backends.artifact import Artifact, DeviceKernel
    from tilelang.ir.program import Program
    from tilelang.targets import Target

STAGES = ("tile-ir", "tir", "cuda", "ptx", "sass", "cpu")
"""In the order in which one is made from the other."""
LINKED = ("ptx", "sass", "cpu")
"""Stages that need the assembler."""
BUILT = ("tir",)
"""Stages that a build makes only if it is asked."""


def stages_of(target: Target) -> tuple[str, ...]:
    """The stages that programs for a target go through."""
    code = {"cuda": ("cuda", "ptx", "sass"), "cpu": ("cpu",)}.get(target.family, ())
    return ("tile-ir", "tir", *code)


def listings_of(
    artifact: Artifact, program: Program, target: Target, stages: Iterable[str], *, control: bool = False
) -> tuple[Listing, ...]:
    """One listing for each stage, in their order. A stage that cannot be shown is an empty listing with a note.
    ``control``: SASS with its scheduling."""
    return tuple(_listing(artifact, program, target, stage, control) for stage in stages)


def _listing(artifact: Artifact, program: Program, target: Target, stage: str, control: bool) -> Listing:
    name, files = artifact.signature.name, artifact.files
    functions = tuple(function_of(kernel, target) for kernel in artifact.kernels)
    if stage == "tile-ir":
        return tile_ir_listing(program, target=target.arch)
    if stage == "cuda" and target.family == "cuda":
        return cuda_listing(artifact.source, program=name, target=target.arch, sources=files, functions=functions)
    if stage == "ptx" and artifact.ptx is not None:
        return ptx_listing(artifact.ptx, program=name, target=target.arch, sources=files, functions=functions)
    if stage == "sass" and artifact.cubin is not None:
        from tilelang.backends.cuda.disasm import disassemble

        shown = disassemble(artifact.cubin, control=control)
        notes = (shown.note,) if shown.note else ()
        return sass_listing(
            shown.text, program=name, target=target.arch, sources=files, functions=functions, notes=notes
        )
    if stage == "cpu" and target.family == "cpu":
        return assembly_listing(artifact.source, program=name, target=target.arch, sources=files)
    text = dict(artifact.stages).get(stage)
    if text is not None:
        return tir_listing(text, stage=stage, program=name, target=target.arch, files=files)
    note = f"There is no {stage} for {target.arch}; there is {', '.join(stages_of(target))}."
    return Listing(stage, name, target.arch, (), files, (), (note,))


def function_of(kernel: DeviceKernel, target: Target) -> Function:
    """A kernel with its resources and occupancy; the lines are those of no listing yet."""
    threads = prod(kernel.block)
    cost = kernel.resources
    occupied = None
    if cost.registers is not None:
        shared = (cost.static_shared or 0) + kernel.dynamic_shared
        occupied = occupancy(target, threads, cost.registers, shared)
    return Function(kernel.symbol, 0, 0, threads, cost, occupied)
