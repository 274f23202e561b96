"""Who calls a kernel: the file, its tests, other files of the project, or nobody."""

from __future__ import annotations

import pytest
from frontend.harness import FILL, bindings, check_instances, line_of, only


def kernel_file(rest: str = "") -> str:
    return FILL + rest


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("fill(1)\n", [1]),
        ("if __name__ == '__main__':\n    fill(2)\n", [2]),
        ("def main():\n    fill(3)\n", [3]),
        ("def run_fill(n=4):\n    fill(n)\n", [4]),
        ("def test_fill():\n    fill(5)\n", [5]),
        ("def helper(n):\n    fill(n)\ndef main():\n    helper(6)\n    helper(7)\n", [6, 7]),
        ("def helper(n):\n    return fill(n)\nhelper(8)\n", [8]),
        ("class Op:\n    def __init__(self, n):\n        self.kernel = fill(n)\nOp(9)\n", [9]),
        ("for n in (10, 11):\n    fill(n)\n", [10, 11]),
        ("kernels = {n: fill(n) for n in range(12, 14)}\n", [12, 13]),
        ("import functools\nmake = functools.partial(fill, 14)\nmake()\n", [14]),
        ("fill(**dict(N=15))\n", [15]),
        ("fill(*[16])\n", [16]),
        ("table = {'a': fill}\ntable['a'](17)\n", [17]),
        ("list(map(fill, [18, 19]))\n", [18, 19]),
        ("fill.compile(N=20)\n", [20]),
    ],
)  # fmt: skip
def test_callers_in_the_file(rest: str, expected: list[int]) -> None:
    assert bindings(check_instances(kernel_file(rest)), "N") == expected


def test_parametrized_tests_make_the_product() -> None:
    rest = """
import pytest

@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(("block", "stages"), [(32, 2), pytest.param(64, 3, id="large")])
def test_fill(n, block, stages):
    fill(n, block, stages)
"""
    found = bindings(check_instances(kernel_file(rest)), "N", "block", "stages")
    assert sorted(found) == [(1, 32, 2), (1, 64, 3), (2, 32, 2), (2, 64, 3)]


def test_argparse_defaults() -> None:
    rest = """
import argparse

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--block", type=int, default="32", choices=[32, 64])
    parser.add_argument("--more", action="store_true")
    args = parser.parse_args()
    fill(args.size, args.block)
    if args.more:
        fill(1)

if __name__ == "__main__":
    main()
"""
    found = check_instances(kernel_file(rest))
    first = found.instances[0]
    assert (first.bindings["N"], first.bindings["block"], first.certain) == (96, 32, True)


def test_the_call_chain_leads_from_the_module_to_the_kernel() -> None:
    rest = "def outer():\n    inner(5)\ndef inner(n):\n    fill(n)\nouter()\n"
    instance = only(check_instances(kernel_file(rest)))
    names = [link.function for link in instance.chain]
    assert names[-3:] == ["outer", "inner", "fill"]
    assert instance.call_site is not None
    source = kernel_file(rest)
    assert instance.call_site.line == line_of(source, "    fill(n)")
    assert instance.arg_spans["N"].line in (line_of(source, "    fill(n)"), line_of(source, "inner(5)"))


def test_the_same_values_are_one_instance() -> None:
    assert bindings(check_instances(kernel_file("fill(1)\nfill(N=1)\nfill(1, 64)\nfill(2)\n")), "N") == [1, 2]


def test_callers_in_other_files() -> None:
    files = {
        "pkg/__init__.py": "from pkg.kernels import fill\n",
        "pkg/kernels.py": FILL,
        "tests/test_pkg.py": "from pkg import fill\n\ndef test_fill():\n    fill(33)\n",
        "unrelated.py": "def fill(n): ...\nfill(99)\n",
    }
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from tilelang.frontend.project import EvaluatorSettings, Project

    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        analysis = Project(root, EvaluatorSettings()).analyse(root / "pkg/kernels.py")
    assert bindings(analysis, "N") == [33]
    assert only(analysis).chain[0].span.path.endswith("test_pkg.py")


