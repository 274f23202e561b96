"""Trials, and how their effects come back: redone, joined or forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from tilelang.frontend.containers import DictVal, ListVal, SetVal
from tilelang.frontend.heap import Heap, Journal, joined
from tilelang.ir.unknown import UNKNOWN


class Failure(Exception):
    pass


def put(heap: Heap, container: dict[str, Any], **values: Any) -> Journal:
    """The journal of an arm that sets keys."""

    def run() -> None:
        heap.writing(container)
        container.update(values)

    return heap.trial(run)[1]


def test_a_trial_leaves_no_trace() -> None:
    heap, names, items = Heap(), {"a": 1}, ListVal([1])

    def run() -> str:
        heap.writing(names)
        names["b"] = 2
        heap.writing(items)
        items.append(2)
        items.open = True
        return "result"

    result, journal = heap.trial(run)
    assert result == "result"
    assert (names, items, items.open) == ({"a": 1}, [1], False)
    heap.commit(journal)
    assert (names, items, items.open) == ({"a": 1, "b": 2}, [1, 2], True)


def test_an_exception_undoes_the_trial() -> None:
    heap, names = Heap(), {"a": 1}

    def run() -> None:
        heap.writing(names)
        names["a"] = 2
        raise Failure

    with pytest.raises(Failure):
        heap.trial(run)
    assert names == {"a": 1}
    assert heap.journals == []


def test_join_keeps_what_both_arms_agree_on() -> None:
    heap, names = Heap(), {"same": 0, "differs": 0, "untouched": 7}
    first = put(heap, names, same=1, differs=1, first_only=1)
    second = put(heap, names, same=1, differs=2)
    heap.join(first, second)
    assert names == {"same": 1, "differs": UNKNOWN, "untouched": 7, "first_only": UNKNOWN}


def test_an_arm_without_writes_counts_as_the_old_content() -> None:
    heap, names = Heap(), {"a": 1, "b": 2}
    heap.join(put(heap, names, a=1, b=3), Journal())
    assert names == {"a": 1, "b": UNKNOWN}


def test_lists_of_different_lengths_are_open() -> None:
    heap, items = Heap(), ListVal([1, 2])

    def append() -> None:
        heap.writing(items)
        items.append(3)

    heap.join(heap.trial(append)[1], Journal())
    assert items == [1, 2]
    assert items.open


def test_sets_keep_common_entries() -> None:
    heap, entries = Heap(), SetVal({1})

    def add() -> None:
        heap.writing(entries)
        entries.add(2)

    heap.join(heap.trial(add)[1], Journal())
    assert entries == {1}
    assert entries.open


def test_dicts_with_different_keys_are_open() -> None:
    heap, entries = Heap(), DictVal({"a": 1})
    heap.join(put(heap, entries, b=2), Journal())
    assert entries.open
    assert entries["a"] == 1
    assert entries["b"] is UNKNOWN


def test_havoc_forgets_what_a_repetition_changes() -> None:
    heap, names = Heap(), {"count": 0, "constant": 5}
    heap.havoc(put(heap, names, count=1, constant=5))
    assert names == {"count": UNKNOWN, "constant": 5}


def test_trials_nest() -> None:
    heap, names = Heap(), {"a": 0}

    def outer() -> None:
        heap.writing(names)
        names["a"] = 1
        inner = put(heap, names, a=2)
        assert names == {"a": 1}
        heap.commit(inner)

    _, journal = heap.trial(outer)
    assert names == {"a": 0}
    heap.commit(journal)
    assert names == {"a": 2}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1, 1),
        (1, 2, UNKNOWN),
        (1, True, UNKNOWN),
        (1, 1.0, UNKNOWN),
        ("x", "x", "x"),
        ((1, 2), (1, 3), (1, UNKNOWN)),
        ((1, 2), (1, 2, 3), UNKNOWN),
        (((1, 2), 3), ((1, 4), 3), ((1, UNKNOWN), 3)),
        (None, None, None),
        (UNKNOWN, UNKNOWN, UNKNOWN),
    ],
)
def test_joined_values(a: object, b: object, expected: object) -> None:
    result = joined(a, b)
    assert result == expected
    assert type(result) is type(expected)
