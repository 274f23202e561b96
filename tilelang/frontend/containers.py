"""Lists, dicts and sets of the program, and how to tell containers apart.

The guards narrow a value to a container of ``Any``, which ``isinstance`` alone does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tilelang.ir.span import Span


class ListVal(list[Any]):
    """A list of the program. ``open``: it may hold further entries that are not known. ``shifted``: they may stand
    before some that are known, so nobody knows which one has an index. ``span``: its literal."""

    __slots__ = ("open", "shifted", "span")

    def __init__(self, items: Any = (), span: Span | None = None) -> None:
        super().__init__(items)
        self.open = False
        self.shifted = False
        self.span = span


class DictVal(dict[Any, Any]):
    """A dict of the program. ``open``: further keys are possible. ``spans``: where each key's value is written;
    ``key_spans``: where the key is."""

    __slots__ = ("default", "key_spans", "open", "span", "spans")

    def __init__(self, items: Any = (), span: Span | None = None) -> None:
        super().__init__(items)
        self.open = False
        self.span = span
        self.spans: dict[Any, Span] = {}
        self.key_spans: dict[Any, Span] = {}
        self.default: object = None

    def take_places(self, source: object) -> None:
        """Remember where the entries of another dict, which were copied, are written."""
        if isinstance(source, DictVal):
            self.spans.update(source.spans)
            self.key_spans.update(source.key_spans)


class SetVal(set[Any]):
    """A set of the program."""

    __slots__ = ("open",)

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.open = False


def copied_dict(source: dict[Any, Any]) -> DictVal:
    """A dict with the same entries that remembers where they are written."""
    made = DictVal(source)
    made.open = is_open(source)
    if isinstance(source, DictVal):
        made.span = source.span
        made.take_places(source)
    return made


def is_open(value: object) -> bool:
    """Whether a container may hold more than is known."""
    return bool(getattr(value, "open", False))


def shift(value: object) -> None:
    """Note that entries of a list moved or came behind others: in an open one their places are not known any more."""
    if isinstance(value, ListVal) and value.open:
        value.shifted = True


def is_shifted(value: object) -> bool:
    """Whether it is not known which entry of a list has an index."""
    return is_open(value) and bool(getattr(value, "shifted", False))


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    return isinstance(value, dict)


def is_set(value: object) -> TypeGuard[set[Any] | frozenset[Any]]:
    return isinstance(value, (set, frozenset))


def is_container(value: object) -> TypeGuard[Collection[Any]]:
    """Whether a value is a list, tuple, set or dict."""
    return isinstance(value, (list, tuple, set, frozenset, dict))


def is_slice(value: object) -> TypeGuard[slice[Any, Any, Any]]:
    return isinstance(value, slice)
