"""Whether TMA can move a shared tile with a given layout.

TMA writes a box of a tensor into consecutive shared memory and then swaps units of 16 bytes by a fixed pattern of 32,
64 or 128 bytes. A layout must be such a swizzle of a dense order of the elements, whose innermost run goes along the
last dimension of the tensor. Rules: upstream 0.1.15. Tiles whose extents are no powers of two are not looked at.
"""

from __future__ import annotations

from itertools import product
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.layout.layout import row_major

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Region
    from tilelang.ir.layout.layout import Layout

SWIZZLES = (0, 1, 2, 3)
"""Bits of an address that a pattern changes: none, 32, 64 and 128 bytes."""
UNIT_BYTES = 16
LINE_BITS = 7
UNIT_BITS = 4
MAX_ELEMENTS = 1 << 16

Kind = Literal["encoding", "gaps", "order", "narrow", "wide"]


class Misfit(NamedTuple):
    """Why TMA cannot move a tile.

    ``encoding``: the layout is no swizzle of TMA's. ``gaps``: its elements leave gaps. ``order``: neighbours in memory
    are no neighbours in the last dimension of the tensor. ``narrow``: ``run`` bytes lie side by side, no whole units of
    16. ``wide``: ``run`` bytes do, more than the ``swizzle``. ``fatal``: a plain copy fails too; with other misfits the
    compiler moves the tile without TMA unless the source insists.
    """

    kind: Kind
    run: int = 0
    swizzle: int = 0
    fatal: bool = False


def misfit(layout: Layout, shared: Region, world: Region) -> Misfit | None:
    """What hinders TMA from moving the box ``shared`` of a tile that is laid out so from or to the box ``world`` of a
    global tensor; ``None`` if nothing does, or if it is not known."""
    unit = shared.buffer.dtype.bits // 8
    sizes = _box(layout.shape, shared)
    if not unit or sizes is None or not _reaches_last(sizes, world):
        return None
    for swizzle in SWIZZLES:
        steps = _steps(layout, sizes, unit, swizzle)
        if steps is not None:
            return _of_plain(steps, sizes, unit, swizzle)
    return Misfit("encoding")


def _box(shape: tuple[int, ...], shared: Region) -> tuple[int, ...] | None:
    """The extents of a box that has each dimension whole or one of it; powers of two only."""
    extents = tuple(map(try_const, shared.extents or ()))
    if len(extents) != len(shape) or prod(shape) > MAX_ELEMENTS:
        return None
    if any(extent not in (1, size) for extent, size in zip(extents, shape, strict=True)):
        return None
    sizes = tuple(extent or 1 for extent in extents)
    return None if any(size & (size - 1) for size in sizes) or max(sizes) == 1 else sizes


def _reaches_last(sizes: Sequence[int], world: Region) -> bool:
    """Whether the boxes have the same long dimensions, and the last one is the tensor's last one."""
    extents = [try_const(extent) for extent in world.extents or ()]
    tensor = world.buffer
    dense = tensor.strides is None or try_const(tensor.strides[-1]) == 1
    long = [extent for extent in extents if extent != 1]
    return dense and bool(extents) and extents[-1] != 1 and long == [size for size in sizes if size != 1]


def _steps(layout: Layout, sizes: Sequence[int], unit: int, swizzle: int) -> dict[tuple[int, int], int] | None:
    """The bytes that each bit of each index adds to an address once the swizzle is undone; ``None`` if they do not add
    up, or are no powers of two."""
    places, strides = layout.table(), row_major(layout.shape)

    def address(index: Sequence[int]) -> int:
        place = places[sum(map(mul, index, strides))] * unit
        return place ^ (place >> LINE_BITS & (1 << swizzle) - 1) << UNIT_BITS

    zero = [0] * len(sizes)
    if address(zero):
        return None
    steps: dict[tuple[int, int], int] = {}
    for dim, size in enumerate(sizes):
        for bit in range(size.bit_length() - 1):
            step = address([*zero[:dim], 1 << bit, *zero[dim + 1 :]])
            if step <= 0 or step & (step - 1):
                return None
            steps[dim, bit] = step
    for index in product(*map(range, sizes)):
        total = sum(step for (dim, bit), step in steps.items() if index[dim] >> bit & 1)
        if address(index) != total:
            return None
    return steps


def _of_plain(steps: dict[tuple[int, int], int], sizes: Sequence[int], unit: int, swizzle: int) -> Misfit | None:
    order = sorted(steps, key=steps.__getitem__)
    if [steps[key] for key in order] != [unit << number for number in range(len(order))]:
        return Misfit("gaps", fatal=True)
    last = max(dim for dim, size in enumerate(sizes) if size != 1)
    count = 0
    while count < len(order) and order[count] == (last, count):
        count += 1
    if count == 0:
        return Misfit("order")
    run, span = unit << count, UNIT_BYTES << swizzle
    if run % UNIT_BYTES:
        return Misfit("narrow", run, span if swizzle else 0)
    return Misfit("wide", run, span) if swizzle and run > span and count < len(order) else None
