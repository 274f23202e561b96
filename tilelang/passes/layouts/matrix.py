"""The layouts that a ``T.gemm`` asks for, by the instruction that computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tilelang.ir.layout import matrix, swizzles
from tilelang.ir.layout.layout import Layout, linear_layout
from tilelang.ir.layout.matrix import BlockTile, Family
from tilelang.passes.layouts import tensor_memory
from tilelang.passes.layouts.operations import Update, Updates, known_shape
from tilelang.passes.layouts.spread import Threads
from tilelang.passes.layouts.tensor_memory import widest_swizzle
from tilelang.passes.warp_partition import NO_CAPABILITY, SPARSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout.fragment import Fragment
    from tilelang.ir.stmt import Gemm
    from tilelang.passes.warp_partition import WarpPartition
    from tilelang.targets import Target

WGMMA_ROWS: Final = 64


class Wanted(NamedTuple):
    """What a gemm asks for. ``keeps_shared``: it reads shared operands through ``ldmatrix``, so it takes a layout that
    another gemm chose. ``complete`` is False if some operand could not be laid out."""

    updates: Updates
    keeps_shared: bool
    complete: bool


def wanted_by(gemm: Gemm, split: WarpPartition, threads: Threads, target: Target) -> Wanted | None:
    """``None`` if the instruction or the tile is not known."""
    tile = split.tile
    if not tile.m or not tile.n or not tile.k or min(tile) < 0 or split.problem is not None:  # type: ignore[type-var]  # none is None
        return None
    if split.instruction == "scalar":
        return _scalar(gemm, threads)
    if split.instruction == "tcgen05":
        return _bound(list(tensor_memory.wanted(gemm, tile)), Threads(0, 0), keeps_shared=False)
    if split.instruction == "cooperative":
        return _cooperative(gemm, threads)
    block = BlockTile(tile.m, tile.n, tile.k, split.m_warps, split.n_warps, split.depth)
    family = _family(split, target)
    shared = _wgmma_shared(gemm, block) if family == "wgmma" else _mma_shared(gemm, family)
    a, b, c = gemm.a.buffer, gemm.b.buffer, gemm.c.buffer
    found: list[tuple[Buffer, Layout | Fragment | None]] = []
    bits, sparse = a.dtype.bits, gemm.op in SPARSE
    # Of a sparse A half of the elements are kept, and an instruction takes twice as many of B.
    kept = block._replace(k=block.k // 2) if sparse else block
    for buffer, is_a, transposed in ((a, True, gemm.trans_a), (b, False, gemm.trans_b)):
        if buffer.is_shared:
            found.append((buffer, shared(buffer, is_a)))
        elif buffer.is_fragment and is_a:
            found.append((buffer, matrix.operand(family, kept, "a", bits, transposed)))
        elif buffer.is_fragment:
            found.append((buffer, matrix.operand(family, block, "b", bits, transposed, sparse=sparse)))
    if c.is_fragment:
        found.append((c, matrix.accumulator(family, block, bits, c.dtype.bits == 16)))
    return _bound(found, threads, keeps_shared=family in ("volta", "turing", "mma"))


def _bound(found: list[tuple[Buffer, Layout | Fragment | None]], threads: Threads, *, keeps_shared: bool) -> Wanted:
    updates: list[Update] = []
    complete = True
    for buffer, layout in found:
        if layout is None or layout.shape != known_shape(buffer):
            complete = False
        elif isinstance(layout, Layout):
            updates.append(Update(buffer, layout))
        else:
            updates.append(Update(buffer, layout.bound(*threads)))
    return Wanted(tuple(updates), keeps_shared, complete)


def _family(split: WarpPartition, target: Target) -> Family:
    if split.instruction in ("wgmma", "mfma", "simdgroup"):
        return split.instruction
    if split.instruction == "wmma":
        return "rdna4" if target.arch.startswith("gfx12") else "rdna3"
    capability = target.compute_capability or NO_CAPABILITY
    return "volta" if capability < (7, 5) else "turing" if capability < (8, 0) else "mma"


def _mma_shared(gemm: Gemm, family: Family) -> Callable[[Buffer, bool], Layout | None]:
    def layout(buffer: Buffer, is_a: bool) -> Layout | None:
        shape = known_shape(buffer)
        if shape is None or len(shape) < 2:
            return None
        if family == "simdgroup":
            return linear_layout(shape)
        if family == "volta":
            k_inner = not gemm.trans_a if is_a else gemm.trans_b
            base = swizzles.volta_swizzle(shape[-2], shape[-1], is_a, k_inner)
        else:
            base = swizzles.matrix_swizzle(shape[-2], shape[-1], buffer.dtype.bits)
        return swizzles.of_buffer(base, shape)

    return layout


def _wgmma_shared(gemm: Gemm, block: BlockTile) -> Callable[[Buffer, bool], Layout | None]:
    """``wgmma`` reads shared memory by itself. The swizzle is as wide as the elements that lie side by side: along K,
    or along what one instruction covers of the other dimension."""
    bits = gemm.a.buffer.dtype.bits
    columns = instruction_columns(block.n // block.n_warps)

    def layout(buffer: Buffer, is_a: bool) -> Layout | None:
        shape = known_shape(buffer)
        if shape is None or len(shape) < 2:
            return None
        k_inner = not gemm.trans_a if is_a else gemm.trans_b
        depth = block.k // 2 if is_a and gemm.op in SPARSE else block.k
        side = depth if k_inner else (WGMMA_ROWS if is_a else columns)
        return widest_swizzle(buffer, shape, side, bits)

    return layout


def instruction_columns(columns: int) -> int:
    """The widest ``wgmma`` that tiles the columns of a warp group: a multiple of 16 up to 256 where possible."""
    power = columns & -columns
    if columns % 16 == 0:
        for width in range(256, min(power, 256), -16):
            if columns % width == 0:
                return width
    return min(power, 256)


def _scalar(gemm: Gemm, threads: Threads) -> Wanted:
    """Without tensor cores every thread multiplies elements that are dealt out one by one."""
    found: list[tuple[Buffer, Layout | Fragment | None]] = []
    for buffer in (gemm.a.buffer, gemm.b.buffer, gemm.c.buffer):
        shape = known_shape(buffer)
        if buffer.is_fragment and shape is not None:
            found.append((buffer, matrix.dealt_out(shape, threads.number)))
    return _bound(found, threads, keeps_shared=False)


def _cooperative(gemm: Gemm, threads: Threads) -> Wanted:
    """Apple's tensor operations read padded tiles; the accumulator stays in shared memory."""
    found: list[tuple[Buffer, Layout | Fragment | None]] = []
    for buffer in (gemm.a.buffer, gemm.b.buffer):
        shape = known_shape(buffer)
        if buffer.is_shared and shape is not None and len(shape) == 2:
            found.append((buffer, swizzles.padded(shape[0], shape[1], buffer.dtype.bits)))
    return _bound(found, threads, keeps_shared=False)
