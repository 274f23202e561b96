"""Which values are known, plain data, or certainly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_container, is_dict, is_open, is_sequence, is_set, is_tuple
from tilelang.frontend.values import External, Tensor
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


MAX_PARTS = 100_000
"""Parts of one value that are looked at. Programs can nest a list in itself, and sharing makes ``x = [x, x]``
exponentially large on paper."""


def same(a: object, b: object) -> bool:
    """Whether two values are certainly the same value. Unknown is never the same as anything."""
    pairs: list[tuple[object, object]] = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while pairs:
        left, right = pairs.pop()
        if left is right:
            if isinstance(left, Unknown):
                return False
        elif is_container(left):
            key = (id(left), id(right))
            if key in seen:
                continue
            seen.add(key)
            inner = _paired(left, right)
            if inner is None or len(pairs) + len(inner) + len(seen) > MAX_PARTS:
                return False
            pairs += inner
        elif not _same_leaf(left, right):
            return False
    return True


def _paired(a: object, b: object) -> list[tuple[object, object]] | None:
    """What has to be the same for two containers to be, or ``None`` if they differ anyway."""
    if type(a) is not type(b) or is_open(a) or is_open(b):
        return None
    if is_sequence(a) and is_sequence(b):
        return list(zip(a, b, strict=True)) if len(a) == len(b) else None
    if is_dict(a) and is_dict(b):
        return [(a[key], b[key]) for key in a] if a.keys() == b.keys() else None
    return [] if a == b else None


def _same_leaf(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (bool, int, float, str, bytes, range, External)):
        return a == b
    if isinstance(a, Expr) and not isinstance(a, Var):
        return a == b
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and a.strides == b.strides
    return False


def contains_unknown(value: object) -> bool:
    """Whether any part of a plain value is unknown, or it has too many parts to tell."""
    return any(isinstance(part, Unknown) for part in parts(value))


def is_plain(value: object) -> bool:
    """Whether a value is made of Python's own immutable data and is small, so that native functions may work on it."""
    if value is None or isinstance(value, _PLAIN):
        return True
    return is_small(value) and all(part is None or isinstance(part, _PLAIN) for part in parts(value))


def is_small(value: object) -> bool:
    """Whether printing, comparing or hashing a value takes little time: the containers in it, counted as often as they
    occur, have at most :data:`MAX_PARTS` entries. Python code can share ``x = (x, x)`` or nest a list in itself."""
    return not is_container(value) or _weight(value) <= MAX_PARTS


def is_key(value: object) -> bool:
    """Whether a value may be looked up in a dict or a set: hashing it takes little time."""
    return is_small(value) if is_tuple(value) or is_set(value) else True


def _weight(value: Collection[Any]) -> int:
    """Entries of a container and of those in it, counted as often as they occur; too many for one nested in itself."""
    weights: dict[int, int] = {}
    opened: set[int] = set()
    stack = [value]
    while stack:
        container = stack[-1]
        key = id(container)
        if key in weights:
            stack.pop()
            continue
        if len(container) > MAX_PARTS:
            return MAX_PARTS + 1
        entries = [*container, *container.values()] if is_dict(container) else container
        inner = [entry for entry in entries if is_container(entry)]
        if key not in opened:
            opened.add(key)
            unknown = {id(entry): entry for entry in inner if id(entry) not in weights}
            if not opened.isdisjoint(unknown):
                return MAX_PARTS + 1
            stack += unknown.values()
            if unknown:
                continue
        stack.pop()
        weights[key] = len(entries) + sum(weights[id(entry)] for entry in inner)
        if weights[key] > MAX_PARTS:
            return MAX_PARTS + 1
    return weights[id(value)]


_PLAIN: tuple[type, ...] = (bool, int, float, str, bytes, complex, range, slice, type(...))


def parts(value: object) -> Iterator[object]:
    """The leaves of nested containers, each container once. What is open or left out is ``UNKNOWN``."""
    seen: set[int] = set()
    stack: list[object] = [value]
    count = 0
    while stack:
        part = stack.pop()
        if not is_container(part):
            yield part
            continue
        if id(part) in seen:
            continue
        seen.add(id(part))
        count += len(part)
        if count > MAX_PARTS or is_open(part):
            yield UNKNOWN
            return
        stack.extend(part)
        if is_dict(part):
            stack.extend(part.values())
