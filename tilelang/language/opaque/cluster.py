"""Cluster operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque, opaque_value


class WGMMADescriptorParams(OpaqueObject):
    """The fields of a shared-memory descriptor of wgmma."""

    def __init__(
        self,
        swizzle_mode: Any,
        leading_byte_offset: Any,
        stride_byte_offset: Any,
        swizzle_atom_elems: Any,
        k_atom_size: Any,
        elems_in_bytes: Any,
        is_k_major: Any,
        slice_byte_offset: Any = 0,
        k_panel_elems: Any = None,
    ) -> None:
        self.keep(locals())


@opaque_value("int32")
def clc_get_first_ctaid_x(result: Any) -> Any:
    """Index x of the first block in the answer to a cancel request."""
    return UNKNOWN


@opaque_value("int32")
def clc_get_first_ctaid_y(result: Any) -> Any:
    """Index y of the first block in the answer to a cancel request."""
    return UNKNOWN


@opaque_value("int32")
def clc_get_first_ctaid_z(result: Any) -> Any:
    """Index z of the first block in the answer to a cancel request."""
    return UNKNOWN


@opaque_value("int32")
def clc_is_canceled(result: Any) -> Any:
    """Whether a cancel request got another block's work."""
    return UNKNOWN


@opaque
def clc_try_cancel(result: Any, mbarrier: Any) -> Any:
    """Ask for the work of a block that has not started."""
    return UNKNOWN


@opaque
def clc_try_cancel_multicast(result: Any, mbarrier: Any) -> Any:
    """Ask for the work of a block that has not started, for all blocks of the cluster."""
    return UNKNOWN


@opaque
def compute_gmma_descriptor(
    tl_layout: Any, buffer: Any, transposed: Any, micro_size_k: Any = 16, region: Any = None
) -> Any:
    """The fields of a wgmma descriptor for a buffer and its layout."""
    return UNKNOWN


@opaque
def compute_umma_descriptor(
    tl_layout: Any, buffer: Any, transposed: Any, micro_size_k: Any = 16, region: Any = None
) -> Any:
    """The fields of a tcgen05 descriptor for a buffer and its layout."""
    return UNKNOWN


@opaque
def create_tma_descriptor(*args: Any) -> Any:
    """Describe a tensor to the tensor memory accelerator."""
    return UNKNOWN


@opaque
def get_cluster_dims() -> Any:
    """The shape of the cluster."""
    return UNKNOWN


@opaque
def get_cluster_extent(dim: Any = 0) -> Any:
    """Blocks of the cluster along one dimension."""
    return UNKNOWN


@opaque
def get_cluster_extents() -> Any:
    """Blocks of the cluster along each dimension."""
    return UNKNOWN


@opaque_value("int32")
def get_cluster_id(dim: Any = 0) -> Any:
    """Index of the cluster along one dimension."""
    return UNKNOWN


@opaque
def get_cluster_ids() -> Any:
    """Indices of the cluster."""
    return UNKNOWN


@opaque
def get_cluster_size() -> Any:
    """Blocks of the cluster."""
    return UNKNOWN


@opaque
def increase_descriptor_offset(descriptor: Any, offset: Any) -> Any:
    """Move a matrix descriptor by an offset."""
    return UNKNOWN


@opaque
def initialize_wgmma_descriptor(
    descriptor: Any,
    start_address: Any,
    layout_type_: Any = 0,
    leading_byte_offset: Any = 0,
    stride_byte_offset: Any = 0,
) -> Any:
    """Fill a shared-memory descriptor of wgmma."""
    return UNKNOWN


@opaque
def tma_gather4(
    src: Any,
    dst: Any,
    col: Any,
    rows: Any,
    *,
    barrier: Any,
    swizzle: Any = None,
    eviction_policy: Any = None,
    annotations: Any = None,
) -> Any:
    """Start a copy of four rows by the tensor memory accelerator."""
    return UNKNOWN


@opaque
def tma_gather4_bytes(K_box: Any, dtype: Any) -> Any:
    """Bytes that T.tma_gather4 copies."""
    return UNKNOWN


@opaque
def tma_load(*args: Any) -> Any:
    """One load instruction of the tensor memory accelerator."""
    return UNKNOWN


@opaque
def tma_load_2sm(*args: Any) -> Any:
    """One load instruction of the tensor memory accelerator for a pair of blocks."""
    return UNKNOWN


@opaque
def tma_scatter4(
    src: Any,
    dst: Any,
    col: Any,
    rows: Any,
    *,
    swizzle: Any = None,
    eviction_policy: Any = None,
    annotations: Any = None,
) -> Any:
    """Start a store of four rows by the tensor memory accelerator."""
    return UNKNOWN
