# Written by tools/gen_language.py; do not edit.
# For type checkers a dtype is a class, so that it may annotate a scalar parameter: ``n: T.int32``.

from typing import Any

from tilelang.ir.dtype import DType
from tilelang.language.values import Scalar

class dtype(type, DType):  # pyright: ignore
    """An element type. Called with a value, it converts the value; called with a name, ``dtype`` gives that type."""

    def __new__(cls, name: Any, *args: Any) -> dtype: ...
    def __init__(self, name: Any, *args: Any) -> None: ...
    def __call__(self, *values: Any) -> Any: ...

AnyDType = DType | str | type

def names() -> tuple[str, ...]: ...
def as_dtype(value: object) -> DType | None: ...
def to_dtype(function: str, value: object, argument: str = ...) -> DType: ...
def is_float4_e2m1fn(value: Any) -> bool: ...
def is_float4_e2m1_unpacked(value: Any) -> bool: ...
def is_float4(value: Any) -> bool: ...
def is_f8f6f4_family(value: Any) -> bool: ...
def get_tvm_dtype(value: Any) -> DType: ...
def validate_gemm_ab_dtypes(
    a_dtype: Any, b_dtype: Any, *, a_in_tmem: bool = ..., allow_f8f6f4_mixed: bool = ...
) -> None: ...

class bfloat16(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class bfloat16x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class bool(Scalar, metaclass=dtype): ...  # pyright: ignore
class double(Scalar, metaclass=dtype): ...  # pyright: ignore
class float(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float16x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float32x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1_unpacked(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fn(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float4_e2m1fnx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float64x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fn(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e2m3fnx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fn(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float6_e3m2fnx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e3m4x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuz(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3b11fnuzx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fn(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuz(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnuzx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3fnx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e4m3x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuz(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2fnuzx8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e5m2x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnu(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux16(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux2(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux32(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux4(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux64(Scalar, metaclass=dtype): ...  # pyright: ignore
class float8_e8m0fnux8(Scalar, metaclass=dtype): ...  # pyright: ignore
class half(Scalar, metaclass=dtype): ...  # pyright: ignore
class int(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class int16x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class int32x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class int4(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class int64x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class int8x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class long(Scalar, metaclass=dtype): ...  # pyright: ignore
class short(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class tfloat32x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint16x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint32x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint64x8(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x16(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x2(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x32(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x4(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x64(Scalar, metaclass=dtype): ...  # pyright: ignore
class uint8x8(Scalar, metaclass=dtype): ...  # pyright: ignore
