"""Pointers into buffers, and loads and stores of whole vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import HANDLE, DType, dtype
from tilelang.ir.expr import Call, Expr, const_int
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, effect, here, invalid, is_unknown, opaque_effect
from tilelang.language.regions import to_region

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.language.values import BufferLike, Scalar, Value

_ACCESS = {"r": "read", "w": "write", "rw": "update", 1: "read", 2: "write", 3: "update"}


def access_ptr(
    base: BufferLike,
    access_type: str | int = "r",
    *extents: Any,
    offset: Value = 0,
    extent: Value | None = None,
    ignore_last_ndim: int = 0,
) -> Scalar:
    """The address of a buffer, a box or an element, with what is done there: ``r``, ``w`` or ``rw``.

    ``extents`` (one for each of the last dimensions) or ``extent`` (elements in a row) say how much is accessed; the
    whole buffer, the box or one element if left out. ``offset`` counts elements of a buffer of one dimension.
    """
    function = "T.access_ptr"
    region = to_region(base)
    if region is None:
        if not is_unknown(base) and not isinstance(base, Expr):
            invalid(function, "base", "a buffer, a box or an element", describe(base))
        return _address((), "unknown")
    mode = "unknown"
    if not isinstance(access_type, Unknown):  # pyright: ignore[reportUnnecessaryIsInstance]
        mode = _ACCESS.get(access_type, "unknown") if isinstance(access_type, (str, int)) else "unknown"  # pyright: ignore[reportUnnecessaryIsInstance]
        if mode == "unknown" and not isinstance(access_type, Expr):
            invalid(function, "access_type", "'r', 'w' or 'rw'", describe(access_type))
    if const_int(offset) not in (0, None) and region.buffer.rank != 1:
        invalid(function, "offset", "0 unless the buffer has one dimension", describe(offset))
    if len(extents) == 1 and isinstance(extents[0], (tuple, list)):
        extents = tuple(cast("Iterable[object]", extents[0]))
    if len(extents) > region.buffer.rank:
        invalid(function, "extents", f"at most {region.buffer.rank} numbers", f"{len(extents)} numbers")
    if extents or extent is not None or const_int(offset) != 0:
        region = replace(region, extents=None)
    return _address((region,), mode)


def _address(args: tuple[object, ...], mode: str) -> Any:
    return Call(HANDLE, "access_ptr", args, (("effect", mode),), span=here())


def tvm_access_ptr(ptype: Any, data: Any, offset: Value, extent: Value, rw_mask: int) -> Scalar:
    """The address of an element of ``data`` and how many elements from there are read (1), written (2) or both (3)."""
    mode = _ACCESS.get(rw_mask, "unknown")
    buffer = data if isinstance(data, Buffer) else None
    return _address(() if buffer is None else (Region(buffer, None, (), None, span=here()),), mode)


def Ptr(dtype: Any, storage_scope: str = "global") -> Any:
    """The type of pointers to elements of ``dtype``."""
    return HANDLE


# --- vector loads and stores ----------------------------------------------------------------------------------------


def _load(op: str, bits: int, src: object) -> Any:
    """``bits`` from an address, as one unsigned integer or a vector of ``uint32``."""
    region = to_region(src)
    if region is None and isinstance(operand(src), Unknown):
        return UNKNOWN
    result: DType = dtype("uint32" if bits == 32 else f"uint32x{bits // 32}")
    return Call(result, op, (region if region is not None else src,), (("effect", "read"),), span=here())


def _store(op: str, dst: object, value: object) -> None:
    region = to_region(dst)
    found = operand(value)
    if region is None:
        opaque_effect(op)
    else:
        effect(op, region, *(() if isinstance(found, Unknown) else (found,)), mode="write")


def ldg32(src: BufferLike, pred: Value | None = None) -> Scalar:
    """32 bits of global memory, if ``pred`` holds."""
    return _load("ldg32", 32, src)


def ldg64(src: BufferLike, pred: Value | None = None) -> Scalar:
    """64 bits of global memory, if ``pred`` holds."""
    return _load("ldg64", 64, src)


def ldg128(src: BufferLike, pred: Value | None = None) -> Scalar:
    """128 bits of global memory, if ``pred`` holds."""
    return _load("ldg128", 128, src)


def ldg256(src: BufferLike, pred: Value | None = None) -> Scalar:
    """256 bits of global memory, if ``pred`` holds (sm_100 and later)."""
    return _load("ldg256", 256, src)


def lds32(src: BufferLike) -> Scalar:
    """32 bits of shared memory."""
    return _load("lds32", 32, src)


def lds64(src: BufferLike) -> Scalar:
    """64 bits of shared memory."""
    return _load("lds64", 64, src)


def lds128(src: BufferLike) -> Scalar:
    """128 bits of shared memory."""
    return _load("lds128", 128, src)


def stg32(dst: BufferLike, value: Value, pred: Value | None = None) -> None:
    """Store 32 bits in global memory, if ``pred`` holds."""
    _store("stg32", dst, value)


def stg64(dst: BufferLike, value: Value, pred: Value | None = None) -> None:
    """Store 64 bits in global memory, if ``pred`` holds."""
    _store("stg64", dst, value)


def stg128(dst: BufferLike, value: Value, pred: Value | None = None) -> None:
    """Store 128 bits in global memory, if ``pred`` holds."""
    _store("stg128", dst, value)


def stg256(dst: BufferLike, value: Value, pred: Value | None = None) -> None:
    """Store 256 bits in global memory, if ``pred`` holds (sm_100 and later)."""
    _store("stg256", dst, value)


def sts32(dst: BufferLike, value: Value) -> None:
    """Store 32 bits in shared memory."""
    _store("sts32", dst, value)


def sts64(dst: BufferLike, value: Value) -> None:
    """Store 64 bits in shared memory."""
    _store("sts64", dst, value)


def sts128(dst: BufferLike, value: Value) -> None:
    """Store 128 bits in shared memory."""
    _store("sts128", dst, value)
