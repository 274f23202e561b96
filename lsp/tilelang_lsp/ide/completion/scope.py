"""Names that may be used at a place: those of the functions around, of the module, and the words of the language."""

from __future__ import annotations

import builtins
import keyword
from typing import TYPE_CHECKING

from tilelang_lsp.ide.completion.item import Completion
from tilelang_lsp.ide.tiles import loop_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.ide.completion.item import Kind, Request
    from tilelang_lsp.ide.names import Symbol

_KINDS: dict[str, Kind] = {"function": "function", "class": "class", "import": "module"}
_LANGUAGE = 30.0
_IMPORTS = frozenset(("import", "from"))


def complete(asked: Request) -> Iterator[Completion]:
    cursor = asked.cursor
    if cursor.head and cursor.head[0] in _IMPORTS:
        return
    if cursor.head and cursor.head[0] in ("def", "class") and not cursor.frames:
        return
    scope = asked.scope
    for name, symbol in scope.visible().items():
        if name != "__missing__":
            yield Completion(name, _KINDS.get(symbol.kind, "variable"), _score(symbol, asked), symbol.imported)
    if asked.snapshot.options.python_completion and cursor.prefix:
        yield from (Completion(name, "keyword", -30) for name in keyword.kwlist)
        yield from (Completion(name, "function", -40) for name in dir(builtins) if not name.startswith("_"))


def _as_number(symbol: Symbol, asked: Request) -> float:
    """Sizes suit shapes and extents, loop variables suit indices."""
    argument = asked.argument
    if asked.is_direct and argument is not None and ("BufferLike" in argument.type or argument.type == "bool"):
        return 0.0
    if asked.cursor.frames[-1].bracket == "[":
        found = asked.snapshot.map_at(asked.cursor.line)
        is_loop = found is not None and loop_of(symbol, found) is not None
        # The innermost loop is the last one that was opened.
        return 12.0 + symbol.definitions[0].span.line / 1000 if is_loop else 4.0
    is_tile_size = any(word in symbol.name.lower() for word in ("block", "tile"))
    return (8.0 if symbol.kind == "parameter" else 0.0) + (3.0 if is_tile_size else 0.0)


def _score(symbol: Symbol, asked: Request) -> float:
    if symbol.imported == "tilelang.language":
        in_size = asked.argument is not None and not asked.is_direct
        return 5.0 if asked.cursor.frames and not in_size else _LANGUAGE
    if symbol.imported == "tilelang":
        return _LANGUAGE if asked.cursor.head[:1] == ("@",) else -5.0
    distance, scope = 0, asked.scope
    while scope is not symbol.scope and scope.parent is not None:
        distance, scope = distance + 1, scope.parent
    near = 10.0 - 2.0 * distance
    wanted = asked.argument.name if asked.argument is not None and asked.argument.name else ""
    same = 15.0 if wanted and wanted == symbol.name else 0.0
    sizes = _as_number(symbol, asked) if asked.cursor.frames else 0.0
    return near + same + sizes - (20.0 if symbol.kind in ("import", "class") else 0.0)
