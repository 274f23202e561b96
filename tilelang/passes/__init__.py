"""Passes over the tile IR, up to the resources of a launch. Pure Python, no compiler.

:func:`plan` is the pipeline. Its steps, in order: expand, partition, specialise, stage, spread, share, count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.stmt import For, Gemm
from tilelang.ir.visit import walk
from tilelang.passes.active_threads import active_threads
from tilelang.passes.configs import PassConfigs
from tilelang.passes.copy_path import has_tma
from tilelang.passes.expand import expand
from tilelang.passes.layouts import infer_layouts
from tilelang.passes.pipeline import is_pipelined, open_copies, plan_pipeline
from tilelang.passes.reducers import partial_fragments, settle_reducers
from tilelang.passes.registers import estimate_registers
from tilelang.passes.resources import resources_of
from tilelang.passes.smem_plan import plan_shared_memory
from tilelang.passes.specialise import specialise
from tilelang.passes.thread_map import of_layouts
from tilelang.passes.timeline import Schedules
from tilelang.passes.warp_partition import partition
from tilelang.passes.written_schedule import written_schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Block, Launch
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.pipeline import Pipeline
    from tilelang.passes.registers import RegisterEstimate
    from tilelang.passes.resources import Resources
    from tilelang.passes.smem_plan import SharedMemoryPlan
    from tilelang.passes.specialise import Specialisation
    from tilelang.passes.thread_map import ThreadMap
    from tilelang.passes.warp_partition import WarpPartition
    from tilelang.targets import Target


class LaunchPlan(NamedTuple):
    """Everything that the passes found out about one launch on one target.

    ``opened`` is the launch that they worked on: the same statements, with operations that allocate tiles opened up.
    ``partitions`` has the gemms with known tiles, in source order. ``pipelines`` has the software pipelines; the loop
    that warp specialisation splits is in ``specialisation`` instead. ``versions``: copies of each staged buffer.
    """

    launch: Launch
    opened: Launch
    target: Target
    partitions: tuple[tuple[Gemm, WarpPartition], ...]
    specialisation: Specialisation | None
    pipelines: tuple[Pipeline, ...]
    versions: Mapping[Buffer, int]
    maps: Mapping[Buffer, ThreadMap]
    layouts: LayoutMap
    memory: SharedMemoryPlan
    registers: RegisterEstimate
    resources: Resources


def plan(
    program: Program, launch: Launch, target: Target, pass_configs: Iterable[tuple[str, object]] = ()
) -> LaunchPlan:
    """The plan of one launch of ``program``. ``pass_configs`` are pairs of a key and its value, in any spelling."""
    configs = PassConfigs.of(pass_configs)
    threads = block_threads(launch)
    assumed = threads or 1
    # fmt: off
    opened    = expand(launch)
    gemms     = [stmt for stmt in walk(opened.body) if isinstance(stmt, Gemm)]
    active    = active_threads(opened, assumed)
    splits    = [(gemm, partition(gemm, active.of(gemm), target, configs)) for gemm in gemms]
    found     = tuple((gemm, split) for gemm, split in splits if split is not None)
    by_gemm   = {id(gemm): split for gemm, split in found}
    by_hand   = written_schedule(opened) if has_tma(target) else None
    special   = None if by_hand is not None else specialise(opened, target, configs)
    pipelines = () if by_hand is not None else tuple(_pipelines(opened.body, special))
    versions  = _versions(special, pipelines) if by_hand is None else by_hand
    loads     = special.loads if special is not None else ()
    layouts   = infer_layouts(opened, target, active, by_gemm, loads=loads, configs=configs, complete=program.complete)
    maps      = of_layouts(layouts)
    partial   = settle_reducers(opened, active, layouts, maps, configs)
    layouts   = replace(layouts, reducers=partial_fragments(partial))
    maps     |= partial
    finely    = configs.flag("enable_aggressive_shared_memory_merge")
    schedules = Schedules({id(each.loop): each for each in pipelines}, by_gemm, special, layouts, maps, active, finely)
    memory    = plan_shared_memory(opened, schedules, versions, target, configs,
        open_copies=open_copies(opened.body), complete=program.complete)
    registers = estimate_registers(opened, assumed, layouts, maps, found)
    # fmt: on
    total = None if threads is None else threads + (special.producer_threads if special is not None else 0)
    resources = resources_of(memory, registers, total, target)
    return LaunchPlan(
        launch, opened, target, found, special, pipelines, versions, maps, layouts, memory, registers, resources
    )


def block_threads(launch: Launch) -> int | None:
    """Threads of a block as the launch asks for them; ``None`` if an extent is not a constant."""
    total = 1
    for extent in launch.threads:
        number = try_const(extent)
        if number is None:
            return None
        total *= number
    return total


def _pipelines(body: Block, special: Specialisation | None) -> Iterator[Pipeline]:
    """The software pipelines, outermost loops only: one inside another stays a plain loop. Where warp specialisation
    found no loop to split, it removes them all."""
    if special is not None and special.loop is None:
        return
    covered: set[int] = set()
    for stmt in walk(body):
        if not isinstance(stmt, For) or not is_pipelined(stmt) or id(stmt) in covered:
            continue
        if special is not None and special.loop is stmt:
            continue
        covered |= {id(inner) for inner in walk(stmt.body) if isinstance(inner, For)}
        yield plan_pipeline(stmt)


def _versions(special: Specialisation | None, pipelines: Iterable[Pipeline]) -> dict[Buffer, int]:
    """Copies of each allocation. A kernel that is split has its copies made before its other loops are pipelined, so
    buffers of those are multiplied twice."""
    versions: dict[Buffer, int] = {}
    sources = [special.versions] if special is not None else []
    for each in (*sources, *(pipeline.versions for pipeline in pipelines)):
        for buffer, count in each.items():
            versions[buffer.root] = versions.get(buffer.root, 1) * count
    return versions
