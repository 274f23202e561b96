"""Functions of numbers, by target family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.lower import tir
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tilelang.lower.dtypes import Family

UNARY = frozenset(
    (
        *("exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "erf", "tanh", "sin", "cos", "tan"),
        *("sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "floor", "ceil", "trunc", "round"),
        *("nearbyint", "fabs", "abs", "sigmoid"),
    )
)
BINARY = frozenset(("pow", "atan2", "hypot", "copysign", "nextafter", "fmod", "ldexp"))
FAST = {
    "__exp": "__expf",
    "__exp10": "__exp10f",
    "__log": "__logf",
    "__log2": "__log2f",
    "__log10": "__log10f",
    "__sin": "__sinf",
    "__cos": "__cosf",
    "__tan": "__tanf",
}
"""Fast forms of float32 functions on CUDA. Elsewhere they are the exact functions."""

_CUDA_NAMES = {"round": "rint", "nearbyint": "rint", "abs": "fabs"}
_CPU_NAMES = {"round": "nearbyint", "fabs": "abs"}
_CPU_NODES = frozenset(
    (
        *("exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "pow", "floor", "ceil", "trunc"),
        *("round", "nearbyint", "fabs", "abs"),
    )
)
"""What LLVM knows itself. TVM's own formulas for the others are less exact than C's library."""


def function(family: Family, op: str, args: Sequence[tir.Expr], dtype: str) -> tir.Expr | None:
    """A function of floats of type ``dtype``, float32 or float64; ``None`` for an unknown one."""
    if op in FAST:
        if family == "cuda" and dtype == "float32":
            return tirx.call_pure_extern(dtype, FAST[op], *args)
        op = op.removeprefix("__")
    if op == "sigmoid":
        one = tir.const(1.0, dtype)
        denominator = function(family, "exp", (tir.const(0.0, dtype) - args[0],), dtype)
        assert denominator is not None
        return one / (one + denominator)
    if op not in UNARY and op not in BINARY:
        return None
    if family == "cuda":
        name = _CUDA_NAMES.get(op, op)
        return tirx.call_pure_extern(dtype, f"{name}f" if dtype == "float32" else name, *args)
    if op in _CPU_NODES:
        made: Callable[..., tir.Expr] = getattr(tirx, _CPU_NAMES.get(op, op))
        return made(*args)
    name = op
    if op == "exp10":
        return tirx.call_pure_extern(dtype, "powf" if dtype == "float32" else "pow", tir.const(10.0, dtype), *args)
    return tirx.call_pure_extern(dtype, f"{name}f" if dtype == "float32" else name, *args)
