"""Static shared memory that goes with barriers and tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk
from tilelang.passes.specialise import BARRIER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang.passes.timeline import Schedules
    from tilelang.targets import Target

BARRIER_SCOPES = ("shared.barrier", "shared.cluster_barrier")
ADDRESS_BYTES = 4
"""The allocator of tensor memory writes the address of each array to shared memory."""

Slot = tuple[str, Literal["barrier", "address"], int, int, "Span"]
"""Name, kind, number, bytes of each, place."""


def barrier_slots(launch: Launch, schedules: Schedules, target: Target) -> Iterator[Slot]:
    """Barriers that the program allocates and those of the split into producer and consumer."""
    special = schedules.special
    if special is not None and special.barriers:
        span = special.loop.span if special.loop is not None else launch.span
        yield "barriers of the pipeline", "barrier", special.barriers, BARRIER_BYTES, span
    for stmt in walk(launch.body):
        if not isinstance(stmt, Alloc):
            continue
        buffer = stmt.buffer
        if buffer.scope in BARRIER_SCOPES:
            yield buffer.name, "barrier", try_const(buffer.shape[0]) or 1, BARRIER_BYTES, buffer.span
        elif buffer.scope == "shared.tmem":
            yield buffer.name, "address", 1, ADDRESS_BYTES, buffer.span
