"""Warp operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import opaque, opaque_value


@opaque_value("named")
def get_active_lane_mask(dtype: Any, base: Any, limit: Any) -> Any:
    """A bit for each lane below a limit."""
    return UNKNOWN


@opaque_value("uint32")
def tvm_warp_activemask() -> Any:
    """A bit for each lane that is running."""
    return UNKNOWN


@opaque
def tvm_warp_shuffle(mask: Any, value: Any, warp_id: Any, width: Any, warp_size: Any) -> Any:
    """A value of another lane."""
    return UNKNOWN


@opaque
def tvm_warp_shuffle_down(mask: Any, value: Any, offset: Any, width: Any, warp_size: Any) -> Any:
    """A value of the lane above."""
    return UNKNOWN


@opaque
def tvm_warp_shuffle_up(mask: Any, value: Any, offset: Any, width: Any, warp_size: Any) -> Any:
    """A value of the lane below."""
    return UNKNOWN
