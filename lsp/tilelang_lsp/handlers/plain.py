"""Records of the features as plain JSON for the requests that LSP does not have."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, cast

from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable


def plain(value: object, located: Callable[[Span], object] | None = None) -> object:
    """Dataclasses become objects with camel-case keys, sequences become arrays, places become what ``located`` makes
    of them; the rest stays."""
    if isinstance(value, Span):
        return located(value) if located is not None else None
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(each.name): plain(getattr(value, each.name), located) for each in fields(value)}
    if isinstance(value, (tuple, list)):
        # Tables of numbers have tens of thousands of entries.
        return [each if isinstance(each, int) else plain(each, located) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        return {key: plain(each, located) for key, each in cast("dict[str, object]", value).items()}
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
