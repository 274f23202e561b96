"""Rewrites of kernels that keep what they compute: spread a loop over threads, swizzle a tile, extract a macro.

Each is offered only where its conditions can be seen to hold.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.diagnostics import Edit
from tilelang.frontend.scoping import functions_in
from tilelang.ir.span import Span
from tilelang_lsp.ide.tile_layout import swizzle_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.analysis import Kernel
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.ide.names import Symbol
    from tilelang_lsp.session import Snapshot

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
SERIAL = ("range", "serial")
LANGUAGE = "tilelang.language"


@dataclass(frozen=True, slots=True)
class Refactor:
    title: str
    kind: Literal["refactor.rewrite", "refactor.extract"]
    edits: tuple[Edit, ...]


def refactors(snapshot: Snapshot, kernel: Kernel, first: int, last: int, *, selected: bool) -> Iterator[Refactor]:
    """What can be done with the lines of a kernel. ``selected``: the user marked something."""
    function = _function_at(snapshot.file, first)
    language = language_name(snapshot.file)
    if function is None or not language or not (function.lineno == kernel.line or _is_macro(function)):
        return
    yield from _parallel(snapshot.file, function, first, language)
    yield from _swizzle(snapshot, kernel, function, first, language)
    if selected:
        yield from _macro(snapshot.file, function, first, last, language)


def language_name(file: SourceFile) -> str:
    """Under which name a file knows the language; empty if it does not import it as one name."""
    for node in file.module.body:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == LANGUAGE and name.asname:
                    return name.asname
        elif isinstance(node, ast.ImportFrom) and node.module == "tilelang":
            for name in node.names:
                if name.name == "language":
                    return name.asname or name.name
    return ""


def _is_macro(function: FunctionNode) -> bool:
    return any("macro" in ast.unparse(each) for each in function.decorator_list)


def _function_at(file: SourceFile, line: int) -> FunctionNode | None:
    """The innermost function around a line."""
    around = [each for each in functions_in(file.module.body) if each.lineno < line <= (each.end_lineno or each.lineno)]
    return max(around, key=lambda each: each.lineno, default=None)


# --- loops ------------------------------------------------------------------------------------------------------------


def _parallel(file: SourceFile, function: FunctionNode, line: int, language: str) -> Iterator[Refactor]:
    """``for i in range(n): a[i] = ...`` as ``for i in T.Parallel(n)``; a nest of such loops as one."""
    loop = next((each for each in ast.walk(function) if isinstance(each, ast.For) and each.lineno == line), None)
    if loop is None:
        return
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(inner := loops[-1].body[0], ast.For):
        loops.append(inner)
    variables: list[str] = []
    extents: list[str] = []
    for each in loops:
        extent = _extent(each)
        if extent is None or not isinstance(each.target, ast.Name) or each.orelse:
            return
        variables.append(each.target.id)
        extents.append(extent)
    body = loops[-1].body
    if not _is_independent(body, variables) or body[0].lineno == loops[-1].lineno:
        return
    header = f"for {', '.join(variables)} in {language}.Parallel({', '.join(extents)})"
    edits = [Edit(Span(file.path, loop.lineno, loop.col_offset, *_end(loop.iter)), header)]
    depth = body[0].col_offset - loop.body[0].col_offset
    for inner in loops[1:]:
        last = _end(inner.iter)[0]
        if "#" in file.source.line_text(last):
            # The comment would go with the line.
            return
        edits.append(Edit(Span(file.path, inner.lineno, 0, last + 1, 0), ""))
    if len(loops) > 1:
        edits += _dedented(file, _end(loops[-1].iter)[0] + 1, _end(body[-1])[0], depth)
    names = " and ".join(variables) if len(variables) < 3 else ", ".join(variables)
    yield Refactor(
        f"Spread the loop over {names} over the threads ({language}.Parallel)", "refactor.rewrite", tuple(edits)
    )


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _extent(loop: ast.For) -> str | None:
    """The number of iterations of a serial loop that starts at 0, as written."""
    call = loop.iter
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return ast.unparse(call.args[0]) if name in SERIAL else None


def _is_independent(body: list[ast.stmt], variables: list[str]) -> bool:
    """Whether each iteration stores to elements of its own and reads no others of what is stored: every store names
    all variables, and a tile that is stored is read at the same place only."""
    stored: dict[str, set[str]] = {}
    for stmt in body:
        targets = (
            stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target] if isinstance(stmt, ast.AugAssign) else []
        )
        if (
            len(targets) != 1
            or not isinstance(target := targets[0], ast.Subscript)
            or not isinstance(target.value, ast.Name)
        ):
            return False
        index = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        plain = {each.id for each in index if isinstance(each, ast.Name)}
        if not set(variables) <= plain:
            return False
        stored.setdefault(target.value.id, set()).add(ast.unparse(target.slice))
    if any(len(places) > 1 for places in stored.values()):
        return False
    for stmt in body:
        for node in ast.walk(stmt):
            if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)):
                return False
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                places = stored.get(node.value.id)
                if places is not None and ast.unparse(node.slice) not in places:
                    return False
    inside = {id(node.value) for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.Subscript)}
    names = (node for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.Name))
    # A tile that goes somewhere as a whole may be read anywhere.
    return not any(node.id in stored and id(node) not in inside for node in names)


def _dedented(file: SourceFile, first: int, last: int, depth: int) -> Iterator[Edit]:
    for line in range(first, last + 1):
        text = file.source.line_text(line)
        if text[:depth].strip() == "" and text.strip():
            yield Edit(Span(file.path, line, 0, line, min(depth, len(text))), "")


# --- layouts ----------------------------------------------------------------------------------------------------------


def _swizzle(
    snapshot: Snapshot, kernel: Kernel, function: FunctionNode, line: int, language: str
) -> Iterator[Refactor]:
    """A layout annotation behind the allocation of a shared tile that has no swizzle."""
    file = snapshot.file
    stmt = next((each for each in ast.walk(function) if isinstance(each, ast.Assign) and each.lineno == line), None)
    module = _module_name(file)
    if stmt is None or not module or len(stmt.targets) != 1 or not isinstance(target := stmt.targets[0], ast.Name):
        return
    if not isinstance(stmt.value, ast.Call) or _annotates(function, target.id):
        return
    instance = snapshot.instance(kernel)
    buffer = snapshot.map_of(instance).allocations.get((stmt.value.lineno, stmt.value.col_offset))
    if buffer is None or not buffer.is_shared or buffer.rank < 2 or swizzle_text(kernel.analysis, instance, buffer):
        return
    indent = " " * stmt.col_offset
    text = f"{indent}{language}.annotate_layout({{{target.id}: {module}.layout.make_swizzled_layout({target.id})}})\n"
    after = (stmt.end_lineno or stmt.lineno) + 1
    yield Refactor(f"Swizzle {target.id}", "refactor.rewrite", (Edit(Span(file.path, after, 0, after, 0), text),))


def _module_name(file: SourceFile) -> str:
    """Under which name a file knows the package."""
    for node in file.module.body:
        for name in node.names if isinstance(node, ast.Import) else ():
            if name.name == "tilelang":
                return name.asname or name.name
    return ""


def _annotates(function: FunctionNode, name: str) -> bool:
    """Whether a layout of a tile is given already."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "annotate_layout":
            for each in ast.walk(node):
                if isinstance(each, ast.Dict):
                    return any(isinstance(key, ast.Name) and key.id == name for key in each.keys)
            return True
    return False


