"""Bodies of ``@T.prim_func`` and ``@T.macro``: what they build."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.arguments import Arguments, bind_arguments, report_arguments
from tilelang.frontend.eager import eager_state
from tilelang.frontend.instance import CallLink
from tilelang.frontend.parameters import declare_parameters
from tilelang.frontend.scoping import captured
from tilelang.frontend.signals import ArgumentError
from tilelang.frontend.values import Function, Macro, PrimFunc
from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import Builder, building
from tilelang.ir.expr import Var
from tilelang.ir.lifecycle import reducer_problems
from tilelang.ir.program import Program
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


def elaborate(ev: Evaluator, function: Function) -> PrimFunc:
    """Evaluate the body of a ``@T.prim_func`` with symbolic parameters."""
    builder = Builder()
    scope = ev.new_scope(function)
    scope.kernel = True
    node = function.node
    assert not isinstance(node, ast.Lambda)
    span = ev.span(node, scope)
    unsure = ev.unsure
    with building(builder), eager_state(ev, {}, phase_one=False) as state:
        declared = declare_parameters(ev, function, scope)
        ev.run_body(function, scope)
    params = [state.tensors.get(name, value) for name, value in declared.items()]
    params = [value for value in params if isinstance(value, (Buffer, Var))] + list(builder.outputs)
    maker_scope = function.scope
    while maker_scope is not None and maker_scope.function is None:
        maker_scope = maker_scope.parent
    maker = None
    arg_spans: dict[str, Span] = {}
    if maker_scope is not None and maker_scope.function is not None:
        maker = (maker_scope.function, dict(maker_scope.bound))
        arg_spans = dict(maker_scope.arg_spans)
    program = Program(
        function.name,
        tuple(dict.fromkeys(params)),
        builder.body(),
        tuple(builder.outputs),
        complete=builder.complete,
        attrs=tuple(builder.func_attrs.items()),
        span=span,
    )
    return PrimFunc(
        program,
        function,
        (*builder.problems, *(reducer_problems(program.body) if program.complete else ())),
        captured(node, function.scope),
        tuple(ev.stack),
        span,
        maker,
        arg_spans,
        certain=unsure == 0,
    )


def call_macro(ev: Evaluator, macro: Macro, arguments: Arguments, span: Span) -> Any:
    """Inline a ``@T.macro``: its statements keep the call as ``via`` in their spans."""
    function = macro.function
    if ev.builder is None:
        ev.problem("kernel-outside-context", span, function=function.name)
        return UNKNOWN
    if len(ev.stack) > 60:
        return ev.unknown("macros nested deeper than 60", span)
    scope = ev.new_scope(function)
    scope.kernel = True
    scope.via = span
    try:
        scope.vars, scope.arg_spans = bind_arguments(ev, function, arguments.args, arguments.kwargs, span, arguments)
    except ArgumentError as error:
        report_arguments(ev, error, function, arguments, span)
        ev.builder.complete = False
        return UNKNOWN
    scope.bound = dict(scope.vars)
    ev.stack.append(CallLink(function.name, span))
    try:
        return ev.run_body(function, scope)
    finally:
        ev.stack.pop()


def call_prim_func(ev: Evaluator, func: PrimFunc, args: Any, span: Span) -> Any:
    """Calling a prim_func from inside another one is not modelled."""
    if ev.builder is not None:
        ev.incomplete(f"call of the prim_func {func.function.name}", span)
    return UNKNOWN
