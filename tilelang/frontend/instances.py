"""From programs to recorded instances, and the same instance once more with other values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.eager import build_eager, is_eager
from tilelang.frontend.instance import CallLink, Instance, JitOptions, Origin
from tilelang.frontend.recorder import plain, plain_map
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import Function, Jit, Kernel, PrimFunc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span


def record(ev: Evaluator, instance: Instance, **changes: Any) -> None:
    """Hand an instance to the recorder, with the conditions it was made under and other ``changes`` of its fields."""
    if ev.dry:
        return
    requires: tuple[str, ...] | None = None
    for allowed in ev.requires:
        requires = allowed if requires is None else tuple(arch for arch in requires if arch in allowed)
    ev.recorder.add(
        replace(
            instance,
            certain=instance.certain and ev.unsure == 0 and not ev.in_doubt,
            expected_failure=ev.expected_failure > 0,
            requires=requires,
            arch=ev.arch if ev.asked_for_target else None,
            **changes,
        )
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


def lazy_instance(
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


def run_factory(ev: Evaluator, function: Function, bound: Mapping[str, Any], spans: Mapping[str, Span]) -> Any:
    """What a kernel factory returns for bound arguments."""
    scope = ev.new_scope(function)
    scope.vars = dict(bound)
    scope.bound = dict(bound)
    scope.arg_spans = dict(spans)
    ev.factories += 1
    try:
        return ev.run_body(function, scope)
    finally:
        ev.factories -= 1


def reevaluator(
    ev: Evaluator, jit: Jit, bound: Mapping[str, Any], spans: Mapping[str, Span], extra: Mapping[str, Any]
) -> Any:
    def again(changes: Mapping[str, object]) -> Instance | None:
        changed = {**bound, **{name: value for name, value in changes.items() if name in bound}}
        more = {**extra, **{name: value for name, value in changes.items() if name not in bound}}

        def run() -> Instance | None:
            if is_eager(jit.function):
                return build_eager(ev, jit, changed, spans, more)
            made = run_factory(ev, jit.function, changed, spans)
            return lazy_instance(ev, made.program, made, jit, changed, spans) if isinstance(made, PrimFunc) else None

        return _quietly(ev, run)

    return again


def _maker_reevaluator(ev: Evaluator, maker: Function, bound: Mapping[str, Any], options: JitOptions) -> Any:
    def again(changes: Mapping[str, object]) -> Instance | None:
        changed = {**bound, **{name: value for name, value in changes.items() if name in bound}}

        def run() -> Instance | None:
            made = run_factory(ev, maker, changed, {})
            return prim_func_instance(ev, made, options, ()) if isinstance(made, PrimFunc) else None

        return _quietly(ev, run)

    return again


REEVALUATION_BUDGET = 100_000
"""Steps for one what-if question of a rule."""


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
