"""Mutable state with undo.

Values of the program live in ordinary containers: frames and attributes in ``dict``, lists in ``list``. When the
evaluator meets a condition it does not know, it runs each arm on the same heap: the first write to a container saves
its content, so the arm can be undone, and :meth:`Heap.join` merges what the arms left behind. Where the arms
disagree, the value becomes unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_open, is_shifted, is_tuple
from tilelang.frontend.plain import same
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

Container = dict[Any, Any] | list[Any] | set[Any]
Effects = tuple[tuple[Container, Container], ...]
"""Containers that some code changes, each with what is known of it throughout."""


class Journal:
    """The content that containers had when one arm began, by identity."""

    __slots__ = ("after", "before")

    def __init__(self) -> None:
        self.before: dict[int, tuple[Container, Container]] = {}
        self.after: dict[int, Container] = {}


class Heap:
    """Keeps the stack of open journals. Without an open journal a write costs one test."""

    __slots__ = ("_charge", "journals")

    def __init__(self, charge: Callable[[Container], object] = lambda container: None) -> None:
        """``charge`` is told of each container that must be saved."""
        self.journals: list[Journal] = []
        self._charge = charge

    def writing(self, container: Container) -> None:
        """Must be called before each change of a container that outlives one expression."""
        if self.journals:
            journal = self.journals[-1]
            if id(container) not in journal.before:
                self._charge(container)
                journal.before[id(container)] = (container, _copy(container))

    def trial(self, run: Callable[[], Any]) -> tuple[Any, Journal]:
        """Run one arm, remember what it changed, and undo the changes. Exceptions leave the heap undone, too."""
        journal = Journal()
        self.journals.append(journal)
        try:
            result = run()
        finally:
            self.journals.pop()
            for key, (container, before) in journal.before.items():
                journal.after[key] = _copy(container)
                _restore(container, before)
        return result, journal

    def apart(self, run: Callable[[Callable[[], int]], T]) -> tuple[T, Effects]:
        """Run code that takes turns with other code, and keep of its effects only that each may have happened. ``run``
        gets what to call when it is the others' turn, which returns the number of containers that it compared. The
        effects are for :meth:`blur`, whenever the code goes on."""
        journal = Journal()
        level = len(self.journals)
        self.journals.append(journal)
        mixed: dict[int, tuple[Container, Container]] = {}

        def turn() -> int:
            count = 0
            for arm in self.journals[level:]:
                for key, (container, before) in arm.before.items():
                    self._charge(container)
                    if key not in mixed:
                        mixed[key] = container, _copy(before)
                    content = mixed[key][1]
                    _merge(content, [content, container])
                count += len(arm.before)
            return count

        try:
            result = run(turn)
            turn()
        finally:
            self.journals.pop()
            for container, before in journal.before.values():
                _restore(container, before)
        for container, content in mixed.values():
            self.writing(container)
            _restore(container, content)
        return result, tuple(mixed.values())

    def blur(self, container: Container, content: Container) -> None:
        """Forget where a container differs from what it may have become."""
        self.writing(container)
        _merge(container, [container, content])

    def so_far(self) -> Journal:
        """What the innermost arm has changed until now."""
        found = Journal()
        found.before = dict(self.journals[-1].before)
        found.after = {key: _copy(container) for key, (container, _) in found.before.items()}
        return found

    def join(self, *arms: Journal) -> None:
        """Merge the effects of alternative arms; an arm that did not touch a container left it as it is."""
        touched: dict[int, Container] = {}
        for arm in arms:
            for key, (container, _) in arm.before.items():
                touched[key] = container
        for key, container in touched.items():
            self.writing(container)
            outcomes = [arm.after.get(key, container) for arm in arms]
            _merge(container, outcomes)

    def commit(self, arm: Journal) -> None:
        """Redo the effects of one arm."""
        for key, (container, _) in arm.before.items():
            self.writing(container)
            _restore(container, arm.after[key])

    def havoc(self, arm: Journal) -> None:
        """Forget everything that one arm may have changed."""
        for key, (container, before) in arm.before.items():
            self.writing(container)
            _merge(container, [before, arm.after[key]])


def _copy(container: Container) -> Container:
    if isinstance(container, list):
        saved = ListVal(container)
        saved.open = isinstance(container, ListVal) and container.open
        saved.shifted = is_shifted(container)
        return saved
    if isinstance(container, dict):
        if isinstance(container, DictVal):
            copied = DictVal(container)
            copied.open = container.open
            return copied
        return dict(container)
    saved_set = SetVal(container)
    saved_set.open = isinstance(container, SetVal) and container.open
    return saved_set


def _restore(container: Container, content: Container) -> None:
    if isinstance(container, list):
        container[:] = cast("list[Any]", content)
    elif isinstance(container, dict):
        container.clear()
        container.update(cast("dict[Any, Any]", content))
    else:
        container.clear()
        container.update(cast("set[Any]", content))
    if isinstance(container, (ListVal, DictVal, SetVal)):
        container.open = is_open(content)
    if isinstance(container, ListVal):
        container.shifted = is_shifted(content)


def _merge(container: Container, outcomes: list[Container]) -> None:
    """Leave in ``container`` what holds for every outcome; what differs is unknown."""
    opened = any(is_open(outcome) for outcome in outcomes)
    shifted = any(is_shifted(outcome) for outcome in outcomes)
    if isinstance(container, dict):
        opened = _merge_dicts(container, cast("list[dict[Any, Any]]", outcomes)) or opened
    elif isinstance(container, list):
        opened = _merge_lists(container, cast("list[list[Any]]", outcomes)) or opened
    else:
        opened = _merge_sets(container, cast("list[set[Any]]", outcomes)) or opened
    if isinstance(container, (ListVal, DictVal, SetVal)):
        container.open = opened
    if isinstance(container, ListVal):
        container.shifted = shifted


def _merge_dicts(container: dict[Any, Any], outcomes: list[dict[Any, Any]]) -> bool:
    """Merge the values of each key. True if the outcomes have different keys."""
    merged: dict[Any, Any] = {}
    for outcome in outcomes:
        for key, value in outcome.items():
            merged[key] = joined(merged[key], value) if key in merged else value
    differ = False
    for outcome in outcomes:
        for key in merged.keys() - outcome.keys():
            merged[key] = UNKNOWN  # only some arms bind it
            differ = True
    container.clear()
    container.update(merged)
    return differ


def _merge_lists(container: list[Any], outcomes: list[list[Any]]) -> bool:
    """Merge entry by entry, as far as the shortest outcome goes. True if the lengths differ."""
    lengths = {len(outcome) for outcome in outcomes}
    merged = list(outcomes[0])[: min(lengths)]
    for outcome in outcomes[1:]:
        merged = [joined(a, b) for a, b in zip(merged, outcome, strict=False)]
    container[:] = merged
    return len(lengths) > 1


def _merge_sets(container: set[Any], outcomes: list[set[Any]]) -> bool:
    """Keep the common entries. True if the outcomes differ."""
    first = outcomes[0]
    common = first.intersection(*outcomes[1:])
    differ = any(outcome != first for outcome in outcomes)
    container.clear()
    container.update(common)
    return differ


def joined(a: object, b: object, depth: int = 0) -> object:
    """The value that is ``a`` or ``b``: itself if they are the same, tuples entry by entry, else unknown."""
    if a is b or same(a, b):
        return a
    if depth < _JOINED_LEVELS and is_tuple(a) and is_tuple(b) and len(a) == len(b):
        return tuple(joined(x, y, depth + 1) for x, y in zip(a, b, strict=True))
    return UNKNOWN


_JOINED_LEVELS = 4
"""Levels of nested tuples that are merged entry by entry."""
