"""Call hierarchy: who calls a kernel, factory or macro, and what it calls, down to operations of the language."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.frontend.status import defines_kernel
from tilelang.ir.span import Span
from tilelang_lsp.ide.language import called_item
from tilelang_lsp.ide.navigation import item_place
from tilelang_lsp.ide.resolve import Home, calls_of, symbol_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.ide.names import FunctionNode
    from tilelang_lsp.session import Snapshot
    from tilelang_lsp.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Item:
    """A function, the module code of a file (``name`` is the file's), or an operation of the language."""

    name: str
    kind: Literal["kernel", "function", "module", "operation"]
    span: Span
    whole: Span


@dataclass(frozen=True, slots=True)
class Calls:
    """Who calls or is called, and the places in the caller."""

    item: Item
    places: tuple[Span, ...]


def prepare(snapshot: Snapshot, line: int, col: int) -> Item | None:
    """The function under a position."""
    home = symbol_home(snapshot.workspace, snapshot.file, line, col)
    return _item(home) if home is not None and home.symbol.function is not None else None


def incoming(workspace: Workspace, path: str, line: int) -> list[Calls]:
    """The callers of the function that is defined in a line."""
    owner = _function_in(workspace, path, line)
    if owner is None:
        return []
    grouped: dict[Item, list[Span]] = defaultdict(list)
    for file in (*workspace.importers(owner.symbol.name), *_closed(workspace, path)):
        for call, home in calls_of(workspace, file):
            if home.symbol is owner.symbol:
                scope = file.names.scope_at(call.lineno, call.col_offset)
                grouped[_caller(file, scope.function)].append(_span(file, call.func))
    return [Calls(item, tuple(dict.fromkeys(places))) for item, places in grouped.items()]


def outgoing(workspace: Workspace, path: str, line: int) -> list[Calls]:
    """What the function that is defined in a line calls."""
    owner = _function_in(workspace, path, line)
    node = owner.symbol.function if owner is not None else None
    if owner is None or node is None:
        return []
    grouped: dict[Item, list[Span]] = defaultdict(list)
    for call, home in calls_of(workspace, owner.file, node.body):
        if home.symbol.function is not None:
            grouped[_item(home)].append(_span(owner.file, call.func))
    for item, span in _operations(owner.file, node):
        grouped[item].append(span)
    return [Calls(item, tuple(places)) for item, places in grouped.items()]


def _operations(file: SourceFile, node: FunctionNode) -> Iterator[tuple[Item, Span]]:
    for top in node.body:
        for inner in ast.walk(top):
            if isinstance(inner, ast.Call):
                item = called_item(inner, file, file.names.scope_at(inner.lineno, inner.col_offset))
                place = item_place(item) if item is not None else None
                if item is not None and place is not None:
                    yield Item(f"T.{item.name}", "operation", place, place), _span(file, inner.func)


def _closed(workspace: Workspace, path: str) -> Iterator[SourceFile]:
    """A file outside the open folders, which no search finds."""
    if path not in workspace.paths():
        file = workspace.file(path)
        if file is not None:
            yield file


def _function_in(workspace: Workspace, path: str, line: int) -> Home | None:
    file = workspace.file(path)
    for symbol in file.names.symbols() if file is not None else ():
        if file is not None and symbol.function is not None and any(e.span.line == line for e in symbol.definitions):
            return Home(file, symbol)
    return None


def _caller(file: SourceFile, node: FunctionNode | None) -> Item:
    if node is None:
        start = Span(file.path, 1, 0, 1, 0)
        return Item(file.path.rsplit("/", 1)[-1], "module", start, start)
    definitions = (each for symbol in file.names.symbols() for each in symbol.definitions)
    span = next((each.span for each in definitions if each.node is node), _span(file, node))
    return Item(node.name, _kind(node), span, _span(file, node))


def _item(home: Home) -> Item:
    definition = home.symbol.definitions[-1]
    node = home.symbol.function
    whole = _span(home.file, node) if node is not None else definition.span
    return Item(home.symbol.name, _kind(node), definition.span, whole)


def _kind(node: FunctionNode | None) -> Literal["kernel", "function"]:
    return "kernel" if isinstance(node, ast.FunctionDef) and defines_kernel(node) else "function"


def _span(file: SourceFile, node: ast.expr | ast.stmt) -> Span:
    end_line, end_col = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Span(file.path, node.lineno, node.col_offset, end_line, end_col)
