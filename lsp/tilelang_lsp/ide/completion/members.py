"""What comes after a dot: names of the language by context, members of its enumerations, parts of tiles."""

from __future__ import annotations

import enum
import math
from functools import cache
from typing import TYPE_CHECKING

from tilelang.language.registry import all_names, lookup
from tilelang_lsp.ide.completion.item import TENSORS, Completion
from tilelang_lsp.ide.language import item_of, signature_text, summary
from tilelang_lsp.ide.symbols import fuzzy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.language.registry import LanguageItem
    from tilelang_lsp.ide.completion.item import Kind, Request

_LAUNCHERS = frozenset(("Kernel", "ClusterKernel"))
_DECORATORS = frozenset(("prim_func", "macro"))
_STATEMENT_CATEGORIES = frozenset(
    ("copy", "gemm", "reduce", "atomic", "barrier/sync", "cluster/TMA", "tcgen05", "annotation", "debug", "warp")
)
_TILE_CATEGORIES = _STATEMENT_CATEGORIES | {"loop"}
SCALARS = ("float16", "bfloat16", "float32", "int32", "int8", "float8_e4m3fn", "float8_e5m2", "uint8", "int64", "bool")
_KINDS: dict[str, Kind] = {"function": "function", "dtype": "type", "annotation": "type", "class": "class"}
_FITS, _FAR = 40.0, -60.0


def complete(asked: Request) -> list[Completion]:
    receiver = asked.receiver
    if receiver == "tilelang.language":
        prefix = asked.cursor.prefix
        return [_completion(item, asked) for item in _items() if fuzzy(prefix, item.name) is not None]
    item = item_of(receiver)
    if item is not None and isinstance(item.value, type) and issubclass(item.value, enum.Enum):
        return [Completion(each.name, "enum", detail=f"T.{item.name}") for each in item.value]
    return list(_of_tile(asked))


@cache
def _items() -> tuple[LanguageItem, ...]:
    items = (lookup(name) for name in all_names() if not name.startswith("_"))
    return tuple(item for item in items if item is not None and item.kind not in ("removed", "module"))


def _completion(item: LanguageItem, asked: Request) -> Completion:
    score = math.log2(item.uses + 1) + _fit(item, asked)
    # Documentation is read when one looks at the item: reading all would load the whole language.
    return Completion(item.name, _KINDS.get(item.kind, "value"), score, item.category, item=item.name)


def _fit(item: LanguageItem, asked: Request) -> float:
    """How well an item suits the place; negative where it makes no sense."""
    cursor, around = asked.cursor, asked.around
    if asked.in_tensor_type:
        return _FITS + (20.0 if item.name in SCALARS else 0.0) if item.kind == "dtype" else _FAR
    argument = asked.argument if cursor.frames else None
    if argument is not None:
        return _fit_argument(item, asked)
    first = cursor.head[0] if cursor.head else ""
    if first == "@":
        return _FITS if item.name in _DECORATORS else _FAR
    if first == "with":
        return _FITS if item.name in _LAUNCHERS or (around.in_kernel and item.category == "warp") else _FAR
    if first == "for" and "in" in cursor.head:
        return _FITS if item.category == "loop" else _FAR
    if first == "def" or (cursor.frames and not cursor.call and ":" in cursor.frames[-1].text):
        return _FITS if item.name in TENSORS else 10.0 if item.name in SCALARS else _FAR
    if not around.in_kernel:
        return _outside(item, asked)
    if not cursor.head:
        return _FITS if item.category in _STATEMENT_CATEGORIES else 0.0 if item.category == "alloc" else -20.0
    if cursor.head[-1] == "=":
        simple = cursor.head[1] == "=" and "[" not in cursor.head[0]
        return _value(item, allocates=simple)
    return _FITS if item.category == "math" else 0.0 if item.category == "dtype" else -20.0


def _value(item: LanguageItem, *, allocates: bool) -> float:
    """On the right of an assignment."""
    if item.name.startswith("alloc_"):
        return _FITS if allocates else _FAR
    return 20.0 if item.category == "math" else -10.0 if item.category in _TILE_CATEGORIES else 0.0


def _outside(item: LanguageItem, asked: Request) -> float:
    """Outside of a launch nothing can be allocated or copied."""
    if item.category in _TILE_CATEGORIES or item.name.startswith("alloc_"):
        return _FAR
    if asked.around.in_prim_func and not asked.cursor.head:
        return 20.0 if item.name in _LAUNCHERS else 0.0
    return 10.0 if item.category in ("dtype", "math") or item.name in ("dynamic", "const", "symbolic") else 0.0


def _fit_argument(item: LanguageItem, asked: Request) -> float:
    argument = asked.argument
    wanted = argument.type if argument is not None else ""
    if "DTypeLike" in wanted:
        plain = 20.0 if item.name in SCALARS else 0.0
        return _FITS + plain if item.kind == "dtype" else _FAR
    if item.name and item.name in wanted:
        return _FITS
    if item.category in ("math", "other"):
        return 20.0 if item.name in ("ceildiv", "min", "max", "cdiv") else 5.0
    return -20.0


def _of_tile(asked: Request) -> Iterator[Completion]:
    """The attributes of a tile."""
    cursor = asked.cursor
    found = asked.snapshot.map_at(cursor.line)
    buffer = found.by_name.get(cursor.receiver) if found is not None else None
    if buffer is not None:
        for name in ("shape", "dtype"):
            yield Completion(name, "property", detail=f"of {buffer.name}")


def documentation(name: str) -> str:
    """What is shown beside an item."""
    item = lookup(name)
    return summary(item).replace("``", "`") if item is not None else ""


def signature(name: str) -> str:
    """How an item is called."""
    item = lookup(name)
    return signature_text(item) if item is not None else ""
