"""An estimate of the registers of a thread, from fragments and thread-private arrays.

Counted are arrays that stay in registers for the whole kernel: each fragment spread over the threads that hold it, and
every ``T.alloc_local``. A product by ``mma`` has its operands there too, those of one step and those that are loaded
for the next. Addresses and loop counters are a flat figure. The compiler may do better, where an array is not needed
all the time, or worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk
from tilelang.passes.nests import is_reducer
from tilelang.passes.warp_partition import WARP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Gemm, Launch
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.thread_map import ThreadMap
    from tilelang.passes.warp_partition import WarpPartition

BASE = 20
"""Registers for addresses and counters. Compiled kernels without products have 15 to 23 beside their arrays."""
PRODUCT_BASE = 32
"""The same for kernels with products, which step through two tiles: 10 to 42 beside arrays and operands."""
STEP_BYTES = 32
"""Of each row of an operand, what one ``mma`` takes at most: 16 elements of float16, 32 of int8, 8 of tf32."""
REGISTER_BYTES = 4
STEPS_HELD = 2
"""The step that is multiplied and the one that is loaded."""


class RegisterUse(NamedTuple):
    """32-bit registers that one array costs each thread. ``spread``: into how many parts the threads divide it; fewer
    parts than threads means that threads hold copies."""

    buffer: Buffer
    registers: int
    spread: int


class RegisterEstimate(NamedTuple):
    """``arrays`` is the sum over ``uses``. ``operands``: of the product that needs most for them. ``base``: addresses
    and counters. ``complete`` is False if the size of some array is not known."""

    uses: tuple[RegisterUse, ...]
    arrays: int
    complete: bool
    operands: int = 0
    base: int = BASE

    @property
    def total(self) -> int:
        return self.arrays + self.operands + self.base


def estimate_registers(
    launch: Launch,
    threads: int,
    layouts: LayoutMap,
    maps: Mapping[Buffer, ThreadMap],
    partitions: Iterable[tuple[Gemm, WarpPartition]] = (),
) -> RegisterEstimate:
    """``maps``: how reducers are spread, which have no layout. ``partitions``: the products with known tiles."""
    uses: list[RegisterUse] = []
    complete = True
    for stmt in walk(launch.body):
        if not isinstance(stmt, Alloc):
            continue
        buffer = stmt.buffer
        if not (buffer.is_fragment or buffer.is_local or is_reducer(buffer)):
            continue
        count = buffer.element_count()
        if count is None or not buffer.dtype.is_known:
            complete = False
            continue
        per_thread = _per_thread(buffer, count, threads, layouts, maps)
        spread = -(-count // max(per_thread, 1))
        uses.append(RegisterUse(buffer, -(-per_thread * buffer.dtype.total_bits // 32), spread))
    operands = max((_operands(gemm, split) for gemm, split in partitions), default=0)
    base = PRODUCT_BASE if operands else BASE
    return RegisterEstimate(tuple(uses), sum(use.registers for use in uses), complete, operands, base)


def _operands(gemm: Gemm, split: WarpPartition) -> int:
    """Registers of a thread for the rows of A and B that its warp multiplies. ``wgmma`` and its like read shared memory
    themselves, and an operand that is a fragment is among the arrays."""
    if split.instruction != "mma" or split.problem is not None:
        return 0
    rows = 0
    for region, extent, warps in ((gemm.a, split.tile.m, split.m_warps), (gemm.b, split.tile.n, split.n_warps)):
        if extent is not None and warps and not region.buffer.is_fragment:
            rows += extent // warps
    return STEPS_HELD * rows * STEP_BYTES // (WARP * REGISTER_BYTES)


def _per_thread(buffer: Buffer, count: int, threads: int, layouts: LayoutMap, maps: Mapping[Buffer, ThreadMap]) -> int:
    """Elements that a thread holds; without a layout, as if the elements were dealt out evenly."""
    layout = layouts.layout(buffer)
    if isinstance(layout, Fragment):
        return layout.register_count
    if not (buffer.is_fragment or is_reducer(buffer)):
        return count
    found = maps.get(buffer)
    return -(-count // max(min(threads, count) if found is None else found.parts, 1))
