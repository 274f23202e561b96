"""Which values are known, plain data, or certainly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.values import External, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Expr
from tilelang.ir.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence


def same(a: object, b: object) -> bool:
    """Whether two values are certainly the same value. Unknown is never the same as anything."""
    if a is b:
        return not isinstance(a, Unknown)
    if isinstance(a, (Unknown, Buffer)) or isinstance(b, (Unknown, Buffer)):
        return False
    if isinstance(a, Expr) or isinstance(b, Expr):
        return isinstance(a, Expr) and isinstance(b, Expr) and a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, (bool, int, float, str, bytes, range, External)):
        return a == b
    if isinstance(a, (tuple, list)):
        left, right = cast("Sequence[Any]", a), cast("Sequence[Any]", b)
        return (
            len(left) == len(right)
            and not getattr(a, "open", False)
            and not getattr(b, "open", False)
            and all(same(x, y) for x, y in zip(left, right, strict=True))
        )
    if isinstance(a, dict):
        first, second = cast("dict[Any, Any]", a), cast("dict[Any, Any]", b)
        return (
            not getattr(a, "open", False)
            and not getattr(b, "open", False)
            and first.keys() == second.keys()
            and all(same(first[key], second[key]) for key in first)
        )
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and a.strides == b.strides
    return False


def contains_unknown(value: object) -> bool:
    """Whether any part of a plain value is unknown."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return bool(getattr(cast("object", value), "open", False)) or any(
            contains_unknown(item) for item in cast("Sequence[Any]", value)
        )
    if isinstance(value, dict):
        return bool(getattr(cast("object", value), "open", False)) or any(
            contains_unknown(item) for item in cast("dict[Any, Any]", value).values()
        )
    return False


def is_plain(value: object) -> bool:
    """Whether a value is made of Python's own immutable data, so that native functions may work on it."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, complex, range, slice, type(...))):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return not getattr(cast("object", value), "open", False) and all(
            is_plain(item) for item in cast("Sequence[Any]", value)
        )
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        return not getattr(value, "open", False) and all(is_plain(k) and is_plain(v) for k, v in entries.items())
    return False
