"""Gemm operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque


class SparseTensorCoreIntrinEmitter(OpaqueObject):
    """Emits the sparse matrix instructions of a warp."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        e_dtype: Any = "uint8",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        e_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        warp_k: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
    ) -> None:
        self.keep(locals())


class TCGEN05TensorCoreIntrinEmitter(OpaqueObject):
    """Emits the matrix instructions of tcgen05."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        chunk: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
    ) -> None:
        self.keep(locals())


class TensorCoreIntrinEmitter(OpaqueObject):
    """Emits the matrix instructions of a warp: loads, products and stores of its tiles."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        chunk: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
    ) -> None:
        self.keep(locals())


class TensorCoreIntrinEmitterSM120(OpaqueObject):
    """Emits the matrix instructions of a warp on sm_120."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        chunk: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
        is_blockscaled: Any = False,
        kind: Any = "mxf4nvf4",
        scale_vec_size: Any = 4,
        stype: Any = "ue4m3",
    ) -> None:
        self.keep(locals())


class TensorCoreIntrinEmitterWithLadderTransform(OpaqueObject):
    """Emits the matrix instructions of a warp for operands in a transformed layout."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        chunk: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        transform_kind_a: Any = 0,
        transform_kind_b: Any = 0,
    ) -> None:
        self.keep(locals())


