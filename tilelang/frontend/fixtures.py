"""pytest's fixtures: found by name, run around a test, torn down after it."""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang.frontend.calls import call
from tilelang.frontend.generators import drive
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.pytest import monkeypatch
from tilelang.frontend.values import Class, Function, Generator, Mark, Module, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tilelang.frontend.evaluator import Evaluator

REQUEST = Class("FixtureRequest", (), {}, external_base=True)
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Param:
    """The value of ``request.param`` for which a fixture is to be run."""

    value: Any


@dataclass(slots=True)
class Fixtures:
    """The fixtures that tests of a module see, those of its ``conftest.py`` files included. ``cls``: the class whose
    tests ask. ``kept`` has the values of fixtures that serve more than one test."""

    ev: Evaluator
    module: Module
    cls: Class | None = None
    kept: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    _tables: list[dict[str, tuple[Function, Mark]]] = field(default_factory=list[dict[str, "tuple[Function, Mark]"]])

    def __post_init__(self) -> None:
        if self.cls is not None:
            self._tables += [_table(each.vars) for each in self.cls.mro]
        self._tables.append(_table(self.module.vars))
        self._tables += [_table(module.vars) for module in _conftests(self.ev, self.module)]

    def find(self, name: str) -> tuple[Function, Mark] | None:
        """The fixture that a name means, the nearest one first, and its mark."""
        return next((table[name] for table in self._tables if name in table), None)

    def used(self, marks: Sequence[Mark]) -> list[str]:
        """Fixtures that run for their effects: those for every test, and those that a mark names."""
        found = [
            name
            for table in reversed(self._tables)
            for name, (_, mark) in table.items()
            if dict(mark.kwargs).get("autouse") is True
        ]
        for mark in marks:
            if mark.name == "usefixtures":
                found += [name for name in mark.args if isinstance(name, str)]
        return list(dict.fromkeys(found))

    def closure(self, names: Sequence[str]) -> list[str]:
        """The names and those of all fixtures that they ask for."""
        found: dict[str, None] = {}
        stack = list(reversed(names))
        while stack:
            name = stack.pop()
            if name not in found:
                found[name] = None
                fixture = self.find(name)
                stack += _parameters(fixture[0], self.cls) if fixture is not None else ()
        return list(found)

    def axes(self, names: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """The parameters of those fixtures that have some."""
        for name in self.closure(names):
            fixture = self.find(name)
            if fixture is not None:
                params = materialize(self.ev, dict(fixture[1].kwargs).get("params"))
                if params:
                    yield [{name: Param(param)} for param in params]

    def provide(
        self, names: Sequence[str], values: dict[str, Any], receiver: Any, run: Callable[[], Any], depth: int = 0
    ) -> None:
        """Set up fixtures one after another, with ``values`` filled, and ``run`` while all of them stand. A value that
        is a :class:`Param` is for the fixture of its name."""
        name = next((each for each in names if each not in values or isinstance(values[each], Param)), None)
        if name is None:
            run()
            return
        go_on = lambda: self.provide(names, values, receiver, run, depth)  # noqa: E731 - the other fixtures
        given = values.get(name)
        fixture = self.find(name) if depth <= MAX_DEPTH else None
        if fixture is None:
            values[name] = UNKNOWN
            if name != "monkeypatch":
                go_on()
                return
            values[name] = monkeypatch(self.ev)
            self.ev.heap.trial(go_on)  # what it changes is put back
            return
        function, mark = fixture
        wanted = _parameters(function, self.cls)
        needed = [each for each in wanted if each not in ("request", name)]

        def make() -> None:
            arguments = {each: values.get(each, UNKNOWN) for each in wanted}
            if "request" in arguments:
                param = given.value if isinstance(given, Param) else UNKNOWN
                arguments["request"] = Object(REQUEST, {"param": param})
            self._make(name, function, mark, arguments, values, receiver, go_on, repr(given))

        self.provide(needed, values, receiver, make, depth + 1)

    def _make(
        self,
        name: str,
        function: Function,
        mark: Mark,
        arguments: dict[str, Any],
        values: dict[str, Any],
        receiver: Any,
        go_on: Callable[[], None],
        variant: str,
    ) -> None:
        ev = self.ev
        wide = dict(mark.kwargs).get("scope", "function") != "function"
        if wide and (name, variant) in self.kept:
            values[name] = self.kept[name, variant]
            go_on()
            return
        places = (receiver,) if _is_method(function, self.cls) else ()
        if wide and function.is_generator:
            function = _until_yield(function)  # it ends after the last test
        value = call(ev, function, places, arguments, ev.span_of(function))
        if isinstance(value, Generator) and not wide:

            def at_yield(item: Any) -> None:
                values[name] = item
                go_on()

            drive(ev, value, at_yield)
            return
        if isinstance(value, Generator):
            items = materialize(ev, value)
            value = items[0] if items else UNKNOWN
        if wide:
            self.kept[name, variant] = value
        values[name] = value
        go_on()


def _table(names: dict[str, Any]) -> dict[str, tuple[Function, Mark]]:
    """Fixtures among some variables, by the names under which tests ask for them."""
    found: dict[str, tuple[Function, Mark]] = {}
    for name, value in names.items():
        for mark in value.marks if isinstance(value, Function) else ():
            if mark.name == "fixture":
                given = dict(mark.kwargs).get("name")
                found[given if isinstance(given, str) else name] = (value, mark)
    return found


def _conftests(ev: Evaluator, module: Module) -> Iterator[Module]:
    """The ``conftest.py`` files that hold for a test file, the nearest first."""
    folder = Path(module.path).parent
    for each in (folder, *folder.parents):
        path = each / "conftest.py"
        if str(path) != module.path and path.is_file():
            yield ev.modules.load(ev, path, "conftest")
        if each == ev.modules.root:
            return


def _is_method(function: Function, cls: Class | None) -> bool:
    return cls is not None and function.owner is not None and function.owner in cls.mro


def _parameters(function: Function, cls: Class | None) -> list[str]:
    names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
    return names[1:] if _is_method(function, cls) else names


def _until_yield(function: Function) -> Function:
    """The part of a fixture that runs before the tests."""
    body = function.node.body if isinstance(function.node, ast.FunctionDef) else []
    for position, stmt in enumerate(body):
        if any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(stmt)):
            node = copy(function.node)
            assert isinstance(node, ast.FunctionDef)
            node.body = body[: position + 1]
            return replace(function, node=node)
    return function
