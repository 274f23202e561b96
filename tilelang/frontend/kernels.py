"""From functions of the program to kernel instances: prim_funcs, macros, lazy and eager jit functions."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.calls import Arguments, bind_arguments
from tilelang.frontend.instance import CallLink, Instance, JitOptions, Origin, TuneEntry
from tilelang.frontend.recorder import plain, plain_map
from tilelang.frontend.scoping import captured, own_nodes
from tilelang.frontend.signals import Exhausted, StopPhase, UserError
from tilelang.frontend.values import MISSING, Function, Jit, Kernel, Macro, Object, PrimFunc, Scope, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import Builder, building
from tilelang.ir.dtype import HANDLE, DType
from tilelang.ir.expr import Expr, Var
from tilelang.ir.program import Program
from tilelang.ir.span import Span
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.frontend.evaluator import Evaluator

_LAUNCHERS = frozenset(("Kernel", "ClusterKernel", "launch_thread", "CUDASourceCodeKernel"))
_EAGER_MARKS = _LAUNCHERS | {"const", "empty"}


# --- programs -------------------------------------------------------------------------------------------------


def elaborate(ev: Evaluator, function: Function) -> PrimFunc:
    """Evaluate the body of a ``@T.prim_func`` with symbolic parameters."""
    builder = Builder()
    scope = ev.new_scope(function)
    scope.kernel = True
    node = function.node
    assert not isinstance(node, ast.Lambda)
    span = ev.span(node, scope)
    unsure = ev.unsure
    with building(builder), _eager(ev, {}, phase_one=False) as state:
        declared = _declare_params(ev, function, scope)
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
        tuple(builder.problems),
        captured(node, function.scope),
        tuple(ev.stack),
        span,
        maker,
        arg_spans,
        certain=unsure == 0,
    )


def _declare_params(ev: Evaluator, function: Function, scope: Scope) -> dict[str, Any]:
    """Parameters by name. Those that the body annotates are unknown until it does."""
    node = function.node
    params: dict[str, Any] = {}
    for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        value: Any = UNKNOWN
        if arg.annotation is not None:
            value = declare(ev, arg.arg, ev.eval(_annotation(arg.annotation), function.scope), ev.span(arg, scope))
            if isinstance(value, Unknown) and ev.builder is not None:
                ev.builder.complete = False
        elif arg.arg not in _annotated_in_body(node) and ev.builder is not None:
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


def _annotated_in_body(node: ast.AST) -> frozenset[str]:
    return frozenset(
        inner.target.id
        for inner in own_nodes(node)
        if isinstance(inner, ast.AnnAssign) and inner.value is None and isinstance(inner.target, ast.Name)
    )


def _annotation(node: ast.expr) -> ast.expr:
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
    except UserError as error:
        ev.problem("invalid-argument", span, function=function.name, argument="", expected=error.message, got="")
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


# --- jit ------------------------------------------------------------------------------------------------------


def is_eager(function: Function) -> bool:
    """Whether the body of a jit function is the kernel itself: it launches or declares sizes, and defines no prim_func."""
    node = function.node
    known = getattr(node, "_eager", None)
    if known is None:
        nodes = own_nodes(node)
        defines = any(
            isinstance(inner, ast.FunctionDef) and any("prim_func" in ast.unparse(d) for d in inner.decorator_list)
            for inner in nodes
        )
        known = not defines and any(
            (isinstance(inner, ast.Attribute) and inner.attr in _EAGER_MARKS)
            or (isinstance(inner, ast.Name) and inner.id in _LAUNCHERS)
            for inner in nodes
        )
        node._eager = known  # type: ignore[attr-defined]  # a cache on the syntax node
    return known


def call_jit(ev: Evaluator, jit: Jit, arguments: Arguments, span: Span, *, compile_only: bool = False) -> Any:
    """Call a jit function: build its instance, or one for each entry of its tuner."""
    jit.called = jit.called or not ev.dry
    function = jit.function
    if isinstance(function, PrimFunc):
        return compile_prim_func(ev, function, jit.options, span)
    if not isinstance(function, Function):
        return UNKNOWN
    eager = is_eager(function)
    extra: dict[str, Any] = {}
    bound, spans = bind_arguments(
        ev,
        function,
        arguments.args,
        {name: value for name, value in arguments.kwargs.items() if not name.startswith("__")},
        span,
        arguments,
        missing=(lambda name: MISSING) if eager or jit.tuner is not None else None,
        extra=extra if eager else None,
    )
    if jit.tuner is not None:
        from tilelang.frontend.tuning import tune

        return tune(ev, jit, bound, spans, extra, arguments, span)
    if not eager and any(value is MISSING for value in bound.values()):
        return UNKNOWN
    return build(ev, jit, bound, spans, extra, span, compile_only=compile_only)


def build(
    ev: Evaluator,
    jit: Jit,
    bound: Mapping[str, Any],
    spans: Mapping[str, Span],
    extra: Mapping[str, Any],
    span: Span,
    *,
    entry: TuneEntry | None = None,
    origin: Origin = "call",
    compile_only: bool = False,
) -> Any:
    """Build one instance of a jit function with bound arguments, record it, and return what the call returns."""
    function = jit.function
    key = memo_key(ev, jit, bound, extra)
    ev.stack.append(CallLink(function.name, span))
    try:
        known = ev.built.get(key) if key is not None else None
        if known is not None:
            instance = replace(known, arg_spans=dict(spans), chain=tuple(ev.stack))
        elif is_eager(function):
            instance = _build_eager(ev, jit, bound, spans, extra)
        else:
            made = _run_factory(ev, function, bound, spans)
            if not isinstance(made, PrimFunc):
                return _not_a_kernel(ev, made, function, span)
            made.consumed = True
            instance = _instance(ev, made.program, made, jit, bound, spans)
        if key is not None and not ev.dry:
            ev.built[key] = instance
        origin = "autotune" if entry is not None else origin
        instance = replace(instance, tune=entry, origin=origin, reevaluate=_reevaluator(ev, jit, bound, spans, extra))
        record(ev, instance)
    finally:
        ev.stack.pop()
    kernel = Kernel(instance.program, instance.jit)
    if instance.style == "eager" and not compile_only:
        from tilelang.frontend.launching import outputs

        return outputs(instance.program)
    return kernel


def memo_key(ev: Evaluator, jit: Jit, bound: Mapping[str, Any], extra: Mapping[str, Any]) -> object | None:
    """What a build depends on, or ``None`` if an argument is not plain data. Equal keys build equal programs: factories
    are functions of their arguments, as the language's own cache assumes."""
    parts: list[object] = [id(jit.function), jit.options]
    for name, value in (*bound.items(), *extra.items()):
        frozen = _frozen(value)
        if frozen is None:
            return None
        parts.append((name, frozen))
    return tuple(parts)