class WGMMATensorCoreIntrinEmitter(OpaqueObject):
    """Emits the matrix instructions of a warp group."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        chunk: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
    ) -> None:
        self.keep(locals())


class WGSparseTensorCoreIntrinEmitter(OpaqueObject):
    """Emits the sparse matrix instructions of a warp group."""

    def __init__(
        self,
        a_dtype: Any = "float16",
        e_dtype: Any = "uint8",
        b_dtype: Any = "float16",
        accum_dtype: Any = "float16",
        a_transposed: Any = False,
        b_transposed: Any = False,
        e_transposed: Any = False,
        block_row_warps: Any = 2,
        block_col_warps: Any = 2,
        warp_row_tiles: Any = 8,
        warp_col_tiles: Any = 8,
        warp_k: Any = 16,
        reduce_k: Any = 1,
        num_elems_per_byte: Any = 1,
        is_m_first: Any = False,
        thread_var: Any = None,
    ) -> None:
        self.keep(locals())


@opaque
def get_ldmatrix_offset(
    matrix: Any, row_idx: Any, col_idx: Any, stride: Any, dtype: Any = "float16", transposed: Any = False
) -> Any:
    """Offset of an element that ldmatrix loads."""
    return UNKNOWN


@opaque
def get_mma_micro_size(dtype: Any) -> Any:
    """Shape of the matrix instruction for a dtype."""
    return UNKNOWN


@opaque
def mma_fill(dtype: Any, local_size: Any, local_ptr: Any, offset: Any) -> Any:
    """Set the registers of a matrix fragment."""
    return UNKNOWN


@opaque
def mma_store(dtype: Any, m: Any, n: Any, dst_ptr: Any, src_ptr: Any, src_offset: Any, dst_stride: Any) -> Any:
    """Store a matrix fragment."""
    return UNKNOWN


@opaque
def mma_store_index_map(thread_id: Any, local_id: Any) -> Any:
    """Where a thread keeps an element of a matrix fragment."""
    return UNKNOWN


@opaque
def ptx_ldmatrix(trans: Any, num: Any, src_access_ptr: Any, dst_access_ptr: Any) -> Any:
    """Load matrices from shared memory into the registers of a warp."""
    return UNKNOWN


@opaque
def ptx_mma(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    saturate: Any,
    operator: Any = None,
) -> Any:
    """The matrix instruction of a warp."""
    return UNKNOWN


@opaque
def ptx_mma_block_scale(
    accum_dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    kind: Any,
    scale_vec_size: Any,
    A_dtype: Any,
    B_dtype: Any,
    scale_type: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    scale_a: Any,
    scale_b: Any,
    scale_a_byte_id: Any = 0,
    scale_a_thread_id: Any = 0,
    scale_b_byte_id: Any = 0,
    scale_b_thread_id: Any = 0,
) -> Any:
    """The block-scaled matrix instruction of a warp (sm_120)."""
    return UNKNOWN


@opaque
def ptx_mma_sm70(
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
) -> Any:
    """The matrix instruction of a warp on sm_70."""
    return UNKNOWN


@opaque
def ptx_mma_sp(
    dtype: Any,
    shape: Any,
    A_layout: Any,
    B_layout: Any,
    A_dtype: Any,
    B_dtype: Any,
    C_dtype: Any,
    multiplicand_a: Any,
    a_index: Any,
    multiplicand_b: Any,
    b_index: Any,
    accumulator: Any,
    c_index: Any,
    metadata: Any,
    meta_index: Any,
    sparse_selector: Any,
    saturate: Any,
) -> Any:
    """The sparse matrix instruction of a warp."""
    return UNKNOWN


@opaque
def ptx_tcgen05_mma_blockscaled_ss(
    kind_dtype: Any,
    desc_a: Any,
    A_offset: Any,
    desc_b: Any,
    B_offset: Any,
    C_ptr: Any,
    C_offset: Any,
    desc_val: Any,
    scale_out: Any,
    sfa_ptr: Any,
    sfa_offset: Any,
    sfb_ptr: Any,
    sfb_offset: Any,
    reserved0: Any = 0,
    reserved1: Any = 0,
    enable_2cta: Any = False,
) -> Any:
    """The block-scaled matrix instruction of tcgen05 with both operands in shared memory."""
    return UNKNOWN


@opaque
def ptx_tcgen05_mma_ss(
    kind_dtype: Any,
    desc_a: Any,
    A_offset: Any,
    desc_b: Any,
    B_offset: Any,
    C_ptr: Any,
    C_offset: Any,
    desc_val: Any,
    scale_out: Any,
    mask0: Any,
    mask1: Any,
    mask2: Any,
    mask3: Any,
    enable_ws: Any = False,
    enable_2cta: Any = False,
    ws: Any = None,
    warp_specialized: Any = None,
    variant: Any = None,
) -> Any:
    """The matrix instruction of tcgen05 with both operands in shared memory."""
    return UNKNOWN


@opaque
def ptx_tcgen05_mma_ts(
    kind_dtype: Any,
    A_ptr: Any,
    A_offset: Any,
    desc_b: Any,
    B_offset: Any,
    C_ptr: Any,
    C_offset: Any,
    desc_val: Any,
    scale_out: Any,
    mask0: Any,
    mask1: Any,
    mask2: Any,
    mask3: Any,
    enable_2cta: Any = False,
) -> Any:
    """The matrix instruction of tcgen05 with one operand in tensor memory."""
    return UNKNOWN


@opaque
def ptx_wgmma_rs(
    dtype: Any,
    wgmma_prefix: Any,
    b_is_k_major: Any,
    a_dtype_abbrv: Any,
    b_dtype_abbrv: Any,
    accum_dtype_abbrv: Any,
    A_buf: Any,
    A_offset: Any,
    B_desc: Any,
    B_offset: Any,
    C_data: Any,
    C_offset: Any,
    scale_out: Any,
    scale_in_a: Any,
    scale_in_b: Any,
) -> Any:
    """The matrix instruction of a warp group with one operand in registers."""
    return UNKNOWN


@opaque
def ptx_wgmma_sp_rs(
    dtype: Any,
    wgmma_prefix: Any,
    b_is_k_major: Any,
    a_dtype_abbrv: Any,
    b_dtype_abbrv: Any,
    accum_dtype_abbrv: Any,
    A_buf: Any,
    A_offset: Any,
    E_buf: Any,
    E_offset: Any,
    sparse_selector: Any,
    B_desc: Any,
    B_offset: Any,
    C_data: Any,
    C_offset: Any,
    scale_out: Any,
    scale_in_a: Any,
    scale_in_b: Any,
) -> Any:
    """The sparse matrix instruction of a warp group with one operand in registers."""
    return UNKNOWN


@opaque
def ptx_wgmma_sp_ss(
    dtype: Any,
    wgmma_prefix: Any,
    a_is_k_major: Any,
    b_is_k_major: Any,
    a_dtype_abbrv: Any,
    b_dtype_abbrv: Any,
    accum_dtype_abbrv: Any,
    A_desc: Any,
    A_offset: Any,
    E_data: Any,
    E_offset: Any,
    sparse_selector: Any,
    B_desc: Any,
    B_offset: Any,
    C_data: Any,
    C_offset: Any,
    scale_out: Any,
    scale_in_a: Any,
    scale_in_b: Any,
) -> Any:
    """The sparse matrix instruction of a warp group with both operands in shared memory."""
    return UNKNOWN


@opaque
def ptx_wgmma_ss(
    dtype: Any,
    wgmma_prefix: Any,
    a_is_k_major: Any,
    b_is_k_major: Any,
    a_dtype_abbrv: Any,
    b_dtype_abbrv: Any,
    accum_dtype_abbrv: Any,
    A_desc: Any,
    A_offset: Any,
    B_desc: Any,
    B_offset: Any,
    C_data: Any,
    C_offset: Any,
    scale_out: Any,
    scale_in_a: Any,
    scale_in_b: Any,
) -> Any:
    """The matrix instruction of a warp group with both operands in shared memory."""
    return UNKNOWN
