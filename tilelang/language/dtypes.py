"""Element types by name: ``T.float16``, ``T.int4``, ``T.float8_e4m3fn``, ``T.bfloat16x2`` and so on.

A type is a :class:`~tilelang.ir.dtype.DType`: it compares equal to its name, has ``bits``, ``bytes`` and ``lanes``, and
converts a value when called (``T.float16(x)``). The constants are made when they are first asked for.
"""

from __future__ import annotations

from tilelang.ir.dtype import UNKNOWN_DTYPE, DType
from tilelang.ir.unknown import Unknown
from tilelang.language.context import describe, invalid

dtype = DType
"""``T.dtype(name)`` gives the type of that name, as upstream's class of the same name does."""

AnyDType = DType | str | type

_PLAIN = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
_FLOAT_FORMATS = (
    "bfloat16",
    "tfloat32",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
)
_SCALARS = (*_PLAIN, *_FLOAT_FORMATS)
_NAMED = {
    "bool": "bool",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "short": "int16",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int4": "int4",
    "float4_e2m1_unpacked": "float4_e2m1_unpacked",
}
_LANES = (2, 4, 8, 16, 32, 64)

_PYTHON_TYPES: dict[type, str] = {bool: "bool", int: "int32", float: "float32"}


def names() -> tuple[str, ...]:
    """Every dtype constant of the language."""
    vectors = [f"{scalar}x{lanes}" for scalar in _SCALARS for lanes in _LANES]
    return (*_NAMED, *_SCALARS, *vectors)


def __getattr__(name: str) -> DType:
    scalar, _, lanes = name.partition("x")
    if name in _NAMED or (scalar in _SCALARS and (not lanes or (lanes.isdigit() and int(lanes) in _LANES))):
        # Not kept among the globals: ``int`` and ``float`` there would hide the built-in types in this module.
        found = DType.parse(_NAMED.get(name, name))
        if found is not None:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_dtype(value: object) -> DType | None:
    """The type that ``value`` names: a dtype, a name, ``bool``/``int``/``float``, or an object printed as a name
    (``torch.float16``). ``None`` if it names none."""
    if isinstance(value, str):
        return DType.parse(value)
    if isinstance(value, Unknown):
        return UNKNOWN_DTYPE
    if isinstance(value, type):
        name = _PYTHON_TYPES.get(value)
        return DType.parse(name) if name is not None else None
    return None if value is None or isinstance(value, (int, float, tuple, list, dict)) else DType.parse(str(value))


def to_dtype(function: str, value: object, argument: str = "dtype") -> DType:
    """Like :func:`as_dtype`; records ``invalid-argument`` for a value that names no type and returns an unknown one."""
    found = as_dtype(value)
    if found is None:
        known: object = value
        if known is None or isinstance(known, (str, int, float, tuple, list)):
            invalid(function, argument, "a dtype", describe(value))
        return UNKNOWN_DTYPE
    return found


def is_float4_e2m1fn(value: AnyDType) -> bool:
    """Whether ``value`` is the packed 4-bit float, two to a byte."""
    found = as_dtype(value)
    return found is not None and found.is_float4_e2m1fn()


def is_float4_e2m1_unpacked(value: AnyDType) -> bool:
    """Whether ``value`` is the 4-bit float stored in a byte of its own."""
    found = as_dtype(value)
    return found is not None and found.is_float4_e2m1_unpacked()


def is_float4(value: AnyDType) -> bool:
    """Whether ``value`` is a 4-bit float, packed or not."""
    return is_float4_e2m1fn(value) or is_float4_e2m1_unpacked(value)


def is_f8f6f4_family(value: AnyDType) -> bool:
    """Whether ``value`` is a float of 8, 6 or 4 bits: operands of one matrix instruction may mix those."""
    found = as_dtype(value)
    return found is not None and bool(found.format) and found.is_float and found.format != "e8m0fnu"


def get_tvm_dtype(value: AnyDType) -> DType:
    """The dtype that ``value`` names. Raises ``TypeError`` for anything else."""
    found = as_dtype(value)
    if found is None:
        raise TypeError(f"not a dtype: {value!r}")
    return found


def validate_gemm_ab_dtypes(
    a_dtype: AnyDType, b_dtype: AnyDType, *, a_in_tmem: bool = False, allow_f8f6f4_mixed: bool = False
) -> None:
    """Raise ``ValueError`` unless one matrix instruction takes both types: equal ones, or two of the small float
    family if ``allow_f8f6f4_mixed``."""
    if get_tvm_dtype(a_dtype) == get_tvm_dtype(b_dtype):
        return
    if not (allow_f8f6f4_mixed and not a_in_tmem and is_f8f6f4_family(a_dtype) and is_f8f6f4_family(b_dtype)):
        raise ValueError(f"matrix operands have different types: {a_dtype} and {b_dtype}")
