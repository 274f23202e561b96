"""Files of extreme size, depth or meaning, each by a function of a random generator."""

# ruff: noqa: E501 (one-line programs)

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_KERNEL = """\
import itertools
import tilelang
import tilelang.language as T


def make{n}(M, block=64, stages=2):
    @T.prim_func
    def kernel(A: T.Tensor((M, 64), "float16"), B: T.Tensor((M, 64), "float16")):
        with T.Kernel(T.ceildiv(M, block), threads=128) as bx:
            tile = T.alloc_shared((block, 64), "float16")
            {body}
            T.copy(A[bx * block, 0], tile)
            T.copy(tile, B[bx * block, 0])
    return kernel


build{n} = {decorator}(tilelang.jit(make{n}))
{calls}
"""


def _kernel(n: int = 0, body: str = "pass", decorator: str = "", calls: str = "build0(1024)") -> str:
    return _KERNEL.format(n=n, body=body.replace("\n", "\n            "), decorator=decorator, calls=calls)


def _nested(rng: random.Random, before: str, after: str, levels: int = 100_000) -> str:
    return f"{_kernel()}\nx = {before * levels}1{after * levels}\n"


def _indented(header: str, levels: int) -> str:
    return "".join(f"{' ' * level}{header}\n" for level in range(levels)) + " " * levels + "pass\n"


def _tuned(space: str) -> str:
    return _kernel(decorator=f"tilelang.autotune(configs={space})")


