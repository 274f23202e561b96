"""Helpers of kernels that use matrix instructions directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.language.layouts import named_layout
from tilelang.language.opaque.copies import get_swizzle_layout
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


def make_mma_swizzle_layout(shared_buf: BufferLike, is_smooth: bool = False) -> Any:
    """A shared tile swizzled for the matrix instructions of a warp."""
    return named_layout("mma_swizzle", shared_buf, is_smooth=is_smooth)
