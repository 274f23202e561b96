"""pytest's fixtures: found by name, run around a test, torn down after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang.frontend.calls import call
from tilelang.frontend.generators import MORE, drive
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.pytest import monkeypatch
from tilelang.frontend.plain import same
from tilelang.frontend.signals import Leave, UserError
from tilelang.frontend.values import Class, Function, Generator, Mark, Module, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.heap import Journal

REQUEST = Class("FixtureRequest", (), {}, external_base=True)

MAX_FIXTURES = 64
"""Fixtures around one test; they nest. Further ones are unknown."""


@dataclass(frozen=True, slots=True)
class Param:
    """The value of ``request.param`` for which a fixture is to be run."""

    value: Any


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture function. ``wide``: its value serves more than one test."""

    function: Function
    options: dict[str, Any]

    @property
    def scope(self) -> Any:
        return self.options.get("scope", "function")

    @property
    def is_wide(self) -> bool:
        return self.scope != "function"


@dataclass(slots=True)
class Fixtures:
    """The fixtures that tests of a module see, those of its ``conftest.py`` files included. ``cls``: the class whose
    tests ask. ``kept``: the last parameter and the value of each fixture that serves more than one test."""

    ev: Evaluator
    module: Module
    cls: Class | None = None
    kept: dict[tuple[Function, Class | None], tuple[Any, Any]] = field(
        default_factory=dict["tuple[Function, Class | None]", "tuple[Any, Any]"]
    )
    _tables: list[dict[str, Fixture]] = field(default_factory=list[dict[str, Fixture]])

    def __post_init__(self) -> None:
        if self.cls is not None:
            self._tables += [_table(each.vars) for each in self.cls.mro]
        self._tables.append(_table(self.module.vars))
        self._tables += [_table(module.vars) for module in _conftests(self.ev, self.module)]

    def of_class(self, cls: Class) -> Fixtures:
        """The fixtures that the tests of a class of the module see."""
        return Fixtures(self.ev, self.module, cls, self.kept)

    def find(self, name: str) -> Fixture | None:
        """The fixture that a name means, the nearest one first."""
        return next((table[name] for table in self._tables if name in table), None)

    def used(self, marks: Sequence[Mark]) -> list[str]:
        """Fixtures that run for their effects: those for every test, and those that a mark names."""
        found = [
            name
            for table in reversed(self._tables)
            for name, fixture in table.items()
            if fixture.options.get("autouse") is True
        ]
        for mark in marks:
            if mark.name == "usefixtures":
                found += [name for name in mark.args if isinstance(name, str)]
        return found

    def order(self, names: Sequence[str], given: Collection[str]) -> list[str]:
        """The names and those of all fixtures that they ask for, each behind what it asks for, and those that serve
        several tests first. Names in ``given`` have values without a fixture."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        stack = [(name, False) for name in reversed(names)]
        while stack:
            name, is_ready = stack.pop()
            if is_ready:
                found[name] = None
            elif name not in seen:
                seen.add(name)
                stack.append((name, True))
                fixture = None if name in given else self.find(name)
                wanted = parameters(fixture.function, self.cls) if fixture is not None else []
                stack += [(each, False) for each in reversed(wanted)]
        return sorted(found, key=lambda name: not self._is_wide(name))

    def _is_wide(self, name: str) -> bool:
        fixture = self.find(name)
        return fixture is not None and fixture.is_wide

    def axes(self, names: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """The parameters of those fixtures that have some."""
        for name in names:
            fixture = self.find(name)
            params = materialize(self.ev, fixture.options.get("params")) if fixture is not None else None
            if params:
                yield [{name: Param(param)} for param in params]

    def provide(
        self, names: Sequence[str], values: dict[str, Any], receiver: Any, run: Callable[[], Any], position: int = 0
    ) -> None:
        """Set up fixtures one after another, in the order of :meth:`order`, with ``values`` filled, and ``run`` while
        all of them stand. A value that is a :class:`Param` is for the fixture of its name."""
        if position == len(names):
            run()
            return
        self.ev.step()
        name = names[position]
        given = values.get(name)
        fixture = self.find(name) if position < MAX_FIXTURES else None

        def go_on(value: Any) -> None:
            values[name] = UNKNOWN if value is MORE else value
            self.provide(names, values, receiver, run, position + 1)

        if name in values and not isinstance(given, Param):
            go_on(given)
        elif fixture is not None:
            self._set_up(name, fixture, values, receiver, go_on)
        elif name == "monkeypatch":
            self.ev.heap.trial(lambda: go_on(monkeypatch(self.ev)))  # what it changes is put back
        else:
            go_on(UNKNOWN)

    def _set_up(
        self, name: str, fixture: Fixture, values: dict[str, Any], receiver: Any, go_on: Callable[[Any], None]
    ) -> None:
        """Run a fixture and go on with its value, before it is torn down."""
        given = values.get(name)
        param = given.value if isinstance(given, Param) else UNKNOWN
        function = fixture.function
        place = (function, self.cls if fixture.scope == "class" else None)
        if fixture.is_wide and place in self.kept:
            earlier, kept = self.kept[place]
            if earlier is param or same(earlier, param):
                go_on(kept)
                return
        arguments = {each: values.get(each, UNKNOWN) for each in parameters(function, self.cls) if each != name}
        if name in parameters(function, self.cls):
            arguments[name] = UNKNOWN  # a fixture of the same name further out
        if "request" in arguments:
            arguments["request"] = Object(REQUEST, {"param": param})
        receivers = (receiver,) if _is_method(function, self.cls) else ()
        value = call(self.ev, function, receivers, arguments, self.ev.span_of(function))
        if isinstance(value, Generator):
            if not fixture.is_wide:
                self._around(value, go_on)
                return
            value = _value_at_yield(self.ev, value)
        if fixture.is_wide:
            self.kept[place] = (param, value)
        go_on(value)

    def _around(self, generator: Generator, go_on: Callable[[Any], None]) -> None:
        """Go on at the ``yield`` of a fixture. It is torn down normally even if the test fails."""
        failures: list[UserError] = []

        def at_yield(item: Any) -> None:
            try:
                go_on(item)
            except UserError as error:
                failures.append(error)

        drive(self.ev, generator, at_yield)
        if failures:
            raise failures[0]


def _value_at_yield(ev: Evaluator, generator: Generator) -> Any:
    """What a fixture yields, with what it has done up to there: it goes on after the last test."""
    depth = len(ev.heap.journals) + 1
    reached: list[tuple[Any, Journal]] = []

    def at_yield(item: Any) -> None:
        if len(ev.heap.journals) == depth:
            reached.append((item, ev.heap.so_far()))
        raise Leave(at_yield)

    def run() -> None:
        try:
            drive(ev, generator, at_yield)
        except Leave as left:
            if left.consumer is not at_yield:
                raise

    _, journal = ev.heap.trial(run)
    if not reached:
        ev.heap.havoc(journal)
        return UNKNOWN
    value, before = reached[0]
    ev.heap.commit(before)
    return value


def _table(names: dict[str, Any]) -> dict[str, Fixture]:
    """Fixtures among some variables, by the names under which tests ask for them."""
    found: dict[str, Fixture] = {}
    for name, value in names.items():
        for mark in value.marks if isinstance(value, Function) else ():
            if mark.name == "fixture":
                options = dict(mark.kwargs)
                given = options.get("name")
                found[given if isinstance(given, str) else name] = Fixture(value, options)
    return found


def _conftests(ev: Evaluator, module: Module) -> Iterator[Module]:
    """The ``conftest.py`` files that hold for a test file, the nearest first: those in its folder and above it in the
    project."""
    folder = Path(module.path).parent
    if not folder.is_relative_to(ev.modules.root):
        return
    for each in (folder, *folder.parents):
        path = each / "conftest.py"
        if str(path) != module.path and ev.modules.sources.parsed(str(path)) is not None:
            yield ev.modules.load(ev, path, "conftest")
        if each == ev.modules.root:
            return


def _is_method(function: Function, cls: Class | None) -> bool:
    return cls is not None and function.owner is not None and function.owner in cls.mro


def parameters(function: Function, cls: Class | None = None) -> list[str]:
    """The parameters of a test or fixture that pytest fills: those without a default, apart from the receiver of a
    method of ``cls``."""
    spec = function.node.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)][int(_is_method(function, cls)) :]
    defaults = function.default_values()
    return [name for name in (*names, *(arg.arg for arg in spec.kwonlyargs)) if name not in defaults]
