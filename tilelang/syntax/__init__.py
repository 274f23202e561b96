"""Text to statements: decoding, positions, recovery from syntax errors, incremental documents, notebooks, comments.

Names are loaded on first use, so that a check of a clean file imports neither the recovery nor tree-sitter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang.syntax.module import MISSING, Module, parse_module
    from tilelang.syntax.problem import SyntaxProblem
    from tilelang.syntax.text import SourceText

__all__ = ["MISSING", "Module", "SourceText", "SyntaxProblem", "parse_module"]

_HOMES = {
    "MISSING": "module",
    "Module": "module",
    "SourceText": "text",
    "SyntaxProblem": "problem",
    "parse_module": "module",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
