"""Expressions, statements and pieces of text that a checker must survive. None of it is ever run."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

# Expressions that cost too much time or memory, never end, or act on the world if they are evaluated.
HOSTILE_EXPRESSIONS = (
    "range(10**12)", "list(range(10**9))", "sum(range(10**12))", "[0] * 10**10", "(1, 2) * 10**9", '"x" * 10**10',
    "2**10**9", "10**10**10", "1 << 10**10", "-(2**63)", "10**400", "1e400", "0", "-1", "2**31", "0.1", "None", "True",
    "float('nan')", "int('9' * 10**6)", "str(7**10**6)", "pow(3, 10**8)", "pow(7, 10**9, 10**18)", "bytes(10**10)",
    'f"{1:>1000000000}"', '"%1000000000d" % 1', '"{:>{}}".format(1, 10**10)', '"ab".ljust(10**10)', '",".join("a" * 10**9)',
    'b"ab".zfill(10**10)', '"a".replace("", "b" * 10**6).replace("b", "c" * 10**6)', "max(range(10**11))",
    'sorted("ab" * 10**9)', "set(range(10**9))", "{i: i for i in range(10**9)}", "[i for i in range(10**5) for j in range(10**5)]",
    "[[[[0] * 1000] * 1000] * 1000] * 1000", "tuple(x for x in iter(int, 1))", "list(iter(int, 1))", "next(iter(int, 1))",
    're.match(r"(a+)+$", "a" * 40 + "b")', 're.sub("(x*)*y", "", "x" * 60)', "math.factorial(10**7)", "math.comb(10**6, 10**5)",
    "math.gcd(7**10**5, 3**10**5)", "math.prod(range(1, 10**6))", "list(itertools.permutations(range(12)))",
    "list(itertools.product(range(1000), repeat=4))", "list(itertools.count())", "sum(itertools.repeat(1))",
    "functools.reduce(lambda a, b: a * b, range(1, 10**6))", "(lambda f: f(f))(lambda f: f(f))",
    "(lambda n: n * n)(2**10**6)", 'eval("1" + "+1" * 10**5)', 'exec("import os")', "open('escaped.txt', 'w')",
    "__import__('os').system('touch escaped.txt')", "sys.exit(3)", "os._exit(3)", "exit()", "breakpoint()", "input()",
    "print('escaped')", "os.fork()", "globals()['x']", "[].__class__.__base__.__subclasses__()", "T.nosuchname(1)", "T", "...",
    "lambda: 0", "{}", "[]", "()", '""', "T.float16", "{1, 2} | {3}", "not 1", "yield_", "x if x else x", "*x", "(yield)", "await x",
)  # fmt: skip

# Statements that do the same; %s is a fresh name.
HOSTILE_STATEMENTS = (
    "while True: pass",
    "while True:\n    %s = 1",
    "%s = 1\nwhile %s: %s = %s + 1",
    "for %s in range(10**12): pass",
    "for %s in range(10**4):\n    for %s in range(10**4):\n        for %s in range(10**4): pass",
    "def %s(n): return %s(n + 1)\n%s(0)",
    "def %s(n=0): return %s_(n)\ndef %s_(n): return %s(n)\n%s()",
    "def %s():\n    while True: yield 1\nlist(%s())",
    "def %s():\n    yield from %s()\nfor x in %s(): pass",
    "def %s(f): return %s(%s(f))\n@%s\ndef g(): pass",
    "class %s:\n    def __getattr__(self, name): return getattr(self, name)\n%s().x",
    "class %s(%s): pass",
    "class %s:\n    def __init__(self): self.next = %s()\n%s()",
    "class %s(dict, list, int): x = [x for x in range(10**9)]",
    "%s = []\n%s.append(%s)\nprint(%s)\n%s == [%s]",
    "%s = {}\n%s['a'] = %s\nstr(%s)\nrepr(%s)",
    "%s = 'ab'\nfor i in range(100): %s = %s + %s",
    "%s = [1]\nfor i in range(200): %s = %s + %s",
    "%s = 3\nfor i in range(64): %s = %s * %s",
    "%s = (1,)\nfor i in range(100000): %s = (%s,)",
    "%s = lambda: 0\nfor i in range(100000): %s = (lambda f: lambda: f())(%s)\n%s()",
    "%s = 1\nfor i in range(10**6): %s += i",
    "import os, sys, subprocess\nos.system('touch escaped.txt')\nsubprocess.run(['touch', 'escaped.txt'])",
    "open('escaped.txt', 'w').write('x')\nfrom pathlib import Path\nPath('escaped.txt').write_text('x')",
    "import sys\nsys.stdout.write('escaped')\nsys.exit(7)",
    "raise SystemExit(7)",
    "assert False, 'x' * 10**10",
    "try:\n    1 / 0\nexcept* ValueError: pass",
    "from . import *\nfrom kernel import *\nimport kernel",
    "global %s, T\nT = 3",
    "del T, tilelang",
    "T = tilelang = None",
    "import tilelang.language as tilelang\nimport os as T",
    "match [1, 2, *range(10**9)]:\n    case [x, *_]: pass\n    case {'k': v, **rest}: pass",
    "import re\nre.fullmatch('(([a-z])+.)+[A-Z]([a-z])+$', 'a' * 60)",
    "with open('/dev/zero') as f: f.read()",
    "%s: 'T.Tensor((' = 1",
    "type %s[T] = list[T]",
    "lambda *a, **k: (yield)",
    "print(f'{%s!r:{10**10}}')",
    "nonlocal %s",
    "return %s",
    "break",
    "async def %s():\n    async for x in %s(): await x",
    "%s = [f'{i}' for i in range(10**8)]\n%s.sort(key=lambda x: x * 10**9)",
)

ODD_TEXT = (
    "(", ")", "[", "]", "{", "}", '"', "'", '"""', "'''", ":", ",", "=", "\\", "\\\n", "\n", "\r", "\r\n", "\t", "\x0c", "\0",
    "\ufeff", "\u2028", "\u00a0", "\ud7ff", "😀", "é", "#", "@", ";", "...", "->", ":=", "**", "*", "if ", "else ", "for ", "def ",
    "class ", "lambda ", "with ", "async ", "await ", "return ", "not ", "in ", "import ", "from ", "global ", "f'{", 'f"{x!r:>{',
    "0b", "0x", "1_", "1e", "0777", "%", "!", "?", "$", "`", "<>", "    ", " \t", "# tl: ignore[", "# tilelang: instance(",
    "# tl: ignore[all]\n", "# tilelang: targets=sm_1+\n", "# tilelang: instance(M=10**10**10)\n", "# type: ignore\n", "__name__",
)  # fmt: skip
