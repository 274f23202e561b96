"""Tcgen05 operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque


class TCGEN05DescriptorParams(OpaqueObject):
    """The fields of a shared-memory descriptor of tcgen05."""

    def __init__(
        self,
        swizzle_mode: Any,
        leading_byte_offset: Any,
        stride_byte_offset: Any,
        swizzle_atom_elems: Any,
        k_atom_size: Any,
        elem_bits: Any,
        is_k_major: Any,
        slice_byte_offset: Any = 0,
        k_panel_elems: Any = None,
    ) -> None:
        self.keep(locals())


@opaque
def initialize_tcgen05_descriptor(
    descriptor: Any,
    start_address: Any,
    leading_byte_offset: Any,
    stride_byte_offset: Any,
    base_offset: Any = 0,
    leading_is_absolute: Any = False,
    swizzle_mode: Any = 0,
) -> Any:
    """Fill a shared-memory descriptor of tcgen05."""
    return UNKNOWN


@opaque
def tcgen05_cp_warpx4(smem_src: Any, tmem_dst: Any, tmem_col_offset: Any = 0, *, use_2cta: Any = False) -> Any:
    """Copy scale factors from shared to tensor memory."""
    return UNKNOWN


@opaque
def tcgen05_sf_warp_transpose(smem_src: Any) -> Any:
    """Transpose scale factors in shared memory for tensor memory."""
    return UNKNOWN
