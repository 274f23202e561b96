"""Inside a string: dtypes, the choices of a parameter, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.language.registry import all_names, lookup
from tilelang.targets import known_names
from tilelang_lsp.ide.callee import full_name
from tilelang_lsp.ide.completion.item import Completion
from tilelang_lsp.ide.completion.members import SCALARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.ide.completion.item import Request

_TARGET_CALLS = ("tilelang.jit", "tilelang.compile", "tilelang.lower")


def complete(asked: Request) -> list[Completion]:
    cursor = asked.cursor
    frame, argument = cursor.call, asked.argument
    if frame is not None and frame.keyword == "target":
        called = full_name(asked.snapshot, frame.callee, cursor.line, cursor.col)
        if called in _TARGET_CALLS:
            return [Completion(name, "value", -len(name)) for name in known_names()]
    if argument is not None and argument.choices:
        return [Completion(value, "value", 10.0) for value in argument.choices]
    wants_dtype = argument is not None and "DTypeLike" in argument.type
    if wants_dtype or asked.in_tensor_type or (frame is not None and "dtype" in frame.keyword):
        return list(dtypes())
    return []


def dtypes() -> Iterator[Completion]:
    """Names of element types, the usual ones first, vectors last."""
    for name in all_names():
        item = lookup(name)
        if item is not None and item.kind == "dtype" and "x" not in name:
            usual = 20.0 - SCALARS.index(name) if name in SCALARS else 0.0
            yield Completion(name, "type", usual, "dtype", item=name)
