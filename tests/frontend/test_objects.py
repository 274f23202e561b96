"""Attributes, classes and names that programs change while they run."""

from __future__ import annotations

from typing import Any

import pytest
from frontend.harness import FILL, bindings, check_instances, check_value

from tilelang.frontend.signals import UserError
from tilelang.ir.unknown import UNKNOWN

PROGRAMS: dict[str, tuple[str, str, Any]] = {
    "del attribute": ("class C: pass\nc = C()\nc.a, c.b = 1, 2\ndel c.a", "vars(c)", {"b": 2}),
    "delattr": ("class C: a = 1\nc = C()\nc.a = 2\ndelattr(c, 'a')", "c.a", 1),
    "del class attribute": ("class A: x = 1\nclass B(A): x = 2\ndel B.x", "B.x", 1),
    "property deleter": ("class C:\n    n = 5\n    @property\n    def s(self): return self.n\n    @s.deleter\n    def s(self): self.n = 1\nc = C()\ndel c.s", "c.s", 1),
    "property call": ("class C:\n    def g(self): return self.n\n    def s(self, v): self.n = min(v, 2)\n    p = property(g, s)\nc = C()\nc.p = 8", "c.p", 2),
    "cached property": ("from functools import cached_property\nn = [0]\nclass C:\n    @cached_property\n    def s(self):\n        n[0] += 1\n        return n[0]\nc = C()\nc.s", "c.s, c.s, n[0]", (1, 1, 1)),
    "__setattr__": ("class A:\n    def __setattr__(self, k, v): object.__setattr__(self, k, min(v, 2))\na = A()\na.x = 8", "a.x", 2),
    "setattr by a name that is not known": ("class C: pass\nc = C()\nc.a, c.b = 1, 2\nsetattr(c, flag, 2)", "c.a, c.b", (UNKNOWN, 2)),
    "__setattr__ by super": ("class A:\n    def __setattr__(self, k, v): super().__setattr__(k, min(v, 2))\nclass B(A): pass\na = B()\na.x = 8", "a.x", 2),
    "__setattr__ by __dict__": ("class A:\n    def __setattr__(self, k, v): self.__dict__[k] = v + 1\na = A()\na.x = 8", "a.x", 9),
    "__getattribute__": ("class A:\n    x = 8\n    def __getattribute__(self, k): return 2", "A().x", 2),
    "__getattribute__ by super": ("class A:\n    x = 8\n    def __getattribute__(self, k): return super().__getattribute__(k) // 4", "A().x", 2),
    "__delattr__": ("class A:\n    def __delattr__(self, k): self.y = 3\na = A()\ndel a.x", "a.y", 3),
    "__init_subclass__": ("class A:\n    n = 8\n    def __init_subclass__(cls, n=1, **kw): cls.n = n\nclass B(A): pass\nclass C(A, n=3): pass\nclass D(C): pass", "A.n, B.n, C.n, D.n", (8, 1, 3, 1)),
    "metaclass __new__": ("class M(type):\n    def __new__(m, name, bases, ns):\n        ns['x'] = ns['x'] // 4\n        return super().__new__(m, name, bases, ns)\nclass A(metaclass=M): x = 8\nclass B(A): x = 12", "A.x, B.x", (2, 3)),
    "metaclass __init__": ("class M(type):\n    def __init__(cls, name, bases, ns): cls.x = 3\nclass A(metaclass=M): x = 8", "A.x", 3),
    "metaclass __call__": ("class M(type):\n    def __call__(cls, v):\n        made = super().__call__(v)\n        made.x += 1\n        return made\nclass A(metaclass=M):\n    def __init__(self, v): self.x = v", "A(4).x", 5),
    "unknown metaclass": ("class A(metaclass=flag):\n    x = 8\n    def f(self): return 1", "A.x", UNKNOWN),
    "ABC": ("from abc import ABCMeta\nclass A(metaclass=ABCMeta): x = 8", "A.x", 8),
    "InitVar": ("from dataclasses import dataclass, InitVar, asdict\n@dataclass\nclass C:\n    a: int\n    scale: InitVar[int] = 2\n    b: int = 0\n    def __post_init__(self, scale): self.b = self.a * scale\nc = C(4)", "asdict(c), asdict(C(4, 5)), c.scale", ({"a": 4, "b": 8}, {"a": 4, "b": 20}, 2)),
    "InitVar in replace": ("import dataclasses as d\n@d.dataclass\nclass C:\n    a: int\n    scale: 'd.InitVar[int]'\n    def __post_init__(self, scale): self.a *= scale\nc = d.replace(C(4, 2), scale=3)", "vars(c)", {"a": 24}),
    "KW_ONLY": ("from dataclasses import dataclass, KW_ONLY, astuple\n@dataclass\nclass C:\n    a: int\n    _: KW_ONLY\n    b: int = 3\n    c: int\nc = C(1, c=2)", "astuple(c)", (1, 3, 2)),
    "kw_only": ("from dataclasses import dataclass, field, astuple\n@dataclass(kw_only=True)\nclass A: a: int = 1\n@dataclass\nclass B(A):\n    b: int\n    c: int = field(default=5, kw_only=True)\n    d: int = 7", "astuple(B(2, 3, a=4))", (4, 2, 5, 3)),
    "ClassVar": ("from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass\nclass C:\n    n: ClassVar[int] = 8\n    a: int = 1", "C(2).a, C.n", (2, 8)),
    "fields keep their places": ("from dataclasses import dataclass, astuple\n@dataclass\nclass A:\n    a: int = 1\n    b: int = 2\n@dataclass\nclass B(A):\n    c: int = 3\n    a: int = 9", "astuple(B()), astuple(B(4, 5))", ((9, 2, 3), (4, 5, 3))),
    "a subclass that is no dataclass": ("from dataclasses import dataclass, astuple\n@dataclass\nclass A: a: int\nclass B(A): b: int", "astuple(B(4))", (4,)),
    "default of a field": ("from dataclasses import dataclass, field\n@dataclass\nclass C:\n    a: int = field(default=3)\n    b: list = field(default_factory=list)\n    c: int = field(init=False, default=4)", "C.a, C().b, C().c", (3, [], 4)),
    "named tuples": ("from typing import NamedTuple\nfrom collections import namedtuple\nclass P(NamedTuple):\n    x: int\n    y: int = 2\nQ = namedtuple('Q', 'a b c', defaults=(8, 9))", "tuple(P(1)), P._fields, tuple(Q(7))", ((1, 2), ("x", "y"), (7, 8, 9))),
    "__new__": ("class One:\n    it = None\n    def __new__(cls):\n        if cls.it is None:\n            cls.it = super().__new__(cls)\n            cls.it.n = 2\n        return cls.it\nOne().n = 1", "One().n", 1),
    "__new__ of something else": ("class I:\n    def __new__(cls, v): return v // 4", "I(8)", 2),
    "auto after a value": ("from enum import Enum, auto\nclass S(Enum):\n    A = 31\n    B = auto()\n    C = auto()", "S.B.value, S.C.value", (32, 33)),
    "auto alone": ("from enum import IntEnum, auto\nclass S(IntEnum):\n    A = auto()\n    B = auto()\nclass R(IntEnum):\n    A = auto()", "S.B + 0, R.A + 0", (2, 1)),
    "auto of flags": ("from enum import Flag, auto\nclass S(Flag):\n    A = auto()\n    B = auto()\n    C = auto()", "S.C.value", 4),
    "auto of strings": ("import enum\nclass S(enum.StrEnum):\n    Ab = enum.auto()", "S.Ab.value", "ab"),
    "auto after a smaller value": ("from enum import Enum, auto\nclass S(Enum):\n    A = 5\n    B = 1\n    C = auto()", "S.C.value", UNKNOWN),
    "auto that the class makes": ("from enum import Enum, auto\nclass S(Enum):\n    def _generate_next_value_(name, start, count, last): return 7\n    A = auto()", "S.A.value", UNKNOWN),
    "__defaults__": ("def f(a, b=8): return b\nf.__defaults__ = (2,)", "f(1)", 2),
    "__kwdefaults__": ("def f(*, b=8): return b\nf.__kwdefaults__ = {'b': 3}", "f()", 3),
    "globals": ("x = 8\nglobals()['x'] = 2\nglobals().update(y=3)", "x, y", (2, 3)),
    "locals": ("def f(a, b=2): return dict(**locals())", "f(1)", {"a": 1, "b": 2}),
    "exec of a literal": ("x = y = 8\nexec('x = 2')", "x, y", (UNKNOWN, 8)),
    "exec of anything": ("x = 8\ndef f(): return 1\nexec(flag)", "x, f()", (UNKNOWN, 1)),
    "exec in a dict": ("x, d = 8, {'a': 1}\nexec(flag, d)", "x, d.get('a'), d.get('b')", (8, UNKNOWN, UNKNOWN)),
    "singledispatch": ("from functools import singledispatch\n@singledispatch\ndef f(x): return 8\n@f.register\ndef _(x: str): return 2", "f('a')", UNKNOWN),
    "partialmethod": ("from functools import partialmethod\nclass C:\n    def f(self, a, b=1): return (a, b)\n    g = partialmethod(f, b=5)", "C().g(2)", (2, 5)),
    "partial of partial": ("from functools import partial\ndef f(*a, **k): return a, k\np = partial(partial(f, 1, x=1), 2, x=2)", "p.func is f, p.args, p.keywords, p(3)", (True, (1, 2), {"x": 2}, ((1, 2, 3), {"x": 2}))),
    "popitem": ("d = {'a': 1, 'b': 2}\ne = d.popitem()", "d, e", ({"a": 1}, ("b", 2))),
    "del name": ("x = 8\ndel x\ntry: x\nexcept NameError: y = 1\nelse: y = 2", "y", 1),
    "del and bind again": ("x = 8\ndel x\nx = 3", "x", 3),
    "del of a global": ("x = 8\ndef f():\n    global x\n    del x\nf()\ntry: x\nexcept NameError: y = 1\nelse: y = 2", "y", 1),
    "key that is not known": ("d = {'a': 1}\nd[flag()] = 2", "d['a'], d.get('b')", (UNKNOWN, UNKNOWN)),
    "key that is not known, same value": ("d = {'a': 1}\nd[flag()] = 1", "d['a']", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    source, expression, expected = PROGRAMS[name]
    assert check_value(expression, source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "class C: pass\ndel C().x",
        "class C:\n    @property\n    def p(self): return 1\nC().p = 2",
        "x = {}\nx.popitem()",
        "from dataclasses import dataclass, KW_ONLY\n@dataclass\nclass C:\n    _: KW_ONLY\n    a: int\nC(1)",
    ],
)
def test_what_python_refuses(source: str) -> None:
    with pytest.raises(UserError):
        check_value("1", source)


def test_modules_by_name() -> None:
    source = "import sys\nx = 8\nsetattr(sys.modules[__name__], 'x', 2)\nfill(x)\n"
    assert bindings(check_instances(FILL + source), "N") == [2]


def test_modules_that_are_imported_by_name() -> None:
    source = "import importlib\nimportlib.import_module('sizes').N = 3\nimport sizes\nfill(sizes.N)\n"
    assert bindings(check_instances(FILL + source, {"sizes.py": "N = 1\n"}), "N") == [3]
