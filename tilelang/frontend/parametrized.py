"""Tests of a file: each with its parameter sets, fixtures and marks."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tilelang.frontend.attempts import attempt
from tilelang.frontend.calls import call_function
from tilelang.frontend.containers import is_sequence
from tilelang.frontend.fixtures import Fixtures, Param
from tilelang.frontend.iteration import materialize
from tilelang.frontend.requirements import conditions
from tilelang.frontend.values import MISSING, Class, ClassMethod, Function, Mark, Model, Object, StaticMethod
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Module


TEST_BUDGET = 250_000
"""Steps of one test with all its parameter sets. The sets come in an order that spreads over the whole list, so that a
list that is too long is sampled evenly."""

MAX_PARAMETER_SETS = 400
"""Parameter sets of one test that are evaluated at most."""


def run_test(
    ev: Evaluator,
    function: Function,
    fixtures: Fixtures,
    receiver: Any = None,
    marks: tuple[Mark, ...] = (),
    prepare: Callable[[], None] = lambda: None,
) -> None:
    """Run one test with every set of its parameters. ``prepare`` is what its class does before each."""
    every = (*marks, *function.marks)
    if not _reaches_kernels(ev, function, receiver):
        return
    with conditions(ev, every):
        names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
        if receiver is not None and names:
            names = names[1:]
        needed = [*fixtures.used(every), *names]
        start = ev.steps
        sets = list(_parameter_sets(ev, every, list(fixtures.axes(needed))))
        for count, position in enumerate(spread(len(sets))):
            if ev.steps - start > TEST_BUDGET:
                ev.trace(f"{count} of {len(sets)} parameter sets are evaluated", ev.span_of(function))
                break
            values = dict(sets[position])

            def run(values: dict[str, Any] = values) -> None:
                prepare()
                given = {name: values[name] for name in names if values[name] is not MISSING}
                args = (receiver,) if receiver is not None else ()
                call_function(ev, function, args, given, ev.span_of(function))

            attempt(ev, lambda values=values, run=run: fixtures.provide(needed, values, receiver, run))


def _reaches_kernels(ev: Evaluator, function: Function, receiver: Any) -> bool:
    """Whether a test, or a method that it may call on its object, can reach a kernel."""
    if ev.modules.reaches_kernels(ev, function):
        return True
    members = [member for cls in receiver.cls.mro for member in cls.vars.values()] if receiver is not None else []
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


def run_test_class(ev: Evaluator, cls: Class, module: Module) -> None:
    """Run the tests of a class, those of its bases included."""
    if not _is_collected(cls):
        return
    marks = tuple(mark for each in cls.mro for mark in (*each.vars.get("__marks__", ()), *_listed_marks(each.vars)))
    marks = (*_listed_marks(module.vars), *marks)
    fixtures = Fixtures(ev, module, cls)
    for hook in _CLASS_HOOKS:
        run_hook(ev, cls.lookup(hook), cls)
    for name in dict.fromkeys(name for each in reversed(cls.mro) for name in each.vars):
        member = cls.lookup(name)
        function = member.function if isinstance(member, StaticMethod) else member
        if name.startswith("test") and isinstance(function, Function):
            receiver = Object(cls)

            def prepare(receiver: Object = receiver) -> None:
                for hook in _TEST_HOOKS:
                    run_hook(ev, cls.lookup(hook), receiver)

            run_test(ev, function, fixtures, None if isinstance(member, StaticMethod) else receiver, marks, prepare)


def _is_collected(cls: Class) -> bool:
    """Whether pytest takes a class for a group of tests: it makes no objects of one that has its own ``__init__``."""
    names = {getattr(base, "name", "").rsplit(".", 1)[-1] for each in cls.mro for base in each.bases}
    return "TestCase" in names or not isinstance(cls.lookup("__init__"), Function)


def _listed_marks(names: dict[str, Any]) -> tuple[Mark, ...]:
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
    for hook in _MODULE_HOOKS:
        run_hook(ev, module.vars.get(hook), module)
    marks = _listed_marks(module.vars)
    fixtures = Fixtures(ev, module)
    setup = module.vars.get("setup_function")
    for name, value in tests:
        if isinstance(value, Function) and name.startswith("test"):
            run_test(ev, value, fixtures, None, marks, lambda value=value: run_hook(ev, setup, value))
        elif isinstance(value, Class) and name.startswith("Test"):
            run_test_class(ev, value, module)


_MODULE_HOOKS = ("setup_module", "setUpModule")
_CLASS_HOOKS = ("setup_class", "setUpClass")
_TEST_HOOKS = ("setup_method", "setUp", "asyncSetUp")


def run_hook(ev: Evaluator, hook: Any, receiver: Any) -> None:
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
