"""Tests of a file: each with its parameter sets, fixtures and marks."""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from tilelang.frontend.attempts import attempt
from tilelang.frontend.calls import call, call_function
from tilelang.frontend.containers import is_list, is_sequence
from tilelang.frontend.iteration import materialize
from tilelang.frontend.requirements import conditions
from tilelang.frontend.values import MISSING, Class, ClassMethod, Function, Mark, Module, Object, StaticMethod
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.evaluator import Evaluator


TEST_BUDGET = 250_000
"""Steps of one test with all its parameter sets. The sets come in an order that spreads over the whole list, so that a
list that is too long is sampled evenly."""

MAX_PARAMETER_SETS = 400
"""Parameter sets of one test that are evaluated at most."""


def run_test(
    ev: Evaluator, function: Function, module: Module, receiver: Any = None, marks: tuple[Mark, ...] = ()
) -> None:
    """Run one test with every set of its parameters."""
    every = (*marks, *function.marks)
    if not ev.modules.reaches_kernels(ev, function):
        return
    with conditions(ev, every):
        names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
        if receiver is not None and names:
            names = names[1:]
        start = ev.steps
        sets = list(_parameter_sets(ev, every, _fixture_axes(ev, names, module)))
        for count, position in enumerate(spread(len(sets))):
            if ev.steps - start > TEST_BUDGET:
                ev.trace(f"{count} of {len(sets)} parameter sets are evaluated", ev.span_of(function))
                break
            values = sets[position]
            bound = dict(values)
            for name in _used_fixtures(every, module):
                _fixture(ev, name, module)
            for name in names:
                if name not in bound or isinstance(bound[name], _Param):
                    bound[name] = _fixture(ev, name, module, bound.get(name))
            bound = {name: value for name, value in bound.items() if name in names and value is not MISSING}
            args = (receiver,) if receiver is not None else ()
            attempt(ev, lambda args=args, bound=bound: call_function(ev, function, args, bound, ev.span_of(function)))


def spread(count: int) -> Iterator[int]:
    """The numbers below ``count``, each prefix spread over the whole range: ends and middles first."""
    seen: set[int] = set()
    parts = 1
    while len(seen) < count:
        for step in range(parts + 1):
            position = step * (count - 1) // parts
            if position not in seen:
                seen.add(position)
                yield position
        parts *= 2


def run_test_class(ev: Evaluator, cls: Class, module: Module) -> None:
    marks: tuple[Mark, ...] = cls.vars.get("__marks__", ())
    for name, member in list(cls.vars.items()):
        function = member.function if isinstance(member, StaticMethod) else member
        if name.startswith("test") and isinstance(function, Function):
            receiver = None if isinstance(member, StaticMethod) else Object(cls)
            for hook in _CLASS_HOOKS:
                _run_hook(ev, cls.lookup(hook), cls)
            if isinstance(receiver, Object):
                for hook in _TEST_HOOKS:
                    _run_hook(ev, cls.lookup(hook), receiver)
            run_test(ev, function, module, receiver, marks)


_CLASS_HOOKS = ("setup_class", "setUpClass")
_TEST_HOOKS = ("setup_method", "setUp")


def _run_hook(ev: Evaluator, hook: Any, receiver: Any) -> None:
    """Run a function that prepares tests; it may take the test itself after its receiver."""
    function = hook.function if isinstance(hook, (ClassMethod, StaticMethod)) else hook
    if not isinstance(function, Function):
        return
    spec = function.node.args
    places = len(spec.posonlyargs) + len(spec.args)
    args = (receiver, UNKNOWN)[:places] if not isinstance(hook, StaticMethod) else (UNKNOWN,)[:places]
    attempt(ev, lambda: call_function(ev, function, args, {}, ev.span_of(function)))


Axis = list[dict[str, Any]]
"""Alternative values of one or more parameters of a test."""


def _parameter_sets(ev: Evaluator, marks: tuple[Mark, ...], fixtures: list[Axis]) -> Iterator[dict[str, Any]]:
    """Every combination of the ``parametrize`` marks and of fixtures with parameters. Unknown lists give one set of
    unknown values."""
    axes: list[Axis] = [*fixtures]
    for mark in marks:
        if mark.name == "parametrize" and mark.args:
            axes.append(_axis(ev, mark))
    combinations = [dict(kv for part in combo for kv in part.items()) for combo in _bounded_product(axes)]
    if len(combinations) > MAX_PARAMETER_SETS:
        step = len(combinations) / MAX_PARAMETER_SETS
        combinations = [combinations[int(i * step)] for i in range(MAX_PARAMETER_SETS)]
    yield from combinations


