"""Values between their storage type and their compute type, by target family.

Sources: IEEE 754 (binary16), Google's bfloat16, the OCP 8-bit floating point specification. Conversions to 8-bit floats
saturate, as those of CUDA do; NaN stays NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.lower import tir
from tilelang.lower.dtypes import FP8_FORMATS, Family, compute_of, storage_of
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType


def decode(family: Family, value: tir.Expr, dtype: DType) -> tir.Expr:
    """A stored value in the compute type. A 4-bit value comes as the low half of a byte."""
    compute = compute_of(dtype)
    if dtype.kind == "bfloat" and family == "cpu":
        return tirx.reinterpret("float32", tirx.shift_left(tirx.Cast("uint32", value), tir.const(16, "uint32")))
    if (dtype.is_float and dtype.bits <= 8) or dtype.kind == "custom":
        return _decode_small(family, value, dtype)
    if dtype.bits == 4:
        if dtype.is_signed:
            # In 32 bits: C computes in no narrower type, so there the sign must be at the top.
            wide = tirx.shift_left(tirx.Cast("int32", value), tir.const(28, "int32"))
            return tirx.Cast(compute, tirx.shift_right(wide, tir.const(28, "int32")))
        return tirx.bitwise_and(value, tir.const(15, "uint8"))
    if compute == "bool" and tir.type_of(value) != "bool":
        return tirx.NE(value, tir.const(0, tir.type_of(value)))
    return value if tir.type_of(value) == compute else tirx.Cast(compute, value)


def encode(family: Family, value: tir.Expr, dtype: DType) -> tir.Expr:
    """A value of the compute type as it is stored."""
    storage = storage_of(family, dtype)
    if isinstance(value, tirx.Cast) and tir.type_of(value.value) == storage and storage in ("float16", "bfloat16"):
        # A value that was rounded to this type already.
        return value.value
    if dtype.kind == "bfloat" and family == "cpu":
        from tilelang.lower.cpu.small_floats import encode_bfloat16

        return encode_bfloat16(value)
    if (dtype.is_float and dtype.bits <= 8) or dtype.kind == "custom":
        return _encode_small(family, value, dtype)
    if dtype.bits == 4:
        return tirx.bitwise_and(tirx.Cast("uint8", value), tir.const(15, "uint8"))
    return value if tir.type_of(value) == storage else tirx.Cast(storage, value)


def rounded(family: Family, value: tir.Expr, dtype: DType) -> tir.Expr:
    """A value in the compute type of a narrow type, rounded to what the type can hold."""
    if (dtype.is_float and dtype.bits <= 16) or dtype.kind == "custom":
        return decode(family, encode(family, value, dtype), dtype)
    return value


def _format(dtype: DType) -> str:
    if dtype.bits == 4 or dtype.kind == "custom":
        return "e2m1"
    found = FP8_FORMATS.get(dtype.format)
    if found is None:
        raise Unsupported(f"the type {dtype} is not supported")
    return found


def _decode_small(family: Family, value: tir.Expr, dtype: DType) -> tir.Expr:
    if family == "cuda":
        return tirx.call_pure_extern("float32", f"tl::decode_{_format(dtype)}", value)
    from tilelang.lower.cpu.small_floats import decode_small

    return decode_small(value, _format(dtype))


def _encode_small(family: Family, value: tir.Expr, dtype: DType) -> tir.Expr:
    if family == "cuda":
        return tirx.call_pure_extern("uint8", f"tl::encode_{_format(dtype)}", value)
    from tilelang.lower.cpu.small_floats import encode_small

    return encode_small(value, _format(dtype))
