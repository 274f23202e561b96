"""Which names of a file mean the same: scopes, definitions and uses, by Python's rules.

Names come from the syntax tree alone, so they are right as soon as a statement can be read, whatever the evaluator
makes of it. A keyword argument of a call to a function of the file counts as a use of that parameter.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang.syntax.text import SourceText

Kind = Literal["variable", "parameter", "function", "class", "import"]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """One place that gives a name a meaning. ``value`` is the expression that it is bound to: of an assignment, the
    operand of ``for`` or ``with``; for a function or class the node is in ``node``."""

    span: Span
    kind: Kind
    node: ast.AST
    value: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Symbol:
    """A name in one scope. ``imported`` is the dotted name behind an import, with leading dots if it is relative."""

    name: str
    scope: Scope
    definitions: list[Definition] = field(default_factory=list["Definition"])
    uses: list[Span] = field(default_factory=list["Span"])
    imported: str = ""

    @property
    def kind(self) -> Kind:
        return self.definitions[0].kind if self.definitions else "variable"

    @property
    def function(self) -> FunctionNode | None:
        """The function that the name stands for, if it is one."""
        nodes = [each.node for each in self.definitions if isinstance(each.node, FunctionNode)]
        return nodes[-1] if nodes and self.kind == "function" else None

    def places(self) -> list[Span]:
        """Every definition and use, in order, without repeats."""
        spans = {(span.line, span.col): span for span in (*(each.span for each in self.definitions), *self.uses)}
        return [spans[key] for key in sorted(spans)]


@dataclass(slots=True, eq=False)
class Scope:
    """The names of a module, class, function or comprehension. ``node`` is None for the module."""

    node: ast.AST | None
    parent: Scope | None
    symbols: dict[str, Symbol] = field(default_factory=dict[str, "Symbol"])
    outside: dict[str, Scope] = field(default_factory=dict[str, "Scope"])
    """Names declared ``global`` or ``nonlocal``, with the scope they belong to."""

    @property
    def function(self) -> FunctionNode | None:
        """The innermost function around."""
        scope: Scope | None = self
        while scope is not None:
            if isinstance(scope.node, FunctionNode):
                return scope.node
            scope = scope.parent
        return None

    def resolve(self, name: str) -> Symbol | None:
        """The symbol that a name means here; scopes of classes do not reach into the functions inside them."""
        scope: Scope | None = self.outside.get(name, self)
        while scope is not None:
            found = scope.symbols.get(name)
            if found is not None and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return found
            scope = scope.parent
        return None

    def visible(self) -> dict[str, Symbol]:
        """Every name that may be used here."""
        found = {} if self.parent is None else self.parent.visible()
        return {**found, **self.symbols}


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of a name."""

    span: Span
    symbol: Symbol
    writes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """All names of a file. ``attributes`` are dotted names rooted at a symbol: (span of the last part, node)."""

    module: Scope
    scopes: tuple[tuple[int, int, int, Scope], ...]
    """First and last line and column of the first, with the scope; inner ones after outer ones."""
    occurrences: tuple[Occurrence, ...]
    attributes: tuple[tuple[Span, ast.Attribute, Scope], ...]

    @staticmethod
    def of(path: str, body: list[ast.stmt], source: SourceText, near: int | None = None) -> Names:
        """``near``: read only the top-level function or class around that line; of the others just the name counts."""
        reader = _Reader(path, source, near)
        reader.define(body, reader.module)
        return reader.finish()

    def at(self, line: int, col: int) -> Occurrence | None:
        """The name that a position is in or right behind."""
        index = bisect_right(self.occurrences, (line, col), key=lambda each: (each.span.line, each.span.col)) - 1
        if index < 0:
            return None
        found = self.occurrences[index]
        return found if found.span.line == line and found.span.col <= col <= found.span.end_col else None

    def attribute_at(self, line: int, col: int) -> tuple[Span, ast.Attribute, Scope] | None:
        """The attribute whose own name a position is in or right behind."""
        return next((it for it in self.attributes if it[0].line == line and it[0].col <= col <= it[0].end_col), None)

    def scope_at(self, line: int, col: int) -> Scope:
        """The innermost scope around a position."""
        found = self.module
        for first, last, column, scope in self.scopes:
            if first <= line <= last and (line > first or col >= column):
                found = scope
        return found

    def dotted(self, node: ast.AST, scope: Scope) -> str:
        """The full name behind ``T.copy`` or ``tilelang.language.copy``: imports followed, empty if it is none."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        symbol = scope.resolve(node.id)
        base = symbol.imported if symbol is not None else ""
        return ".".join([base, *reversed(parts)]) if base else ""

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol of the file."""
        yield from self.module.symbols.values()
        for *_, scope in self.scopes:
            yield from scope.symbols.values()


