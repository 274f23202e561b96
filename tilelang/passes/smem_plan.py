"""The reference shared-memory plan of a launch: exactly the bytes that upstream 0.1.15 allocates.

Exact on CUDA targets for kernels whose tiles have constant shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.stmt import Alloc, For, Gemm, Launch, Stmt
from tilelang.ir.visit import walk
from tilelang.passes.configs import NO_CONFIGS, PassConfigs
from tilelang.passes.liveness import lives
from tilelang.passes.packing import LiveRange, pack, pack_apart, round_up
from tilelang.passes.pipeline import Pipeline, is_pipelined, plan_pipeline
from tilelang.passes.specialise import BARRIER_BYTES, specialise
from tilelang.passes.timeline import TimelineBuilder
from tilelang.passes.workspace import Workspace, workspaces_of
from tilelang.passes.fragments import infer

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType
    from tilelang.targets import Target

UNIT = 16


def storage_bytes(dtype: DType, elements: int) -> int:
    """Bytes of an array in shared memory: only 4-bit types share bytes."""
    if dtype.bits == 4:
        return (elements * 4 * dtype.lanes + 7) // 8
    return elements * dtype.lanes * ((dtype.bits + 7) // 8)


def plan(launch: Launch, target: Target, configs: PassConfigs = NO_CONFIGS):
    special = specialise(launch, target, configs)
    loops = [s for s in walk(launch.body) if isinstance(s, For) and is_pipelined(s)]
    pipelines: dict[int, Pipeline] = {}
    inner=set()
    for l in loops:
        if id(l) in inner: continue
        inner |= {id(s) for s in walk(l.body) if isinstance(s,For)}
        if special is not None: continue
        pipelines[id(l)] = plan_pipeline(l)
    versions: dict[Buffer, int] = {}
    for p in pipelines.values():
        for b, n in p.versions.items():
            versions[b.root] = versions.get(b.root, 1) * n
    if special: versions = {b.root: n for b, n in special.versions.items()}
    threads = 1
    for t in launch.threads: threads *= try_const(t) or 1
    maps = infer(launch, threads, target, configs)
    tl = TimelineBuilder(pipelines, special, lambda s: workspaces_of(s, maps, threads), lambda s: False).build(launch)
    life = lives(tl)
    slots = [s for s in life if isinstance(s, Workspace) or s.scope == "shared.dyn"]
    ranges = []
    for s in slots:
        size = storage_bytes(s.dtype, (s.elements if isinstance(s, Workspace) else s.element_count() or 0) * (versions.get(s, 1) if isinstance(s, Buffer) else 1))
        ranges.append(LiveRange(s.name, size, UNIT, life[s].first, life[s].last + 1))
    if len(ranges) == 1: return ranges[0].size, ranges, versions, special
    packing = pack_apart(ranges) if configs.flag("disable_shared_memory_reuse") else pack(ranges)
    return round_up(packing.size, UNIT), ranges, versions, special
