"""``# tilelang: instance(...)`` and ``# tilelang: targets=...`` comments."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Module
    from tilelang.syntax.text import SourceText

_INSTANCE = re.compile(r"^\s*#\s*tilelang:\s*(instance\(.*\))\s*$")
_DEF = re.compile(r"^\s*(?:async\s+)?def\s+\w+")


def instance_directives(ev: Evaluator, source: SourceText, module: Module) -> dict[int, list[dict[str, Any]]]:
    """Arguments given by comments, by the line of the ``def`` below them."""
    if "tilelang:" not in source.text:
        return {}
    found: dict[int, list[dict[str, Any]]] = {}
    waiting: list[dict[str, Any]] = []
    for number, line in enumerate(source.text.splitlines(), start=1):
        match = _INSTANCE.match(line)
        if match is not None:
            values = _arguments(ev, match.group(1), module)
            if values is not None:
                waiting.append(values)
        elif _DEF.match(line) and waiting:
            found[number] = waiting
            waiting = []
        elif line.strip() and not line.lstrip().startswith(("#", "@", ")", "(")) and not line[:1].isspace():
            waiting = []
    return found


def _arguments(ev: Evaluator, text: str, module: Module) -> dict[str, Any] | None:
    from tilelang.frontend.evaluator import module_scope
    from tilelang.frontend.signals import UserError

    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
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
