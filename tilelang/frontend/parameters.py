"""Parameters of kernels: from an annotation to a buffer, a scalar or an address."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.scoping import own_nodes
from tilelang.frontend.values import Function, Scope, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import HANDLE, DType
from tilelang.ir.expr import Expr, Var
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


def declare_parameters(ev: Evaluator, function: Function, scope: Scope) -> dict[str, Any]:
    """Parameters by name. Those that the body annotates are unknown until it does."""
    node = function.node
    params: dict[str, Any] = {}
    for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        value: Any = UNKNOWN
        if arg.annotation is not None:
            value = declare(ev, arg.arg, ev.annotation(function, arg), ev.span(arg, scope))
            if isinstance(value, Unknown) and ev.builder is not None:
                ev.builder.complete = False
        elif arg.arg not in annotated_in_body(node) and ev.builder is not None:
            ev.builder.problem(
                "invalid-argument",
                ev.span(arg, scope),
                function=function.name,
                argument=arg.arg,
                expected="annotated with T.Tensor or a dtype",
                got="without annotation",
            )
            ev.builder.complete = False
        params[arg.arg] = scope.vars[arg.arg] = value
    return params


def annotated_in_body(node: ast.AST) -> frozenset[str]:
    return frozenset(
        inner.target.id
        for inner in own_nodes(node)
        if isinstance(inner, ast.AnnAssign) and inner.value is None and isinstance(inner.target, ast.Name)
    )


def parsed_annotation(node: ast.expr) -> ast.expr:
    """Annotations written as strings are parsed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and DType.parse(node.value) is None:
        try:
            parsed = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return node
        for inner in ast.walk(parsed):
            ast.copy_location(inner, node)
        return parsed
    return node


def declare(ev: Evaluator, name: str, annotation: Any, span: Span) -> Any:
    """The parameter that an annotation describes: a buffer, a scalar or an address."""
    if isinstance(annotation, Buffer):
        return replace(annotation, name=name, span=span)
    if isinstance(annotation, Var):
        return annotation
    kind = DType.parse(annotation)
    if kind is not None:
        return Var(kind, name, "param", span=span)
    if annotation in (int, float, bool):
        return Var(DType.parse(annotation.__name__) or HANDLE, name, "param", span=span)
    if isinstance(annotation, Expr):
        return Var(annotation.dtype, name, "param", span=span)
    if callable(annotation) and getattr(annotation, "__name__", "") in ("handle", "ptr"):
        return Var(HANDLE, name, "param", span=span)
    return UNKNOWN


def declare_tensor(ev: Evaluator, name: str, annotation: Any, current: Any, span: Span) -> Buffer | None:
    """A tensor parameter of an eager kernel; ``None`` if the annotation describes no tensor."""
    if not isinstance(annotation, Buffer):
        return None
    state = ev.eager
    buffer = replace(annotation, name=name, span=span)
    if state is not None:
        state.tensors[name] = buffer
        given = state.arguments.get(name)
        if isinstance(given, Tensor) and not ev.phase_one:
            from tilelang.frontend.launching import compare_tensor

            compare_tensor(ev, buffer, given, state.spans.get(name, span))
    return buffer
