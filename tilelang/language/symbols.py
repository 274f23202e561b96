"""Symbolic sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import INT32
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.context import describe, invalid
from tilelang.language.dtypes import to_dtype
from tilelang.language.tensors import symbol

if TYPE_CHECKING:
    from tilelang.language.values import DTypeLike


def dynamic(name: str, dtype: DTypeLike = "int32") -> Any:
    """A size that each call of the kernel brings with its tensors. ``"m, n"`` or ``"m n"`` gives a tuple of two."""
    return _symbols("T.dynamic", name, dtype)


def symbolic(name: str, dtype: DTypeLike = "int32") -> Any:
    """An older name of :func:`dynamic`."""
    return _symbols("T.symbolic", name, dtype)


def const(name: str, dtype: DTypeLike = "int32") -> Any:
    """A size that an eager kernel is compiled for, found in the shapes of its tensors. ``"M, N"`` gives a tuple."""
    return _symbols("T.const", name, dtype)


def _symbols(function: str, name: object, dtype: object) -> Any:
    if not isinstance(name, str):
        if not isinstance(name, Unknown):
            invalid(function, "name", "a name, or names with commas between", describe(name))
        return UNKNOWN
    kind = INT32 if dtype == "int32" else to_dtype(function, dtype)
    names = re.split(r"\s*,\s*|\s+", name.strip())
    if len(names) == 1:
        return symbol(names[0], kind)
    return tuple(symbol(entry, kind) for entry in names if entry)
