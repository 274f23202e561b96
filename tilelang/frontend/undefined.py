"""Names of a kernel that nothing binds: building it stops with a ``NameError``."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from tilelang.language.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Scope

_BUILTINS = frozenset(dir(builtins))
_DYNAMIC = frozenset(("__builtins__", "__dict__", "builtins", "eval", "exec", "globals", "locals", "setattr", "vars"))
"""A module that mentions one of these may bind names in ways that are not seen."""


def report_undefined(ev: Evaluator, node: ast.Name, scope: Scope) -> None:
    """Record the use of a name that no statement of its module binds. Where a name could come from elsewhere, it is
    only unknown."""
    if ev.unsure or ev.in_doubt or node.id in _BUILTINS or node.id.startswith("_"):
        return
    bound = _names_bound(ev, scope.module.path)
    if bound is None or node.id in bound:
        return
    ev.problem(
        "unknown-name",
        ev.span(node, scope),
        name=node.id,
        module="",
        suggestion=nearest(node.id, bound),
        closed=True,
        known_version=None,
    )
    if ev.builder is not None:
        ev.builder.complete = False


def _names_bound(ev: Evaluator, path: str) -> frozenset[str] | None:
    """Names that a file binds in any scope, or ``None`` if it may bind others: by ``import *``, by code that was not
    read, by magics of a notebook."""
    known = ev.modules.bound_names
    if path not in known:
        parsed = ev.modules.sources.parsed(path)
        known[path] = None
        if parsed is not None and not parsed.problems and not path.endswith(".ipynb"):
            names = {name for top in parsed.body for inner in ast.walk(top) for name in _bound_by(inner)}
            known[path] = frozenset(names) if "*" not in names else None
    return known[path]


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Names that one node binds; ``*`` if it may bind any."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
        elif node.id in _DYNAMIC:
            yield "*"
    elif isinstance(node, ast.Attribute):
        if node.attr in _DYNAMIC:
            yield "*"
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.split(".", 1)[0]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, ast.MatchMapping):
        if node.rest is not None:
            yield node.rest
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        if node.name is not None:
            yield node.name
    else:
        name = getattr(node, "name", None)  # type parameters of newer Pythons
        if isinstance(name, str):
            yield name
