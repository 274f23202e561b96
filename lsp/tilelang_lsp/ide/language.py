"""Names of the language in a file: which item of `tilelang.language` an expression means, through any import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilelang.language.registry import lookup

if TYPE_CHECKING:
    from inspect import Signature

    from tilelang.ir.span import Span
    from tilelang.language.registry import LanguageItem
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.ide.names import Names, Scope

ROOT = "tilelang.language."


def item_of(dotted: str) -> LanguageItem | None:
    """The item of a full name such as ``tilelang.language.copy``."""
    return lookup(dotted.removeprefix(ROOT)) if dotted.startswith(ROOT) and "." not in dotted[len(ROOT) :] else None


def called_item(node: ast.AST, file: SourceFile, scope: Scope) -> LanguageItem | None:
    """The item that a call calls."""
    return item_of(file.names.dotted(node.func, scope)) if isinstance(node, ast.Call) else None


def item_at(file: SourceFile, line: int, col: int) -> tuple[LanguageItem, Span] | None:
    """The item under a position: the last part of ``T.copy``, or a name that was imported from the language."""
    found = file.names.attribute_at(line, col)
    if found is not None:
        span, node, scope = found
        item = item_of(file.names.dotted(node, scope))
        return (item, span) if item is not None else None
    occurrence = file.names.at(line, col)
    item = item_of(occurrence.symbol.imported) if occurrence is not None else None
    return (item, occurrence.span) if item is not None and occurrence is not None else None


def aliases(names: Names) -> tuple[str, ...]:
    """Names under which a file has the language: ``T``."""
    symbols = names.module.symbols.values()
    return tuple(symbol.name for symbol in symbols if symbol.imported == ROOT.rstrip("."))


def signature_text(item: LanguageItem) -> str:
    """``T.clear(buffer)``, with types as the language writes them; only the name for what is not called."""
    signature = item.signature if item.kind in ("function", "class", "annotation", "decorator") else None
    if signature is None:
        return f"T.{item.name}"
    text = str(signature).replace("'", "")
    if len(text) > 76:
        joined = ",\n    ".join(parameters_of(signature))
        text = f"(\n    {joined},\n)"
    return f"T.{item.name}{text}"


def parameters_of(signature: Signature) -> list[str]:
    """The parameters as written in a ``def``, with the ``*`` before those that need their name."""
    texts: list[str] = []
    starred = False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            texts.append("*")
        starred = starred or each.kind in (each.VAR_POSITIONAL, each.KEYWORD_ONLY)
        texts.append(str(each).replace("'", ""))
    return texts


def summary(item: LanguageItem) -> str:
    """The first sentence or paragraph of the documentation."""
    return " ".join(item.doc.split("\n\n", 1)[0].split())
