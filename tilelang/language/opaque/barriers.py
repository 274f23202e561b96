"""Barriers operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import opaque


@opaque
def create_barriers(barrier_count: Any) -> Any:
    """Make room for barriers in shared memory."""
    return UNKNOWN


@opaque
def ptx_arrive_barrier(barrier_id: Any) -> Any:
    """Arrive at a barrier by its number."""
    return UNKNOWN


@opaque
def ptx_arrive_barrier_expect_tx(barrier_id: Any, byte_count: Any) -> Any:
    """Arrive at a barrier by its number and expect bytes."""
    return UNKNOWN


@opaque
def ptx_cp_async(dst_access_ptr: Any, src_access_ptr: Any, num_elems: Any, predicate: Any = None) -> Any:
    """Start one asynchronous copy of a thread from global to shared memory."""
    return UNKNOWN


@opaque
def ptx_cp_async_barrier(barrier_id: Any) -> Any:
    """Let a barrier complete with the copies of this thread."""
    return UNKNOWN


@opaque
def ptx_cp_async_bulk(
    dtype: Any, shared_ptr: Any, shared_offset: Any, global_ptr: Any, global_offset: Any, bytes: Any, barrier_id: Any
) -> Any:
    """Start one asynchronous bulk copy."""
    return UNKNOWN


@opaque
def ptx_init_barrier_thread_count(barrier_id: Any, thread_count: Any) -> Any:
    """Set how many threads arrive at a barrier."""
    return UNKNOWN


@opaque
def ptx_wait_barrier(barrier_id: Any) -> Any:
    """Wait at a barrier by its number."""
    return UNKNOWN


@opaque
def tvm_bmma_sync(
    fragment_d: Any,
    index_d: Any,
    fragment_a: Any,
    index_a: Any,
    fragment_b: Any,
    index_b: Any,
    fragment_c: Any,
    index_c: Any,
) -> Any:
    """The binary matrix operation of WMMA."""
    return UNKNOWN


@opaque
def tvm_load_matrix_sync(
    fragment: Any, m: Any, n: Any, k: Any, index: Any, buffer_ptr: Any, stride: Any, layout: Any
) -> Any:
    """Load a fragment of WMMA."""
    return UNKNOWN


@opaque
def tvm_mma_sync(
    fragment_d: Any,
    index_d: Any,
    fragment_a: Any,
    index_a: Any,
    fragment_b: Any,
    index_b: Any,
    fragment_c: Any,
    index_c: Any,
) -> Any:
    """The matrix operation of WMMA."""
    return UNKNOWN


@opaque
def tvm_store_matrix_sync(
    fragment: Any, m: Any, n: Any, k: Any, index: Any, buffer_ptr: Any, stride: Any, layout: Any
) -> Any:
    """Store a fragment of WMMA."""
    return UNKNOWN
