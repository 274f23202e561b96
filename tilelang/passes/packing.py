"""Places live ranges in one arena of bytes.

Upstream's linear scan: ranges in order of their start, larger ones first; a free block that wastes least, else the free
block at the end of the arena, grown as needed, else the end of the arena.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class LiveRange(NamedTuple):
    """``size`` bytes that are needed from moment ``start`` up to, not including, moment ``end``."""

    name: str
    size: int
    alignment: int
    start: int
    end: int


class Packing(NamedTuple):
    """``offsets``: one per range, in the order given. ``size``: end of the last byte used by a range."""

    offsets: tuple[int, ...]
    size: int


def pack(ranges: Iterable[LiveRange]) -> Packing:
    """Offsets such that ranges that overlap in time do not overlap in memory."""
    given = tuple(ranges)
    order = sorted(range(len(given)), key=lambda i: (given[i].start, -given[i].size, given[i].name))
    offsets = [0] * len(given)
    active: list[tuple[int, int]] = []
    arena = _Arena()
    for index in order:
        need = given[index]
        while active and active[0][0] <= need.start:
            _, done = heappop(active)
            arena.free(offsets[done], given[done].size)
        offsets[index] = arena.place(need.size, need.alignment)
        heappush(active, (need.end, index))
    size = max((offset + need.size for offset, need in zip(offsets, given, strict=True)), default=0)
    return Packing(tuple(offsets), size)


def pack_apart(ranges: Iterable[LiveRange]) -> Packing:
    """Offsets without any reuse, in order of names: what ``disable_shared_memory_reuse`` asks for."""
    given = tuple(ranges)
    offsets = [0] * len(given)
    cursor = 0
    for index in sorted(range(len(given)), key=lambda i: given[i].name):
        offsets[index] = round_up(cursor, given[index].alignment)
        cursor = offsets[index] + given[index].size
    return Packing(tuple(offsets), cursor)


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


class _Arena:
    """Free blocks as (offset, size), sorted and never adjacent, below ``top``."""

    def __init__(self) -> None:
        self.top = 0
        self.blocks: list[tuple[int, int]] = []

    def place(self, need: int, alignment: int) -> int:
        offset = self._best_fit(need, alignment)
        if offset is None:
            offset = self._extend_last(alignment)
            if offset is None:
                offset = round_up(self.top, alignment)
                self.free(self.top, offset - self.top)
            self.top = offset + need
        return offset

    def _best_fit(self, need: int, alignment: int) -> int | None:
        fitting = [
            (size - need, position)
            for position, (offset, size) in enumerate(self.blocks)
            if round_up(offset, alignment) + need <= offset + size
        ]
        if not fitting:
            return None
        offset, size = self.blocks.pop(min(fitting)[1])
        start = round_up(offset, alignment)
        self.free(offset, start - offset)
        self.free(start + need, offset + size - start - need)
        return start

    def _extend_last(self, alignment: int) -> int | None:
        """The start of the free block that ends at the top, if an aligned start lies inside it."""
        if not self.blocks or sum(self.blocks[-1]) != self.top:
            return None
        offset, _ = self.blocks[-1]
        start = round_up(offset, alignment)
        if start >= self.top:
            return None
        self.blocks.pop()
        self.free(offset, start - offset)
        return start

    def free(self, offset: int, size: int) -> None:
        """Give back a block; neighbours grow together."""
        if size <= 0:
            return
        merged: list[tuple[int, int]] = []
        for start, length in sorted((*self.blocks, (offset, size))):
            if merged and sum(merged[-1]) >= start:
                last = merged.pop()
                merged.append((last[0], max(sum(last), start + length) - last[0]))
            else:
                merged.append((start, length))
        self.blocks = merged
