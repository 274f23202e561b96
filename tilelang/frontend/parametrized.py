"""Tests of a file: each with its parameter sets, fixtures and marks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from tilelang.frontend.attempts import attempt
from tilelang.frontend.calls import call_function
from tilelang.frontend.containers import is_sequence
from tilelang.frontend.fixtures import Fixtures, Param, parameters
from tilelang.frontend.iteration import materialize
from tilelang.frontend.requirements import conditions
from tilelang.frontend.values import Class, ClassMethod, Function, Mark, Model, Object, StaticMethod
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Module


Marks = tuple[Mark, ...]

TEST_BUDGET = 250_000
"""Steps of one test with all its parameter sets. The sets come in an order that spreads over the whole list, so that a
list that is too long is sampled evenly."""

MAX_PARAMETER_SETS = 400
"""Parameter sets of one test that are evaluated at most."""


def run_test(ev: Evaluator, test: Function | StaticMethod, fixtures: Fixtures, marks: Marks, hooks: Hooks) -> None:
    """Run one test with every set of its parameters."""
    function: Function = test.function if isinstance(test, StaticMethod) else test
    every = (*marks, *function.marks)
    cls = fixtures.cls
    if not _reaches_kernels(ev, function, cls):
        return
    has_receiver = cls is not None and function is test
    with conditions(ev, every):
        names = parameters(function, cls if has_receiver else None)
        axes = [_axis(ev, mark) for mark in every if mark.name == "parametrize" and mark.args]
        given = {name: value for axis in axes if axis for name, value in axis[0].items()}
        direct = {name for name, value in given.items() if not isinstance(value, Param)}
        needed = fixtures.order([*fixtures.used(every), *names], direct)
        own = list(fixtures.axes([name for name in needed if name not in given]))
        start = ev.steps
        sets = _parameter_sets([*own, *axes])
        for count, position in enumerate(spread(len(sets))):
            if ev.steps - start > TEST_BUDGET:
                ev.trace(f"{count} of {len(sets)} parameter sets are evaluated", ev.span_of(function))
                break
            values = dict(sets[position])
            receiver = Object(cls) if cls is not None else None

            def run(values: dict[str, Any] = values, receiver: Object | None = receiver) -> None:
                place = function if receiver is None else receiver
                run_hooks(ev, hooks.before, place)
                args = (receiver,) if has_receiver else ()
                try:
                    call_function(ev, function, args, {name: values[name] for name in names}, ev.span_of(function))
                finally:
                    run_hooks(ev, hooks.after, place)

            attempt(
                ev, lambda values=values, receiver=receiver, run=run: fixtures.provide(needed, values, receiver, run)
            )


def _reaches_kernels(ev: Evaluator, function: Function, cls: Class | None) -> bool:
    """Whether a test, or a method that it may call on its object, can reach a kernel."""
    if ev.modules.reaches_kernels(ev, function):
        return True
    members = [member for each in cls.mro for member in each.vars.values()] if cls is not None else []
    return any(isinstance(member, Function) and ev.modules.reaches_kernels(ev, member) for member in members)


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


def run_test_class(ev: Evaluator, fixtures: Fixtures, cls: Class) -> None:
    """Run the tests of a class, those of its bases included."""
    if not _is_collected(cls):
        return
    marks = tuple(mark for each in cls.mro for mark in (*each.vars.get("__marks__", ()), *_listed_marks(each.vars)))
    marks = (*_listed_marks(fixtures.module.vars), *marks)
    run_hooks(ev, [cls.lookup(name) for name in ("setup_class", "setUpClass")], cls)
    hooks = Hooks(
        [cls.lookup(name) for name in ("setup_method", "setUp", "asyncSetUp")],
        [cls.lookup(name) for name in ("asyncTearDown", "tearDown", "teardown_method")],
    )
    own = fixtures.of_class(cls)
    for name in dict.fromkeys(name for each in reversed(cls.mro) for name in each.vars):
        member = cls.lookup(name)
        function = member.function if isinstance(member, StaticMethod) else member
        if name.startswith("test") and isinstance(function, Function):
            run_test(ev, member, own, marks, hooks)
    run_hooks(ev, [cls.lookup(name) for name in ("tearDownClass", "teardown_class")], cls)


def _is_collected(cls: Class) -> bool:
    """Whether pytest takes a class for a group of tests: it makes no objects of one that has its own ``__init__``."""
    names = {getattr(base, "name", "").rsplit(".", 1)[-1] for each in cls.mro for base in each.bases}
    return "TestCase" in names or not isinstance(cls.lookup("__init__"), Function)


def _listed_marks(names: dict[str, Any]) -> Marks:
    """The marks in ``pytestmark``."""
    given = names.get("pytestmark", ())
    several = given if is_sequence(given) else (given,)
    return tuple(
        each if isinstance(each, Mark) else Mark(each.name) for each in several if isinstance(each, (Mark, Model))
    )


def run_module_tests(ev: Evaluator, module: Module, values: Iterable[tuple[str, Any]]) -> None:
    """Run the tests among a module's names."""
    tests = [(name, value) for name, value in values if name.startswith(("test", "Test"))]
    if not tests:
        return
    names = module.vars
    run_hooks(ev, [names.get("setup_module"), names.get("setUpModule")], module)
    fixtures = Fixtures(ev, module)
    hooks = Hooks([names.get("setup_function")], [names.get("teardown_function")])
    for name, value in tests:
        if isinstance(value, Function) and name.startswith("test"):
            run_test(ev, value, fixtures, _listed_marks(names), hooks)
        elif isinstance(value, Class) and name.startswith("Test"):
            run_test_class(ev, fixtures, value)
    run_hooks(ev, [names.get("tearDownModule"), names.get("teardown_module")], module)


@dataclass(frozen=True, slots=True)
class Hooks:
    """Functions that run before and after each test; entries that are none are passed over."""

    before: list[Any]
    after: list[Any]


def run_hooks(ev: Evaluator, hooks: Iterable[Any], receiver: Any) -> None:
    """Run functions that prepare tests or clean up; they may take the test itself after their receiver."""
    for hook in hooks:
        function = hook.function if isinstance(hook, (ClassMethod, StaticMethod)) else hook
        if isinstance(function, Function):
            spec = function.node.args
            given = (UNKNOWN,) if isinstance(hook, StaticMethod) else (receiver, UNKNOWN)
            args = given[: len(spec.posonlyargs) + len(spec.args)]
            attempt(
                ev, lambda function=function, args=args: call_function(ev, function, args, {}, ev.span_of(function))
            )


Axis = list[dict[str, Any]]
"""Alternative values of one or more parameters of a test."""


def _parameter_sets(axes: list[Axis]) -> list[dict[str, Any]]:
    """Combinations of alternatives. Unknown lists give one set of unknown values."""
    combinations = [{name: value for part in combo for name, value in part.items()} for combo in _bounded_product(axes)]
    if len(combinations) > MAX_PARAMETER_SETS:
        step = len(combinations) / MAX_PARAMETER_SETS
        combinations = [combinations[int(i * step)] for i in range(MAX_PARAMETER_SETS)]
    return combinations


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
        axis.append({name: Param(value) if name in indirect else value for name, value in given.items()})
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