# --- macros -----------------------------------------------------------------------------------------------------------


def _macro(file: SourceFile, function: FunctionNode, first: int, last: int, language: str) -> Iterator[Refactor]:
    """The selected statements as a macro before the kernel, whose names it takes as parameters."""
    block = _statements(function, first, last)
    if not block or _leaves(block):
        return
    start, end = block[0].lineno, max(each.end_lineno or each.lineno for each in block)
    parameters: list[str] = []
    for symbol in file.names.symbols():
        places = symbol.places()
        inside = [span for span in places if start <= span.line <= end]
        if not inside or not _belongs(symbol, function):
            continue
        defined = [each.span for each in symbol.definitions]
        if any(start <= span.line <= end for span in defined):
            if len(inside) < len(places):
                # What the block binds is used after it, or was bound before.
                return
            continue
        parameters.append(symbol.name)
    name = _free_name(file)
    header = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    margin = " " * function.col_offset
    indent = " " * block[0].col_offset
    lines = [file.source.line_text(line) for line in range(start, end + 1)]
    body = [f"{margin}    {text[len(indent) :]}" if text.startswith(indent) else text for text in lines]
    text = "\n".join([f"{margin}@{language}.macro", f"{margin}def {name}({', '.join(parameters)}):", *body])
    yield Refactor(
        "Extract the selection as a macro",
        "refactor.extract",
        (
            Edit(Span(file.path, header, 0, header, 0), f"{text}\n\n"),
            Edit(Span(file.path, start, 0, end + 1, 0), f"{indent}{name}({', '.join(parameters)})\n"),
        ),
    )


def _statements(function: FunctionNode, first: int, last: int) -> list[ast.stmt]:
    """The statements of one block that a selection of lines covers, whole."""
    best: list[ast.stmt] = []
    for node in ast.walk(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.With, ast.For, ast.While, ast.If)):
            continue
        body = node.body
        found = [each for each in body if first <= each.lineno and (each.end_lineno or each.lineno) <= last]
        touched = [each for each in body if each.lineno <= last and first <= (each.end_lineno or each.lineno)]
        if found and len(found) == len(touched) and len(found) > len(best):
            best = found
    return best


def _leaves(block: list[ast.stmt]) -> bool:
    """Whether statements leave the block, or declare names of others."""
    kinds = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.FunctionDef)
    return any(isinstance(node, kinds) for stmt in block for node in ast.walk(stmt))


def _belongs(symbol: Symbol, function: FunctionNode) -> bool:
    """Whether a name is bound in the kernel's function, not outside of it."""
    return symbol.scope.node is function


def _free_name(file: SourceFile) -> str:
    known = {symbol.name for symbol in file.names.symbols()}
    return next(name for number in range(1000) if (name := f"extracted{number or ''}") not in known)
