"""How numbers are stored and computed.

Floats of 16 bits or fewer are computed in float32 and rounded to their own type after each operation: for sums,
products and quotients of 16-bit floats that gives exactly what arithmetic of the type itself would. In memory they have
the *storage type*: the type itself where the code generator knows it, else an integer of the same width. Two 4-bit
elements share a byte, the lower half first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType

Family = Literal["cpu", "cuda"]

FP8_FORMATS = {
    "e4m3": "e4m3fn",
    "e4m3fn": "e4m3fn",
    "e5m2": "e5m2",
    "e4m3fnuz": "e4m3fnuz",
    "e5m2fnuz": "e5m2fnuz",
    "e8m0fnu": "e8m0",
    "e8m0": "e8m0",
}
"""Formats of 8-bit floats, by their spelling in names of types."""


def storage_of(family: Family, dtype: DType) -> str:
    """The TIRX type of elements in memory; a byte for 4-bit types. Raises :class:`Unsupported` for others."""
    if dtype.lanes > 1:
        return f"{storage_of(family, dtype.base)}x{dtype.lanes}"
    if dtype.is_bool:
        return "uint8" if family == "cpu" else "bool"
    if dtype.kind == "handle":
        return "handle"
    if dtype.bits == 4 or (dtype.bits == 8 and dtype.is_float) or dtype.kind == "custom":
        return "uint8"
    if dtype.kind == "bfloat":
        return "bfloat16" if family == "cuda" else "uint16"
    if dtype.kind == "tfloat":
        return "float32"
    if dtype.is_integer or dtype in ("float16", "float32", "float64"):
        return str(dtype)
    raise Unsupported(f"the type {dtype} is not supported")


def compute_of(dtype: DType) -> str:
    """The TIRX type that operations on a type are done in."""
    if dtype.lanes > 1:
        return f"{compute_of(dtype.base)}x{dtype.lanes}"
    if dtype.is_bool:
        return "bool"
    if dtype.is_integer:
        return str(dtype) if dtype.bits >= 8 else ("int8" if dtype.is_signed else "uint8")
    if dtype.is_float or dtype.kind == "custom":
        return "float64" if dtype.bits == 64 else "float32"
    if dtype.kind == "handle":
        return "handle"
    raise Unsupported(f"the type {dtype} is not supported")


def is_narrow(dtype: DType) -> bool:
    """Whether values of a type are computed in a wider one, so that results are rounded."""
    return dtype.base.kind != "tfloat" and (dtype.is_float or dtype.kind == "custom") and dtype.base.bits <= 16
