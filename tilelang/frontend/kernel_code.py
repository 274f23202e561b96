"""Statements inside a kernel: what they build.

Here ``range`` is ``T.serial``, an ``if`` on a run-time value becomes an :class:`~tilelang.ir.stmt.If`, an assignment to
a ``T.alloc_var`` is a store, and a name bound to a value that reads memory becomes a ``Let``. An ``if`` on a Python
value only chooses which statements exist.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, TypeGuard

from tilelang.frontend.leaving import settled
from tilelang.frontend.scoping import bind
from tilelang.frontend.signals import Return, Signal, UserError
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import BOOL, INT32, VOID
from tilelang.ir.expr import Call, Expr, Load, Var
from tilelang.ir.stmt import Effect, If, Jump, Let, Store, While
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.ir.visit import subterms
from tilelang.language.frames import Frame, LaunchFrame, LoopFrame

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Scope, Tensor

STORED = object()
"""Result of :func:`bind_value` when the assignment was a store and binds no name."""


# --- values ---------------------------------------------------------------------------------------------------


def bare_value(ev: Evaluator, value: Any, node: ast.Expr, scope: Scope) -> None:
    """A call that stands alone: keep it if it has an effect of its own."""
    builder = ev.builder
    if builder is not None and isinstance(value, Call):
        builder.emit(Effect(value, span=ev.span(node, scope)))
    elif builder is not None and isinstance(value, Frame):
        scope.open_frames.append(value)
        value.enter(builder, ())


def bind_value(ev: Evaluator, name: str, value: Any, scope: Scope, node: ast.stmt) -> Any:
    """What a name is bound to by ``name = value``, or :data:`STORED`."""
    builder = ev.builder
    if builder is None:
        return value
    span = ev.span(node, scope)
    current = scope.vars.get(name)
    if isinstance(current, Buffer) and current.is_var and not isinstance(value, (Buffer, Frame, Region)):
        from tilelang.language.arith import operand

        stored = operand(value)
        if isinstance(stored, Unknown):
            from tilelang.ir.dtype import UNKNOWN_DTYPE

            stored = Var(UNKNOWN_DTYPE, "?", "unknown", span=span)
        builder.emit(Store(current, (0,) * current.rank, stored, span=span))
        return STORED
    if is_var(value) and is_var(current) and value.span.line != span.line:
        builder.emit(Store(current, (0,) * current.rank, Load(value.dtype, value, (0,), span=span), span=span))
        return STORED
    if isinstance(value, Frame):
        value.span = span
        scope.open_frames.append(value)
        return value.enter(builder, (name,))
    if isinstance(value, Expr) and not isinstance(value, Var) and _reads_memory(value):
        var = Var(value.dtype, name, "let", span=span)
        builder.emit(Let(var, value, span=span))
        return var
    return value


def is_var(value: object) -> TypeGuard[Buffer]:
    """Whether a value is a ``T.alloc_var``."""
    return isinstance(value, Buffer) and value.is_var


def _reads_memory(value: Expr) -> bool:
    return any(isinstance(term, (Load, Call)) for term in subterms(value))


def enter_by_assignment(ev: Evaluator, frame: Frame, target: ast.Tuple | ast.List, scope: Scope) -> Any:
    """``bx, by = T.Kernel(...)``: the rest of the function is the body."""
    builder = ev.builder
    if builder is None:
        return UNKNOWN
    scope.open_frames.append(frame)
    return _unpackable(frame.enter(builder, target_names(target)), target)


def _unpackable(value: Any, target: ast.expr) -> Any:
    """``as (bx,)`` takes the one index of a launch apart like a tuple of one."""
    single = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, Expr)
    return (value,) if single else value


def target_names(target: ast.expr | None) -> tuple[str, ...]:
    """The names of an assignment target, ``?`` where an entry is not a name."""
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(entry.id if isinstance(entry, ast.Name) else "?" for entry in target.elts)
    return ()


def annotate_parameter(ev: Evaluator, node: ast.AnnAssign, name: str, scope: Scope) -> None:
    """``A: T.Tensor((M, K), dtype)`` inside an eager kernel: the parameter becomes a tensor of that shape."""
    from tilelang.frontend.parameters import declare_tensor

    annotation = ev.eval(node.annotation, scope)
    value = declare_tensor(ev, name, annotation, scope.vars.get(name), ev.span(node, scope))
    if value is not None:
        bind(ev.heap, scope, name, value)


# --- branches -------------------------------------------------------------------------------------------------


def _run_time_operand(condition: Any) -> Expr:
    """A value of which ``is_ir`` holds, as an expression."""
    from tilelang.language.arith import operand

    found = operand(condition)
    assert isinstance(found, Expr)
    return found


def if_ir(ev: Evaluator, node: ast.If, condition: Any, scope: Scope) -> Signal:
    """A branch on a run-time value: both sides are built."""
    builder = ev.builder
    assert builder is not None
    cond = _run_time_operand(condition)
    before = dict(scope.vars)
    then, first = _arm(ev, node.body, scope)
    after_then = dict(scope.vars)
    scope.vars.clear()
    scope.vars.update(before)
    orelse, second = _arm(ev, node.orelse, scope)
    _merge_names(ev, node, scope, before, after_then)
    builder.emit(If(cond, then, orelse, span=ev.span(node, scope)))
    if isinstance(first, Return) and isinstance(second, Return):
        return first
    return None


def _arm(ev: Evaluator, body: list[ast.stmt], scope: Scope) -> tuple[Any, Signal]:
    builder = ev.builder
    assert builder is not None
    builder.push()
    builder.loops.append("if")
    try:
        signal = settled(ev, ev.exec(body, scope))
    finally:
        builder.loops.pop()
        block = builder.pop()
    return block, signal


def _merge_names(ev: Evaluator, node: ast.If, scope: Scope, before: dict[str, Any], then: dict[str, Any]) -> None:
    """After a run-time branch: a name that one side rebound has no certain value any more."""
    other = dict(scope.vars)
    for name in {*then, *other}:
        left, right = then.get(name, UNKNOWN), other.get(name, UNKNOWN)
        if left is right:
            scope.vars[name] = left
            continue
        old = before.get(name)
        if name not in before:
            scope.vars[name] = left if name in then and name not in other else right if name not in then else UNKNOWN
            continue
        if _same(left, right):
            scope.vars[name] = left
            continue
        changed = left if not _same(left, old) else right
        if isinstance(changed, Unknown) or isinstance(old, Unknown):
            scope.vars[name] = UNKNOWN
            continue
        where = _binding(node, name) or node
        scope.vars[name] = UNKNOWN
        scope.rebound[name] = ev.span(where, scope)


def _same(a: Any, b: Any) -> bool:
    from tilelang.frontend.plain import same

    return a is b or same(a, b)


def _binding(node: ast.AST, name: str) -> ast.AST | None:
    return next(
        (
            inner
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store)
        ),
        None,
    )


def if_unknown(ev: Evaluator, node: ast.If, scope: Scope) -> Signal:
    """A branch on a Python value that is not known: either side may be the kernel's code."""
    from tilelang.frontend.heap import joined

    builder = ev.builder
    assert builder is not None
    ev.incomplete("a branch on a value that is not known here", ev.span(node.test, scope))
    unknown = Call(BOOL, "unknown", (), span=ev.span(node.test, scope))
    with ev.under_unknown_condition():
        before = dict(scope.vars)
        then, first = _arm(ev, node.body, scope)
        after_then = dict(scope.vars)
        scope.vars.clear()
        scope.vars.update(before)
        orelse, second = _arm(ev, node.orelse, scope)
    for name, value in after_then.items():
        scope.vars[name] = joined(value, scope.vars[name]) if name in scope.vars else value
    builder.emit(If(unknown, then, orelse, span=ev.span(node, scope)))
    return (
        Return(joined(first.value, second.value)) if isinstance(first, Return) and isinstance(second, Return) else None
    )