def _frozen(value: Any) -> object | None:
    if value is None or isinstance(value, (bool, int, float, str)):
        return (type(value).__name__, value)
    if value is MISSING:
        return ("missing",)
    if isinstance(value, Tensor):
        return ("tensor", value.shape, value.dtype, value.strides) if _hashable(value) else None
    if isinstance(value, tuple):
        items = [_frozen(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        return None if any(item is None for item in items) else ("tuple", *items)
    if isinstance(value, Object) and value.cls.kind == "dataclass":
        items = [_frozen(item) for item in value.attrs.values()]
        return None if any(item is None for item in items) else (id(value.cls), *items)
    if isinstance(value, Var):
        return ("var", id(value))
    return None


def _hashable(value: Tensor) -> bool:
    return all(isinstance(e, (int, type(None))) for e in (*(value.shape or ()), *(value.strides or ())))


def _run_factory(ev: Evaluator, function: Function, bound: Mapping[str, Any], spans: Mapping[str, Span]) -> Any:
    scope = ev.new_scope(function)
    scope.vars = dict(bound)
    scope.bound = dict(bound)
    scope.arg_spans = dict(spans)
    return ev.run_body(function, scope)


def _not_a_kernel(ev: Evaluator, made: Any, function: Function, span: Span) -> Any:
    if isinstance(made, Kernel):
        return made
    ev.trace(f"{function.name} returned no prim_func that could be followed", span)
    return UNKNOWN


def _build_eager(
    ev: Evaluator, jit: Jit, bound: Mapping[str, Any], spans: Mapping[str, Span], extra: Mapping[str, Any]
) -> Instance:
    function = jit.function
    consts: dict[str, Any] = dict(extra)
    if "const" in _mentioned(function):
        consts = {**_match_consts(ev, function, bound), **consts}
    builder = Builder()
    with building(builder), _eager(ev, consts, phase_one=False) as state:
        returned, scope = _run_eager(ev, function, bound, spans)
    for name, var in state.unbound.items():
        if not builder.problems or all(p.kind != "unbound-const" for p in builder.problems):
            if state.tensors and not state.mentions(var):
                builder.problem("unbound-const", var.span, name=name)
    node = function.node
    items = returned if isinstance(returned, tuple) else (returned,)
    results = tuple(value for value in items if isinstance(value, Buffer))
    params = (*state.tensors.values(), *(buffer for buffer in builder.outputs))
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


class EagerState:
    """What the body of an eager kernel declares: its sizes and its tensors."""

    def __init__(self, consts: dict[str, Any]) -> None:
        self.consts = consts
        self.unbound: dict[str, Var] = {}
        self.tensors: dict[str, Buffer] = {}
        self.arguments: dict[str, Any] = {}
        self.spans: dict[str, Span] = {}
        """Where the caller wrote each argument."""

    def mentions(self, var: Var) -> bool:
        """Whether a size is an extent or a stride of some declared tensor by itself."""
        return any(
            var is extent for buffer in self.tensors.values() for extent in (*buffer.shape, *(buffer.strides or ()))
        )


@contextmanager
def _eager(ev: Evaluator, consts: dict[str, Any], *, phase_one: bool) -> Iterator[EagerState]:
    outer, outer_phase = ev.eager, ev.phase_one
    state = EagerState(consts)
    ev.eager, ev.phase_one = state, phase_one
    try:
        yield state
    finally:
        ev.eager, ev.phase_one = outer, outer_phase


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
        annotation = ev.eval(_annotation(arg.annotation), function.scope)
        value = declare_tensor(ev, arg.arg, annotation, bound.get(arg.arg), ev.span(arg, scope))
        if value is not None:
            scope.vars[arg.arg] = value
    return ev.run_body(function, scope), scope


def _may_be_tensor(node: ast.expr) -> bool:
    return isinstance(node, (ast.Call, ast.Subscript, ast.Attribute, ast.Name))


def _mentioned(function: Function) -> frozenset[str]:
    node = function.node
    known = getattr(node, "_mentions", None)
    if known is None:
        known = frozenset(inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)) | frozenset(
            inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)
        )
        node._mentions = known  # type: ignore[attr-defined]  # a cache on the syntax node
    return known


