"""Eager kernels: jit functions whose body is the kernel.

The sizes that ``T.const`` declares are read off the tensors of the call. So a body runs twice: first up to its launch,
which says which extent of which parameter each size is, then with the sizes as numbers.
"""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_tuple
from tilelang.frontend.instance import Instance
from tilelang.frontend.parameters import declare_tensor
from tilelang.frontend.recorder import plain_map
from tilelang.frontend.scoping import kept, lookup, names_used, own_nodes
from tilelang.frontend.signals import StopPhase
from tilelang.frontend.values import MISSING, Function, Jit, Macro, Scope, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import Builder, building
from tilelang.ir.dtype import HANDLE
from tilelang.ir.expr import Var
from tilelang.ir.program import Program
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.tensors import handle, ptr

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span

LAUNCHERS = frozenset(("Kernel", "ClusterKernel", "launch_thread", "thread_binding", "CUDASourceCodeKernel"))
"""Names of the language that start the threads of a kernel."""

_EAGER_MARKS = LAUNCHERS | {"const", "empty"}


def is_eager(function: Function) -> bool:
    """Whether the body of a jit function is the kernel: it launches or declares sizes, and defines no prim_func."""
    return kept(function.node, "_eager", lambda: _is_eager(function))


def _is_eager(function: Function) -> bool:
    nodes = own_nodes(function.node)
    if any(
        isinstance(inner, ast.FunctionDef) and any("prim_func" in ast.unparse(d) for d in inner.decorator_list)
        for inner in nodes
    ):
        return False
    launches = any(
        (isinstance(inner, ast.Attribute) and inner.attr in _EAGER_MARKS)
        or (isinstance(inner, ast.Name) and inner.id in LAUNCHERS)
        for inner in nodes
    )
    return launches or any(isinstance(lookup(function.scope, name), Macro) for name in names_used(function.node))


class EagerState:
    """What the body of an eager kernel declares: its sizes and its tensors."""

    def __init__(self, consts: dict[str, Any]) -> None:
        self.consts = consts
        self.unbound: dict[str, Var] = {}
        self.tensors: dict[str, Buffer] = {}
        self.pointers: dict[str, Var] = {}
        """Parameters that are addresses, whatever the call gives for them."""
        self.arguments: dict[str, Any] = {}
        self.spans: dict[str, Span] = {}
        """Where the caller wrote each argument."""

    def mentions(self, var: Var, outputs: Iterable[Buffer]) -> bool:
        """Whether a size is an extent or a stride of some declared tensor or output by itself."""
        buffers = (*self.tensors.values(), *outputs)
        return any(var is extent for buffer in buffers for extent in (*buffer.shape, *(buffer.strides or ())))


@contextmanager
def eager_state(ev: Evaluator, consts: dict[str, Any], *, phase_one: bool) -> Generator[EagerState, None, None]:
    outer, outer_phase = ev.eager, ev.phase_one
    state = EagerState(consts)
    ev.eager, ev.phase_one = state, phase_one
    try:
        yield state
    finally:
        ev.eager, ev.phase_one = outer, outer_phase


def build_eager(
    ev: Evaluator, jit: Jit, bound: Mapping[str, Any], spans: Mapping[str, Span], extra: Mapping[str, Any]
) -> Instance:
    function = jit.function
    consts: dict[str, Any] = dict(extra)
    unbound: list[Var] = []
    if "const" in _mentioned(function):
        matched, unbound = _match_consts(ev, function, bound)
        consts = {**matched, **consts}
    builder = Builder()
    with building(builder), eager_state(ev, consts, phase_one=False) as state:
        returned, scope = _run_eager(ev, function, bound, spans)
    for var in unbound:
        builder.problem("unbound-const", var.span, name=var.name)
    node = function.node
    items = returned if is_tuple(returned) else (returned,)
    results = tuple(value for value in items if isinstance(value, Buffer))
    params = (*state.tensors.values(), *state.pointers.values(), *builder.outputs)
    program = Program(
        function.name,
        tuple(dict.fromkeys(params)),
        builder.body(),
        results,
        builder.complete,
        tuple(builder.func_attrs.items()),
        span=ev.span(node, scope),
    )
    values = {name: value for name, value in bound.items() if value is not MISSING}
    return Instance(
        program,
        function.name,
        function.name,
        "eager",
        function.path,
        node.lineno,
        function.path,
        node.lineno,
        {**plain_map(values), **plain_map(extra)},
        {},
        dict(spans),
        tuple(ev.stack),
        jit=jit.options,
        problems=tuple(builder.problems),
    )


