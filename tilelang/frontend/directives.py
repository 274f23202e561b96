"""``# tilelang: instance(...)`` and ``# tilelang: targets=...`` comments above a kernel or its factory."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Module
    from tilelang.syntax.suppressions import Directive
    from tilelang.syntax.text import SourceText

_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def directives_by_function(
    source: SourceText, body: list[ast.stmt], name: str
) -> list[tuple[ast.FunctionDef | ast.AsyncFunctionDef | None, Directive]]:
    """The directives of one name, each with the function that it stands above or inside of; ``None`` for the whole file
    (a comment before the first statement that is not about a function)."""
    if "tilelang:" not in source.text:
        return []
    from tilelang.syntax.suppressions import comments

    found = [directive for directive in comments(source).directives if directive.name == name]
    if not found:
        return []
    functions = [
        node for top in body for node in ast.walk(top) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return [(_function_of(directive, functions), directive) for directive in found]


def _function_of(
    directive: Directive, functions: list[ast.FunctionDef | ast.AsyncFunctionDef]
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function whose header the comment is about, else the innermost one around it."""
    if directive.covers is not None:
        first, last = directive.covers
        for node in functions:
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= start <= last or first <= node.lineno <= last:
                return node
    around = [node for node in functions if node.lineno <= directive.line <= (node.end_lineno or node.lineno)]
    return max(around, key=lambda node: node.lineno, default=None)


def instance_directives(
    ev: Evaluator, source: SourceText, body: list[ast.stmt], module: Module
) -> dict[int, list[dict[str, Any]]]:
    """Arguments given by ``instance(...)`` comments, by the line of the ``def`` that they are about."""
    found: dict[int, list[dict[str, Any]]] = {}
    for function, directive in directives_by_function(source, body, "instance"):
        values = _arguments(ev, directive.value, module) if function is not None else None
        if function is not None and values is not None:
            found.setdefault(function.lineno, []).append(values)
    return found


def _arguments(ev: Evaluator, text: str, module: Module) -> dict[str, Any] | None:
    from tilelang.frontend.evaluator import module_scope
    from tilelang.frontend.signals import UserError

    try:
        call = ast.parse(f"instance({text})", mode="eval").body
    except _PARSE_ERRORS:
        return None
    if not isinstance(call, ast.Call):
        return None
    try:
        return {
            keyword.arg: ev.eval(keyword.value, module_scope(module))
            for keyword in call.keywords
            if keyword.arg is not None
        }
    except UserError:
        return None


def target_directives(source: SourceText, body: list[ast.stmt]) -> dict[int | None, tuple[str, ...]]:
    """Archs that ``targets=...`` comments admit, by the line of the ``def``; the key ``None`` is for the whole file."""
    found: dict[int | None, tuple[str, ...]] = {}
    for function, directive in directives_by_function(source, body, "targets"):
        from tilelang.targets import parse_target_list

        targets, _ = parse_target_list(directive.value.strip().strip("\"'"))
        if targets:
            found[function.lineno if function is not None else None] = tuple(dict.fromkeys(t.arch for t in targets))
    return found
