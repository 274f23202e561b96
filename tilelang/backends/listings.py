"""Listings of a program on one target: every stage on the way to its code, with what its kernels take."""

from __future__ import annotations

from dataclasses import replace
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
from tilelang.listing.program_text import printed_listing
from tilelang.passes import plan
from tilelang.passes.steps import STEPS, steps_of
from tilelang.targets import occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang.backends.artifact import Artifact, DeviceKernel
    from tilelang.ir.program import Program
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target

STAGES = ("tile-ir", "tir", "cuda", "ptx", "sass", "cpu")
"""In the order in which one is made from the other."""
LINKED = ("ptx", "sass", "cpu")
"""Stages that need the assembler."""
TIR_PASSES = ("StmtSimplify", "FlattenBuffer", "LowerIntrin")
"""The passes of TVM between TIR and CUDA, in their order. ``tir:NAME`` is what one of them gives."""
BUILT = ("tir", *(f"tir:{name}" for name in TIR_PASSES))
"""Stages that a build makes only if it is asked."""
FORMS = {**{stage: stage for stage in BUILT}, "cpu": "asm"}
"""What a build is asked for by the stage to show."""
TILE_STEPS = tuple(f"tile-ir:{name}" for name in STEPS)
"""The tile IR after each pass of ours."""


def stages_of(target: Target) -> tuple[str, ...]:
    """The stages that programs for a target go through."""
    code = {"cuda": ("cuda", "ptx", "sass"), "cpu": ("cpu",)}.get(target.family, ())
    return ("tile-ir", "tir", *code)


def passes_of(target: Target) -> tuple[str, ...]:
    """The IR before, between and behind the passes."""
    return ("tile-ir", *TILE_STEPS, *(BUILT if target.family == "cuda" else ("tir",)))


def is_tile_ir(stage: str) -> bool:
    """Whether a stage needs no compiler."""
    return stage == "tile-ir" or stage in TILE_STEPS


def tile_ir_listings(
    program: Program, target: Target, stages: Iterable[str], pass_configs: tuple[tuple[str, object], ...] = ()
) -> Iterator[Listing]:
    """The stages that need no compiler. A pass that does nothing on the target has an empty listing with a note."""
    plans: list[LaunchPlan] = []
    for stage in stages:
        if stage == "tile-ir":
            yield tile_ir_listing(program, target=target.arch)
            continue
        if not plans:
            plans = [plan(program, launch, target, pass_configs) for launch in program.launches()]
        step = stage.partition(":")[2]
        printed = [line for one in plans for name, lines in steps_of(one) if name == step for line in lines]
        shown = printed_listing(printed, stage=stage, program=program.name, target=target.arch)
        yield shown if printed else replace(shown, notes=(f"The pass {step} does nothing here.",))


def listings_of(
    artifact: Artifact,
    program: Program,
    target: Target,
    stages: Iterable[str],
    *,
    control: bool = False,
    pass_configs: tuple[tuple[str, object], ...] = (),
) -> tuple[Listing, ...]:
    """One listing for each stage, in their order. A stage that cannot be shown is an empty listing with a note.
    ``control``: SASS with its scheduling."""
    wanted = tuple(stages)
    early = {it.stage: it for it in tile_ir_listings(program, target, filter(is_tile_ir, wanted), pass_configs)}
    return tuple(early.get(stage) or _listing(artifact, target, stage, control) for stage in wanted)


def _listing(artifact: Artifact, target: Target, stage: str, control: bool) -> Listing:
    name, files = artifact.signature.name, artifact.files
    functions = tuple(function_of(kernel, target) for kernel in artifact.kernels)
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
        assembly = dict(artifact.stages).get("asm") or getattr(artifact, "assembly", None) or ""
        return assembly_listing(assembly, program=name, target=target.arch, sources=files)
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
