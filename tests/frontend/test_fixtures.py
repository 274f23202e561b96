"""Tests run as pytest runs them: with fixtures set up around them, hooks before and after, and parameters."""

from __future__ import annotations

import pytest
from frontend.harness import FILL, bindings, check_instances

WIDE = "S = [1]\n@pytest.fixture(scope='module', autouse=True)\ndef small():\n    old = S[0]\n    S[0] = 2\n"

PROGRAMS: dict[str, tuple[str, list[object]]] = {
    "value": ("@pytest.fixture\ndef n(): return 4\ndef test_a(n): fill(n)\n", [4]),
    "value of another one": ("@pytest.fixture\ndef n(): return 4\n@pytest.fixture\ndef m(n): return n + 1\ndef test_a(m, n): fill(m)\n", [5]),
    "by its other name": ("@pytest.fixture(name='n')\ndef make(): return 4\ndef test_a(n): fill(n)\n", [4]),
    "keyword-only": ("@pytest.fixture\ndef n(): return 4\ndef test_a(*, n): fill(n)\n", [4]),
    "a default is no fixture": ("@pytest.fixture\ndef n(): return 4\ndef test_a(n=3): fill(n)\n", [3]),
    "unknown": ("def test_a(n): fill(n)\n", [None]),
    "parameters": ("@pytest.fixture(params=[1, 2])\ndef n(request): return request.param\ndef test_a(n): fill(n)\n", [1, 2]),
    "parameters of one that it asks for": ("@pytest.fixture(params=[1, 2])\ndef n(request): return request.param\n@pytest.fixture\ndef m(n): return n * 2\ndef test_a(m): fill(m)\n", [2, 4]),
    "indirect instead of its own parameters": ("@pytest.fixture(params=[1, 2])\ndef n(request): return request.param\n@pytest.mark.parametrize('n', [7], indirect=True)\ndef test_a(n): fill(n)\n", [7]),
    "direct instead of the fixture": ("@pytest.fixture(params=[1, 2])\ndef n(request): raise ValueError\n@pytest.mark.parametrize('n', [7])\ndef test_a(n): fill(n)\n", [7]),
    "set up and torn down": ("S = [1]\n@pytest.fixture\ndef two():\n    S[0] = 2\n    yield 5\n    S[0] = 3\ndef test_a(two): fill(S[0] + two)\ndef test_b(): fill(S[0])\n", [7, 3]),
    "torn down after an exception": ("S = [1]\n@pytest.fixture\ndef two():\n    yield\n    S[0] = 3\ndef test_a(two):\n    fill(9)\n    raise ValueError\ndef test_b(): fill(S[0])\n", [9, 3]),
    "around the tests of a module": (WIDE + "    yield\n    S[0] = old\ndef test_a(): fill(S[0])\n", [2]),
    "around the tests of a module, in try": (WIDE + "    try: yield\n    finally: S[0] = old\ndef test_a(): fill(S[0])\ndef test_b(): fill(S[0] + 1)\n", [2, 3]),
    "once for a module": ("S = []\n@pytest.fixture(scope='module')\ndef n():\n    S.append(1)\n    return len(S)\ndef test_a(n): fill(n)\nclass TestB:\n    def test_b(self, n): fill(n + 1)\n", [1, 2]),
    "once for a class": ("S = []\n@pytest.fixture(scope='class')\ndef n():\n    S.append(1)\n    return len(S)\nclass TestA:\n    def test_a(self, n): fill(n)\nclass TestB:\n    def test_b(self, n): fill(n)\n    def test_c(self, n): fill(n + 3)\n", [1, 2, 5]),
    "for each test": ("S = []\n@pytest.fixture\ndef n():\n    S.append(1)\n    return len(S)\ndef test_a(n): fill(n)\ndef test_b(n): fill(n)\n", [1, 2]),
    "the wide ones first": ("S = [1]\n@pytest.fixture\ndef a(): S[0] *= 10\n@pytest.fixture(scope='session')\ndef b(): S[0] += 1\ndef test_a(a, b): fill(S[0])\n", [20]),
    "of the class": ("@pytest.fixture\ndef n(): return 4\nclass TestA:\n    @pytest.fixture\n    def n(self): return 5\n    def test_a(self, n): fill(n)\ndef test_b(n): fill(n)\n", [5, 4]),
    "a new object for each set": ("class TestA:\n    n = 1\n    @pytest.mark.parametrize('k', [0, 1])\n    def test_a(self, k):\n        self.n += 1\n        fill(self.n + 10 * k)\n", [2, 12]),
    "static": ("class TestA:\n    @staticmethod\n    @pytest.mark.parametrize('k', [3])\n    def test_a(k): fill(k)\n", [3]),
    "monkeypatch is put back": ("class C: n = 1\ndef test_a(monkeypatch):\n    monkeypatch.setattr(C, 'n', 2)\n    fill(C.n)\ndef test_b(): fill(C.n)\n", [2, 1]),
    "a circle": ("@pytest.fixture\ndef a(b): return 1\n@pytest.fixture\ndef b(a): return 2\ndef test_a(a): fill(4)\n", [4]),
    "hooks": ("S = [1]\nclass TestA:\n    def setup_method(self, method): S[0] = 2\n    def teardown_method(self): S[0] = 3\n    def test_a(self): fill(S[0])\ndef test_b(): fill(S[0])\n", [2, 3]),
    "hooks of a class": ("class C: n = 1\nclass TestA:\n    @classmethod\n    def setup_class(cls): C.n = 2\n    @classmethod\n    def teardown_class(cls): C.n = 3\n    def test_a(self): fill(C.n)\ndef test_b(): fill(C.n)\n", [2, 3]),
    "hooks of a module": ("S = [1]\ndef setup_module(): S[0] = 2\ndef test_a(): fill(S[0])\n", [2]),
    "hooks of functions": ("S = [1]\ndef setup_function(): S[0] += 1\ndef test_a(): fill(S[0])\ndef test_b(): fill(S[0])\n", [2, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_fixtures(name: str) -> None:
    source, expected = PROGRAMS[name]
    assert bindings(check_instances("import pytest\n" + FILL + source), "N") == expected


def test_fixtures_of_conftest() -> None:
    files = {"conftest.py": "import pytest\n@pytest.fixture\ndef n(): return 4\n@pytest.fixture\ndef m(): return 1\n"}
    source = "import pytest\n" + FILL + "@pytest.fixture\ndef m(n): return n + 1\ndef test_a(m): fill(m)\n"
    assert bindings(check_instances(source, files), "N") == [5]


def test_many_fixtures_that_all_ask_for_each_other() -> None:
    names = [f"f{i}" for i in range(40)]
    source = "".join(f"@pytest.fixture\ndef {name}({', '.join(names)}): return 1\n" for name in names)
    source += f"def test_a({', '.join(names)}): fill(3)\n"
    assert bindings(check_instances("import pytest\n" + FILL + source), "N") == [3]
