"""What would take forever, or all memory, is given up early; the rest of the file is still followed."""

from __future__ import annotations

import pytest
from frontend.harness import FILL, bindings, check_instances

HUGE = [
    "x = 10**(10**9)",
    "x = 2**10**9",
    "x = 1 << 10**12",
    "x = 'x' * 10**10",
    "x = [0] * 10**10",
    "x = (0,) * 10**10",
    "x = list(range(10**12))",
    "x = [*range(10**12)]",
    "x = {*range(10**12)}",
    "x = tuple(range(10**12))",
    "x = sum(range(10**12))",
    "x = sorted(range(10**12))",
    "x = max(range(10**12))",
    "x = 'x'.zfill(10**10)",
    "x = 'x'.ljust(10**10)",
    "x = f'{1:>10000000000}'",
    "x = '%10000000000d' % 1",
    "x = '{:>10000000000}'.format(1)",
    "x = int('9' * 10**6)",
    "import math\nx = math.factorial(10**7)",
    "import itertools\nx = list(itertools.product(range(1000), repeat=10))",
    "import itertools\nx = list(itertools.permutations(range(30)))",
    "import itertools\nx = list(itertools.count())",
    "import re\nx = re.match('(a+)+$', 'a' * 60 + 'b')",
    "exec('x = ' + '-' * 9000 + '1')",
    "for i in range(10**5):\n    exec('x = ' + '1 + ' * 2000 + '1')",
    "import importlib\nfor i in range(10**5):\n    importlib.import_module(f'm{i}')",
    "import importlib\nimportlib.import_module('m' * 10**5)\nimportlib.import_module('../../etc.passwd')",
    "from elsewhere import k\nd = dict.fromkeys(range(90000))\nfor i in range(10**5):\n    d[k] = i",
    "from elsewhere import k\nclass C: pass\nc = C()\nfor i in range(300):\n    setattr(c, f'a{i}', i)\nfor i in range(10**5):\n    setattr(c, k, i)",
    "def g():\n    while True:\n        yield [0]\nx = next(g())",
    "def g():\n    for i in range(10**9):\n        xs = []\n        xs.append(i)\n        yield xs\nx = next(g())",
    "x = list(iter(lambda: 1, 2))",
    "x = sum(map(abs, iter(list(range(90000)))))",
    "for i in iter(list(range(90000))):\n    x = i",
    "def g(n):\n    yield n\n    yield from g(n + 1)\nx = list(g(0))",
    "x = iter([1])\nfor i in range(10**4):\n    x = map(abs, x)\ny = list(x)",
    "x = 1\nwhile True:\n    x = x + 1",
    "for i in range(10**12):\n    x = i",
    "x = [i for i in range(10**12)]",
    "x = sum(i for i in range(10**12))",
    "def f(n):\n    return f(n + 1)\nx = f(0)",
    "def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nx = f(60)",
    "x = []\nx.append(x)\ny = str(x)\nz = x == x",
    "x = ()\nfor i in range(200):\n    x = (x, x)\ny = repr(x)\nz = hash(x)\nw = x == x",
    "x = {}\nfor i in range(100):\n    x = {'a': x, 'b': x}\ny = str(x)",
    "def g():\n    while True:\n        yield 1\nx = list(g())",
    "def g():\n    yield from range(10**12)\nx = list(g())",
    "xs = [1] * 100000\nys = []\nfor i in range(10**6):\n    ys.append(xs + [i])",
    "from elsewhere import flag\nxs = [0] * 100000\nfor i in range(10**6):\n    if flag:\n        xs.append(i)",
    "class A:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nx = A().y",
    "class A:\n    def __add__(self, other):\n        return self + other\nx = A() + 1",
    "class A:\n    @property\n    def p(self):\n        return self.p\nx = A().p",
    "x = lambda: x()\nx()",
    "import functools\nx = functools.reduce(lambda a, b: a * a, range(100), 3)",
]


@pytest.mark.parametrize("source", HUGE)
def test_the_kernel_behind_it_is_found(source: str) -> None:
    """Each in a function of its own, as another entry point's budget must not suffer."""
    body = "\n".join("    " + line for line in source.splitlines())
    program = FILL + f"def main():\n{body}\n\ndef test_fill():\n    fill(64)\n"
    assert 64 in bindings(check_instances(program), "N")


@pytest.mark.parametrize("source", HUGE)
def test_at_module_level(source: str) -> None:
    analysis = check_instances(FILL + source + "\n")
    assert analysis.kernels


def test_native_functions_see_plain_values_only() -> None:
    """An object of the program must not reach Python's own functions, which would call its methods."""
    source = """
class Trap:
    def __index__(self): return 1 // 0
    def __len__(self): return 1 // 0
    def __hash__(self): return 1 // 0
    def __eq__(self, other): return 1 // 0
    def __iter__(self): raise SystemExit
    def __str__(self): raise KeyboardInterrupt
    def __bool__(self): raise SystemExit

def main():
    t = Trap()
    values = (len(t), {t: 1}, [t] == [t], str(t), f"{t}", list(t), range(t), sorted([t, t]), t in [t], max(t, t))

def test_fill():
    fill(64)
"""
    assert 64 in bindings(check_instances(FILL + source), "N")
