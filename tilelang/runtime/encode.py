"""Scalar arguments as the bits that a kernel reads."""

from __future__ import annotations

import struct

from tilelang.ir.dtype import DType

_FLOATS = {"float16": ("<e", "<H"), "float32": ("<f", "<I"), "float64": ("<d", "<Q")}


def bits_of(value: float, dtype: str) -> int:
    """A number as the unsigned integer with the same bits. Raises ``TypeError`` for a type that no scalar has."""
    kind = DType(dtype)
    if kind.is_integer or kind.is_bool or kind.kind == "handle":
        return int(value) & ((1 << max(kind.bits, 8)) - 1)
    if dtype in _FLOATS:
        packed, read = _FLOATS[dtype]
        return struct.unpack(read, struct.pack(packed, value))[0]
    if kind.kind == "bfloat":
        word = struct.unpack("<I", struct.pack("<f", value))[0]
        return (word + 0x7FFF + ((word >> 16) & 1)) >> 16
    raise TypeError(f"a scalar of type {dtype} cannot be passed to a kernel")
