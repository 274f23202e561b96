"""Generators: nothing of them runs before somebody asks, and then their body and its consumer take turns.

A consumer that takes everything (``for``, ``list``, ``with`` of a context manager) is called at each ``yield``: both
see each other's effects in Python's order. A generator that is read piece by piece (``next``) is run to its end at the
first piece; what it may change until then is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import ListVal
from tilelang.frontend.escapes import forget_changes
from tilelang.frontend.instance import CallLink
from tilelang.frontend.iteration import iterate
from tilelang.frontend.signals import Leave, UserError
from tilelang.frontend.values import Function, Generator, Object
from tilelang.ir.span import NOWHERE
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import Scope
    from tilelang.ir.span import Span

    Consumer = Callable[[Any], None]

MORE = object()
"""What a consumer gets for any number of items that are not known."""

DEPTH = 150
"""Generators that run one inside another."""

STEPS = 40_000
"""Steps after which an iterator of the program counts as one without end."""


def of_function(ev: Evaluator, function: Function, scope: Scope, span: Span) -> Generator:
    """The generator that a call of a generator function makes; ``scope`` holds the arguments."""

    def run(each: Consumer) -> Any:
        scope.on_yield = each
        ev.stack.append(CallLink(function.name, span))
        try:
            return ev.run_body(function, scope)
        finally:
            ev.stack.pop()

    return Generator(run, function.node, function.scope)


def drive(ev: Evaluator, generator: Generator, each: Consumer) -> Any:
    """Run a generator and hand each item to ``each``; the value that the generator returns."""
    state = generator.state
    items = state["items"]
    if items is not None:
        while items:
            ev.step()
            ev.heap.writing(items)
            each(items.pop(0))
        if items.open:
            each(MORE)
        return None
    if state["started"]:
        return None
    ev.heap.writing(state)
    state["started"] = True
    if ev.running > DEPTH:
        ev.trace(f"generators nested deeper than {DEPTH}", NOWHERE)
        each(MORE)
        return UNKNOWN
    outside = list(ev.stack)

    def hand_over(item: Any) -> None:
        ev.step()
        inside, ev.stack = ev.stack, list(outside)
        try:
            each(item)
        finally:
            ev.stack = inside

    ev.running += 1
    try:
        return generator.run(hand_over)
    finally:
        ev.running -= 1


def collected(ev: Evaluator, generator: Generator) -> ListVal:
    """Everything that a generator still yields; open if not all of it is known."""
    found = ListVal()

    def each(item: Any) -> None:
        ev.heap.writing(found)
        if item is MORE or len(found) >= _MOST:
            found.open = True
        elif not found.open:
            found.append(item)

    drive(ev, generator, each)
    return found


_MOST = 100_000


def pulled(ev: Evaluator, generator: Generator) -> ListVal:
    """The items of a generator that is read piece by piece, of which the reader takes the first."""
    state = generator.state
    if state["items"] is None:
        if state["started"]:
            return ListVal()
        found = ListVal()

        def each(item: Any) -> None:
            ev.heap.writing(found)
            if item is MORE:
                found.open = True
            elif not found.open:
                found.append(item)

        try:
            drive(ev, generator, each)
        except UserError:
            if not found:
                raise
            found.open = True
        if generator.node is not None and generator.scope is not None:
            forget_changes(ev, generator.node, generator.scope)
        ev.heap.writing(state)
        state["items"] = found
    return state["items"]


def of_items(items: list[Any]) -> Generator:
    """An iterator over items that are known."""
    made = Generator(lambda each: None, None, None)
    made.state.update(started=True, items=ListVal(items))
    return made


def of_calls(ev: Evaluator, step: Callable[[], Any]) -> Generator:
    """An iterator whose items ``step`` makes until it raises ``StopIteration``."""

    def run(each: Consumer) -> None:
        start = ev.steps
        while ev.steps - start < STEPS:
            try:
                item = step()
            except UserError as error:
                if error.name == "StopIteration":
                    return
                raise
            if item is MORE:
                break
            each(item)
        each(MORE)

    return Generator(run, None, None)


def until(ev: Evaluator, function: Any, sentinel: Any, span: Span) -> Generator:
    """``iter(function, sentinel)``."""
    from tilelang.frontend.calls import call
    from tilelang.frontend.comparison import equal

    def step() -> Any:
        item = call(ev, function, (), {}, span)
        same = equal(ev, item, sentinel)
        if same is True:
            raise UserError("StopIteration", "", span)
        return MORE if isinstance(same, Unknown) else item

    return of_calls(ev, step)


def iterator(ev: Evaluator, value: Any, depth: int = 0) -> Any:
    """A generator for what iterates by code of the program; other values as they are."""
    from tilelang.frontend.calls import call

    if isinstance(value, Object) and depth < _LAYERS:
        start = value.cls.lookup("__iter__")
        following = value.cls.lookup("__next__")
        if isinstance(start, Function):
            made = call(ev, start, (value,), {}, NOWHERE)
            if made is not value:
                return iterator(ev, made, depth + 1)
        if isinstance(following, Function):
            return of_calls(ev, lambda: call(ev, following, (value,), {}, NOWHERE))
    return value


_LAYERS = 8


def flow(ev: Evaluator, value: Any, each: Consumer) -> Any:
    """Hand the items of any iterable to ``each``, lazily where it is a generator; what it returns."""
    value = iterator(ev, value)
    if isinstance(value, Generator):
        return drive(ev, value, each)
    items = iterate(ev, value)
    if items is None:
        each(MORE)
    else:
        for item in items:
            ev.step()
            each(item)
    return None


def first_where(ev: Evaluator, value: Any, stop: bool) -> Any:
    """Whether some item of an iterable has the truth ``stop``, read no further than needed; or unknown."""
    unsure = False
    depth = len(ev.heap.journals)

    def each(item: Any) -> None:
        nonlocal unsure
        known = UNKNOWN if item is MORE else truth(ev, item)
        if isinstance(known, Unknown) or len(ev.heap.journals) > depth:
            unsure = True
        elif known is stop:
            raise Leave(each)

    try:
        flow(ev, value, each)
    except Leave as left:
        if left.consumer is not each:
            raise
        return True
    return UNKNOWN if unsure else False
