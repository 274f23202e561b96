"""Names as data: ``globals()``, ``locals()``, ``exec`` and modules by their name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_dict
from tilelang.frontend.models.registry import builtin, model
from tilelang.frontend.scoping import changed_names
from tilelang.frontend.values import DEFINITIONS
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@builtin("globals")
def globals_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN if args.scope is None else args.scope.module.vars


@builtin("locals")
def locals_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """The module's names, or a copy of those of a function: writing to it changes nothing."""
    if args.scope is None:
        return UNKNOWN
    return args.scope.vars if args.scope.parent is None else DictVal(args.scope.vars)


@builtin("exec")
def exec_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """The code is not followed: what it may bind or change is unknown from here on."""
    space = args[1] if len(args) > 1 else kwargs.get("globals")
    if space is None and args.scope is not None:
        space = args.scope.module.vars
    if args and is_dict(space):
        ev.heap.writing(space)
        bound = _bound_names(ev, args[0])
        for name, value in list(space.items()):
            if bound is None and not isinstance(value, DEFINITIONS):
                space[name] = UNKNOWN
        for name in bound or ():
            space[name] = UNKNOWN
        if isinstance(space, DictVal):
            space.open = True
    return None


_CHARACTERS_PER_STEP = 8
"""Text that is parsed in about the time of a step."""


def _bound_names(ev: Evaluator, code: Any) -> frozenset[str] | None:
    """Names that a program text binds or changes, if it is known and does nothing else to names."""
    if not isinstance(code, str) or len(code) > 10_000:
        return None
    ev.step(len(code) // _CHARACTERS_PER_STEP)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            return None
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            if node.name == "*":
                return None
            found.add(node.asname or node.name.split(".", 1)[0])
    return frozenset(found) | changed_names(tree)


@builtin("__import__")
def import_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN if len(args) != 1 or "." in str(args[0]) else module_by_name(ev, args, kwargs)


_SEARCH_STEPS = 50
"""Steps for looking up a module by name, which asks the disk."""


@model("importlib.import_module")
def module_by_name(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], str) or args[0].startswith(".") or args.scope is None:
        return UNKNOWN
    ev.step(_SEARCH_STEPS)
    found = ev.modules.named(args[0])
    return ev.modules.resolve(ev, args[0], args.scope.module) if found is None else found
