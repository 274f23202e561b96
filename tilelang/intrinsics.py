"""Helpers of kernels that use matrix instructions directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.ir.expr import const_int
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.arith import binary
from tilelang.language.layouts import named_layout
from tilelang.language.opaque.gemm import (
    TensorCoreIntrinEmitter,
    TensorCoreIntrinEmitterWithLadderTransform,
    get_ldmatrix_offset,
    get_mma_micro_size,
    mma_store_index_map,
)

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike

__all__ = [
    "TensorCoreIntrinEmitter",
    "TensorCoreIntrinEmitterWithLadderTransform",
    "get_ldmatrix_offset",
    "get_mma_micro_size",
    "get_swizzle_layout",
    "make_mma_swizzle_layout",
    "mma_store_index_map",
]


def get_swizzle_layout(row_idx: Any, col_idx: Any, row_size: Any, dtype: Any, swizzle_bytes: Any = None) -> Any:
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
