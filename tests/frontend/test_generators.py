"""Generators and context managers run in Python's order: lazily, and in turns with who consumes them."""

from __future__ import annotations

from typing import Any

import pytest
from frontend.harness import FILL, bindings, check_instances, check_value, line_of, only

from tilelang.ir.unknown import UNKNOWN

G = "S = [8]\ndef g():\n    S[0] = 2\n    yield 1\n    S[0] = 3\n"
CM = "import contextlib\nS = [8]\n@contextlib.contextmanager\ndef cm(n):\n    S.append(n)\n    try: yield n\n    finally: S.pop()\n"

PROGRAMS: dict[str, tuple[str, str, Any]] = {
    "nothing consumes it": (G + "it = g()", "S[0]", 8),
    "in turns": (G + "seen = []\nfor x in g(): seen.append(S[0])", "seen, S[0]", ([2], 3)),
    "in a comprehension": (G + "seen = [S[0] for x in g()]", "seen, S[0]", ([2], 3)),
    "to its end": (G + "xs = list(g())", "xs, S[0]", ([1], 3)),
    "only once": (G + "it = g()\nxs, ys = list(it), list(it)", "xs, ys", ([1], [])),
    "break": (G + "for x in g(): break", "S[0]", 2),
    "break runs finally": ("S = []\ndef g():\n    try: yield 1\n    finally: S.append(5)\nfor x in g(): break", "S", [5]),
    "return from the loop": ("def g():\n    yield 1\n    raise ValueError\ndef f():\n    for x in g(): return x + 1\ny = f()", "y", 2),
    "else": ("def g(): yield 1\nfor x in g(): pass\nelse: x = 5", "x", 5),
    "endless": ("def g():\n    n = 0\n    while True:\n        yield n\n        n += 1\nfor x in g():\n    if x == 5: break", "x", 5),
    "possible break": ("def g():\n    yield 1\n    yield 2\nn, m = 0, 7\nfor x in g():\n    n += 1\n    if flag: break", "n, m", (UNKNOWN, 7)),
    "possible item": ("def g():\n    yield 1\n    if flag: yield 2\nxs = list(g())", "xs[0], len(xs)", (1, UNKNOWN)),
    "unknown items": ("def g():\n    for x in items: yield x\nn = 0\nfor x in g(): n += 1", "n", UNKNOWN),
    "the loop's exception is not the generator's": ("def g():\n    try: yield 1\n    except ValueError: yield 2\ny = 0\ntry:\n    for x in g(): raise ValueError\nexcept ValueError: y = x", "y", 1),
    "yield from": ("def g():\n    yield 1\n    return 5\ndef h():\n    x = yield from g()\n    yield x", "list(h())", [1, 5]),
    "recursive": ("def walk(n):\n    if n:\n        yield n\n        yield from walk(n - 1)", "list(walk(4))", [4, 3, 2, 1]),
    "next": ("def g():\n    yield 1\n    yield 2\nit = g()\na = next(it)\nb = list(it)", "a, b, next(it, 9)", (1, [2], 9)),
    "next with effects": (G + "it = g()\na = next(it)", "a, S[0]", (1, UNKNOWN)),
    "next with effects between items": ("S = [8]\ndef g():\n    S[0] = 2\n    yield 1\n    S[0] = 8\nit = g()\na = next(it)", "a, S[0]", (1, UNKNOWN)),
    "next with effects of what it calls": ("S = [8]\ndef put(n): S[0] = n\ndef g():\n    yield 1\n    put(2)\nit = g()\na = next(it)", "a, S[0]", (1, UNKNOWN)),
    "next that raises": ("S = [8]\ndef g():\n    S[0] = 2\n    raise ValueError\n    yield 1\ntry: next(g())\nexcept ValueError: y = 1", "y, S[0]", (1, UNKNOWN)),
    "next in one arm": ("it = iter([1, 2])\nif flag: next(it)\nn = 0\nfor x in it: n += 1", "n", UNKNOWN),
    "list in one arm": ("S = [8]\ndef g():\n    yield 1\n    S[0] = 3\nit = g()\nif flag: list(it)\nxs = list(it)", "len(xs), S[0]", (UNKNOWN, UNKNOWN)),
    "send": (G + "it = g()\na = it.send(None)", "a, S[0]", (UNKNOWN, UNKNOWN)),
    "zip with effects": (G + "seen = [S[0] for x, y in zip(g(), [1])]", "seen, S[0]", ([2], 3)),
    "zip of what comes first": (G + "seen = [S[0] for x, y in zip([1, 2], g())]", "seen, S[0]", ([2], 3)),
    "zip of two generators": (G + "seen = [S[0] for x, y in zip(g(), g())]", "seen, S[0]", ([UNKNOWN], UNKNOWN)),
    "zip with changes by both": ("S = [8]\ndef g():\n    yield 1\n    S[0] += 1\n    yield 2\nfor x, y in zip(g(), [1, 2]): S[0] *= 2", "S[0]", 34),
    "next with changes by both": ("S = [8]\ndef g():\n    yield 1\n    S[0] += 1\n    yield 2\nit = g()\nnext(it)\nS[0] = 5\nnext(it)", "S[0]", UNKNOWN),
    "the consumer's exception is not the generator's": ("def g():\n    try: yield 1\n    except ValueError: yield 2\ndef f(x): raise ValueError\ny = 0\ntry: list(map(f, g()))\nexcept ValueError: y = 1", "y", 1),
    "pop from a list that may have more": ("L = [1, 2]\nif flag: L.append(3)\nL.pop()", "L[0], L[1], len(L)", (1, UNKNOWN, UNKNOWN)),
    "pop the first of a list that may have more": ("L = [1, 2]\nif flag: L.append(3)\nx = L.pop(0)", "x, L[0]", (1, 2)),
    "zip of one iterator": ("it = iter([1, 2, 3, 4])", "list(zip(it, it))", [(1, 2), (3, 4)]),
    "what zip leaves": ("it = iter([1, 2, 3])\nxs = list(zip(it, [1]))", "xs, list(it)", ([(1, 1)], [3])),
    "given to code that is not followed": (G + "flag(x for x in g())", "S[0]", UNKNOWN),
    "map over unknown items": ("S = [8]\ndef f(x): S[0] = x\nlist(map(f, items))", "S[0]", UNKNOWN),
    "async": ("S = [8]\nasync def g():\n    S[0] = 2\n    yield 1\nasync def f():\n    async for x in g(): return x + S[0]\ny = f()", "y", 3),
    "enumerate in turns": (G + "seen = [(i, S[0]) for i, x in enumerate(g(), 4)]", "seen", [(4, 2)]),
    "generator expression": ("L = []\ne = (L.append(1) for _ in range(8))\nn = len(L)\nlist(e)", "n, len(L)", (0, 8)),
    "its first iterable": ("xs = [1, 2]\ne = (x for x in xs)\nxs = [7]", "list(e)", [1, 2]),
    "map": ("L = []\nm = map(L.append, [8, 9])\nn = len(L)\nlist(m)", "n, len(L)", (0, 2)),
    "map over two": ("m = map(lambda a, b: a + b, [1, 2], [3, 4])", "list(m)", [4, 6]),
    "filter": ("", "list(filter(None, [0, 1, 2])), list(filter(lambda x: x > 1, (1, 2)))", ([1, 2], [2])),
    "any stops": ("L = []\na = any(x > 8 or L.append(x) for x in [1, 9, 5])", "a, L", (True, [1])),
    "all stops": ("L = []\na = all(L.append(x) is None and x < 2 for x in [1, 2, 3])", "a, L", (False, [1, 2])),
    "any of unknown": ("", "any(x for x in [False, flag()]), any([flag(), True]), all([])", (UNKNOWN, True, True)),
    "iterator over its own loop": ("i = iter(range(10))\nseen = []\nfor a in i: seen.append((a, next(i)))", "seen[1]", (2, 3)),
    "iter with a sentinel": ("xs = [3, 2, 1]", "list(iter(lambda: xs.pop(), 3))", [1, 2]),
    "__next__": ("class It:\n    n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n        if self.n > 2: raise StopIteration\n        return self.n\nit = It()\na = next(it)", "a, list(it)", (1, [2])),
    "__iter__ that yields": ("class B:\n    def __iter__(self):\n        yield 1\n        yield 2", "[x for x in B()]", [1, 2]),
    "context manager": (CM + "with cm(2) as n: x = (n, S[-1])", "x, S", ((2, 2), [8])),
    "it ends after an exception": (CM + "try:\n    with cm(2): raise ValueError\nexcept ValueError: pass", "S", [8]),
    "return from its block": (CM + "def f():\n    with cm(2): return S[-1]\nx = f()", "x, S", (2, [8])),
    "break from its block": (CM + "for i in range(3):\n    with cm(i):\n        if i == 1: break", "i, S", (1, [8])),
    "it swallows": ("import contextlib\n@contextlib.contextmanager\ndef cm():\n    try: yield\n    except ValueError: pass\nx = 1\nwith cm():\n    raise ValueError\nx = 2", "x", 2),
    "method": ("import contextlib\nclass C:\n    n = 8\n    @contextlib.contextmanager\n    def at(self, n):\n        old, self.n = self.n, n\n        yield self\n        self.n = old\nc = C()\nwith c.at(2) as d: x = d.n", "x, c.n", (2, 8)),
    "async context manager": (CM.replace("contextmanager\ndef", "asynccontextmanager\nasync def") + "async def f(m):\n    async with m as n: return n + S[-1]\nx = f(cm(2))", "x, S", (4, [8])),
    "on a stack that is not followed": (CM + "with contextlib.ExitStack() as st:\n    st.enter_context(cm(2))\n    x = S[-1]", "x", UNKNOWN),
    "__exit__": ("S = 8\nclass C:\n    def __enter__(self):\n        global S\n        S = 2\n    def __exit__(self, *a):\n        global S\n        S = 3\nwith C(): x = S", "x, S", (2, 3)),
    "__exit__ that swallows": ("class C:\n    def __enter__(self): return 4\n    def __exit__(self, kind, value, trace): return issubclass(kind, KeyError)\nwith C() as x: {}['a']\ny = 1", "x, y", (4, 1)),
    "suppress": ("import contextlib\nx = 1\nwith contextlib.suppress(KeyError):\n    {}['a']\n    x = 2", "x", 1),
    "suppress a missing package": ("import contextlib\nx = 1\nwith contextlib.suppress(ImportError):\n    import elsewhere\n    x = 2", "x", UNKNOWN),
    "nullcontext": ("import contextlib\nwith contextlib.nullcontext(3) as x: pass", "x", 3),
    "return in finally": ("def f():\n    try: raise KeyError\n    finally: return 2", "f()", 2),
    "break in finally": ("x = 0\nfor i in range(3):\n    try: raise KeyError\n    finally: break\nx = 1", "x, i", (1, 0)),
    "finally after a handler that raises": ("x = 0\ntry:\n    try: raise KeyError\n    except KeyError: raise ValueError\n    finally: x = 1\nexcept ValueError: pass", "x", 1),
    "else is not guarded": ("x = 0\ntry:\n    try: pass\n    except KeyError: x = 1\n    else: {}['a']\nexcept KeyError: x += 5", "x", 5),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    source, expression, expected = PROGRAMS[name]
    assert check_value(expression, source) == expected


def test_the_call_chain_of_a_loop_body_has_no_generator() -> None:
    source = FILL + "def sizes():\n    yield 3\ndef main():\n    for n in sizes():\n        fill(n)\nmain()\n"
    instance = only(check_instances(source))
    assert [link.function for link in instance.chain] == ["main", "fill"]
    assert instance.call_site is not None
    assert instance.call_site.line == line_of(source, "        fill(n)")


def test_only_the_first_kernel_of_a_generator_is_certain() -> None:
    source = FILL + "def kernels():\n    for n in (1, 2):\n        yield fill(n)\nnext(kernels())\n"
    found = check_instances(source).instances
    assert [(one.bindings["N"], one.certain) for one in found] == [(1, True), (2, False)]


def test_kernels_made_by_a_generator() -> None:
    source = FILL + "def kernels():\n    for n in (1, 2):\n        yield fill(n)\nlist(kernels())\n"
    assert bindings(check_instances(source), "N") == [1, 2]
