"""Which values are known, plain data, or certainly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.containers import is_dict, is_open, is_sequence
from tilelang.frontend.values import External, Tensor
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_NESTING = 40
"""Levels of nesting up to which values are compared. Programs can nest a list in itself."""

MAX_PARTS = 100_000
"""Parts of one value that are looked at. Sharing makes ``x = [x, x]`` exponentially large on paper."""


def same(a: object, b: object, depth: int = 0) -> bool:
    """Whether two values are certainly the same value. Unknown is never the same as anything."""
    if a is b:
        return not isinstance(a, Unknown)
    if depth > MAX_NESTING or type(a) is not type(b):
        return False
    if isinstance(a, (bool, int, float, str, bytes, range, External)):
        return a == b
    if isinstance(a, Expr) and not isinstance(a, Var):
        return a == b
    if is_open(a) or is_open(b):
        return False
    if is_sequence(a) and is_sequence(b):
        return len(a) == len(b) and all(same(x, y, depth + 1) for x, y in zip(a, b, strict=True))
    if is_dict(a) and is_dict(b):
        return a.keys() == b.keys() and all(same(a[key], b[key], depth + 1) for key in a)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and a.strides == b.strides
    return False


def contains_unknown(value: object) -> bool:
    """Whether any part of a plain value is unknown, or it has too many parts to tell."""
    return any(isinstance(part, Unknown) for part in parts(value))


def is_plain(value: object) -> bool:
    """Whether a value is made of Python's own immutable data, so that native functions may work on it."""
    if value is None or isinstance(value, _PLAIN):
        return True
    return isinstance(value, _CONTAINERS) and all(part is None or isinstance(part, _PLAIN) for part in parts(value))


_PLAIN = (bool, int, float, str, bytes, complex, range, slice, type(...))
_CONTAINERS = (list, tuple, set, frozenset, dict)


def parts(value: object) -> Iterator[object]:
    """The leaves of nested containers, each container once. What is open or left out is ``UNKNOWN``."""
    seen: set[int] = set()
    stack: list[object] = [value]
    count = 0
    while stack:
        part = stack.pop()
        if not isinstance(part, _CONTAINERS):
            yield part
            continue
        container = cast("Any", part)
        if id(container) in seen:
            continue
        seen.add(id(container))
        count += len(container)
        if count > MAX_PARTS or is_open(container):
            yield UNKNOWN
            return
        stack.extend(container)
        if isinstance(part, dict):
            stack.extend(container.values())