class _Reader:
    """Two walks: definitions first, since a function may use names that are bound below it; then uses."""

    def __init__(self, path: str, source: SourceText, near: int | None) -> None:
        self.path, self.source, self.near = path, source, near
        self.module = Scope(None, None)
        self.scopes: list[tuple[int, int, int, Scope]] = []
        self.pending: list[tuple[ast.Name, Scope]] = []
        self.keywords: list[tuple[ast.Call, Scope]] = []
        self.attributes: list[tuple[Span, ast.Attribute, Scope]] = []

    # --- definitions --------------------------------------------------------------------------------------------

    def define(self, nodes: Iterable[ast.AST], scope: Scope) -> None:
        for node in nodes:
            self.visit(node, scope)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.pending.append((node, scope))
            else:
                self.bind(node.id, self.span(node, node.id), "variable", node, scope)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node, scope)
        elif isinstance(node, ast.Lambda):
            self.parameters(node.args, self.opened(node, scope), scope)
            self.visit(node.body, self.scopes[-1][3])
        elif isinstance(node, ast.ClassDef):
            self.bind(node.name, self.after_keyword(node, node.name), "class", node, scope)
            if self.skips(node, scope):
                return
            self.define((*node.decorator_list, *node.bases, *node.keywords), scope)
            self.define(node.body, self.opened(node, scope))
        elif isinstance(node, _COMPREHENSIONS):
            self.comprehension(node, scope)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports(node, scope)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.elsewhere(node, scope)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            span = self.word(node.name, node.lineno, node.col_offset)
            self.bind(node.name, span, "variable", node, scope)
            self.define(ast.iter_child_nodes(node), scope)
        else:
            self.other(node, scope)

    def other(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            self.visit(node.value, scope)
            for target in node.targets:
                self.assign(target, node.value, scope)
        elif isinstance(node, ast.AnnAssign):
            self.define([part for part in (node.annotation, node.value) if part is not None], scope)
            self.assign(node.target, node.value, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.visit(node.iter, scope)
            self.assign(node.target, node.iter, scope)
            self.define((*node.body, *node.orelse), scope)
        elif isinstance(node, ast.withitem):
            self.visit(node.context_expr, scope)
            if node.optional_vars is not None:
                self.assign(node.optional_vars, node.context_expr, scope)
        elif isinstance(node, ast.NamedExpr):
            self.visit(node.value, scope)
            self.assign(node.target, node.value, scope)
        else:
            if isinstance(node, ast.Attribute):
                end = node.end_col_offset or 0
                size = len(node.attr.encode())
                line = node.end_lineno or node.lineno
                self.attributes.append((Span(self.path, line, end - size, line, end), node, scope))
            elif isinstance(node, ast.Call) and node.keywords:
                self.keywords.append((node, scope))
            self.define(ast.iter_child_nodes(node), scope)

    def assign(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        """Bind the names of a target, each part of a tuple to its part of the value where the source shows that."""
        if isinstance(target, ast.Name):
            self.bind(target.id, self.span(target, target.id), "variable", target, scope, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts: list[ast.expr | None] = [value] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                parts = list(value.elts)
            for inner, part in zip(target.elts, parts, strict=True):
                self.assign(inner, part, scope)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, scope)
        else:
            self.visit(target, scope)

    def function(self, node: FunctionNode, scope: Scope) -> None:
        self.bind(node.name, self.after_keyword(node, node.name), "function", node, scope)
        if self.skips(node, scope):
            return
        self.define(node.decorator_list, scope)
        if node.returns is not None:
            self.visit(node.returns, scope)
        inner = self.opened(node, scope)
        self.parameters(node.args, inner, scope)
        self.define(node.body, inner)

    def skips(self, node: FunctionNode | ast.ClassDef, scope: Scope) -> bool:
        """Whether what is in a top-level function or class is too far away to be asked for."""
        if self.near is None or scope.node is not None:
            return False
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        return not first <= self.near <= self.body_end(node, node.end_lineno or node.lineno)

    def parameters(self, args: ast.arguments, inner: Scope, outer: Scope) -> None:
        defaults = [part for part in (*args.defaults, *args.kw_defaults) if part is not None]
        self.define(defaults, outer)
        stars = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, *stars):
            if arg.annotation is not None:
                # Annotations of a kernel name its sizes, which are the factory's.
                self.visit(arg.annotation, outer)
            self.bind(arg.arg, self.span(arg, arg.arg), "parameter", arg, inner, arg.annotation)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope) -> None:
        self.visit(node.generators[0].iter, scope)
        inner = self.opened(node, scope)
        for index, generator in enumerate(node.generators):
            if index:
                self.visit(generator.iter, inner)
            self.assign(generator.target, generator.iter, inner)
            self.define(generator.ifs, inner)
        self.define((node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,), inner)

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            if alias.name == "*":
                continue
            bound = alias.asname or (alias.name.split(".", 1)[0] if isinstance(node, ast.Import) else alias.name)
            line, end = alias.end_lineno or alias.lineno, alias.end_col_offset or 0
            size = len(bound.encode())
            first = end - size if alias.asname else alias.col_offset
            symbol = self.bind(bound, Span(self.path, line, first, line, first + size), "import", node, scope)
            if isinstance(node, ast.Import):
                symbol.imported = alias.name if alias.asname else bound
            else:
                base = "." * node.level + (node.module or "")
                symbol.imported = f"{base}{'' if base.endswith('.') else '.'}{alias.name}"

    def elsewhere(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        home = self.module if isinstance(node, ast.Global) else scope.parent
        for name in node.names:
            found = None if home is None else home.resolve(name)
            scope.outside[name] = self.module if found is None else found.scope

    # --- making things ------------------------------------------------------------------------------------------

    def bind(
        self, name: str, span: Span, kind: Kind, node: ast.AST, scope: Scope, value: ast.expr | None = None
    ) -> Symbol:
        home = scope.outside.get(name, scope)
        symbol = home.symbols.get(name)
        if symbol is None:
            symbol = home.symbols[name] = Symbol(name, home)
        symbol.definitions.append(Definition(span, kind, node, value))
        return symbol

    def opened(self, node: ast.AST, parent: Scope) -> Scope:
        scope = Scope(node, parent)
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            # Lines below the last statement that are indented like the body are typed inside it.
            last = self.body_end(node, last)
        self.scopes.append((first, last, getattr(node, "col_offset", 0), scope))
        return scope

    def body_end(self, node: FunctionNode | ast.ClassDef, last: int) -> int:
        """The last line of a body, with blank lines and lines that are indented more than its header."""
        line = last + 1
        while line <= self.source.line_count:
            text = self.source.line_text(line)
            if text.strip() and len(text) - len(text.lstrip()) <= node.col_offset:
                break
            line += 1
        return line - 1

    def span(self, node: ast.expr | ast.arg, name: str) -> Span:
        return Span(self.path, node.lineno, node.col_offset, node.lineno, node.col_offset + len(name.encode()))

    def after_keyword(self, node: FunctionNode | ast.ClassDef, name: str) -> Span:
        """The name behind ``def`` or ``class``."""
        return self.word(name, node.lineno, node.col_offset + len("def"))

    def word(self, name: str, line: int, col: int) -> Span:
        data = self.source.line_text(line).encode()
        found = re.compile(rb"(?<![\w.])" + re.escape(name.encode()) + rb"\b").search(data, col)
        start = found.start() if found else col
        return Span(self.path, line, start, line, start + len(name.encode()))

    # --- uses ---------------------------------------------------------------------------------------------------

    def finish(self) -> Names:
        for node, scope in self.pending:
            symbol = scope.resolve(node.id)
            if symbol is not None:
                symbol.uses.append(self.span(node, node.id))
        for call, scope in self.keywords:
            self.keyword_uses(call, scope)
        names = Names(self.module, tuple(self.scopes), (), tuple(self.attributes))
        places: dict[tuple[int, int], Occurrence] = {}
        for symbol in names.symbols():
            for span in symbol.uses:
                places[span.line, span.col] = Occurrence(span, symbol, writes=False)
            for each in symbol.definitions:
                places[each.span.line, each.span.col] = Occurrence(each.span, symbol, writes=True)
        ordered = tuple(places[key] for key in sorted(places))
        return Names(self.module, names.scopes, ordered, names.attributes)

    def keyword_uses(self, call: ast.Call, scope: Scope) -> None:
        function = scope.resolve(call.func.id) if isinstance(call.func, ast.Name) else None
        node = function.function if function is not None else None
        inner = next((one for *_, one in self.scopes if node is not None and one.node is node), None)
        if inner is None:
            return
        for keyword in call.keywords:
            symbol = inner.symbols.get(keyword.arg or "")
            if symbol is not None and symbol.kind == "parameter":
                size = len(symbol.name.encode())
                end = keyword.col_offset + size
                symbol.uses.append(Span(self.path, keyword.lineno, keyword.col_offset, keyword.lineno, end))
