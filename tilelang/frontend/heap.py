"""Mutable state with undo.

Values of the program live in ordinary containers: frames and attributes in ``dict``, lists in ``list``. When the
evaluator meets a condition it does not know, it runs each arm on the same heap: the first write to a container saves
its content, so the arm can be undone, and :meth:`Heap.join` merges what the arms left behind. Where the arms
disagree, the value becomes unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.containers import DictVal, ListVal, SetVal, is_open
from tilelang.frontend.plain import same
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

Container = dict[Any, Any] | list[Any] | set[Any]


class Journal:
    """The content that containers had when one arm began, by identity."""

    __slots__ = ("after", "before")

    def __init__(self) -> None:
        self.before: dict[int, tuple[Container, Container]] = {}
        self.after: dict[int, Container] = {}


class Heap:
    """Keeps the stack of open journals. Without an open journal a write costs one test."""

    __slots__ = ("journals",)

    def __init__(self) -> None:
        self.journals: list[Journal] = []

    def writing(self, container: Container) -> None:
        """Must be called before each change of a container that outlives one expression."""
        if self.journals:
            journal = self.journals[-1]
            if id(container) not in journal.before:
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
            _merge(container, [before, arm.after[key]], widen=True)


def _copy(container: Container) -> Container:
    if isinstance(container, list):
        saved = ListVal(container)
        saved.open = isinstance(container, ListVal) and container.open
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


def _merge(container: Container, outcomes: list[Container], *, widen: bool = False) -> None:
    """Leave in ``container`` what holds for every outcome. ``widen``: the outcome may be repeated any number of
    times, so a list whose length differs has an unknown length."""
    first = outcomes[0]
    if isinstance(container, dict):
        merged: dict[Any, Any] = {}
        opened = any(is_open(outcome) for outcome in outcomes)
        for outcome in cast("list[dict[Any, Any]]", outcomes):
            for key, value in outcome.items():
                if key in merged:
                    merged[key] = joined(merged[key], value)
                else:
                    merged[key] = value
        for outcome in cast("list[dict[Any, Any]]", outcomes):
            for key in merged.keys() - outcome.keys():
                merged[key] = _maybe(merged[key])
        _restore(container, merged)
        if isinstance(container, DictVal):
            container.open = opened or any(set(o) != set(merged) for o in cast("list[dict[Any, Any]]", outcomes))
    elif isinstance(container, list):
        lists = cast("list[list[Any]]", outcomes)
        opened = any(is_open(outcome) for outcome in lists)
        length = min(len(outcome) for outcome in lists)
        if any(len(outcome) != length for outcome in lists):
            opened = True
        merged_list = list(cast("list[Any]", first))[:length]
        for outcome in lists[1:]:
            merged_list = [joined(a, b) for a, b in zip(merged_list, outcome, strict=False)]
        container[:] = merged_list
        if isinstance(container, ListVal):
            container.open = opened
    else:
        sets = cast("list[set[Any]]", outcomes)
        opened = widen and any(outcome != sets[0] for outcome in sets)
        opened = opened or any(outcome != sets[0] or is_open(outcome) for outcome in sets)
        common = set.intersection(*(set(outcome) for outcome in sets))
        container.clear()
        container.update(common)
        if isinstance(container, SetVal):
            container.open = opened


def _maybe(value: object) -> object:
    """A name that only one arm bound: the value holds if the name is used at all, but not for certain."""
    return value if isinstance(value, Unknown) else UNKNOWN


def joined(a: object, b: object) -> object:
    """The value that is ``a`` or ``b``: itself if they are the same, tuples entry by entry, else unknown."""
    if a is b or same(a, b):
        return a
    if isinstance(a, tuple) and isinstance(b, tuple):
        left, right = cast("tuple[Any, ...]", a), cast("tuple[Any, ...]", b)
        if len(left) == len(right):
            return tuple(joined(x, y) for x, y in zip(left, right, strict=True))
    return UNKNOWN