def test_modules_of_the_project_are_read() -> None:
    files = {"sizes.py": "BASE = 16\ndef twice(x):\n    return 2 * x\n", "sub/__init__.py": "", "sub/more.py": "from ..sizes import BASE\n"}  # fmt: skip
    rest = "from sizes import twice, BASE\nfill(twice(BASE))\n"
    assert bindings(check_instances(kernel_file(rest), files), "N") == [32]


def test_modules_that_import_each_other() -> None:
    files = {"other.py": "import program\nSIZE = 8\n"}
    assert bindings(check_instances(kernel_file("import other\nfill(other.SIZE)\n"), files), "N") == [8]


# --- nothing calls it -----------------------------------------------------------------------------------------


def test_without_callers_defaults_are_used_and_the_rest_is_symbolic() -> None:
    instance = only(check_instances(kernel_file()))
    assert instance.origin == "symbolic"
    assert (instance.bindings["N"], instance.bindings["block"]) == (None, 64)


def test_a_kernel_with_defaults_only() -> None:
    source = FILL.replace("def fill(N, ", "def fill(N=128, ")
    instance = only(check_instances(source))
    assert (instance.origin, instance.bindings["N"]) == ("default", 128)


def test_a_comment_gives_values() -> None:
    source = FILL.replace("@tilelang.jit", "# tilelang: instance(N=256, stages=4)\n@tilelang.jit")
    instance = only(check_instances(source))
    assert (instance.origin, instance.bindings["N"], instance.bindings["stages"]) == ("directive", 256, 4)


def test_a_status_counts_certain_instances() -> None:
    status = check_instances(kernel_file("from elsewhere import sizes\nfor n in sizes:\n    fill(n)\n")).kernels
    assert [(entry.name, entry.state, entry.certain) for entry in status] == [("main", "checked", 0)]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("@pytest.mark.parametrize(('n',), [(1,), (2,)])\ndef test_fill(n):\n    fill(n)\n", [1, 2]),
        ("@pytest.mark.parametrize(['n'], [[1], [2]])\ndef test_fill(n):\n    fill(n)\n", [1, 2]),
        ("@pytest.mark.parametrize('n,', [(1,), (2,)])\ndef test_fill(n):\n    fill(n)\n", [1, 2]),
        ("@pytest.mark.parametrize('n', [1, 2])\ndef test_fill(n):\n    fill(n)\n", [1, 2]),
        (
            "@pytest.fixture\ndef n(request):\n    return request.param * 10\n@pytest.mark.parametrize('n', [1, 2], indirect=True)\ndef test_fill(n):\n    fill(n)\n",
            [10, 20],
        ),
        (
            "SIZE = 1\n@pytest.fixture(autouse=True)\ndef larger():\n    global SIZE\n    SIZE = 5\n    yield\n    SIZE = 1\ndef test_fill():\n    fill(SIZE)\n",
            [5],
        ),
        (
            "class TestFill:\n    def setup_method(self):\n        self.n = 4\n    def test_fill(self):\n        fill(self.n)\n",
            [4],
        ),
        (
            "class TestFill:\n    @classmethod\n    def setup_class(cls):\n        cls.n = 6\n    def test_fill(self):\n        fill(self.n)\n",
            [6],
        ),
    ],
)
def test_preparations_of_tests(test: str, expected: list[int]) -> None:
    assert bindings(check_instances(kernel_file("import pytest\n" + test)), "N") == expected


def test_an_optional_import_is_an_unknown_condition() -> None:
    rest = "try:\n    import rare\n    HAS = True\nexcept ImportError:\n    HAS = False\nfill(8 if HAS else 2)\n"
    assert bindings(check_instances(kernel_file(rest)), "N") == [None]
    rest = "try:\n    import torch\n    N = 8\nexcept ImportError:\n    N = 2\nfill(N)\n"
    assert bindings(check_instances(kernel_file(rest)), "N") == [8]
