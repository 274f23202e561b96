"""Static shared memory that goes with barriers and tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Alloc, Copy, Effect, For
from tilelang.ir.visit import walk
from tilelang.passes.copy_path import has_tma
from tilelang.passes.pipeline import is_pipelined, stages_of
from tilelang.passes.specialise import BARRIER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang.passes.timeline import Schedules
    from tilelang.targets import Target

BARRIER_SCOPES = ("shared.barrier", "shared.cluster_barrier")
ARRIVALS = frozenset(("barrier_arrive", "mbarrier_arrive", "ptx_arrive_barrier"))
ADDRESS_BYTES = 4
"""The allocator of tensor memory writes the address of each array to shared memory."""

Slot = tuple[str, Literal["barrier", "address"], int, int, "Span"]
"""Name, kind, number, bytes of each, place."""


def barrier_slots(launch: Launch, schedules: Schedules, target: Target) -> Iterator[Slot]:
    """Barriers that the program allocates, those of the split into producer and consumer, and one for each TMA load
    outside of it."""
    special = schedules.special
    if special is not None and special.barriers:
        span = special.loop.span if special.loop is not None else launch.span
        yield "pipeline barriers", "barrier", special.barriers, BARRIER_BYTES, span
    copies = _copies_of_barriers(launch, schedules)
    for stmt in walk(launch.body):
        if isinstance(stmt, Alloc):
            buffer = stmt.buffer
            if buffer.scope in BARRIER_SCOPES:
                count = (try_const(buffer.shape[0]) or 1) * copies.get(buffer, 1)
                yield buffer.name, "barrier", count, BARRIER_BYTES, buffer.span
            elif buffer.scope == "shared.tmem":
                yield buffer.name, "address", 1, ADDRESS_BYTES, buffer.span
        elif isinstance(stmt, Copy) and _waits_on_its_own(stmt, schedules, target):
            yield f"barrier of {stmt.dst.buffer.name}", "barrier", 1, BARRIER_BYTES, stmt.span


def _waits_on_its_own(copy: Copy, schedules: Schedules, target: Target) -> bool:
    """A load that asks for TMA but names no barrier."""
    if not has_tma(target) or not (copy.src.buffer.is_global and copy.dst.buffer.is_shared):
        return False
    special = schedules.special
    if copy.attr("barrier") is not None or (special is not None and copy in special.loads):
        return False
    return copy.attr("prefer_instruction") == "tma" or bool(copy.attr("cluster_mask"))


def _copies_of_barriers(launch: Launch, schedules: Schedules) -> dict[Buffer, int]:
    """Barriers that are arrived at inside a software pipeline exist once for each stage."""
    special = schedules.special
    if special is not None and special.loop is not None:
        count = stages_of(special.loop) or 1
        allocated = (stmt.buffer for stmt in walk(launch.body) if isinstance(stmt, Alloc))
        return {buffer: count for buffer in allocated if buffer.scope == "shared.barrier"}
    copies: dict[Buffer, int] = {}
    for stmt in walk(launch.body):
        pipeline = schedules.pipelines.get(id(stmt)) if isinstance(stmt, For) and is_pipelined(stmt) else None
        if pipeline is None or not pipeline.overlaps or pipeline.num_stages < 2:
            continue
        for inner in walk(pipeline.loop.body):
            if isinstance(inner, Effect) and inner.call.op in ARRIVALS:
                copies.update(
                    (access.buffer, pipeline.num_stages)
                    for access in accesses(inner)
                    if access.buffer.scope in BARRIER_SCOPES
                )
    return copies
