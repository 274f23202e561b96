"""Symbols of a file, nested as a kernel is: parameters, tiles, loops, operations; and search over many files."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.frontend.status import defines_kernel
from tilelang.ir.span import Span
from tilelang_lsp.ide.language import called_item
from tilelang_lsp.ide.tiles import scope_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang_lsp.analysis import Map
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.session import Snapshot
    from tilelang_lsp.workspace import Workspace

Kind = Literal["class", "function", "kernel", "parameter", "tile", "loop", "operation", "variable"]

_OPERATIONS = frozenset(("copy", "gemm", "reduce", "atomic", "tcgen05", "barrier/sync", "cluster/TMA"))


@dataclass(frozen=True, slots=True)
class FileSymbol:
    """``span`` is all of it, ``name_span`` what to select."""

    name: str
    kind: Kind
    detail: str
    span: Span
    name_span: Span
    children: tuple[FileSymbol, ...] = ()


def document_symbols(snapshot: Snapshot) -> tuple[FileSymbol, ...]:
    """The outline of a file. Details such as shapes come from the last check, if there was one."""
    return tuple(_Outline(snapshot).block(snapshot.file.module.body, None))


class _Outline:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.file = snapshot, snapshot.file
        definitions = (each for symbol in self.file.names.symbols() for each in symbol.definitions)
        self.headers = {id(each.node): each.span for each in definitions if each.kind in ("function", "class")}

    def span(self, node: ast.stmt | ast.expr | ast.arg) -> Span:
        end_line, end_col = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(self.file.path, node.lineno, node.col_offset, end_line, end_col)

    def block(self, body: Iterable[ast.stmt], found: Map | None) -> Iterator[FileSymbol]:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield self.function(node)
            elif isinstance(node, ast.ClassDef):
                yield FileSymbol(
                    node.name,
                    "class",
                    "",
                    self.span(node),
                    self.name_span(node),
                    tuple(self.block(node.body, None)),
                )
            elif isinstance(node, ast.With):
                yield from self.block(node.body, found)
            elif isinstance(node, (ast.For, ast.While)):
                yield from self.loop(node, found)
            elif isinstance(node, (ast.If, ast.Try)):
                yield from self.block((*node.body, *node.orelse), found)
            elif isinstance(node, ast.Assign):
                yield from self.assignment(node, found)
            elif isinstance(node, ast.Expr) and found is not None:
                yield from self.operation(node, found)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> FileSymbol:
        is_kernel = isinstance(node, ast.FunctionDef) and defines_kernel(node)
        found = self.snapshot.map_at(node.lineno)
        inner = found if is_kernel else None
        params: list[FileSymbol] = []
        for arg in node.args.args if is_kernel else ():
            buffer = inner.allocations.get((arg.lineno, arg.col_offset)) if inner is not None else None
            detail = f"{buffer.dtype}[{', '.join(shape_of(buffer))}]" if buffer is not None else ""
            params.append(FileSymbol(arg.arg, "parameter", detail, self.span(arg), self.span(arg)))
        children = (*params, *(() if is_kernel and found is None else self.block(node.body, inner)))
        kind: Kind = "kernel" if is_kernel else "function"
        return FileSymbol(
            node.name, kind, "kernel" if is_kernel else "", self.span(node), self.name_span(node), children
        )

    def name_span(self, node: ast.stmt) -> Span:
        """The name behind ``def`` or ``class``."""
        return self.headers.get(id(node)) or self.span(node)

    def loop(self, node: ast.For | ast.While, found: Map | None) -> Iterator[FileSymbol]:
        if found is None:
            yield from self.block(node.body, found)
            return
        header = node.iter if isinstance(node, ast.For) else node.test
        text = ast.unparse(header)
        target = ast.unparse(node.target) if isinstance(node, ast.For) else "while"
        inside = tuple(self.block(node.body, found))
        yield FileSymbol(target, "loop", text, self.span(node), self.span(header), inside)

    def assignment(self, node: ast.Assign, found: Map | None) -> Iterator[FileSymbol]:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                continue
            place = (node.value.lineno, node.value.col_offset)
            buffer = found.allocations.get(place) if found is not None else None
            if buffer is not None:
                detail = f"{scope_of(buffer)} {buffer.dtype}[{', '.join(shape_of(buffer))}]"
                yield FileSymbol(target.id, "tile", detail, self.span(node), self.span(target))
            elif node.col_offset == 0:
                yield FileSymbol(target.id, "variable", "", self.span(node), self.span(target))

    def operation(self, node: ast.Expr, found: Map) -> Iterator[FileSymbol]:
        scope = self.file.names.scope_at(node.lineno, node.col_offset)
        item = called_item(node.value, self.file, scope)
        if item is not None and item.category in _OPERATIONS and isinstance(node.value, ast.Call):
            detail = ", ".join(ast.unparse(arg) for arg in node.value.args)
            name_span = self.span(node.value.func)
            yield FileSymbol(f"T.{item.name}", "operation", detail, self.span(node), name_span)


# --- workspace --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Match:
    """A symbol of some file; ``score`` orders matches, lower first."""

    name: str
    kind: Kind
    container: str
    span: Span
    score: tuple[int, int, str]


def workspace_symbols(workspace: Workspace, query: str, limit: int = 200) -> list[Match]:
    """Functions, kernels and classes whose name has the letters of a query in order: kernels first, near hits first."""
    matches: list[Match] = []
    for path in workspace.paths():
        file = workspace.file(path)
        if file is not None and file.mentions_language:
            matches += _matches(file, query)
    return sorted(matches, key=lambda match: match.score)[:limit]


def _matches(file: SourceFile, query: str) -> Iterator[Match]:
    for symbol in file.names.symbols():
        each = symbol.definitions[0] if symbol.definitions else None
        if each is None or each.kind not in ("function", "class"):
            continue
        distance = fuzzy(query, symbol.name)
        if distance is None:
            continue
        kind: Kind = "class" if each.kind == "class" else "function"
        if isinstance(each.node, ast.FunctionDef) and defines_kernel(each.node):
            kind = "kernel"
        around = symbol.scope.function
        container = around.name if around is not None else file.path.rsplit("/", 1)[-1]
        yield Match(symbol.name, kind, container, each.span, (kind != "kernel", distance, symbol.name))


def fuzzy(query: str, name: str) -> int | None:
    """How far a name is from a query: 0 if equal; None if the query's letters are not in it in order."""
    wanted, text = query.lower(), name.lower()
    if wanted in text:
        return 2 * text.index(wanted) + (len(text) != len(wanted))
    position, gaps = -1, 0
    for letter in wanted:
        found = text.find(letter, position + 1)
        if found < 0:
            return None
        gaps += found - position - 1
        position = found
    return 100 + gaps
