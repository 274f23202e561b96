"""Extents of regions, as the source wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import prove_ne
from tilelang.ir.expr import Slice, const_int
from tilelang.ir.views import covers, is_ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Buffer, Dim, Region


def written(region: Region) -> tuple[Dim, ...] | None:
    """The extents that a region states: the shape of a whole buffer, or those of its slices, 1 for a plain index.
    None for an index without slices, which only marks a start, and for regions that are unknown or wrong otherwise."""
    if not has_known_rank(region.buffer):
        return None
    if region.indices is None:
        return region.buffer.shape
    if not region.has_slices or len(region.indices) != region.buffer.rank or is_stepped(region):
        return None
    if region.extents is None:
        return None
    return tuple(
        extent if isinstance(index, Slice) else 1 for index, extent in zip(region.indices, region.extents, strict=False)
    )


def is_start(region: Region) -> bool:
    """Whether a region is an index without slices: ``A[by * 64, 0]``."""
    return region.indices is not None and not region.has_slices


def is_stepped(region: Region) -> bool:
    """Whether a slice of the region has a step other than 1."""
    return any(has_step(index) for index in region.indices or ())


def has_step(index: object) -> bool:
    return isinstance(index, Slice) and index.step is not None and const_int(index.step) != 1


def has_wrong_rank(region: Region) -> bool:
    """Whether the source wrote more or fewer indices than the buffer has dimensions."""
    wrong = region.indices is not None and len(region.indices) != region.buffer.rank
    return wrong and has_known_rank(region.buffer)


def has_known_rank(buffer: Buffer) -> bool:
    """False where the whole shape could not be followed, and for a view that does not cover what it views: that is
    reported once, and nothing is concluded from such a shape."""
    return is_ranked(buffer) and (buffer.source is None or covers(buffer, buffer.source))


def same_shape(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """False if two shapes certainly differ."""
    return len(a) == len(b) and not any(prove_ne(x, y) for x, y in zip(a, b, strict=True))


def constants(dims: Sequence[Dim]) -> tuple[int, ...] | None:
    """Extents as numbers; None if one is symbolic."""
    numbers = tuple(const_int(dim) for dim in dims)
    return None if None in numbers else numbers  # type: ignore[return-value]  # no entry is None