def _match_consts(ev: Evaluator, function: Function, bound: Mapping[str, Any]) -> dict[str, Any]:
    """First phase: run up to the launch and read each size off the tensor that has it as an extent."""
    found: dict[str, Any] = {}
    with building(Builder()), _eager(ev, {}, phase_one=True) as state:
        try:
            _run_eager(ev, function, bound, {})
        except StopPhase:
            pass
    for name, buffer in state.tensors.items():
        tensor = bound.get(name)
        if not isinstance(tensor, Tensor):
            continue
        pairs = list(zip(buffer.shape, tensor.shape or ()))
        pairs += list(zip(buffer.strides or (), tensor.strides or ()))
        for extent, value in pairs:
            if isinstance(extent, Var) and state.unbound.get(extent.name) is extent and extent.name not in found:
                packed = _packing(buffer, tensor) if extent is buffer.shape[-1] else 1
                if isinstance(value, int) and packed is not None:
                    found[extent.name] = value * packed
    return found


def _packing(buffer: Buffer, tensor: Tensor) -> int | None:
    """Logical elements per stored element: a 4-bit tensor arrives as bytes."""
    if tensor.dtype is None or not buffer.dtype.is_known or buffer.dtype.bits >= 8:
        return 1
    return max(1, tensor.dtype.bits // buffer.dtype.bits) if tensor.dtype.is_known else None


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


# --- recording ------------------------------------------------------------------------------------------------


def _instance(
    ev: Evaluator,
    program: Program,
    made: PrimFunc,
    jit: Jit,
    bound: Mapping[str, Any],
    spans: Mapping[str, Span],
) -> Instance:
    function: Function = jit.function
    return Instance(
        program,
        made.function.name,
        function.name,
        "lazy",
        made.function.path,
        made.function.node.lineno,
        function.path,
        function.node.lineno,
        plain_map(bound),
        {name: plain(value) for name, value in made.closure.items()},
        dict(spans),
        tuple(ev.stack),
        jit=jit.options,
        problems=made.problems,
    )


def compile_prim_func(ev: Evaluator, func: PrimFunc, options: JitOptions, span: Span) -> Kernel:
    """``tilelang.compile(func)`` and its relatives: the prim_func becomes an instance."""
    func.consumed = True
    record(ev, prim_func_instance(ev, func, options, (*ev.stack, CallLink("compile", span))))
    return Kernel(func.program, options)


def prim_func_instance(
    ev: Evaluator, func: PrimFunc, options: JitOptions, chain: tuple[CallLink, ...], origin: Origin = "call"
) -> Instance:
    """The instance of a bare prim_func. Its arguments are those of the function that made it."""
    maker, bound = func.maker if func.maker is not None else (None, {})
    return Instance(
        func.program,
        func.function.name,
        maker.name if maker is not None else func.function.name,
        "primfunc",
        func.function.path,
        func.function.node.lineno,
        maker.path if maker is not None else func.function.path,
        maker.node.lineno if maker is not None else func.function.node.lineno,
        plain_map(bound),
        {name: plain(value) for name, value in func.closure.items()},
        dict(func.arg_spans),
        func.chain if len(func.chain) > len(chain) else chain,
        origin,
        func.certain,
        jit=options,
        problems=func.problems,
        reevaluate=_maker_reevaluator(ev, maker, bound, options) if maker is not None else None,
    )


def record(ev: Evaluator, instance: Instance) -> None:
    """Hand an instance to the recorder, with the conditions it was made under."""
    if ev.dry:
        return
    requires: tuple[str, ...] | None = None
    for allowed in ev.requires:
        requires = allowed if requires is None else tuple(arch for arch in requires if arch in allowed)
    ev.recorder.add(
        replace(
            instance,
            certain=instance.certain and ev.unsure == 0,
            expected_failure=ev.expected_failure > 0,
            requires=requires,
            arch=ev.arch if ev.asked_for_target else None,
        )
    )


def _reevaluator(
    ev: Evaluator, jit: Jit, bound: Mapping[str, Any], spans: Mapping[str, Span], extra: Mapping[str, Any]
) -> Any:
    def again(changes: Mapping[str, object]) -> Instance | None:
        changed = {**bound, **{name: value for name, value in changes.items() if name in bound}}
        more = {**extra, **{name: value for name, value in changes.items() if name not in bound}}

        def run() -> Instance | None:
            if is_eager(jit.function):
                return _build_eager(ev, jit, changed, spans, more)
            made = _run_factory(ev, jit.function, changed, spans)
            return _instance(ev, made.program, made, jit, changed, spans) if isinstance(made, PrimFunc) else None

        return _quietly(ev, run)

    return again


def _maker_reevaluator(ev: Evaluator, maker: Function, bound: Mapping[str, Any], options: JitOptions) -> Any:
    def again(changes: Mapping[str, object]) -> Instance | None:
        changed = {**bound, **{name: value for name, value in changes.items() if name in bound}}

        def run() -> Instance | None:
            made = _run_factory(ev, maker, changed, {})
            return prim_func_instance(ev, made, options, ()) if isinstance(made, PrimFunc) else None

        return _quietly(ev, run)

    return again


REEVALUATION_BUDGET = 100_000


def _quietly(ev: Evaluator, run: Any) -> Instance | None:
    """Evaluate once more for a rule's what-if question, without recording anything."""
    outer, ev.limit = ev.limit, ev.steps + REEVALUATION_BUDGET
    ev.dry += 1
    try:
        result, _ = ev.heap.trial(run)
        return result
    except (UserError, Exhausted, RecursionError):
        return None
    finally:
        ev.dry -= 1
        ev.limit = outer
