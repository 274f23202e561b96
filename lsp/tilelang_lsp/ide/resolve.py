"""What a name means across files: through imports to the file that defines it, and back to everyone who imports it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.ide.names import Scope, Symbol
    from tilelang_lsp.workspace import Workspace

DEPTH = 8
"""Imports of imports that are followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Home:
    """A symbol and the file that defines it."""

    file: SourceFile
    symbol: Symbol


def home_of(workspace: Workspace, file: SourceFile, symbol: Symbol) -> Home | None:
    """Where a symbol is defined; itself unless it is an import. None for what is outside the project."""
    for _ in range(DEPTH):
        if symbol.kind != "import":
            return Home(file, symbol)
        module, _, name = _split(symbol.imported)
        path = workspace.module(module, file.path) if module else None
        found = workspace.file(path) if path is not None else None
        inner = found.names.module.symbols.get(name) if found is not None else None
        if found is None or inner is None:
            return None
        file, symbol = found, inner
    return None


def module_of(workspace: Workspace, file: SourceFile, dotted: str) -> SourceFile | None:
    """The project file of a module name."""
    path = workspace.module(dotted, file.path) if dotted else None
    return workspace.file(path) if path is not None else None


def attribute_home(workspace: Workspace, file: SourceFile, node: ast.Attribute, scope: Scope) -> Home | None:
    """Where ``module.name`` is defined, if the module is one of the project."""
    found = module_of(workspace, file, file.names.dotted(node.value, scope))
    symbol = found.names.module.symbols.get(node.attr) if found is not None else None
    return home_of(workspace, found, symbol) if found is not None and symbol is not None else None


def symbol_home(workspace: Workspace, file: SourceFile, line: int, col: int) -> Home | None:
    """The definition of what is under a position."""
    occurrence = file.names.at(line, col)
    if occurrence is not None:
        return home_of(workspace, file, occurrence.symbol)
    found = file.names.attribute_at(line, col)
    return attribute_home(workspace, file, found[1], found[2]) if found is not None else None


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention. ``writes``: it gives the name its meaning."""

    span: Span
    writes: bool


def references(workspace: Workspace, home: Home) -> Iterator[Reference]:
    """Every mention of a symbol, in its own file and in those that import it."""
    yield from _in_file(home)
    function = home.symbol.scope.function
    if home.symbol.kind == "parameter" and function is not None:
        yield from _keywords_elsewhere(workspace, home, function.name)
    elif home.symbol.scope.node is None:
        for file in workspace.importers(home.symbol.name):
            if file.path != home.file.path:
                yield from _by_import(workspace, home, file)


def _in_file(home: Home) -> Iterator[Reference]:
    defined = {(each.span.line, each.span.col) for each in home.symbol.definitions}
    for span in home.symbol.places():
        yield Reference(span, (span.line, span.col) in defined)
    yield from _in_comments(home)


def _in_comments(home: Home) -> Iterator[Reference]:
    """Parameters that an ``instance(...)`` comment names."""
    import re

    from tilelang.syntax.suppressions import comments

    function = home.symbol.scope.function
    if home.symbol.kind != "parameter" or function is None or "tilelang:" not in home.file.source.text:
        return
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    for directive in comments(home.file.source).directives:
        covers = directive.covers
        if directive.name != "instance" or covers is None or not covers[0] <= function.lineno:
            continue
        if not first <= covers[0] <= function.lineno:
            continue
        for match in re.finditer(rf"\b{re.escape(home.symbol.name)}(?=\s*=)", directive.value):
            start = directive.value_column + len(directive.value[: match.start()].encode())
            size = len(match[0].encode())
            yield Reference(Span(home.file.path, directive.line, start, directive.line, start + size), writes=False)


def _by_import(workspace: Workspace, home: Home, file: SourceFile) -> Iterator[Reference]:
    for symbol in file.names.symbols():
        if symbol.kind != "import" or symbol.imported.rpartition(".")[2] != home.symbol.name:
            continue
        found = home_of(workspace, file, symbol)
        if found is None or found.symbol is not home.symbol:
            continue
        if symbol.name == home.symbol.name:
            yield from (Reference(span, writes=False) for span in symbol.places())
        else:
            yield from _renamed_imports(file, symbol, home.symbol.name)
    for span, node, scope in file.names.attributes:
        if node.attr == home.symbol.name:
            found = attribute_home(workspace, file, node, scope)
            if found is not None and found.symbol is home.symbol:
                yield Reference(span, writes=False)


def _renamed_imports(file: SourceFile, symbol: Symbol, name: str) -> Iterator[Reference]:
    """The name before ``as``."""
    for each in symbol.definitions:
        if isinstance(each.node, ast.ImportFrom):
            for alias in each.node.names:
                if alias.name == name and alias.asname == symbol.name:
                    end = alias.col_offset + len(name.encode())
                    yield Reference(Span(file.path, alias.lineno, alias.col_offset, alias.lineno, end), writes=False)


def _keywords_elsewhere(workspace: Workspace, home: Home, function: str) -> Iterator[Reference]:
    """Keyword arguments of calls in other files."""
    owner = home.file.names.module.symbols.get(function)
    if owner is None or owner.function is not home.symbol.scope.function:
        return
    for file in workspace.importers(function):
        if file.path == home.file.path:
            continue
        for call, found in calls_of(workspace, file):
            if found.symbol is not owner:
                continue
            for keyword in call.keywords:
                if keyword.arg == home.symbol.name:
                    end = keyword.col_offset + len(home.symbol.name.encode())
                    span = Span(file.path, keyword.lineno, keyword.col_offset, keyword.lineno, end)
                    yield Reference(span, writes=False)


def calls_of(
    workspace: Workspace, file: SourceFile, body: list[ast.stmt] | None = None
) -> Iterator[tuple[ast.Call, Home]]:
    """Calls in a file, or in some statements of it, with the project function or class that each calls."""
    for top in file.module.body if body is None else body:
        for node in ast.walk(top):
            if not isinstance(node, ast.Call):
                continue
            scope = file.names.scope_at(node.lineno, node.col_offset)
            home: Home | None = None
            if isinstance(node.func, ast.Name):
                symbol = scope.resolve(node.func.id)
                home = home_of(workspace, file, symbol) if symbol is not None else None
            elif isinstance(node.func, ast.Attribute):
                home = attribute_home(workspace, file, node.func, scope)
            if home is not None:
                yield node, home


def _split(dotted: str) -> tuple[str, str, str]:
    """Module and member of a dotted name: ``.k.double`` is ``.k`` and ``double``; ``.double``, ``.`` and ``double``."""
    module, dot, name = dotted.rpartition(".")
    if module.strip(".") == "" and dotted.startswith("."):
        module = "." * (len(dotted) - len(dotted.lstrip(".")))
    return module, dot, name
