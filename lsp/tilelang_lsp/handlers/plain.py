"""Records of the features as plain JSON for the requests that LSP does not have."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import cast


def plain(value: object) -> object:
    """Dataclasses become objects with camel-case keys, sequences become arrays; the rest stays."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(each.name): plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in cast("dict[str, object]", value).items()}
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
