"""Device functions that CUDA spells with two underscores: ``T.__exp``, ``T.__ldg``, ``T.__ffs`` and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import INT32, dtype
from tilelang.ir.expr import Call, Load
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import describe, here, invalid, is_unknown
from tilelang.language.math import pure

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike, Scalar, Value

__all__ = [
    "__cos",
    "__exp",
    "__exp10",
    "__ffs",
    "__fns",
    "__ldg",
    "__log",
    "__log2",
    "__log10",
    "__sin",
    "__tan",
]


def _fast(op: str, x: object) -> Any:
    found = operand(x)
    if not isinstance(found, Unknown):
        given = value_dtype(found)
        if given.is_known and not given.is_float:
            invalid(f"T.{op}", "x", "a float", f"of type {given}")
    return pure(op, x)


def __exp(x: Value) -> Scalar:
    """e to the power of a float, fast and less exact."""
    return _fast("__exp", x)


def __exp10(x: Value) -> Scalar:
    """10 to the power of a float, fast and less exact."""
    return _fast("__exp10", x)


def __log(x: Value) -> Scalar:
    """Natural logarithm of a float, fast and less exact."""
    return _fast("__log", x)


def __log2(x: Value) -> Scalar:
    """Logarithm to base 2 of a float, fast and less exact."""
    return _fast("__log2", x)


def __log10(x: Value) -> Scalar:
    """Logarithm to base 10 of a float, fast and less exact."""
    return _fast("__log10", x)


def __sin(x: Value) -> Scalar:
    """Sine of a float, fast and less exact."""
    return _fast("__sin", x)


def __cos(x: Value) -> Scalar:
    """Cosine of a float, fast and less exact."""
    return _fast("__cos", x)


def __tan(x: Value) -> Scalar:
    """Tangent of a float, fast and less exact."""
    return _fast("__tan", x)


def __ldg(load_or_buf: BufferLike, index: Value | None = None) -> Scalar:
    """An element of global memory through the read-only cache: ``T.__ldg(A[i])`` or ``T.__ldg(A, i)``."""
    function = "T.__ldg"
    if isinstance(load_or_buf, Buffer):
        if index is None:
            invalid(function, "index", "given with a buffer", "None")
            return cast("Any", UNKNOWN)
        found = operand(index)
        if isinstance(found, Unknown):
            return cast("Any", UNKNOWN)
        load_or_buf = Load(load_or_buf.dtype, load_or_buf, (found,), span=here())
    if isinstance(load_or_buf, Load):
        return cast("Any", Call(load_or_buf.dtype, "__ldg", (load_or_buf,), (("effect", "read"),), span=here()))
    if not is_unknown(load_or_buf):
        invalid(function, "load_or_buf", "an element or a buffer", describe(load_or_buf))
    return cast("Any", UNKNOWN)


def __ffs(value: Value) -> Scalar:
    """Number of the lowest bit that is set, counted from 1; 0 if there is none. An ``int32``."""
    return pure("__ffs", value, dtype=INT32)


def __fns(mask: Value, base: Value, offset: Value) -> Scalar:
    """Number of the bit that is ``offset`` set bits from ``base`` in ``mask``. A ``uint32``."""
    return pure("__fns", mask, base, offset, dtype=dtype("uint32"))
