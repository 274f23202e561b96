"""Formulas for swizzles of shared tiles, and the layouts that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.ir.expr import const_int
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.arith import binary
from tilelang.language.layouts import named_layout

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike, Value


def get_swizzle_layout(
    row_idx: Value, col_idx: Value, row_size: int, dtype: Any, swizzle_bytes: int | None = None
) -> Any:
    """Where an element of a shared tile goes if the 16-byte units of a row are swizzled by the row number: strip, row
    and column. A strip is ``swizzle_bytes`` wide, as wide as the row up to 128 bytes if that is left out."""
    element, size = DType.parse(dtype), const_int(row_size)
    if element is None or size is None or element.bits * size % 256:
        return UNKNOWN
    width = (const_int(swizzle_bytes) or min(128, element.bits * size // 8)) // 16
    if not 0 < width <= 8:
        return UNKNOWN
    unit = 128 // element.bits
    place = binary("//", col_idx, unit)
    turn = binary("//", binary("%", row_idx, 8), 8 // width)
    swizzled = binary("^", binary("%", place, width), turn)
    column = binary("+", binary("*", swizzled, unit), binary("%", col_idx, unit))
    return binary("//", place, width), row_idx, column


def make_mma_swizzle_layout(shared_buf: BufferLike, is_smooth: bool = False) -> Any:
    """A shared tile swizzled for the matrix instructions of a warp."""
    return named_layout("mma_swizzle", shared_buf, is_smooth=is_smooth)


def make_mfma_swizzle_layout(shared_buf: BufferLike, vecSize: int = 8) -> Any:
    """A shared tile swizzled for AMD's matrix cores, in groups of ``vecSize`` elements."""
    return named_layout("mfma_swizzle", shared_buf, vecSize=vecSize)


def make_blockscaled_gemm_layout(C: BufferLike, A: BufferLike, transpose_A: bool = False) -> Any:
    """The layout of the accumulator ``C`` of a block-scaled product in tensor memory, for ``T.annotate_layout``."""
    return named_layout("blockscaled_accumulator", C, A, transpose_A)
