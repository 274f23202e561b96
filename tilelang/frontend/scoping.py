"""Names: where they are looked up and bound, and which ones a function captures."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tilelang.frontend.values import MISSING, Scope
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.heap import Heap

T = TypeVar("T")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def kept(node: ast.AST, name: str, find: Callable[[], T]) -> T:
    """A fact about a syntax node, found once and kept on the node under ``name``."""
    known: T | None = getattr(node, name, None)
    if known is None:
        known = find()
        setattr(node, name, known)
    return known


_NONE: frozenset[str] = frozenset()


def lookup(scope: Scope, name: str) -> Any:
    """The value of a name from the innermost scope out, or ``MISSING``. Builtins are not consulted."""
    link = scope
    while name not in link.vars or (link.is_class and link is not scope):
        if link.parent is None:
            return link.module.vars.get(name, MISSING)
        link = link.parent
    return link.vars[name]


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
    target = scope.module.vars if name in scope.globals_declared else scope.vars
    if name in scope.nonlocals_declared:
        bind(heap, scope, name, UNKNOWN)
        return
    heap.writing(target)
    target.pop(name, None)
    if target is scope.module.vars:
        heap.writing(scope.module.deleted)
        scope.module.deleted.add(name)


def declared(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Names that a function declares ``global`` and ``nonlocal``."""
    return kept(node, "_declared", lambda: _declared(node))


def _declared(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    if isinstance(node, ast.Lambda):
        return _NONE, _NONE
    globals_: set[str] = set()
    nonlocals: set[str] = set()
    for inner in own_nodes(node):
        if isinstance(inner, ast.Global):
            globals_.update(inner.names)
        elif isinstance(inner, ast.Nonlocal):
            nonlocals.update(inner.names)
    return frozenset(globals_), frozenset(nonlocals)


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Nodes of a function's own body, without operators and what is in nested functions and classes."""
    return kept(node, "_own", lambda: _own_nodes(node))


def _own_nodes(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(getattr(node, "body", [])) if not isinstance(node, ast.Lambda) else [node.body]
    while stack:
        inner = stack.pop()
        found.append(inner)
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        for name in inner._fields:  # `ast.iter_child_nodes` takes twice as long
            value = getattr(inner, name, None)
            if isinstance(value, list):
                stack += [entry for entry in cast("list[Any]", value) if isinstance(entry, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                stack.append(value)
    return found


def is_generator(node: FunctionNode) -> bool:
    """Whether the function yields."""
    return kept(
        node, "_generator", lambda: any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in own_nodes(node))
    )


def names_used(node: ast.AST) -> frozenset[str]:
    """Every name that a function mentions, nested functions included."""
    return kept(node, "_names", lambda: frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)))


_CHANGING = frozenset(
    (
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    )
)
"""Methods of containers that change them."""


def changed_names(node: ast.AST) -> frozenset[str]:
    """What a function or a text changes: names whose parts it stores to, or of which it calls a changing method."""
    return kept(node, "_changed", lambda: _changed_names(node))


def _changed_names(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        part: ast.AST | None = None
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and not isinstance(inner.ctx, ast.Load):
            part = inner.value
        elif isinstance(inner, ast.AugAssign):
            part = inner.target
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _CHANGING:
            part = inner.func.value
        while isinstance(part, (ast.Attribute, ast.Subscript)):
            part = part.value
        if isinstance(part, ast.Name):
            found.add(part.id)
    return frozenset(found)


def local_names(node: FunctionNode) -> frozenset[str]:
    """Parameters and names that a function binds itself."""
    return kept(node, "_locals", lambda: _local_names(node))


def _local_names(node: FunctionNode) -> frozenset[str]:
    args = node.args
    found = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    found |= {arg.arg for arg in (args.vararg, args.kwarg) if arg is not None}
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(inner.name)
    return frozenset(found)


def captured(node: FunctionNode, scope: Scope) -> dict[str, Any]:
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


def functions_in(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """Every ``def`` below some statements. Expressions hold none, so they are not searched."""
    found: list[ast.FunctionDef] = []
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef):
            found.append(node)
        inner: list[ast.AST] = []
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner += getattr(node, name, ())
        stack.extend(reversed(inner))
    return found
