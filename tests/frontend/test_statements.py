"""Statements of plain Python."""

from __future__ import annotations

from typing import Any

import pytest
from frontend.harness import check_value

from tilelang.frontend.signals import UserError

PROGRAMS: dict[str, tuple[str, str, Any]] = {
    "starred assignment": ("a, *b, c = [1, 2, 3, 4]", "a, b, c", (1, [2, 3], 4)),
    "nested assignment": ("(a, b), c = (1, 2), 3", "a, b, c", (1, 2, 3)),
    "chained assignment": ("a = b = []\na.append(1)", "b", [1]),
    "list +=": ("a = [1]\nb = a\na += (2,)", "b", [1, 2]),
    "dict |=": ("a = {'x': 1}\nb = a\na |= {'y': 2}", "b", {"x": 1, "y": 2}),
    "set &=": ("a = {1, 2}\nb = a\na &= {2}", "b", {2}),
    "tuple +=": ("a = (1,)\nb = a\na += (2,)", "(a, b)", ((1, 2), (1,))),
    "entry +=": ("a = {'n': 1, 'xs': [1]}\nb = a['xs']\na['n'] += 2\na['xs'] += [2]", "(a, b)", ({"n": 3, "xs": [1, 2]}, [1, 2])),
    "del": ("d = {'a': 1, 'b': 2}\ndel d['a']", "d", {"b": 2}),
    "slice assignment": ("a = [1, 2, 3]\na[0] = 9", "a", [9, 2, 3]),
    "for else": ("for i in range(3):\n    if i == 5: break\nelse:\n    x = 1", "x", 1),
    "for break": ("x = 0\nfor i in range(9):\n    if i == 5: break\nelse:\n    x = 1", "(i, x)", (5, 0)),
    "continue": ("xs = []\nfor i in range(5):\n    if i % 2: continue\n    xs.append(i)", "xs", [0, 2, 4]),
    "while else": ("i = 0\nwhile i < 3:\n    i += 1\nelse:\n    x = i", "x", 3),
    "while True": ("i = 0\nwhile True:\n    i += 1\n    if i > 4: break", "i", 5),
    "global": ("n = 0\ndef f():\n    global n\n    n += 1\nf()\nf()", "n", 2),
    "nonlocal": ("def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n    g()\n    return n", "f()", 2),
    "generator": ("def f(n):\n    for i in range(n):\n        yield i\n    yield from 'ab'", "list(f(2))", [0, 1, "a", "b"]),
    "closures see later values": ("fs = [lambda: i for i in range(3)]", "[f() for f in fs]", [2, 2, 2]),
    "defaults keep values": ("fs = []\nfor i in range(3):\n    fs.append(lambda i=i: i)", "[f() for f in fs]", [0, 1, 2]),
    "mutable default": ("def f(a=[]):\n    a.append(1)\n    return len(a)", "(f(), f())", (1, 2)),
    "decorator": ("def twice(g):\n    def inner(*a, **k):\n        return 2 * g(*a, **k)\n    return inner\n@twice\ndef f(x): return x", "f(3)", 6),
    "decorator factory": ("def times(n):\n    return lambda g: lambda x: n * g(x)\n@times(4)\ndef f(x): return x", "f(3)", 12),
    "recursion": ("def f(n): return 1 if n == 0 else n * f(n - 1)", "f(5)", 120),
    "match": ("match 'a':\n    case 'b': x = 1\n    case 'a' | 'c': x = 2\n    case _: x = 3", "x", 2),
    "match guard": ("match 5:\n    case n if n > 5: x = 1\n    case n if n > 4: x = n * 2", "x", 10),
    "match class": ("class A:\n    __match_args__ = ('n',)\n    def __init__(self, n): self.n = n\nclass B(A): pass\nmatch B(3):\n    case A(4): x = 1\n    case A(n=k): x = k", "x", 3),
    "match dataclass": ("from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    b: int\nmatch P(1, 2):\n    case P(0, _): x = 0\n    case P(a, 2): x = a", "x", 1),
    "match builtin class": ("def f(v):\n    match v:\n        case bool(): return 'b'\n        case int(n): return n\n        case str() | None: return 's'\n        case {}: return 'd'\n        case _: return 0", "[f(v) for v in (True, 3, 3.0, 'x', None, {})]", ["b", 3, 0, "s", "s", "d"]),
    "match sequence": ("def f(v):\n    match v:\n        case []: return 0\n        case [a]: return a\n        case (a, *_, 9): return a\n        case [a, *more]: return more\n        case _: return None", "[f(v) for v in ([], (4,), (1, 2, 9), [1, 2, 3], 'ab', {1: 2})]", [0, 4, 1, [2, 3], None, None]),
    "match mapping": ("def f(v):\n    match v:\n        case {'k': 'a', 'n': n}: return n\n        case {'k': k, **more}: return k, more\n        case _: return None", "[f(v) for v in ({'k': 'a', 'n': 3, 'm': 1}, {'k': 'b', 'z': 1}, {'n': 1}, [])]", [3, ("b", {"z": 1}), None, None]),
    "match enum": ("from enum import Enum\nclass M(Enum):\n    A = 1\n    B = 2\nmatch (M('A' and 2), 8):\n    case (M.A, _): x = 1\n    case (M.B, n): x = n", "x", 8),
    "match named tuple": ("from collections import namedtuple\nP = namedtuple('P', 'a b')\nmatch P(1, 2):\n    case P(b=3): x = 0\n    case (a, b): x = a + b", "x", 3),
    "match evaluates once": ("xs = [1, 2]\nmatch xs.pop():\n    case 1: x = 1\n    case 2: x = 2", "x, xs", (2, [1])),
    "match capture": ("match 5:\n    case None: x = 1\n    case n: x = n", "x", 5),
    "try": ("try:\n    x = 1\n    {}['a']\nexcept KeyError:\n    x = 2\nelse:\n    x = 3", "x", 2),
    "try without exception": ("try:\n    x = 1\nexcept KeyError:\n    x = 2\nelse:\n    x = 3", "x", 3),
    "finally": ("y = []\ndef f():\n    try:\n        return 1\n    finally:\n        y.append(2)\nx = f()", "(x, y)", (1, [2])),
    "with": ("class C:\n    def __enter__(self): return 5\n    def __exit__(self, *a): pass\nwith C() as x: pass", "x", 5),
    "docstring and pass": ('"""text"""\npass\nx = 1', "x", 1),
    "walrus": ("if (n := len([1, 2])) > 1: x = n", "x", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    source, expression, expected = PROGRAMS[name]
    assert check_value(expression, source) == expected


@pytest.mark.parametrize(
    ("raised", "caught"),
    [
        ("ValueError('m')", "ValueError"),
        ("ValueError", "ValueError"),
        ("ValueError('m')", "(TypeError, ValueError)"),
        ("ValueError('m')", "Exception"),
        ("KeyError('m')", "LookupError"),
        ("FileNotFoundError('m')", "OSError"),
        ("Own('m')", "Own"),
        ("Own('m')", "RuntimeError"),
        ("Narrow('m')", "Own"),
        ("SystemExit(1)", "BaseException"),
    ],
)
def test_a_handler_catches_subclasses(raised: str, caught: str) -> None:
    source = f"""
        class Own(RuntimeError): pass
        class Narrow(Own): pass
        try:
            raise {raised}
        except {caught}:
            x = 1
    """
    assert check_value("x", source) == 1


@pytest.mark.parametrize(
    ("raised", "handler"), [("ValueError()", "TypeError"), ("Exception()", "ValueError"), ("SystemExit()", "Exception")]
)
def test_a_handler_of_another_class_does_not_catch(raised: str, handler: str) -> None:
    with pytest.raises(UserError) as error:
        check_value("x", f"try:\n    raise {raised}\nexcept {handler}:\n    x = 1\n")
    assert error.value.name == raised.removesuffix("()")


def test_the_caught_exception_is_an_object() -> None:
    source = """
        class Own(ValueError):
            def __init__(self, n): self.n = n
        found = []
        try:
            raise Own(4)
        except Own as error:
            found = [error.n, isinstance(error, ValueError), isinstance(error, KeyError)]
        try:
            raise KeyError("text")
        except KeyError as error:
            found += [str(error), error.args]
    """
    assert check_value("found", source) == [4, True, False, "text", ("text",)]


def test_raise_alone_raises_the_handled_exception_again() -> None:
    source = """
        try:
            try:
                raise ValueError("first")
            except ValueError:
                raise
        except ValueError as error:
            x = str(error)
    """
    assert check_value("x", source) == "first"


def test_assert_raises_with_its_message() -> None:
    with pytest.raises(UserError, match="size") as error:
        check_value("1", "assert 5 % 2 == 0, 'size'\n")
    assert error.value.name == "AssertionError"
    assert error.value.span.line == 2


@pytest.mark.parametrize(
    ("source", "expression", "expected"),
    [
        ("class O: pass\no = O()\no.a = 1\ndel o.a", "len(vars(o))", 0),
        ("class O: pass\no = O()\no.a = 1\ndelattr(o, 'a')", "len(vars(o))", 0),
        ("d = {'a': 1, 'b': 2}\nlast = d.popitem()", "last, d", (("b", 2), {"a": 1})),
        (
            "from enum import Enum, auto\nclass E(Enum):\n    A = 64\n    B = auto()\n    C = auto()",
            "E.B.value, E.C.value",
            (65, 66),
        ),
        ("from enum import Flag, auto\nclass E(Flag):\n    A = auto()\n    B = auto()\n    C = auto()", "E.C.value", 4),
        ("N = 1\nglobals()['N'] = 2", "N", 2),
        ("N = 1\nglobals().update(N=3)", "N", 3),
        (
            "import contextlib\nS = [8]\n@contextlib.contextmanager\ndef put(n):\n    S.append(n)\n    try:\n        yield\n    finally:\n        S.pop()\nwith put(2):\n    x = S[-1]",
            "x",
            2,
        ),
    ],
)
def test_changes_in_rare_ways(source: str, expression: str, expected: object) -> None:
    assert check_value(expression, source) == expected
