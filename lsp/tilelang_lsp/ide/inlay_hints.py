"""Inlay hints: what the shown instance of a kernel makes of the source, at the end of the name or call it is about."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.ir.printer import text_of
from tilelang_lsp.ide.code_hints import LineCode, code_of_kernel, code_text
from tilelang_lsp.ide.tile_layout import swizzle_text
from tilelang_lsp.ide.tiles import arguments_text, buffer_of, scope_of, shape_of, size_text, tile_of, trips, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.instance import Instance
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import For, Launch
    from tilelang_lsp.analysis import Analysis, Kernel, Map
    from tilelang_lsp.ide.names import Definition, Symbol
    from tilelang_lsp.session import Snapshot

Kind = Literal["tile", "value", "loop", "launch", "code"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a label; ``target`` is where a click leads."""

    text: str
    target: Span | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """A label behind a position. ``tooltip`` names the instance that it holds for; for code it is Markdown."""

    line: int
    col: int
    kind: Kind
    parts: tuple[Part, ...]
    tooltip: str

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


def inlay_hints(snapshot: Snapshot, first: int, last: int) -> list[Hint]:
    """The hints of the kernels between two lines."""
    analysis, options = snapshot.analysis, snapshot.options.inlay_hints
    if analysis is None or not snapshot.is_current:
        return []
    hints: dict[tuple[int, int], Hint] = {}
    shown = {"tile": options.tiles, "value": options.values, "loop": options.loops, "launch": options.launches}
    code: dict[int, Hint] = {}
    for kernel in analysis.kernels:
        if kernel.last_line < first or kernel.first_line > last:
            continue
        for hint in _kernel_hints(snapshot, analysis, kernel):
            if first <= hint.line <= last and shown[hint.kind]:
                hints.setdefault((hint.line, hint.col), hint)
        if options.code:
            for each in code_of_kernel(snapshot, kernel):
                if first <= each.line <= last:
                    code.setdefault(each.line, _code_hint(snapshot, each))
    return sorted((*hints.values(), *code.values()), key=lambda hint: (hint.line, hint.col))


def _code_hint(snapshot: Snapshot, code: LineCode) -> Hint:
    """At the end of the line."""
    end = len(snapshot.file.source.line_text(code.line).encode())
    text = f"  {code.text}" + (" · stale" if code.stale else "")
    return Hint(code.line, end, "code", (Part(text),), code_text(code))


def _kernel_hints(snapshot: Snapshot, analysis: Analysis, kernel: Kernel) -> Iterator[Hint]:
    instance = snapshot.instance(kernel)
    found = snapshot.map_of(instance)
    tooltip = f"for {kernel.name}({arguments_text(instance)})"
    for symbol in snapshot.file.names.symbols():
        for each in symbol.definitions:
            if kernel.first_line <= each.span.line <= kernel.last_line:
                yield from _definition_hints(snapshot, analysis, found, symbol, each, tooltip)
    for stmt in found.loops.values():
        yield _loop_hint(stmt, tooltip)
    for stmt in found.launches.values():
        yield _launch_hint(stmt, tooltip)


def _definition_hints(
    snapshot: Snapshot, analysis: Analysis, found: Map, symbol: Symbol, each: Definition, tooltip: str
) -> Iterator[Hint]:
    end = (each.span.end_line, each.span.end_col)
    buffer = buffer_of(symbol, found) if len(symbol.definitions) == 1 or each is symbol.definitions[-1] else None
    if buffer is not None:
        if each.kind == "parameter":
            # The annotation shows the type; what it does not show is the sizes.
            sizes = f" {'×'.join(shape_of(buffer))}"
            literal = isinstance(each.node, ast.arg) and each.node.annotation is not None
            if literal and _has_names(each.value):
                yield Hint(*end, "value", (Part(sizes),), tooltip)
            return
        tile = tile_of(analysis, found, buffer)
        parts = [Part(f": {tile.type_text} "), Part(scope_of(buffer), buffer.span)]
        if buffer.is_shared and tile.nbytes is not None:
            copies = f" ×{tile.copies}" if tile.copies > 1 else ""
            parts.append(Part(f" · {size_text(tile.nbytes)}"))
            parts += [Part(copies, _stage_source(found.instance))] if copies else []
            swizzle = swizzle_text(analysis, found.instance, buffer) if snapshot.options.inlay_hints.layouts else ""
            parts += [Part(f" · {swizzle}")] if swizzle else []
        yield Hint(*end, "tile", tuple(parts), tooltip)
        return
    value = value_of(symbol, found.instance)
    if value is None or (each.kind not in ("variable", "parameter")):
        return
    if each.kind == "variable" and (each.value is None or isinstance(each.value, ast.Constant)):
        return
    if each.kind == "parameter" and (symbol.name not in found.instance.bindings or _default(symbol) == value):
        return
    yield Hint(*end, "value", (Part(f" = {value}", found.instance.arg_spans.get(symbol.name)),), tooltip)


def _default(symbol: Symbol) -> str | None:
    """The default of a parameter as written."""
    function = symbol.scope.function
    if function is None:
        return None
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(positional[::-1], spec.defaults[::-1], strict=False), *zip(spec.kwonlyargs, spec.kw_defaults)]  # noqa: B905
    default = next((default for arg, default in pairs if arg.arg == symbol.name), None)
    return default_text(default) if default is not None else None


def default_text(node: ast.expr) -> str:
    """A literal as hints show values: strings without quotes."""
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _has_names(annotation: ast.expr | None) -> bool:
    """Whether the shape in an annotation names sizes."""
    if annotation is None:
        return False
    inner = annotation.slice if isinstance(annotation, ast.Subscript) else None
    if isinstance(annotation, ast.Call) and annotation.args:
        inner = annotation.args[0]
    shape = inner.elts[0] if isinstance(inner, ast.Tuple) and isinstance(annotation, ast.Subscript) else inner
    return shape is not None and any(isinstance(node, ast.Name) for node in ast.walk(shape))


def _stage_source(instance: Instance) -> Span | None:
    """Where the number of stages is written."""
    return next((span for name, span in instance.arg_spans.items() if "stage" in name), None)


def _loop_hint(stmt: For, tooltip: str) -> Hint:
    counts = trips(stmt)
    known = [str(count) if count is not None else text_of(stmt.extents[n]) for n, count in enumerate(counts)]
    return Hint(stmt.span.end_line, stmt.span.end_col, "loop", (Part(f" {' × '.join(known)} iterations"),), tooltip)


def _launch_hint(stmt: Launch, tooltip: str) -> Hint:
    grid = " × ".join(text_of(each) for each in stmt.grid)
    threads = " × ".join(text_of(each) for each in stmt.threads)
    text = f" {grid} blocks of {threads} threads"
    return Hint(stmt.span.end_line, stmt.span.end_col, "launch", (Part(text),), tooltip)
