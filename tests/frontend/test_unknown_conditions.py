"""Conditions that nobody knows: both arms are followed, and what differs between them is unknown."""

from __future__ import annotations

from typing import Any

import pytest
from frontend.harness import FILL, check_instances, check_value, only

from tilelang.ir.unknown import UNKNOWN

PROGRAMS: dict[str, tuple[str, str, Any]] = {
    "both arms": ("if flag:\n    x, y = 1, 5\nelse:\n    x, y = 2, 5", "x, y", (UNKNOWN, 5)),
    "one arm": ("x = 1\nif flag:\n    x = 2", "x", UNKNOWN),
    "same value in one arm": ("x = 1\nif flag:\n    x = 1", "x", 1),
    "through an alias": ("d = {'a': 1, 'b': 2}\ne = d\nif flag:\n    e['a'] = 2", "d['a'], d['b']", (UNKNOWN, 2)),
    "same change through two names": ("d = {'a': 1}\ne = d\nif flag:\n    e['a'] = 2\nelse:\n    d['a'] = 2", "d['a']", 2),
    "append": ("xs = [1]\nif flag:\n    xs.append(2)", "len(xs), xs[0]", (UNKNOWN, 1)),
    "attribute": ("class O: pass\no = O()\no.n = o.m = 1\nif flag:\n    o.n = 2", "o.n, o.m", (UNKNOWN, 1)),
    "an arm that raises is not taken": ("x = 1\nif flag:\n    x = 2\n    raise ValueError", "x", 1),
    "assertion": ("assert flag\nx = 1", "x", 1),
    "nested": ("x = y = 0\nif flag:\n    if items:\n        x = 1\n    y = 1", "x, y", (UNKNOWN, UNKNOWN)),
    "match guard": ("n = 0\nmatch 5:\n    case n if flag: x, y = n, 2\n    case _: x, y = 3, 2", "x, y, n", (UNKNOWN, 2, 5)),
    "match sequence": ("n = 0\nmatch [1, flag()]:\n    case [2, n]: x = 1\n    case [n, 5]: x = 2\n    case _: x = 3", "x, n", (UNKNOWN, UNKNOWN)),
    "match leaves names alone": ("n = 7\nmatch flag:\n    case [n, _]: x = 1\n    case _: x = n", "x", UNKNOWN),
    "match unknown value, certain kind": ("match (flag(), 2):\n    case (_, 1): x = 1\n    case (_, 2): x = 2", "x", 2),
    "append behind a possible entry": ("L = []\nif flag: L.append(3)\nL.append(4)", "L[0], L[-1], len(L)", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "first of a list with a possible entry": ("L = [1]\nif flag: L.append(3)", "L[0], L[1]", (1, UNKNOWN)),
    "extend behind a possible entry": ("L = [1]\nif flag: L.append(3)\nL += [5]\nM = [1]\nif flag: M.append(3)\nM.extend([5])", "L[1], M[1]", (UNKNOWN, UNKNOWN)),
    "sum behind a possible entry": ("L = [1]\nif flag: L.append(3)\nM, N = L + [5], [*L, 5]", "M[1], N[0], (L * 2)[1]", (UNKNOWN, UNKNOWN, UNKNOWN)),
    "reverse of a possible entry": ("L = [1]\nif flag: L.append(3)\nL.reverse()", "L[0]", UNKNOWN),
    "store behind a possible entry": ("L = [1]\nif flag: L.append(3)\nL.append(4)\nL[1] = 7\nM = [x for x in L[:1]]", "L[0], L[1]", (UNKNOWN, UNKNOWN)),
    "cleared of possible entries": ("L = [1]\nif flag: L.append(3)\nL.append(4)\nL.clear()\nL.append(2)", "L[0], len(L)", (2, 1)),
    "match": ("match flag:\n    case 'b': x, y = 1, 2\n    case _: x, y = 3, 2", "x, y", (UNKNOWN, 2)),
    "unknown trip count": ("n, m, xs = 0, 3, []\nfor i in items:\n    n += 1\n    xs.append(i)", "n, m, len(xs)", (UNKNOWN, 3, UNKNOWN)),
    "unknown while": ("n, m = 0, 3\nwhile flag:\n    n = n + 1", "n, m", (UNKNOWN, 3)),
    "break": ("n = 0\nfor i in range(5):\n    n += 1\n    if flag: break\nm = 1", "n, m", (UNKNOWN, 1)),
    "break from while": ("n = 0\nwhile n < 4:\n    n += 1\n    if flag: break", "n", UNKNOWN),
    "continue": ("n = m = 0\nfor i in range(5):\n    m += 1\n    if flag: continue\n    n += 1", "n, m", (UNKNOWN, 5)),
    "else of a loop": ("x = 0\nfor i in range(3):\n    if flag: break\nelse:\n    x = 1", "x", UNKNOWN),
    "early return": ("def f(x):\n    if flag: return 1\n    return x", "f(2), f(1)", (UNKNOWN, 1)),
    "early return of a tuple": ("def f():\n    if flag: return 1, 2\n    return 1, 3", "f()", (1, UNKNOWN)),
    "values behind an early return": ("def f():\n    if flag: return 5\n    x = 2\n    y = x + 3\n    return y", "f()", 5),
    "state behind an early return": ("c = {'n': 1}\ndef f():\n    if flag: return\n    c['n'] = 5\nf()", "c['n']", UNKNOWN),
    "state before an early return": ("c = {'n': 1}\ndef f():\n    if flag:\n        c['n'] = 5\n        return\n    c['m'] = 1\nf()", "c['n']", UNKNOWN),
    "return from a loop": ("def f():\n    for i in range(5):\n        if flag: return i\n    return 7", "f()", UNKNOWN),
    "return or raise": ("def f(x):\n    if flag: return x\n    raise ValueError", "f(3)", 3),
    "sampling until something fits": ("def f(n):\n    while True:\n        x = n * 2\n        if flag: continue\n        return x", "f(3)", 6),
    "return in try": ("c = []\ndef f():\n    try:\n        if flag: return 1\n        x = 1\n    finally:\n        c.append(9)\n    return x\nx = f()", "x, c", (1, [9])),
    "captured by an unknown call": ("xs = [1]\ndef f(): xs.append(2)\nflag(f)", "len(xs)", UNKNOWN),
    "given to an unknown call": ("class O: pass\no = O()\no.xs = [1]\nflag(o)", "len(o.xs)", UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    source, expression, expected = PROGRAMS[name]
    assert check_value(expression, source) == expected


def certainties(source: str) -> list[tuple[Any, bool]]:
    analysis = check_instances(FILL + "from elsewhere import flag, items\n" + source)
    return [(instance.bindings["N"], instance.certain) for instance in analysis.instances]


def test_instances_under_an_unknown_condition_are_possible() -> None:
    assert certainties("if flag:\n    fill(1)\nelse:\n    fill(2)\nfill(3)\n") == [(1, False), (2, False), (3, True)]


def test_a_certain_instance_replaces_a_possible_one() -> None:
    assert certainties("if flag:\n    fill(1)\nfill(1)\n") == [(1, True)]


def test_what_follows_a_possible_return_is_possible() -> None:
    source = "def main():\n    fill(1)\n    if flag:\n        return\n    fill(2)\nmain()\nfill(3)\n"
    assert certainties(source) == [(1, True), (2, False), (3, True)]


def test_iterations_behind_a_possible_break_are_possible() -> None:
    source = "for n in (1, 2):\n    fill(n)\n    if flag:\n        break\nfill(3)\n"
    assert certainties(source) == [(1, True), (2, False), (3, True)]


def test_values_out_of_a_possible_break_are_unknown() -> None:
    source = "def count():\n    n = 0\n    for i in range(5):\n        n += 1\n        if flag:\n            break\n    return n\nfill(count())\n"
    assert certainties(source) == [(None, True)]


def test_the_body_of_an_unknown_loop_is_possible() -> None:
    assert certainties("for i in items:\n    fill(4)\n") == [(4, False)]


def test_known_conditions_choose_one_arm() -> None:
    assert certainties("n = 3\nif n > 2:\n    fill(1)\nelse:\n    fill(2)\n") == [(1, True)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("os.getenv('SIZE')", None),
        ("os.getenv('SIZE', 5)", 5),
        ("os.environ.get('SIZE', 'd')", "d"),
        ("'SIZE' in os.environ", False),
    ],
)
def test_the_environment_is_empty(expression: str, expected: object) -> None:
    assert check_value(expression, "import os") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("os.getenv('SIZE', 5)", "7"),
        ("os.environ.get('SIZE')", "7"),
        ("os.environ['SIZE']", "7"),
        ("'SIZE' in os.environ", True),
        ("os.getenv('OTHER', 5)", 5),
    ],
)
def test_the_environment_can_be_configured(expression: str, expected: object) -> None:
    assert check_value(expression, "import os", environment={"SIZE": "7"}) == expected


def test_a_missing_variable_ends_nothing() -> None:
    source = FILL + "import os\nfill(int(os.environ['SIZE']))\n"
    assert only(check_instances(source)).bindings["N"] is None
    assert only(check_instances(source, environment={"SIZE": "256"})).bindings["N"] == 256