# --- loops ----------------------------------------------------------------------------------------------------


def loop(ev: Evaluator, node: ast.For, frame: LoopFrame, scope: Scope) -> Signal:
    """``for ... in T.serial(...)`` and the other loops of the language. The body is built once."""
    from tilelang.frontend.statements import assign

    builder = ev.builder
    assert builder is not None
    names = target_names(node.target)
    for name in names:
        current = scope.vars.get(name)
        if isinstance(current, Buffer) and current.is_var:
            notes = (("T.alloc_var is here", current.span),)
            ev.problem("shadowed-variable", ev.span(node.target, scope), name=name, notes=notes)
        elif name != "_" and isinstance(current, Var) and any(current is var for var in ev.loop_vars):
            notes = (("the outer loop is here", current.span),)
            ev.problem("shadowed-variable", ev.span(node.target, scope), name=name, notes=notes)
    value = frame.enter(builder, names)
    ev.loop_vars.append(value)
    try:
        assign(ev, node.target, _unpackable(value, node.target), scope)
        signal = settled(ev, ev.exec(node.body, scope))
    finally:
        ev.loop_vars.pop()
        frame.exit(builder)
    return signal if isinstance(signal, Return) and not scope.kernel else None


def range_loop(ev: Evaluator, node: ast.For, value: range, scope: Scope) -> Signal:
    """``range`` inside a kernel is a serial loop."""
    frame = LoopFrame(
        "serial", (value.start,), (len(value) * value.step if value.step != 1 else len(value),), value.step
    )
    frame.span = ev.span(node.iter, scope)
    return loop(ev, node, frame, scope)


