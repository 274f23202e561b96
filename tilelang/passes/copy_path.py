"""Which way a copy takes on a CUDA device: TMA, ``cp.async``, or plain loads and stores.

The choice decides whether a kernel is warp specialised on sm_90 and later, and how its buffers are aligned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import prove_equal, prove_le, try_const
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Operand
from tilelang.passes.configs import NO_CONFIGS

if TYPE_CHECKING:
    from tilelang.ir.arith import Ranges
    from tilelang.ir.buffer import Buffer, Dim, Region
    from tilelang.ir.stmt import Copy
    from tilelang.passes.configs import PassConfigs
    from tilelang.targets import Target

TMA_ROW_BITS = 128
"""The innermost extent of a TMA box is a multiple of 16 bytes, and so is every outer stride of the tensor."""
MAX_STRIDE = 1 << 40


def has_tma(target: Target) -> bool:
    capability = target.compute_capability
    return capability is not None and capability >= (9, 0)


def loads_by_tma(copy: Copy, target: Target) -> bool:
    """Whether the producer of a warp-specialised kernel brings this tile by TMA."""
    if not has_tma(target) or not (copy.src.buffer.is_global and copy.dst.buffer.is_shared):
        return False
    if copy.op == "im2col":
        return (target.compute_capability or (0, 0)) < (10, 0)
    if copy.op == "async_copy" or copy.attr("disable_tma") or copy.attr("is_async_copy"):
        return False
    preferred = copy.attr("prefer_instruction")
    if preferred not in (None, "tma"):
        return False
    explicit = copy.op == "tma_copy"
    return _boxes_fit(copy.src, copy.dst, check_row=not explicit)


def stores_by_tma(copy: Copy, target: Target, configs: PassConfigs = NO_CONFIGS) -> bool:
    """Whether a tile leaves shared memory by TMA; the compiler chooses that by itself."""
    if not has_tma(target) or not (copy.src.buffer.is_shared and copy.dst.buffer.is_global):
        return False
    if copy.op == "tma_copy":
        return True
    if copy.op != "copy" or copy.attr("disable_tma") or configs.flag("disable_tma_lower"):
        return False
    if copy.attr("prefer_instruction") not in (None, "tma"):
        return False
    return _boxes_fit(copy.dst, copy.src, check_row=True)


def _boxes_fit(box: Region, shared: Region, *, check_row: bool) -> bool:
    """Whether a box of a global tensor suits a tensor map. What is symbolic counts as suiting."""
    tensor = box.buffer
    if not _same_elements(tensor, shared.buffer):
        return False
    if check_row and box.extents:
        row = try_const(box.extents[-1])
        if row is not None and row * tensor.dtype.total_bits % TMA_ROW_BITS:
            return False
    return _strides_fit(tensor)


def _same_elements(tensor: Buffer, shared: Buffer) -> bool:
    if tensor.dtype == shared.dtype:
        return True
    return tensor.dtype == "float4_e2m1fn" and shared.dtype.kind == "custom"


def _strides_fit(tensor: Buffer) -> bool:
    strides = strides_of(tensor)
    if not strides:
        return True
    inner = try_const(strides[-1])
    if inner is not None and inner != 1:
        return False
    for stride in strides[:-1]:
        count = try_const(stride)
        if count is None:
            continue
        size = tensor.dtype.bytes_of(count)
        if size % 16 or size >= MAX_STRIDE:
            return False
    return True


def strides_of(tensor: Buffer) -> tuple[Dim, ...]:
    """The strides of a tensor in elements; row-major where none are given."""
    if tensor.strides is not None:
        return tensor.strides
    strides: list[Dim] = []
    stride: Operand = 1
    for extent in reversed(tensor.shape):
        strides.append(stride)
        number, factor = try_const(stride), try_const(extent)
        stride = number * factor if number is not None and factor is not None else Binary(INT32, "*", stride, extent)
    return tuple(reversed(strides))


def is_contiguous(box: Region, ranges: Ranges) -> bool:
    """Whether a box of a dense tensor is one run of memory."""
    if not box.is_resolved or box.extents is None:
        return False
    partial = False
    for start, extent, size in reversed(list(zip(box.mins, box.extents, box.buffer.shape, strict=True))):
        if partial:
            if try_const(extent) != 1:
                return False
        elif not (prove_equal(start, 0, ranges) and prove_equal(extent, size, ranges)):
            partial = True
    return True


def in_bounds(box: Region, ranges: Ranges) -> bool:
    """Whether a box certainly lies inside its buffer."""
    if not box.is_resolved or box.extents is None:
        return False
    return all(
        prove_le(0, start, ranges) and prove_le(Binary(INT32, "+", start, extent), size, ranges)
        for start, extent, size in zip(box.mins, box.extents, box.buffer.shape, strict=True)
    )
