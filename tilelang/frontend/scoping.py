"""Names: where they are looked up and bound, and which ones a function captures."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.values import MISSING, Scope

if TYPE_CHECKING:
    from tilelang.frontend.heap import Heap

_NONE: frozenset[str] = frozenset()


def lookup(scope: Scope, name: str) -> Any:
    """The value of a name from the innermost scope out, or ``MISSING``. Builtins are not consulted."""
    link: Scope | None = scope
    while link is not None:
        if name in link.vars and not (link.is_class and link is not scope):
            return link.vars[name]
        if link.parent is None:
            return link.module.vars.get(name, MISSING) if link.vars is not link.module.vars else MISSING
        link = link.parent
    return MISSING


def bind(heap: Heap, scope: Scope, name: str, value: Any) -> None:
    """Bind a name as an assignment in ``scope`` does."""
    target = scope.vars
    if name in scope.globals_declared:
        target = scope.module.vars
    elif name in scope.nonlocals_declared:
        link = scope.parent
        while link is not None and link.parent is not None and name not in link.vars:
            link = link.parent
        if link is not None:
            target = link.vars
    if heap.journals:
        heap.writing(target)
    target[name] = value


def unbind(heap: Heap, scope: Scope, name: str) -> None:
    """``del name``."""
    heap.writing(scope.vars)
    scope.vars.pop(name, None)


def declared(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Names that a function declares ``global`` and ``nonlocal``. Kept on the node."""
    known = getattr(node, "_declared", None)
    if known is not None:
        return known
    result = (_NONE, _NONE)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        globals_: set[str] = set()
        nonlocals: set[str] = set()
        for inner in own_nodes(node):
            if isinstance(inner, ast.Global):
                globals_.update(inner.names)
            elif isinstance(inner, ast.Nonlocal):
                nonlocals.update(inner.names)
        result = (frozenset(globals_), frozenset(nonlocals))
    node._declared = result  # type: ignore[attr-defined]  # a cache on the syntax node
    return result


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Nodes of a function's own body, without those of nested functions and classes."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(getattr(node, "body", [])) if not isinstance(node, ast.Lambda) else [node.body]
    while stack:
        inner = stack.pop()
        found.append(inner)
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(inner))
    return found


def is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether the function yields. Kept on the node."""
    known = getattr(node, "_generator", None)
    if known is None:
        known = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in own_nodes(node))
        node._generator = known  # type: ignore[attr-defined]  # a cache on the syntax node
    return known


def names_used(node: ast.AST) -> frozenset[str]:
    """Every name that a function mentions, nested functions included. Kept on the node."""
    known = getattr(node, "_names", None)
    if known is None:
        known = frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        node._names = known  # type: ignore[attr-defined]  # a cache on the syntax node
    return known


def local_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Parameters and names that a function binds itself. Kept on the node."""
    known = getattr(node, "_locals", None)
    if known is None:
        args = node.args
        found = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        found |= {arg.arg for arg in (args.vararg, args.kwarg) if arg is not None}
        for inner in own_nodes(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(inner.name)
        known = frozenset(found)
        node._locals = known  # type: ignore[attr-defined]  # a cache on the syntax node
    return known


def captured(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> dict[str, Any]:
    """What a function takes from around it: variables of enclosing functions, and plain constants of the module."""
    found: dict[str, Any] = {}
    own = local_names(node)
    for name in sorted(names_used(node)):
        if name in own:
            continue
        link: Scope | None = scope
        while link is not None:
            outermost = link.parent is None
            if name in link.vars and not link.is_class:
                value = link.vars[name]
                if not outermost or isinstance(value, (bool, int, float, str, tuple)):
                    found[name] = value
                break
            link = link.parent
    return found
