"""Helpers of kernels that use matrix instructions directly."""

from __future__ import annotations

from tilelang.language.opaque.gemm import (
    TensorCoreIntrinEmitter,
    TensorCoreIntrinEmitterWithLadderTransform,
    get_ldmatrix_offset,
    get_mma_micro_size,
    mma_store_index_map,
)
from tilelang.language.swizzle import get_swizzle_layout, make_mfma_swizzle_layout, make_mma_swizzle_layout

__all__ = [
    "TensorCoreIntrinEmitter",
    "TensorCoreIntrinEmitterWithLadderTransform",
    "get_ldmatrix_offset",
    "get_mma_micro_size",
    "get_swizzle_layout",
    "make_mfma_swizzle_layout",
    "make_mma_swizzle_layout",
    "mma_store_index_map",
]
