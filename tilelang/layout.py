"""Layouts of buffers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.language.layouts import Fragment, Layout, PartialFragment, named_layout

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike

__all__ = [
    "Fragment",
    "Layout",
    "PartialFragment",
    "make_ascend_l0c_layout",
    "make_ascend_major_k_layout",
    "make_ascend_major_mn_layout",
    "make_ascend_nz_layout",
    "make_ascend_sf_layout",
    "make_cutlass_metadata_layout",
    "make_full_bank_swizzled_layout",
    "make_fully_replicated_layout_fragment",
    "make_gemm_fragment_8x8",
    "make_gemm_fragment_8x8_transposed",
    "make_half_bank_swizzled_layout",
    "make_linear_layout",
    "make_quarter_bank_swizzled_layout",
    "make_swizzled_layout",
    "make_tcgen05mma_swizzled_layout",
    "make_volta_swizzled_layout",
    "make_wgmma_swizzled_layout",
]


def make_swizzled_layout(buffer: BufferLike, k_major: bool = True, allow_pad: bool = True) -> Any:
    """A shared tile swizzled so that matrix loads have no bank conflicts, padded where no swizzle fits."""
    return named_layout("swizzled", buffer, k_major=k_major, allow_pad=allow_pad)


def make_volta_swizzled_layout(buffer: BufferLike, is_a: bool = True, k_inner: bool = True) -> Any:
    """A shared tile swizzled for the matrix instructions of sm_70."""
    return named_layout("volta_swizzled", buffer, is_a=is_a, k_inner=k_inner)


def make_wgmma_swizzled_layout(buffer: BufferLike, continuity: int | None = None, k_major: bool = True) -> Any:
    """A shared tile swizzled for ``wgmma``."""
    return named_layout("wgmma_swizzled", buffer, continuity=continuity, k_major=k_major)


def make_tcgen05mma_swizzled_layout(buffer: BufferLike, continuity: int | None = None, k_major: bool = True) -> Any:
    """A shared tile swizzled for ``tcgen05``."""
    return named_layout("tcgen05mma_swizzled", buffer, continuity=continuity, k_major=k_major)


def make_full_bank_swizzled_layout(buffer: BufferLike) -> Any:
    """A shared tile swizzled over 128 bytes."""
    return named_layout("full_bank_swizzled", buffer)


def make_half_bank_swizzled_layout(buffer: BufferLike) -> Any:
    """A shared tile swizzled over 64 bytes."""
    return named_layout("half_bank_swizzled", buffer)


def make_quarter_bank_swizzled_layout(buffer: BufferLike) -> Any:
    """A shared tile swizzled over 32 bytes."""
    return named_layout("quarter_bank_swizzled", buffer)


def make_linear_layout(buffer_or_load_or_region: BufferLike) -> Any:
    """Row-major order without a swizzle."""
    return named_layout("linear", buffer_or_load_or_region)


def make_gemm_fragment_8x8() -> Any:
    """Which thread and register holds each element of an 8 by 8 matrix."""
    return named_layout("gemm_fragment_8x8")


def make_gemm_fragment_8x8_transposed() -> Any:
    """Which thread and register holds each element of a transposed 8 by 8 matrix."""
    return named_layout("gemm_fragment_8x8_transposed")


def make_fully_replicated_layout_fragment(buffer: BufferLike, threads: int) -> Any:
    """A fragment of which every thread holds all elements."""
    return named_layout("fully_replicated", buffer, threads)


def make_cutlass_metadata_layout(buffer: BufferLike, mma_dtype: Any = "float16", arch: Any = None, **extra: Any) -> Any:
    """The layout of the metadata of a sparse operand."""
    return named_layout("cutlass_metadata", buffer, mma_dtype, arch, **extra)


def make_ascend_nz_layout(buffer: BufferLike) -> Any:
    """A tile for Ascend's matrix unit: fractals of 16 rows by 32 bytes, from top to bottom, then right."""
    return named_layout("ascend_nz", buffer)


def make_ascend_major_k_layout(buffer: BufferLike, k_align: int = 1) -> Any:
    """An M by K tile for Ascend's matrix unit. K must be a multiple of ``k_align``."""
    return named_layout("ascend_major_k", buffer, k_align=k_align)


def make_ascend_major_mn_layout(buffer: BufferLike, k_align: int = 1) -> Any:
    """A K by M or K by N tile for Ascend's matrix unit. K must be a multiple of ``k_align``."""
    return named_layout("ascend_major_mn", buffer, k_align=k_align)


def make_ascend_l0c_layout(buffer: BufferLike) -> Any:
    """The accumulator of Ascend's matrix unit: fractals of 16 by 16 elements."""
    return named_layout("ascend_l0c", buffer)


def make_ascend_sf_layout(buffer: BufferLike) -> Any:
    """Scale factors for Ascend's matrix unit."""
    return named_layout("ascend_sf", buffer)
