"""Where buffers may start in shared memory on sm_90 and later.

Hardware applies its swizzle to absolute addresses, so a buffer that TMA or ``wgmma`` touches starts at a multiple of
the swizzle's period. What no rule names is aligned for the widest swizzle.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, NamedTuple, cast

from tilelang.ir.arith import launch_ranges, let_ranges, loop_ranges, try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.stmt import Copy, Effect, For, Gemm, Launch, Let
from tilelang.ir.visit import children, walk
from tilelang.passes.copy_path import has_tma, in_bounds, is_contiguous, stores_by_tma

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.ir.arith import Ranges
    from tilelang.ir.stmt import Stmt
    from tilelang.passes.configs import PassConfigs
    from tilelang.passes.specialise import Specialisation
    from tilelang.passes.warp_partition import WarpPartition
    from tilelang.targets import Target

WIDEST = 1024
NO_SWIZZLE = 128
"""Alignment of a tile that TMA moves without a swizzle."""
ROW_BYTES = 16
NAMED_SWIZZLES = {
    "swizzled": 0,
    "wgmma_swizzled": 0,
    "tcgen05mma_swizzled": 0,
    "full_bank_swizzled": 1024,
    "half_bank_swizzled": 512,
    "quarter_bank_swizzled": 256,
}
"""Layouts of ``T.annotate_layout`` and their periods; 0 for the widest that fits the rows of the tile."""


def alignments(
    launch: Launch,
    special: Specialisation | None,
    partitions: Mapping[int, WarpPartition],
    target: Target,
    configs: PassConfigs,
) -> dict[Buffer, int]:
    """Bytes of alignment of each buffer that needs more than the common 16."""
    if not has_tma(target):
        return {}
    operands = _operands(launch, partitions)
    for buffer, period in _annotated(launch):
        operands[buffer] = _Operand(period, buffer in operands and operands[buffer].described)
    exact: dict[Buffer, int] = {}
    other = {buffer for buffer, operand in operands.items() if operand.described}
    loads = special.loads if special is not None else ()
    for copy, ranges in _copies(launch.body, launch_ranges(launch)):
        load = copy in loads or (copy.op == "tma_copy" and copy.dst.buffer.is_shared)
        store = not load and stores_by_tma(copy, target, configs)
        if not load and not store:
            continue
        shared = (copy.dst if load else copy.src).buffer.root
        if shared not in operands and _is_one_run(copy, ranges):
            other.add(shared)
        else:
            period = operands[shared].period if shared in operands else _period_of_tile(shared) if store else NO_SWIZZLE
            exact[shared] = max(exact.get(shared, 0), period)
    return dict.fromkeys(other, WIDEST) | exact


def _copies(body: Sequence[Stmt], ranges: Ranges) -> Iterator[tuple[Copy, Ranges]]:
    for stmt in body:
        if isinstance(stmt, Copy):
            yield stmt, ranges
        if isinstance(stmt, Let):
            ranges = let_ranges(stmt, ranges)
        inner = loop_ranges(stmt, ranges) if isinstance(stmt, For) else ranges
        for block in children(stmt):
            yield from _copies(block, inner)


def _is_one_run(copy: Copy, ranges: Ranges) -> bool:
    """Whether the copy is one run of bytes, which needs no tensor map. Only then is it provably inside its tensor."""
    outside = copy.src if copy.src.buffer.is_global else copy.dst
    inside = copy.dst if outside is copy.src else copy.src
    if not (is_contiguous(outside, ranges) and in_bounds(outside, ranges) and in_bounds(inside, ranges)):
        return False
    counts = [_elements(copy.src.extents), _elements(copy.dst.extents)]
    return counts[0] == counts[1] and (counts[0] or 0) * inside.buffer.dtype.total_bits % (8 * ROW_BYTES) == 0


def _elements(extents: Sequence[object] | None) -> int | None:
    count = 1
    for extent in extents or ():
        number = try_const(extent)
        if number is None:
            return None
        count *= number
    return count


class _Operand(NamedTuple):
    """A shared buffer that a gemm reads: bytes after which its swizzle repeats, and whether a matrix descriptor
    (``wgmma``, ``tcgen05``) points at it."""

    period: int
    described: bool


def _annotated(launch: Launch) -> Iterator[tuple[Buffer, int]]:
    """Shared buffers that the program gives a swizzle by name, and its period."""
    for stmt in walk(launch.body):
        if not isinstance(stmt, Effect) or stmt.call.op != "annotate_layout":
            continue
        layouts = cast("tuple[tuple[object, object], ...]", dict(stmt.call.attrs).get("layouts") or ())
        for buffer, layout in layouts:
            name = getattr(layout, "name", None)
            if isinstance(buffer, Buffer) and buffer.is_shared and name in NAMED_SWIZZLES:
                yield buffer.root, NAMED_SWIZZLES[name] or _period_of_tile(buffer)


def _operands(launch: Launch, partitions: Mapping[int, WarpPartition]) -> dict[Buffer, _Operand]:
    """The first gemm that reads a buffer decides on its swizzle."""
    found: dict[Buffer, _Operand] = {}
    for gemm in walk(launch.body):
        if not isinstance(gemm, Gemm):
            continue
        split = partitions.get(id(gemm))
        described = split is not None and split.instruction in ("wgmma", "tcgen05")
        for region in (gemm.a, gemm.b):
            buffer = region.buffer.root
            if not buffer.is_shared:
                continue
            period = _period_of_tile(buffer)
            if split is not None and split.instruction == "wgmma":
                run = _wgmma_run(gemm, split, first=region is gemm.a)
                period = _period(run * gemm.a.buffer.dtype.bits)
            earlier = found.get(buffer)
            found[buffer] = _Operand(
                earlier.period if earlier else period, described or (earlier is not None and earlier.described)
            )
    return found


def _wgmma_run(gemm: Gemm, split: WarpPartition, *, first: bool) -> int:
    """Elements that one instruction reads in a row: along K, or along its own M or N if the tile is stored that way."""
    if first:
        return 64 if gemm.trans_a else split.tile.k or 0
    if gemm.trans_b:
        return split.tile.k or 0
    columns = (split.tile.n or 0) // max(split.n_warps, 1)
    narrow = gcd(columns, 256)
    return narrow if columns % 16 else next((n for n in range(256, narrow, -16) if columns % n == 0), narrow)


def _period_of_tile(buffer: Buffer) -> int:
    if buffer.rank < 2:
        return NO_SWIZZLE
    rows, columns = try_const(buffer.shape[-2]), try_const(buffer.shape[-1])
    if rows is None or columns is None or rows % 8:
        return NO_SWIZZLE
    return _period(columns * buffer.dtype.total_bits)


def _period(row_bits: int) -> int:
    """Eight rows of the widest swizzle that fits a row."""
    return next((8 * width for width in (128, 64, 32) if row_bits and row_bits % (8 * width) == 0), NO_SWIZZLE)
