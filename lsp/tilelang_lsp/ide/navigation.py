"""Definition, declaration, type definition, references and highlights."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.ir.span import Span
from tilelang_lsp.ide.language import item_at
from tilelang_lsp.ide.resolve import module_of, references, symbol_home
from tilelang_lsp.ide.tiles import buffer_at

if TYPE_CHECKING:
    from tilelang.language.registry import LanguageItem
    from tilelang_lsp.ide.resolve import Home
    from tilelang_lsp.session import Snapshot

What = Literal["definition", "declaration", "type"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a name leads: the name there, and all that it defines."""

    origin: Span
    span: Span
    whole: Span


def goto(snapshot: Snapshot, line: int, col: int, what: What) -> list[Target]:
    """Where a definition, the first declaration, or what gives a tile its type is."""
    file = snapshot.file
    item = item_at(file, line, col)
    if item is not None:
        place = item_place(item[0])
        return [Target(item[1], place, place)] if place is not None else []
    occurrence = file.names.at(line, col)
    attribute = file.names.attribute_at(line, col)
    origin = occurrence.span if occurrence is not None else attribute[0] if attribute is not None else None
    if origin is None:
        return []
    if what == "type" and occurrence is not None:
        found = snapshot.map_at(line)
        buffer = buffer_at(occurrence, found) if found is not None else None
        return [Target(origin, buffer.span, buffer.span)] if buffer is not None else []
    home = symbol_home(snapshot.workspace, file, line, col)
    if home is not None:
        return _definitions(home, origin, what)
    if occurrence is not None and occurrence.symbol.kind == "import":
        module = module_of(snapshot.workspace, file, occurrence.symbol.imported)
        if module is not None:
            start = Span(module.path, 1, 0, 1, 0)
            return [Target(origin, start, start)]
        return [Target(origin, each.span, each.span) for each in occurrence.symbol.definitions]
    return []


def _definitions(home: Home, origin: Span, what: What) -> list[Target]:
    """A name that is bound again and again leads to the binding before the place, else to the first."""
    definitions = home.symbol.definitions
    if what == "definition" and origin.path == home.file.path and len(definitions) > 1:
        before = [each for each in definitions if (each.span.line, each.span.col) <= (origin.line, origin.col)]
        definitions = before[-1:] or definitions
    targets: list[Target] = []
    for each in definitions if what == "definition" else definitions[:1]:
        node = each.node
        line, end = getattr(node, "lineno", each.span.line), getattr(node, "end_lineno", each.span.end_line)
        whole = Span(home.file.path, line, getattr(node, "col_offset", 0), end, getattr(node, "end_col_offset", 0))
        inside = (whole.line, whole.col) <= (each.span.line, each.span.col)
        targets.append(Target(origin, each.span, whole if inside and each.kind in ("function", "class") else each.span))
    return targets


def item_place(item: LanguageItem) -> Span | None:
    """The source of a name of the language in this installation."""
    try:
        value = inspect.unwrap(item.value)
        path = inspect.getsourcefile(value)
        line = inspect.getsourcelines(value)[1]
    except (TypeError, OSError, ValueError, AttributeError):
        return None
    return Span(path, line, 0, line, 0) if path is not None else None


@dataclass(frozen=True, slots=True)
class Highlight:
    span: Span
    mode: Literal["read", "write", "text"]


def highlights(snapshot: Snapshot, line: int, col: int) -> list[Highlight]:
    """The mentions of a name in its file. For a tile, operations that write it are writes, and so is its allocation."""
    occurrence = snapshot.file.names.at(line, col)
    if occurrence is None:
        return []
    found = snapshot.map_at(line)
    buffer = buffer_at(occurrence, found) if found is not None else None
    written: set[tuple[int, int]] = set()
    if found is not None and buffer is not None:
        written = {(use.span.line, use.span.col) for use in found.uses[buffer.root] if use.writes}
    defined = {(each.span.line, each.span.col) for each in occurrence.symbol.definitions}
    return [
        Highlight(span, "write" if (span.line, span.col) in written | defined else "read")
        for span in occurrence.symbol.places()
    ]


def find_references(snapshot: Snapshot, line: int, col: int, *, declarations: bool) -> list[Span]:
    """Every mention in the workspace, sorted by place."""
    home = symbol_home(snapshot.workspace, snapshot.file, line, col)
    if home is None:
        occurrence = snapshot.file.names.at(line, col)
        return occurrence.symbol.places() if occurrence is not None else []
    spans = {each.span for each in references(snapshot.workspace, home) if declarations or not each.writes}
    return sorted(spans, key=lambda span: (span.path != snapshot.file.path, span.path, span.line, span.col))
