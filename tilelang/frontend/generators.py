"""Generators: nothing of them runs before somebody asks, and then their body and its consumer take turns.

A consumer that takes everything (``for``, ``list``, ``with`` of a context manager) is called at each ``yield``: both
see each other's effects in Python's order. A generator that is read piece by piece (``next``, ``zip``), or by code that
is not followed, is run to its end at once: what that changes is unknown from then on, and what it builds behind its
first item exists only possibly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import ListVal, is_open
from tilelang.frontend.instance import CallLink
from tilelang.frontend.iteration import iterate
from tilelang.frontend.signals import Leave, UserError
from tilelang.frontend.values import MISSING, Function, Generator, Object
from tilelang.ir.span import NOWHERE
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.heap import Effects
    from tilelang.frontend.values import Scope
    from tilelang.ir.span import Span

    Consumer = Callable[[Any], None]

MORE = object()
"""What a consumer gets for any number of items that are not known."""

MAX_DEPTH = 150
"""Generators that run one inside another."""

STEPS = 40_000
"""Steps after which an iteration counts as one of unknown length."""

MAX_ITEMS = 100_000
"""Items of one generator that are kept."""


def of_function(ev: Evaluator, function: Function, scope: Scope, span: Span) -> Generator:
    """The generator that a call of a generator function makes; ``scope`` holds the arguments."""

    def run(each: Consumer) -> Any:
        scope.on_yield = each
        ev.stack.append(CallLink(function.name, span))
        try:
            return ev.run_body(function, scope)
        finally:
            ev.stack.pop()

    return Generator(run)


def of_items(items: list[Any]) -> Generator:
    """An iterator over items that are known."""
    made = Generator(lambda each: None)
    made.state.update(started=True, items=items)
    return made


def drive(ev: Evaluator, generator: Generator, each: Consumer, *, throws: bool = False) -> Any:
    """Run a generator and hand each item to ``each``; the value that the generator returns. ``throws``: an exception of
    ``each`` is raised at the ``yield``, else it ends the generator and is raised here."""
    if is_started(ev, generator):
        _hand_out(ev, generator, each)
        return None
    ev.heap.writing(generator.state)
    generator.state["started"] = True
    if ev.running > MAX_DEPTH:
        ev.trace(f"generators nested deeper than {MAX_DEPTH}", NOWHERE)
        each(MORE)
        return UNKNOWN
    outside = list(ev.stack)
    depth = len(ev.heap.journals)

    def hand_over(item: Any) -> None:
        ev.step()
        inside, ev.stack = ev.stack, list(outside)
        try:
            each(item)
        except UserError as error:
            if throws or len(ev.heap.journals) > depth:
                raise
            raise Leave(hand_over, error=error) from None
        finally:
            ev.stack = inside

    ev.running += 1
    try:
        return generator.run(hand_over)
    except Leave as leave:
        if leave.consumer is not hand_over or leave.error is None:
            raise
        raise leave.error from None
    finally:
        ev.running -= 1


def is_started(ev: Evaluator, generator: Generator) -> bool:
    """Whether a generator has run before. If only one of two arms read from it, what it yields now is not known."""
    state = generator.state
    if isinstance(state["started"], Unknown):
        ev.heap.writing(state)
        state["started"] = False
        give_away(ev, generator)
    elif any(isinstance(value, Unknown) for value in state.values()):
        forget_rest(ev, generator)
    return bool(state["started"])


def _hand_out(ev: Evaluator, generator: Generator, each: Consumer) -> None:
    """Hand the items that are left of a generator to ``each``."""
    start = ev.steps
    while ev.steps - start < STEPS:
        ev.step()
        item = following(ev, generator)
        if item is MISSING:
            return
        each(item)
        if item is MORE:
            return
    each(MORE)


def following(ev: Evaluator, generator: Generator) -> Any:
    """The next item of a generator that was run before: ``MORE`` if it is not known, ``MISSING`` if there is none."""
    is_started(ev, generator)
    state = generator.state
    items, position = state["items"], state["next"]
    for container, content in state["effects"]:
        ev.step()
        ev.heap.blur(container, content)  # it runs on to its next item
    if position >= len(items):
        return MORE if is_open(items) else MISSING
    ev.heap.writing(state)
    state["next"] = position + 1
    return items[position]


def remaining(generator: Generator) -> list[Any] | None:
    """The items that are left of a generator that was run before, or ``None`` if not all of them are known."""
    state = generator.state
    return None if is_open(state["items"]) else list(state["items"][state["next"] :])


def collected(ev: Evaluator, generator: Generator) -> ListVal:
    """Everything that a generator still yields; open if not all of it is known."""
    found = ListVal()

    def each(item: Any) -> None:
        ev.heap.writing(found)
        if item is MORE or len(found) >= MAX_ITEMS:
            found.open = True
        elif not found.open:
            found.append(item)

    drive(ev, generator, each)
    return found


def read_ahead(ev: Evaluator, generator: Generator) -> None:
    """Run a generator to its end for a reader who takes the items one at a time, with other code between them."""
    if is_started(ev, generator):
        return
    found = ListVal()
    error, effects = _run_apart(ev, generator, found)
    ev.heap.writing(generator.state)
    generator.state.update(started=True, items=found, next=0, effects=effects)
    if error is not None:
        if not found:
            raise error
        found.open = True


def give_away(ev: Evaluator, generator: Generator) -> None:
    """Code that is not followed got a generator: it may run it, and what it leaves is not known."""
    if not generator.state["started"]:
        with ev.under_unknown_condition():
            _run_apart(ev, generator, ListVal())
    forget_rest(ev, generator)


def forget_rest(ev: Evaluator, generator: Generator) -> None:
    """How many items are left of a generator is not known any more."""
    rest = ListVal()
    rest.open = True
    ev.heap.writing(generator.state)
    generator.state.update(started=True, items=rest, next=0, effects=())


def _run_apart(ev: Evaluator, generator: Generator, found: ListVal) -> tuple[UserError | None, Effects]:
    """Run a generator and put its items into ``found``. What it changes is unknown afterwards: nobody can say how far
    it is when other code looks. The result is the exception that ends it, and its effects."""
    depth = len(ev.heap.journals) + 1
    doubt = ev.in_doubt

    def run(turn: Callable[[], int]) -> UserError | None:
        def each(item: Any) -> None:
            ev.in_doubt = True  # the reader may stop here
            ev.step(turn())
            if item is MORE or len(ev.heap.journals) > depth or len(found) >= MAX_ITEMS:
                found.open = True
            elif not found.open:
                found.append(item)

        try:
            drive(ev, generator, each)
        except UserError as error:
            return error
        return None

    try:
        error, effects = ev.heap.apart(run)
    finally:
        ev.in_doubt = doubt
    return error, tuple(effect for effect in effects if effect[0] is not generator.state)


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

    return Generator(run)


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

    if isinstance(value, Object) and depth < _MAX_LAYERS:
        start = value.cls.lookup("__iter__")
        following = value.cls.lookup("__next__")
        if isinstance(start, Function):
            made = call(ev, start, (value,), {}, NOWHERE)
            if made is not value:
                return iterator(ev, made, depth + 1)
        if isinstance(following, Function):
            return of_calls(ev, lambda: call(ev, following, (value,), {}, NOWHERE))
    return value


_MAX_LAYERS = 8
"""Calls of ``__iter__`` that give an object with an ``__iter__`` of its own."""


def flow(ev: Evaluator, value: Any, each: Consumer) -> Any:
    """Hand the items of any iterable to ``each``, lazily where it is a generator; what it returns."""
    value = iterator(ev, value)
    if isinstance(value, Generator):
        return drive(ev, value, each)
    items = iterate(ev, value)
    if items is None:
        each(MORE)
        return None
    start = ev.steps
    for item in items:
        if ev.steps - start > STEPS:
            each(MORE)
            break
        ev.step()
        each(item)
    return None


def zipped(ev: Evaluator, sources: list[Any], each: Consumer) -> None:
    """Hand rows of items, one of each source, to ``each`` until a source has no more. One generator among them runs in
    turns with the consumer; if there are several, they run ahead."""
    waiting = [place for place, one in enumerate(sources) if isinstance(one, Generator) and not is_started(ev, one)]
    if len(waiting) == 1 and sources.count(sources[waiting[0]]) == 1:
        _zipped_with(ev, sources[waiting[0]], [sources[: waiting[0]], sources[waiting[0] + 1 :]], each)
        return
    take = _row(ev, sources)
    start = ev.steps
    while ev.steps - start < STEPS:
        ev.step()
        row = take()
        if row is None:
            return
        if MORE in row:
            break
        each(row)
    each(MORE)


def _zipped_with(ev: Evaluator, generator: Generator, others: list[list[Any]], each: Consumer) -> None:
    """``zip`` of a generator that runs in turns with the consumer, and sources before and behind it."""
    take_before, take_behind = (_row(ev, sources) for sources in others)
    depth = len(ev.heap.journals)
    before = take_before()
    unsure = False

    def on_item(item: Any) -> None:
        nonlocal before, unsure
        behind = take_behind()
        if before is None or behind is None:
            raise Leave(on_item)
        row = (*before, item, *behind)
        unsure = unsure or MORE in row or len(ev.heap.journals) > depth  # else nobody knows which items meet
        each(MORE if unsure else row)
        before = take_before()
        if before is None and not unsure:
            raise Leave(on_item)

    if before is None:
        return
    try:
        drive(ev, generator, on_item)
    except Leave as left:
        if left.consumer is not on_item:
            raise


def _row(ev: Evaluator, sources: list[Any]) -> Callable[[], tuple[Any, ...] | None]:
    """What takes the next item of each source; ``None`` if one has no more."""
    pulls: list[Callable[[], Any]] = []
    for source in sources:
        if isinstance(source, Generator):
            read_ahead(ev, source)
            pulls.append(lambda source=source: following(ev, source))
        else:
            items = iterate(ev, source)
            pending = iter((MORE,) if items is None else items)
            pulls.append(lambda pending=pending: next(pending, MISSING))

    def take() -> tuple[Any, ...] | None:
        row: list[Any] = []
        for pull in pulls:
            row.append(pull())
            if row[-1] is MISSING:
                return None
        return tuple(row)

    return take


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