def _bounded_product(axes: list[Axis]) -> Iterator[tuple[dict[str, Any], ...]]:
    size = 1
    for axis in axes:
        size *= max(1, len(axis))
    if size > 100_000:
        axes = [axis[:8] for axis in axes]
    return product(*axes)


def _axis(ev: Evaluator, mark: Mark) -> Axis:
    argnames, argvalues = (
        mark.args[0],
        mark.args[1] if len(mark.args) > 1 else dict(mark.kwargs).get("argvalues", UNKNOWN),
    )
    if isinstance(argnames, str):
        names = [name.strip() for name in argnames.split(",") if name.strip()]
        alone = len(names) == 1 and not argnames.rstrip().endswith(",")
    else:
        names = [name for name in materialize(ev, argnames) or [] if isinstance(name, str)]
        alone = False
    indirect = _indirect(ev, mark, names)
    entries = materialize(ev, argvalues)
    if entries is None:
        return [dict.fromkeys(names, UNKNOWN)]
    axis: Axis = []
    for entry in entries:
        if isinstance(entry, Mark) and entry.name == "param":
            if _is_skipped(entry):
                continue
            values = list(entry.args)
        else:
            values = [entry] if alone else materialize(ev, entry) or []
        given = {name: values[i] if i < len(values) else UNKNOWN for i, name in enumerate(names)}
        axis.append({name: _Param(value) if name in indirect else value for name, value in given.items()})
    return axis


def _indirect(ev: Evaluator, mark: Mark, names: list[str]) -> set[str]:
    """Names whose values go to the fixture of that name."""
    value = mark.args[2] if len(mark.args) > 2 else dict(mark.kwargs).get("indirect", False)
    if isinstance(value, bool):
        return set(names) if value else set()
    return {name for name in materialize(ev, value) or names if isinstance(name, str)}


def _is_skipped(entry: Mark) -> bool:
    """Whether a ``pytest.param`` carries a mark that keeps it from passing as it is."""
    marks = dict(entry.kwargs).get("marks", ())
    several = marks if is_sequence(marks) else (marks,)
    return any(getattr(mark, "name", "") in ("skip", "xfail", "skipif") for mark in several)


# --- fixtures -------------------------------------------------------------------------------------------------

_REQUEST = Class("FixtureRequest", (), {}, external_base=True)
MAX_FIXTURE_DEPTH = 8


@dataclass(frozen=True, slots=True)
class _Param:
    """The value of ``request.param`` for which a fixture is to be run."""

    value: Any


def _fixture_axes(ev: Evaluator, names: list[str], module: Module) -> list[Axis]:
    """The parameters of those fixtures that have some."""
    axes: list[Axis] = []
    for name in names:
        for mark in _fixture_marks(module.vars.get(name)):
            params = materialize(ev, dict(mark.kwargs).get("params"))
            if params:
                axes.append([{name: _Param(param)} for param in params])
    return axes


def _fixture_marks(value: Any) -> list[Mark]:
    return [mark for mark in value.marks if mark.name == "fixture"] if isinstance(value, Function) else []


def _used_fixtures(marks: tuple[Mark, ...], module: Module) -> Iterator[str]:
    """Fixtures of the file that run for their effects: those for every test, and those that a mark names."""
    for name, value in module.vars.items():
        if any(dict(mark.kwargs).get("autouse") is True for mark in _fixture_marks(value)):
            yield name
    for mark in marks:
        if mark.name == "usefixtures":
            yield from (name for name in mark.args if isinstance(name, str))


def _until_yield(function: Function) -> Function:
    """The part of a fixture that runs before the test."""
    body = function.node.body if isinstance(function.node, ast.FunctionDef) else []
    for position, stmt in enumerate(body):
        if any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(stmt)):
            node = copy(function.node)
            assert isinstance(node, ast.FunctionDef)
            node.body = body[: position + 1]
            return replace(function, node=node)
    return function


def _fixture(ev: Evaluator, name: str, module: Module, param: _Param | None = None, depth: int = 0) -> Any:
    """The value of a fixture of the same file; other fixtures are unknown."""
    found = module.vars.get(name)
    if not isinstance(found, Function) or not _fixture_marks(found) or depth > MAX_FIXTURE_DEPTH:
        return UNKNOWN
    given: dict[str, Any] = {}
    for arg in found.node.args.args:
        if arg.arg == "request":
            given["request"] = Object(_REQUEST, {"param": UNKNOWN if param is None else param.value})
        else:
            given[arg.arg] = _fixture(ev, arg.arg, module, None, depth + 1)
    if found.is_generator:
        found = _until_yield(found)
    value = attempt(ev, lambda: call(ev, found, (), given, ev.span_of(found)))
    return value[0] if found.is_generator and is_list(value) and value else value
