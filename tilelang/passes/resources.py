"""What one block of a kernel costs on one target, in figures for tables and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.targets import occupancy

if TYPE_CHECKING:
    from tilelang.passes.registers import RegisterEstimate
    from tilelang.passes.smem_plan import Allocation, SharedMemoryPlan
    from tilelang.targets import Occupancy, Target


class Resources(NamedTuple):
    """``threads`` counts the producer threads that the compiler adds. Bytes are of one block, ``None`` if not known.
    ``registers`` is the estimate for a thread. ``occupancy`` is ``None`` where threads or bytes are not known, or the
    target has no model."""

    threads: int | None
    shared_dynamic: int | None
    shared_static: int | None
    shared_at_least: int
    buffers: tuple[Allocation, ...]
    registers: int
    occupancy: Occupancy | None

    @property
    def shared_total(self) -> int | None:
        if self.shared_dynamic is None or self.shared_static is None:
            return None
        return self.shared_dynamic + self.shared_static


def resources_of(
    memory: SharedMemoryPlan, registers: RegisterEstimate, threads: int | None, target: Target
) -> Resources:
    """Registers above what a thread can have spill to memory, so occupancy takes the limit instead."""
    used = registers.total
    limit = target.registers.per_thread
    granted = used if limit is None else min(used, limit)
    blocks = None
    if threads is not None and memory.total is not None:
        blocks = occupancy(target, threads, granted, memory.total)
    return Resources(threads, memory.dynamic, memory.static, memory.at_least, memory.allocations, used, blocks)
