"""Kernels that nothing calls: a ``# tilelang: instance(...)`` comment, parameter defaults, or symbolic parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.arguments import Arguments
from tilelang.frontend.attempts import attempt
from tilelang.frontend.calls import call_function
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.scoping import functions_in
from tilelang.frontend.values import Function, Jit, Module, PrimFunc
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Var
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator


def run_uncalled(ev: Evaluator, module: Module, directives: dict[int, list[dict[str, Any]]]) -> None:
    """Jit functions of the file without an instance: comments, then defaults, then symbolic parameters."""
    from tilelang.frontend.jit import build, call_jit

    recorded = {(instance.factory_path, instance.factory_line) for instance in ev.recorder.instances}
    for value in list(module.vars.values()):
        function = value.function if isinstance(value, Jit) else value
        if not isinstance(function, Function) or function.path != module.path:
            continue
        is_factory = isinstance(value, Jit) or _makes_prim_func(function)
        if not is_factory:
            continue
        jit = value if isinstance(value, Jit) else None
        for values in directives.get(function.node.lineno, ()):
            if jit is not None:
                attempt(ev, lambda jit=jit, values=values: _from_directive(ev, jit, values))
        if (function.path, function.node.lineno) in recorded or directives.get(function.node.lineno):
            continue
        if jit is not None and not function.needs_arguments and function.defaults:
            attempt(ev, lambda jit=jit: call_jit(ev, jit, Arguments(), ev.span_of(jit.function), origin="default"))
            if any(i.factory_line == function.node.lineno for i in ev.recorder.instances):
                continue
        bound = _symbolic_arguments(function)
        if jit is not None and jit.tuner is not None:
            bound = {name: UNKNOWN if argument is None else argument for name, argument in bound.items()}
        span = ev.span_of(function)
        # A default beside values that nobody gives is a guess: what rests on it is possible, not certain.
        guessed = bool(function.defaults or function.kw_defaults)
        ev.unsure += guessed
        if jit is not None:
            attempt(ev, lambda jit=jit, b=bound, s=span: build(ev, jit, b, {}, {}, s, origin="symbolic"))
        else:
            attempt(ev, lambda f=function, b=bound: _record_made(ev, f, b))
        ev.unsure -= guessed


def _from_directive(ev: Evaluator, jit: Jit, values: dict[str, Any]) -> None:
    from tilelang.frontend.jit import call_jit

    call_jit(ev, jit, Arguments([], dict(values)), ev.span_of(jit.function), origin="directive")


def _makes_prim_func(function: Function) -> bool:
    if isinstance(function.node, ast.Lambda) or function.name.startswith(("test", "run")):
        return False
    return any(
        "prim_func" in ast.unparse(decorator)
        for inner in functions_in(function.node.body)
        for decorator in inner.decorator_list
    )


def _record_made(ev: Evaluator, function: Function, bound: dict[str, Any]) -> None:
    from tilelang.frontend.instances import prim_func_instance, record

    made = call_function(ev, function, (), bound, ev.span_of(function))
    if isinstance(made, PrimFunc) and not made.consumed:
        made.consumed = True
        record(ev, prim_func_instance(ev, made, JitOptions(span=made.span), (), "symbolic"))


def _symbolic_arguments(function: Function) -> dict[str, Any]:
    """Parameters without a value: sizes become symbols, anything that is no size is unknown."""
    spec = function.node.args
    defaults = function.default_values()
    sizes = _sizes(function)
    bound: dict[str, Any] = {}
    for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if arg.arg in defaults:
            bound[arg.arg] = defaults[arg.arg]
        elif arg.arg in sizes:
            bound[arg.arg] = Var(INT32, arg.arg, "param")
        else:
            bound[arg.arg] = UNKNOWN
    if spec.vararg is not None:
        bound[spec.vararg.arg] = UNKNOWN
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = UNKNOWN
    return bound


_SIZE_CALLS = frozenset(
    ("Kernel", "ceildiv", "cdiv", "Pipelined", "Parallel", "serial", "Serial", "unroll", "range", "Persistent")
)


def _sizes(function: Function) -> frozenset[str]:
    """Names that the body uses as numbers: in arithmetic, as extents in a tuple, as loop bounds."""
    found: set[str] = set()
    for node in ast.walk(function.node):
        if isinstance(node, ast.BinOp):
            found.update(part.id for part in (node.left, node.right) if isinstance(part, ast.Name))
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            found.update(part.id for part in node.elts if isinstance(part, ast.Name))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _SIZE_CALLS:
                found.update(part.id for part in node.args if isinstance(part, ast.Name))
                found.update(k.value.id for k in node.keywords if isinstance(k.value, ast.Name))
    return frozenset(found)
