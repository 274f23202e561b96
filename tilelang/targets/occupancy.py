"""How many blocks of a kernel one CUDA multiprocessor holds at a time, and what stops it from holding more.

The rules are those of NVIDIA's ``cuda_occupancy.h``: registers are allocated by warp, in each of the four partitions of
the multiprocessor; shared memory by block, rounded up, with the driver's reserve on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tilelang.targets.target import Target

Limiter = Literal["threads", "blocks", "registers", "shared memory"]

PARTITIONS = 4
"""Partitions of a multiprocessor, each with its own share of the registers and warp slots."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """``limiters``: every resource that allows no more than ``blocks``. With 0 blocks the kernel cannot be launched."""

    blocks: int
    warps: int
    fraction: float
    limiters: tuple[Limiter, ...]


def occupancy(target: Target, threads: int, registers: int = 0, shared_bytes: int = 0) -> Occupancy | None:
    """Occupancy of blocks of ``threads`` threads with ``registers`` each and ``shared_bytes`` of shared memory.

    None for devices other than CUDA's, whose allocation rules are not modelled, and for blocks without threads.
    """
    launch = target.launch
    if target.family != "cuda" or threads <= 0 or not launch.warp_size or not launch.warps_per_sm:
        return None
    warps = -(-threads // launch.warp_size)
    allowed: dict[Limiter, int | None] = {
        "threads": _by_threads(target, threads, warps),
        "blocks": launch.blocks_per_sm,
        "registers": _by_registers(target, warps, registers),
        "shared memory": _by_shared_memory(target, shared_bytes),
    }
    blocks = min(count for count in allowed.values() if count is not None)
    limiters: tuple[Limiter, ...] = tuple(resource for resource, count in allowed.items() if count == blocks)
    return Occupancy(blocks, blocks * warps, blocks * warps / launch.warps_per_sm, limiters)


def _by_threads(target: Target, threads: int, warps: int) -> int:
    limit = target.launch.threads_per_block
    if limit is not None and threads > limit:
        return 0
    return (target.launch.warps_per_sm or 0) // warps


def _by_registers(target: Target, warps: int, registers: int) -> int | None:
    """None if the kernel's registers are not known."""
    file = target.registers
    if registers <= 0 or file.per_sm is None or file.per_block is None or target.launch.warp_size is None:
        return None
    per_warp = _round_up(registers * target.launch.warp_size, file.unit)
    if file.per_thread is not None and registers > file.per_thread:
        return 0
    # The launch is refused as if every partition took an equal share of the block's warps.
    if per_warp * _round_up(warps, PARTITIONS) > file.per_block:
        return 0
    return file.per_sm // PARTITIONS // per_warp * PARTITIONS // warps


def _by_shared_memory(target: Target, shared_bytes: int) -> int | None:
    """None for a block that costs no shared memory at all."""
    memory = target.shared_memory
    if memory.budget is not None and shared_bytes > memory.budget:
        return 0
    allocated = _round_up(shared_bytes + memory.reserved, memory.unit)
    return memory.per_sm // allocated if memory.per_sm is not None and allocated else None


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