def _run_eager(
    ev: Evaluator, function: Function, bound: Mapping[str, Any], spans: Mapping[str, Span]
) -> tuple[Any, Scope]:
    scope = ev.new_scope(function)
    scope.kernel = True
    scope.vars = {name: UNKNOWN if value is MISSING else value for name, value in bound.items()}
    scope.bound = dict(scope.vars)
    scope.arg_spans = dict(spans)
    assert ev.eager is not None
    ev.eager.arguments = dict(bound)
    ev.eager.spans = dict(spans)
    for arg in (*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs):
        if arg.annotation is None or not _may_be_tensor(arg.annotation):
            continue
        declared = ev.annotation(function, arg)
        if _is_pointer(declared):
            pointer = ev.eager.pointers[arg.arg] = Var(HANDLE, arg.arg, "param", span=ev.span(arg, scope))
            scope.vars[arg.arg] = pointer
            continue
        value = declare_tensor(ev, arg.arg, declared, bound.get(arg.arg), ev.span(arg, scope))
        if value is not None:
            scope.vars[arg.arg] = value
    return ev.run_body(function, scope), scope


def _is_pointer(declared: Any) -> bool:
    """Whether an annotation is ``T.ptr`` or ``T.handle``, called or not."""
    return declared is ptr or declared is handle or (isinstance(declared, Var) and declared.dtype.kind == "handle")


def _may_be_tensor(node: ast.expr) -> bool:
    return isinstance(node, (ast.Call, ast.Subscript, ast.Attribute, ast.Name))


def _mentioned(function: Function) -> frozenset[str]:
    """Names and attributes that the function mentions."""
    return kept(function.node, "_mentions", lambda: names_used(function.node) | _attributes(function.node))


def _attributes(node: ast.AST) -> frozenset[str]:
    return frozenset(inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute))


def _match_consts(ev: Evaluator, function: Function, bound: Mapping[str, Any]) -> tuple[dict[str, Any], list[Var]]:
    """First phase: run up to the launch and read each size off the tensor that has it as an extent. Also the sizes that
    are no extent and no stride of any tensor by themselves, which the language refuses."""
    found: dict[str, Any] = {}
    unbound: list[Var] = []
    builder = Builder()
    with building(builder), eager_state(ev, {}, phase_one=True) as state:
        try:
            _run_eager(ev, function, bound, {})
        except StopPhase:
            if state.tensors:
                unbound = [var for var in state.unbound.values() if not state.mentions(var, builder.outputs)]
    for name, buffer in state.tensors.items():
        tensor = bound.get(name)
        if not isinstance(tensor, Tensor):
            continue
        pairs: list[tuple[Any, Any]] = [
            *zip(buffer.shape, tensor.shape or (), strict=False),
            *zip(buffer.strides or (), tensor.strides or (), strict=False),
        ]
        for extent, value in pairs:
            if isinstance(extent, Var) and state.unbound.get(extent.name) is extent and extent.name not in found:
                packed = _packing(buffer, tensor) if extent is buffer.shape[-1] else 1
                if isinstance(value, int) and packed is not None:
                    found[extent.name] = value * packed
    return found, unbound


def _packing(buffer: Buffer, tensor: Tensor) -> int | None:
    """Logical elements per stored element: a 4-bit tensor arrives as bytes."""
    if tensor.dtype is None or not buffer.dtype.is_known or buffer.dtype.bits >= 8:
        return 1
    return max(1, tensor.dtype.bits // buffer.dtype.bits) if tensor.dtype.is_known else None
