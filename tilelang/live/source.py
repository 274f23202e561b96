"""The syntax tree of a function that exists.

The text comes from :mod:`linecache`, so that notebook cells and code that a program registered there are found, too. A
file is parsed whole, once for each of its contents: columns and lines are then those of the file.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FunctionType

FunctionNode = ast.FunctionDef | ast.Lambda

_trees: dict[str, tuple[int, dict[int, list[FunctionNode]]]] = {}
"""By path: the hash of the text, and the functions that begin in each line (the line of the first decorator)."""


class SourceUnavailableError(OSError):
    """The text of a kernel function cannot be found, so it cannot be compiled."""


def function_node(function: FunctionType) -> FunctionNode:
    """The ``def`` or ``lambda`` of a function. Raises :class:`SourceUnavailableError`."""
    code = function.__code__
    found = find_node(code)
    if found is None:
        raise SourceUnavailableError(
            f"the source of {function.__qualname__} is not available ({code.co_filename}, line {code.co_firstlineno}): "
            "kernels are compiled from their text, so define them in a file, a notebook cell, or text that is "
            "registered in linecache"
        )
    return found


def find_node(code: CodeType) -> FunctionNode | None:
    """Like :func:`function_node`; ``None`` if there is no text, it has changed, or the function is not unique."""
    by_line = _functions(code.co_filename)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    fitting = [node for node in by_line.get(code.co_firstlineno, ()) if _fits(node, code.co_name, names)]
    if len(fitting) == 1:
        return fitting[0]
    return next((node for node in fitting if _same_place(node, code)), None)


def _functions(path: str) -> dict[int, list[FunctionNode]]:
    linecache.checkcache(path)
    text = "".join(linecache.getlines(path))
    known = _trees.get(path)
    key = hash(text)
    if known is not None and known[0] == key:
        return known[1]
    by_line: dict[int, list[FunctionNode]] = {}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        tree = ast.Module([], [])  # a notebook cell with magics, or a file that is being edited
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            by_line.setdefault(min([node.lineno, *(each.lineno for each in decorators)]), []).append(node)
    _trees[path] = (key, by_line)
    return by_line


def _fits(node: FunctionNode, name: str, parameters: tuple[str, ...]) -> bool:
    spec = node.args
    own = tuple(arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))
    return own == parameters and (name == "<lambda>" if isinstance(node, ast.Lambda) else name == node.name)


def _same_place(node: FunctionNode, code: CodeType) -> bool:
    """Whether a lambda, of several in its line, is the one of ``code``: its body begins where the code does."""
    positions = getattr(code, "co_positions", None)  # from Python 3.11 on
    if positions is None or not isinstance(node, ast.Lambda):
        return False
    places = {(start, column) for start, _, column, _ in positions() if start is not None and column is not None}
    inner = {
        (part.lineno, part.col_offset) for part in ast.walk(node.body) if isinstance(part, (ast.Name, ast.Constant))
    }
    return bool(inner & places)


def is_plain_function(function: FunctionType) -> bool:
    """Whether a function is neither a generator nor asynchronous."""
    return not function.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
