"""Which thread holds which element of a fragment, as far as reductions and register counts need it.

A thread number is a sum of *digits*: ``(index[dim] // lower) % extent * scale``. That covers the accumulators of tensor
cores and the plain partition of a parallel loop, for tiles whose extents divide well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.passes.warp_partition import WarpPartition

WARP = 32
REDUCED = -1
"""Instead of a dimension: the digit comes from a loop that a reducer sums over."""


class Digit(NamedTuple):
    """One factor of the thread number, taken from one dimension of the index."""

    dim: int
    lower: int
    extent: int
    scale: int

    @property
    def span(self) -> int:
        """Threads that a reduction along this digit runs over, those in between included."""
        return self.extent * self.scale


class ThreadMap(NamedTuple):
    """Digits of one fragment. A dimension without digits is not spread over threads: each thread has all of it, or the
    fragment is replicated."""

    digits: tuple[Digit, ...]

    @property
    def parts(self) -> int:
        """Into how many different parts the fragment is cut."""
        count = 1
        for digit in self.digits:
            if digit.dim != REDUCED:
                count *= digit.extent
        return count

    def along(self, dim: int) -> tuple[Digit, ...]:
        return tuple(digit for digit in self.digits if digit.dim == dim and digit.extent > 1)

    def without(self, dim: int) -> ThreadMap:
        """The map after ``dim`` is reduced away."""
        kept = (digit for digit in self.digits if digit.dim != dim)
        return ThreadMap(
            tuple(
                digit if digit.dim < dim else Digit(digit.dim - 1, digit.lower, digit.extent, digit.scale)
                for digit in kept
            )
        )

    def renamed(self, dims: Mapping[int, int]) -> ThreadMap:
        """The map of a tensor whose dimension ``dims[d]`` runs with dimension ``d`` of this one; others are dropped."""
        return ThreadMap(
            tuple(
                Digit(dims[digit.dim], digit.lower, digit.extent, digit.scale)
                for digit in self.digits
                if digit.dim in dims
            )
        )


def reshaped(spread: ThreadMap, old: tuple[int, ...], new: tuple[int, ...]) -> ThreadMap | None:
    """The map of a view with the same elements in row-major order. ``None`` where a digit does not fit the shape."""
    strides = _row_major(old)
    digits: list[Digit] = []
    for digit in spread.digits:
        lower, extent, scale = digit.lower * strides[digit.dim], digit.extent, digit.scale
        for dim, stride in reversed(tuple(enumerate(_row_major(new)))):
            if extent == 1 or lower >= stride * new[dim]:
                continue
            if lower % stride:
                return None
            inside = stride * new[dim] // lower
            taken = min(inside, extent)
            if extent % taken or inside % taken:
                return None
            digits.append(Digit(dim, lower // stride, taken, scale))
            lower, extent, scale = lower * taken, extent // taken, scale * taken
        if extent != 1:
            return None
    return ThreadMap(tuple(digits))


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides))


def accumulator_map(split: WarpPartition, rank: int) -> ThreadMap | None:
    """The accumulator of a gemm, ``rank`` dimensions of which the last two are the tile. ``None`` if it is not held by
    tensor-core fragments of the usual shape."""
    m, n = split.tile.m, split.tile.n
    if split.problem is not None or m is None or n is None or rank < 2:
        return None
    row, column = rank - 2, rank - 1
    if split.instruction == "scalar":
        return None
    lanes = (Digit(row, 1, 8, 4), Digit(column, 2, 4, 1))
    columns = Digit(column, max(n // split.n_warps, 1), split.n_warps, WARP * split.m_warps)
    if split.instruction == "wgmma":
        groups = split.m_warps // 4
        rows = (Digit(row, 16, 4, WARP), Digit(row, m // max(groups, 1), groups, 4 * WARP))
    elif split.instruction == "mma":
        rows = (Digit(row, m // split.m_warps, split.m_warps, WARP),)
    else:
        # Tensor memory has one lane for each row of the tile.
        return ThreadMap((Digit(row, 1, min(m, 128), 1),))
    return ThreadMap((*lanes, *rows, columns))


def operand_map(split: WarpPartition, rank: int, bits: int) -> ThreadMap | None:
    """The first operand of a gemm, kept in registers: rows as in the accumulator, four lanes along K."""
    accumulator = accumulator_map(split, rank)
    if accumulator is None or bits not in (8, 16, 32):
        return None
    rows = tuple(digit for digit in accumulator.digits if digit.dim == rank - 2)
    return ThreadMap((*rows, Digit(rank - 1, WARP // bits, 4, 1)))


def partition_loop(extents: tuple[int, ...], vector: int, threads: int) -> ThreadMap | None:
    """A parallel loop nest dealt out to threads: ``vector`` neighbours each, the innermost loop first. ``None`` where
    the extents do not divide."""
    if min(extents, default=1) < 1:
        return None
    digits: list[Digit] = []
    scale, left = 1, threads
    for dim in range(len(extents) - 1, -1, -1):
        extent, lower = extents[dim], 1
        if vector > 1:
            lower = min(vector, extent)
            if extent % lower or vector % lower:
                return None
            extent, vector = extent // lower, vector // lower
        if extent == 1:
            continue
        taken = min(extent, left)
        if extent % taken or left % taken:
            return None
        if taken > 1:
            digits.append(Digit(dim, lower, taken, scale))
        scale, left = scale * taken, left // taken
        if left == 1:
            break
    return ThreadMap(tuple(digits))