def while_ir(ev: Evaluator, node: ast.While, condition: Any, scope: Scope) -> Signal:
    """``while`` on a run-time value."""
    builder = ev.builder
    assert builder is not None
    builder.push()
    builder.loops.append("while")
    try:
        settled(ev, ev.exec(node.body, scope))
    finally:
        builder.loops.pop()
        body = builder.pop()
    builder.emit(While(_run_time_operand(condition), body, span=ev.span(node, scope)))
    return None


def jump(ev: Evaluator, kind: str, node: ast.stmt, scope: Scope) -> Signal:
    """``break`` and ``continue`` in a kernel."""
    builder = ev.builder
    if builder is not None:
        builder.emit(Jump(kind, span=ev.span(node, scope)))
    return None


def return_(ev: Evaluator, value: Any, node: ast.Return, scope: Scope) -> Signal:
    """``return``: a macro returns its value; a kernel names its outputs, or leaves early under a condition."""
    builder = ev.builder
    if builder is not None and "if" in builder.loops and value is None:
        builder.emit(Jump("return", span=ev.span(node, scope)))
        return None
    return Return(value)


# --- contexts and checks --------------------------------------------------------------------------------------


def with_frame(ev: Evaluator, frame: Frame, item: ast.withitem, body: Callable[[], Signal], scope: Scope) -> Signal:
    """``with T.Kernel(...) as (bx, by):`` and the other scopes of the language."""
    from tilelang.frontend.signals import StopPhase

    builder = ev.builder
    if builder is None:
        ev.problem("kernel-outside-context", ev.span(item.context_expr, scope), function="T.Kernel", missing="program")
        return None
    if ev.phase_one and isinstance(frame, LaunchFrame):
        raise StopPhase
    value = frame.enter(builder, target_names(item.optional_vars))
    try:
        if item.optional_vars is not None:
            _name_indices(ev, frame, item.optional_vars, value, scope)
        return body()
    finally:
        frame.exit(builder)


def _name_indices(ev: Evaluator, frame: Frame, target: ast.expr, value: Any, scope: Scope) -> None:
    """Bind the names after ``as``."""
    from tilelang.frontend.statements import assign

    try:
        assign(ev, target, _unpackable(value, target), scope)
    except UserError as error:
        if error.name == "ValueError" and isinstance(frame, LaunchFrame):
            ev.file_problem("invalid-argument", ev.span(target, scope), function="Kernel", message=error.message)
        raise


def assert_ir(ev: Evaluator, condition: Any, node: ast.Assert, scope: Scope) -> None:
    """An assertion on a run-time value becomes a check in the kernel."""
    builder = ev.builder
    assert builder is not None
    argument = _run_time_operand(condition)
    call = Call(VOID, "device_assert", (argument,), (("effect", "read"),), span=ev.span(node, scope))
    builder.emit(Effect(call, span=ev.span(node, scope)))


def fresh_tensor(name: str, tensor: Tensor | None, rank: int) -> Var:
    """A symbolic size for an unknown dimension of a tensor."""
    return Var(INT32, f"{name}_{rank}", "dim")
