"""What a ``tcgen05`` product asks for: swizzled operands in shared memory, and atoms in tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.layout import swizzles, tensor_memory
from tilelang.ir.layout.layout import Layout, linear_layout
from tilelang.passes.layouts.operations import known_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout.tensor_memory import Atom, Operands
    from tilelang.ir.stmt import Gemm
    from tilelang.passes.warp_partition import GemmTile

TMEM = "shared.tmem"


def wanted(gemm: Gemm, tile: GemmTile) -> Iterator[tuple[Buffer, Layout | None]]:
    """The layouts of the operands and the accumulator; ``None`` for one that is not known."""
    a, b, c = gemm.a.buffer, gemm.b.buffer, gemm.c.buffer
    for buffer, k_inner in ((a, not gemm.trans_a), (b, gemm.trans_b)):
        shape = known_shape(buffer)
        if buffer.is_shared and shape is not None and len(shape) > 1:
            # Elements below 8 bits are packed, so the whole row counts.
            whole = not k_inner or buffer.dtype.bits < 8
            yield buffer, widest_swizzle(buffer, shape, shape[-1] if whole else tile.k or 0, buffer.dtype.bits)
    atom = _atom(gemm, tile)
    if c.scope != TMEM or atom is None:
        return
    in_tensor_memory = a.scope == TMEM
    shape = known_shape(c)
    plain = atom._replace(folded=atom.folded and (_two_ctas(gemm) or not in_tensor_memory))
    yield (
        c,
        None
        if shape is None
        else tensor_memory.accumulator(shape, plain, c.dtype.bits, interleaved=not in_tensor_memory),
    )
    shape = known_shape(a)
    if in_tensor_memory and shape is not None and not gemm.trans_a and not _two_ctas(gemm):
        yield a, tensor_memory.operand(shape, atom.m, 16 if a.dtype.bits == 16 else 32)


def widest_swizzle(buffer: Buffer, shape: tuple[int, ...], side: int, bits: int) -> Layout | None:
    """The widest bank swizzle for ``side`` elements of ``bits`` bits that lie side by side; row-major if none fits."""
    for width in (swizzles.FULL, swizzles.HALF, swizzles.QUARTER):
        if side % (swizzles.UNIT_BITS // bits * width) == 0:
            base = swizzles.bank_swizzle(shape[-2], shape[-1], buffer.dtype.bits, width)
            return swizzles.of_buffer(base, shape)
    return linear_layout(shape)


def _two_ctas(gemm: Gemm) -> bool:
    return bool(try_const(gemm.attr("use_2cta")))


def _atom(gemm: Gemm, tile: GemmTile) -> Atom | None:
    operands = _operands(gemm)
    if operands is None or not tile.m or not tile.n:
        return None
    stationary = not gemm.op.endswith("blockscaled")
    return tensor_memory.select_atom(tile.m, tile.n, operands, two_ctas=_two_ctas(gemm), stationary=stationary)


def _operands(gemm: Gemm) -> Operands | None:
    # In tensor memory A may have another type than the instruction's.
    a, c = (gemm.b if gemm.a.buffer.scope == TMEM else gemm.a).buffer.dtype, gemm.c.buffer.dtype
    if a in ("float16", "bfloat16"):
        return "half" if c == "float32" else None
    if a.bits <= 8 and not a.is_integer:
        return "narrow" if c in ("float32", "float16") else None
    return "bytes" if a in ("int8", "uint8") and c == "int32" else None
