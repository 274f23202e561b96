"""Entry points: what a program runs, and so where kernels get their values.

The module's own code comes first (with its ``__main__`` block), then tests with their parameters, then functions that
nothing in the file calls but that look like a program's main. What still has no instance is left to
:mod:`tilelang.frontend.uncalled`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilelang.frontend.attempts import attempt
from tilelang.frontend.calls import call_function
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.parametrized import run_module_tests
from tilelang.frontend.values import Class, Function, Jit, Module, PrimFunc

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator


_MAIN_NAMES = ("main", "run", "test", "bench", "demo", "example")


def run_entries(ev: Evaluator, module: Module) -> None:
    """Run everything that the program would, after the module's own code."""
    functions = [(name, value) for name, value in module.vars.items() if _defined_here(value, module)]
    doubt = ev.in_doubt
    ev.in_doubt = doubt or module.optional
    run_module_tests(ev, module, functions)
    ev.in_doubt = doubt
    for name, value in functions:
        if isinstance(value, Function) and _looks_like_main(ev, name, value, module):
            attempt(ev, lambda value=value: call_function(ev, value, (), {}, ev.span_of(value)))
    for _, value in functions:
        if isinstance(value, PrimFunc) and not value.consumed:
            from tilelang.frontend.instances import prim_func_instance, record

            value.consumed = True
            record(ev, prim_func_instance(ev, value, JitOptions(span=value.span), (), "default"))


def _looks_like_main(ev: Evaluator, name: str, function: Function, module: Module) -> bool:
    """Whether nothing in the file calls a function, and its name and signature say that somebody starts it."""
    return (
        name.split("_", 1)[0].lower() in _MAIN_NAMES
        and not name.startswith("test")
        and not _is_called(ev, name, module)
        and not function.needs_arguments
        and ev.modules.reaches_kernels(ev, function)
    )


def _defined_here(value: Any, module: Module) -> bool:
    if isinstance(value, Function):
        return value.scope.module is module
    if isinstance(value, PrimFunc):
        return value.function.scope.module is module
    return isinstance(value, (Class, Jit))


def _is_called(ev: Evaluator, name: str, module: Module) -> bool:
    """Whether the text of the file calls a name anywhere."""
    source = ev.modules.sources.source(module.path)
    if source is None:
        return False
    calls = len(re.findall(rf"\b{re.escape(name)}[ \t]*\(", source.text))
    return calls > len(re.findall(rf"\bdef[ \t]+{re.escape(name)}[ \t]*\(", source.text))