WHOLE_FILES: dict[str, Callable[[random.Random], str]] = {
    "empty": lambda rng: "",
    "blank": lambda rng: rng.choice(("\n", " ", "\t\n", "\x0c", "\r", "#", "\\", "\ufeff", "\0", '"')) * rng.choice((1, 1000)),
    "import only": lambda rng: "import tilelang\n",
    "noise": lambda rng: "import tilelang\n" + "".join(chr(rng.randrange(1, 0x2FF)) for _ in range(rng.choice((10, 5_000)))),
    "token soup": lambda rng: "import tilelang.language as T\n" + " ".join(rng.choices(
        ["T", ".", "Kernel", "(", ")", "[", "]", ":", "\n", "\n    ", "x", "=", "1", ",", "for", "in", "with", "def", "if", "as", "return"],
        k=rng.choice((30, 3_000)))),
    "parentheses": lambda rng: _nested(rng, "(", ")"),
    "open parentheses": lambda rng: _nested(rng, "(", ""),
    "lists": lambda rng: _nested(rng, "[", "]", 10_000),
    "dictionaries": lambda rng: _nested(rng, "{0:", "}", 190),
    "calls": lambda rng: _nested(rng, "f(", ")", 180),
    "minus signs": lambda rng: _nested(rng, "-", "", rng.choice((300, 5_000, 100_000))),
    "lambdas": lambda rng: _nested(rng, "lambda: ", "", rng.choice((300, 20_000))),
    "sum": lambda rng: _nested(rng, "1 + ", "", rng.choice((390, 900, 2_900, 100_000))),
    "concatenations": lambda rng: f"{_kernel()}\nx = {' + '.join(['[0] * 1000'] * 390)}\n",
    "attributes": lambda rng: f"{_kernel()}\nx = T{'.a' * rng.choice((390, 50_000))}\n",
    "chained calls": lambda rng: f"{_kernel()}\nx = T{'(1)' * rng.choice((390, 50_000))}\n",
    "comparisons": lambda rng: f"{_kernel()}\nx = {'1 < ' * 20_000}2\n",
    "conditionals": lambda rng: _nested(rng, "a if b else ", "", rng.choice((300, 20_000))),
    "comprehension": lambda rng: f"import tilelang\nx = [a {'for a in range(9) ' * rng.choice((20, 5_000))}]\n",
    "ifs": lambda rng: "import tilelang\n" + _indented("if x:", rng.choice((90, 1_000, 5_000))),
    "functions": lambda rng: "import tilelang\n" + _indented("def f():", 90),
    "loops": lambda rng: "import tilelang\n" + _indented("for i in range(10):", 90),
    "branches": lambda rng: "import tilelang\nif x: pass\n" + "elif x: pass\n" * rng.choice((300, 20_000)),
    "handlers": lambda rng: "import tilelang\ntry: pass\n" + "except x: pass\n" * 5_000,
    "cases": lambda rng: "import tilelang\nmatch x:\n" + " case [1, 2, *_]: pass\n" * 5_000,
    "decorators": lambda rng: "import tilelang\n" + "@tilelang.jit\n" * rng.choice((100, 20_000)) + "def f(): pass\n",
    "format strings": lambda rng: f"import tilelang\nx = f'{'{a}' * 50_000}'\ny = f\"{'{x:' * 90}{'}' * 90}\"\n",
    "long string": lambda rng: f"import tilelang\nx = '{'a' * 3_000_000}'\n",
    "strings": lambda rng: "import tilelang\nx = (" + "'a' " * 100_000 + ")\n",
    "long name": lambda rng: f"import tilelang\n{'a' * 1_000_000} = 1\n",
    "long number": lambda rng: f"import tilelang\nx = {'9' * rng.choice((4_000, 100_000))}\ny = 0x{'f' * 1_000_000}\n",
    "huge list": lambda rng: f"import tilelang\nx = [{'1, ' * rng.choice((50_000, 2_000_000))}]\n",
    "huge table": lambda rng: f"{_kernel()}\nx = {{{', '.join(f'{i}: [{i}, {i}]' for i in range(40_000))}}}\n",
    "50,000 lines": lambda rng: _kernel() + rng.choice(("x = 1\n", "# text\n", "\n", "T.clear(x)\n", "x += 1\n", "x = [x]\n")) * 50_000,
    "50,000 calls": lambda rng: _kernel() + "build0(128)\n" * 50_000,
    "50,000 lines of a function": lambda rng: _kernel() + "def f(x):\n" + "    x = T.copy(x[0], y)\n" * 50_000,
    "50,000 broken lines": lambda rng: _kernel() + rng.choice(("x = \n", "f(\n", "x = '''\n", ")\n", "else:\n", "@a\n", " x\n")) * 50_000,
    "many functions": lambda rng: "import tilelang\n" + "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(8_000)) + "f0(1)\n",
    "many kernels": lambda rng: "".join(_kernel(n, calls=f"build{n}({n + 1})") for n in range(200)),
    "many calls": lambda rng: _kernel(calls="for M in range(1, 10**5):\n    build0(M)"),
    "many instances": lambda rng: _kernel(calls="[build0(M, b, s) for M in range(1, 99) for b in range(1, 99) for s in range(9)]"),
    "many buffers": lambda rng: _kernel(body="\n".join(f"t{i} = T.alloc_shared((64, 64), 'float16')" for i in range(2_000))),
    "many operations": lambda rng: _kernel(body="\n".join(["T.copy(A[bx * block, 0], tile)"] * 3_000)),
    "unrolled": lambda rng: _kernel(body="for i in range(10**9):\n    T.clear(tile)"),
    "static loop": lambda rng: _kernel(body="for i in [0] * 10**4:\n    for j in [0] * 10**4:\n        T.clear(tile)"),
    "loop nest": lambda rng: _kernel(body="for " + "".join(f"i{n}, " for n in range(60)) + "in T.Parallel(" + "2, " * 60 + "):\n    pass"),
    "huge extents": lambda rng: _kernel(body="for i, j in T.Parallel(10**9, 10**9):\n    tile[i, j] = 0", calls="build0(2**62)"),
    "huge tile": lambda rng: _kernel(calls=f"build0(1024, block={rng.choice(('10**9', '10**30', '-1', '0', '2**64', '1.5'))})"),
    "huge rank": lambda rng: _kernel(body=f"big = T.alloc_shared(({'2, ' * 2_000}), 'float16')"),
    "many stages": lambda rng: _kernel(body="for k in T.Pipelined(10**12, num_stages=10**12):\n    T.copy(A[k, 0], tile)"),
    "macro recursion": lambda rng: _kernel(body="again(tile)") + "\n@T.macro\ndef again(x):\n    again(x)\n",
    "factory recursion": lambda rng: _kernel(calls="def grow(n):\n    build0(n)\n    return grow(n + 1)\ngrow(1)"),
    "tuner product": lambda rng: _tuned("[dict(block=b, stages=s) for b in range(1000) for s in range(1000)]"),
    "tuner product of iterators": lambda rng: _tuned(
        "[dict(zip(('block', 'stages'), e)) for e in itertools.product(*[range(100)] * 3)]"),
    "tuner endless": lambda rng: _tuned("({'block': b} for b in itertools.count())"),
    "tuner callable": lambda rng: _tuned("lambda *a, **k: [{'block': b} for b in range(10**7)]"),
    "tuner odd": lambda rng: _tuned(rng.choice(("None", "3", "[]", "[3]", "[{}]", "[{1: 2}]", "{'block': [1]}", "make0", "[[]] * 10**8"))),
    "tuner big entries": lambda rng: _tuned("[{'block': 2**i, 'stages': 10**i} for i in range(3000)]"),
    "regular expressions": lambda rng: _kernel() + "import re\n" + "re.match('(x+x+)+y', 'x' * 50)\n" * 50,
    "doubling": lambda rng: _kernel() + "s = 'ab'\n" + "s = s + s\n" * 200 + "n = 3\n" + "n = n * n\n" * 200,
    "doubling lists": lambda rng: _kernel() + "s = [1]\n" + "s = [s, s]\n" * 200 + "print(s)\nt = str(s)\nu = s == [s, s]\n",
    "self reference": lambda rng: _kernel() + "a = []\na.append(a)\nb = {'a': a}\na.append(b)\nassert a == b\nbuild0(a)\nbuild0(*a)\n",
    "class chain": lambda rng: "import tilelang\nclass A0: pass\n" + "".join(f"class A{i}(A{i - 1}): pass\n" for i in range(1, 2_000)) + "A1999().x\n",
    "closures": lambda rng: "import tilelang\nf = lambda: 0\n" + "f = (lambda g: lambda: g())(f)\n" * 2_000 + "f()\n",
}  # fmt: skip
