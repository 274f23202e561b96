"""Text to statements: decoding, positions, recovery from syntax errors, incremental documents, notebooks, comments.

Names are loaded on first use, so that a check of a clean file imports neither the recovery nor tree-sitter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang.syntax.document import Block, Change, Document, ParsedBlock
    from tilelang.syntax.module import MISSING, Module, parse_module
    from tilelang.syntax.notebook import Cell, Notebook, load_notebook
    from tilelang.syntax.problem import SyntaxProblem
    from tilelang.syntax.suppressions import Comments, Directive, RuleName, Suppression, comments
    from tilelang.syntax.text import SourceText

__all__ = [
    "MISSING",
    "Block",
    "Cell",
    "Change",
    "Comments",
    "Directive",
    "Document",
    "Module",
    "Notebook",
    "ParsedBlock",
    "RuleName",
    "SourceText",
    "Suppression",
    "SyntaxProblem",
    "comments",
    "load_notebook",
    "parse_module",
]

_HOMES = {
    "document": ("Block", "Change", "Document", "ParsedBlock"),
    "module": ("MISSING", "Module", "parse_module"),
    "notebook": ("Cell", "Notebook", "load_notebook"),
    "problem": ("SyntaxProblem",),
    "suppressions": ("Comments", "Directive", "RuleName", "Suppression", "comments"),
    "text": ("SourceText",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
