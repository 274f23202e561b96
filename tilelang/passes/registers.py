"""An estimate of the registers of a thread, from fragments and thread-private arrays.

Counted are arrays that stay in registers for the whole kernel: each fragment spread over the threads that hold it, and
every ``T.alloc_local``. Addresses, loop counters and operands of instructions are a flat figure. The compiler may do
better, where an array is not needed all the time, or worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.stmt import Alloc
from tilelang.ir.visit import walk
from tilelang.passes.nests import is_reducer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Launch
    from tilelang.passes.layouts import LayoutMap
    from tilelang.passes.thread_map import ThreadMap

BASE = 32
"""Registers beside the arrays: addresses, counters and operands of a small kernel."""


class RegisterUse(NamedTuple):
    """32-bit registers that one array costs each thread. ``spread``: into how many parts the threads divide it; fewer
    parts than threads means that threads hold copies."""

    buffer: Buffer
    registers: int
    spread: int


class RegisterEstimate(NamedTuple):
    """``arrays`` is the sum over ``uses``; ``total`` adds :data:`BASE`. ``complete`` is False if the size of some array
    is not known."""

    uses: tuple[RegisterUse, ...]
    arrays: int
    complete: bool

    @property
    def total(self) -> int:
        return self.arrays + BASE


def estimate_registers(
    launch: Launch, threads: int, layouts: LayoutMap, maps: Mapping[Buffer, ThreadMap]
) -> RegisterEstimate:
    """``maps``: how reducers are spread, which have no layout."""
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
    return RegisterEstimate(tuple(uses), sum(use.registers for use in uses), complete)


def _per_thread(buffer: Buffer, count: int, threads: int, layouts: LayoutMap, maps: Mapping[Buffer, ThreadMap]) -> int:
    """Elements that a thread holds; without a layout, as if the elements were dealt out evenly."""
    layout = layouts.layout(buffer)
    if isinstance(layout, Fragment):
        return layout.register_count
    if not (buffer.is_fragment or is_reducer(buffer)):
        return count
    found = maps.get(buffer)
    return -(-count // max(min(threads, count) if found is None else found.parts, 1))
