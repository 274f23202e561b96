"""Scopes, shapes and boxes of buffers."""

from tilelang.utils import (
    array_reduce,
    get_prim_func_name,
    is_fragment,
    is_full_region,
    is_global,
    is_local,
    is_shared,
    is_shared_dynamic,
    is_tensor_memory,
    retrieve_shape,
    retrieve_stride,
    to_buffer_region,
)

__all__ = [
    "array_reduce",
    "get_prim_func_name",
    "is_fragment",
    "is_full_region",
    "is_global",
    "is_local",
    "is_shared",
    "is_shared_dynamic",
    "is_tensor_memory",
    "retrieve_shape",
    "retrieve_stride",
    "to_buffer_region",
]
