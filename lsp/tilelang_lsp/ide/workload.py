"""What a kernel computes and moves, from its tile IR, and the least time that takes on a card.

Counted are matrix products and traffic of tiles with global memory, each as often as the loops and the grid around it
say. Branches count as taken. Where an extent is not known there is no figure. Caches serve repeats, so the least time
counts each byte of a tensor once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Region
from tilelang.ir.stmt import For, Gemm, If, Scope, While
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.ir.stmt import Block, Launch, Stmt
    from tilelang.targets import Target

_RATES = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "tf32",
    "tfloat32": "tf32",
    "float8_e4m3fn": "fp8",
    "float8_e4m3": "fp8",
    "float8_e5m2": "fp8",
    "int8": "int8",
    "uint8": "int8",
    "int4": "int4",
}


@dataclass(frozen=True, slots=True)
class Workload:
    """``flops``: multiply-adds of `T.gemm`, counted as two. ``traffic``: bytes of global memory as the tiles read and
    write it, repeats included. ``bytes``: the same with each tensor counted once; None if its size is not known.
    ``rate``: the kind of operand of the products."""

    flops: int
    traffic: int
    rate: str | None
    bytes: int | None = None

    @property
    def intensity(self) -> float | None:
        """Operations for each byte."""
        return self.flops / self.bytes if self.bytes else None


@dataclass(frozen=True, slots=True)
class Roofline:
    """The least time on a card if its peak is reached; ``bound`` says by what."""

    microseconds: float
    bound: str


def workload(launch: Launch) -> Workload | None:
    """The work of one launch; None where the size of a loop, the grid or a tile is not known."""
    blocks = _product(launch.grid)
    total = None if blocks is None else _count(launch.body)
    if total is None or blocks is None:
        return None
    traffic = total.traffic * blocks
    return Workload(total.flops * blocks, traffic, total.rate, _compulsory(launch, traffic))


def roofline(work: Workload, target: Target) -> Roofline | None:
    """None for targets that are no single card, and for products without a known peak."""
    card = target.card
    if card is None or not card.bandwidth_gbs:
        return None
    if work.bytes is None:
        return None
    memory = work.bytes / (card.bandwidth_gbs * 1e3)
    peak = card.peak_of(work.rate) if work.rate else None
    if work.flops and not peak:
        return None
    compute = work.flops / (peak * 1e6) if peak else 0.0
    return Roofline(max(memory, compute), "memory" if memory >= compute else "compute")


def _compulsory(launch: Launch, traffic: int) -> int | None:
    """The bytes of the tensors that a launch touches; never more than it moves."""
    total = 0
    for buffer in {access.buffer.root for stmt in walk(launch.body) for access in accesses(stmt)}:
        if buffer.is_global:
            size = buffer.nbytes() if buffer.dtype.is_known else None
            if size is None:
                return None
            total += size
    return min(total, traffic)


def _count(block: Block) -> Workload | None:
    flops = bytes_ = 0
    rate: str | None = None
    for stmt in block:
        found = _one(stmt)
        if found is None:
            return None
        flops, bytes_, rate = flops + found.flops, bytes_ + found.traffic, rate or found.rate
    return Workload(flops, bytes_, rate)


def _one(stmt: Stmt) -> Workload | None:
    if isinstance(stmt, For):
        trips, inner = _product(stmt.extents), _count(stmt.body)
        return (
            None if trips is None or inner is None else Workload(inner.flops * trips, inner.traffic * trips, inner.rate)
        )
    if isinstance(stmt, If):
        then, other = _count(stmt.then), _count(stmt.orelse)
        if then is None or other is None:
            return None
        return Workload(max(then.flops, other.flops), max(then.traffic, other.traffic), then.rate or other.rate)
    if isinstance(stmt, Scope):
        return _count(stmt.body)
    if isinstance(stmt, While):
        return None
    moved = _traffic(stmt)
    flops = _flops(stmt) if isinstance(stmt, Gemm) else 0
    if moved is None or flops is None:
        return None
    rate = _RATES.get(str(stmt.a.buffer.dtype)) if isinstance(stmt, Gemm) else None
    return Workload(flops, moved, rate)


def _flops(stmt: Gemm) -> int | None:
    if stmt.a.extents is None or stmt.c.extents is None or len(stmt.a.extents) < 2:
        return None
    depth = try_const(stmt.a.extents[-2 if stmt.trans_a else -1])
    area = _product(stmt.c.extents)
    return None if depth is None or area is None else 2 * area * depth


def _traffic(stmt: Stmt) -> int | None:
    total = 0
    for access in accesses(stmt):
        if not access.buffer.is_global or not access.buffer.dtype.is_known:
            continue
        count: int | None = 1
        if isinstance(access.place, Region):
            count = _product(access.place.extents) if access.place.extents is not None else None
        if count is None:
            return None
        total += access.buffer.dtype.bytes_of(count) * (2 if access.mode == "update" else 1)
    return total


def _product(extents: Iterable[object]) -> int | None:
    total = 1
    for extent in extents:
        number = try_const(extent)  # type: ignore[arg-type]  # extents are operands
        if number is None:
            return None
        total *= number
    return total
