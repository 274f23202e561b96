"""How many neighbouring iterations of a nest one thread can take as one vector.

The width is a property of the source nest: of the loop that runs fastest, the types, the alignment of every access
along that loop, and the conditions that lanes would have to agree on. Rules: upstream 0.1.15.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.layout.digits import Sum, const, of, substitute
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.layout import row_major
from tilelang.passes.copy_path import strides_of
from tilelang.passes.layouts.indices import loops_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout.layout import Layout
    from tilelang.passes.layouts.nest import Access, Limit, Nest

VECTOR_BITS = 128
WIDE_VECTOR_BITS = 256
"""Global memory of sm_100 and later takes 256 bits at a time."""
ALL = 128
"""The width to start from, in elements."""


class _Found(NamedTuple):
    access: Access
    offset: Sum
    width: int


class _Loop(NamedTuple):
    """The loop that is vectorised."""

    key: object
    extent: int
    width: int
    bits: int


def vector_width(nest: Nest, layouts: Mapping[Buffer, Layout | Fragment], *, wide: bool = False) -> int:
    """The number of lanes. ``layouts``: those that are settled so far. ``wide``: the target has 256-bit accesses."""
    if nest.innermost is None:
        return 1
    key, extent = nest.innermost
    shared = any(one.buffer.is_shared for one in nest.accesses)
    world = any(one.buffer.is_global for one in nest.accesses)
    bits = WIDE_VECTOR_BITS if wide and world and not shared else VECTOR_BITS
    loop = _Loop(key, extent, gcd(bits, extent) if extent else 1, bits)
    memory: list[int] = []
    private: list[_Found] = []
    for access in nest.accesses:
        buffer = access.buffer
        if not access.writes and tuple(buffer.shape) == (1,):
            continue
        found = _of_access(access, nest, layouts, loop)
        if found is None:
            return 1
        in_registers = buffer.is_local or buffer.is_fragment
        if in_registers or (not access.writes and _is_invariant(_plain(access, nest), loop.key, ALL)):
            private.append(found)
        else:
            memory.append(found.width)
    calls, casts = _limits(nest.limits, loop)
    if nest.statements or not memory:
        width = gcd(bits, *(one.width for one in private), *memory, *calls, *casts)
    else:
        width = gcd(bits, *memory, *calls)
        for one in private:
            if width > one.width and not _can_vectorise(_plain(one.access, nest), loop, width):
                width = gcd(width, one.width)
    return gcd(loop.width, width)


def _limits(limits: tuple[Limit, ...], loop: _Loop) -> tuple[list[int], list[int]]:
    """Widths that conditions and calls allow, and those that casts allow."""
    calls: list[int] = []
    casts: list[int] = []
    for limit in limits:
        if limit.kind == "cast":
            casts.append(gcd(max(loop.bits // max(limit.bits, 1), 1), loop.bits))
        elif limit.kind == "atomic":
            calls.append(2 if limit.bits == 16 else 4 if limit.bits == 32 else 1)
        else:
            width = loop.width
            while width > 1 and not _agree(limit, loop.key, width):
                width //= 2
            calls.append(width)
    return calls, casts


def _agree(limit: Limit, key: object, width: int) -> bool:
    """Whether the lanes of an aligned vector agree on a limit. A sign is decided by any floor quotient."""
    decisive = (*limit.values, *(value // width for value in limit.signs))
    return all(_is_invariant(value, key, width) for value in decisive)


def _of_access(access: Access, nest: Nest, layouts: Mapping[Buffer, Layout | Fragment], loop: _Loop) -> _Found | None:
    """``None`` for a store that all lanes would make to one place."""
    offset = _placed(access, nest, layouts)
    least = gcd(loop.width, max(loop.bits // max(access.buffer.dtype.total_bits, 1), 1))
    width, invariant = loop.width, False
    while width >= least and width:
        invariant = _is_invariant(offset, loop.key, width)
        if invariant:
            break
        width //= 2
    if not invariant:
        width = least
    independent = _is_invariant(offset, loop.key, loop.extent)
    if access.writes and (invariant or independent):
        return None
    if not independent:
        while width > 1 and not _can_vectorise(offset, loop, width):
            width //= 2
    return _Found(access, offset, width)


def _plain(access: Access, nest: Nest) -> Sum:
    """The element number as written in the source."""
    if len(access.indices) != access.buffer.rank:
        return of(object(), 1 << 40)
    return nest.indexing.offset(access.indices, strides_of(access.buffer))


def _placed(access: Access, nest: Nest, layouts: Mapping[Buffer, Layout | Fragment]) -> Sum:
    """The element number after the layout of the buffer."""
    layout = layouts.get(access.buffer)
    if layout is None or len(layout.shape) != len(access.indices):
        return _plain(access, nest)
    if isinstance(layout, Fragment):
        outputs, extents = layout.index_of(access.indices), layout.registers
    else:
        outputs, extents = layout.compose(access.indices), layout.output_shape
    strides = row_major(layout.shape if len(outputs) == len(layout.shape) else extents)
    total = const(0)
    for one, stride in zip(outputs, strides, strict=True):
        total += one * stride
    return total


def _is_invariant(total: Sum, key: object, width: int) -> bool:
    """Whether a value is the same in all lanes of an aligned vector."""
    if width == 1:
        return True
    for one in total.inputs():
        if one.key == key:
            aligned = of(key, one.extent) // width * width
            return substitute(total, {key: aligned}) == total and not _hidden(total, key)
    return not _hidden(total, key)


def _hidden(total: Sum, key: object) -> bool:
    """Whether a value depends on a loop in a way that digits do not show."""
    plain = {one.key for one in total.inputs()}
    return isinstance(key, int) and key not in plain and key in loops_of(total)


def _can_vectorise(total: Sum, loop: _Loop, width: int) -> bool:
    """Whether the lanes of an aligned vector are neighbours, and the first is aligned."""
    if width == 1:
        return True
    if loop.extent % width:
        return False
    if _is_invariant(total, loop.key, width):
        return True
    if _hidden(total, loop.key):
        return False
    first = substitute(total, {loop.key: const(0)})
    if first.base % width or any(digit.scale % width for digit in first.digits):
        return False
    lane = of("lane", width)
    moved = substitute(total, {loop.key: of("vector", -(-loop.extent // width)) * width + lane})
    with_lane = [digit for digit in moved.digits if any(one.key == "lane" for one in Sum((digit,)).inputs())]
    return with_lane == list(lane.digits)
