"""Programs that ask for the target, and programs that fail on purpose."""

from __future__ import annotations

import pytest
from frontend.harness import FILL, bindings, check_instances, only

TUNED = FILL.replace("@tilelang.jit", "@tilelang.autotune(configs={configs})\n@tilelang.jit")


def tuned(configs: str, rest: str) -> str:
    head, _, body = FILL.partition("@tilelang.jit")
    return f"{head}{rest}\n\n@tilelang.autotune(configs={configs})\n@tilelang.jit{body}"


# --- the target is an input -----------------------------------------------------------------------------------


def test_a_program_that_asks_is_evaluated_for_each_target() -> None:
    source = FILL + """
import torch
major, minor = torch.cuda.get_device_capability()
fill(64 if major >= 9 else 32)
"""  # fmt: skip
    analysis = check_instances(source, archs=("sm_75", "sm_90"))
    assert sorted((instance.arch or "", instance.bindings["N"]) for instance in analysis.instances) == [
        ("sm_75", 32),
        ("sm_90", 64),
    ]


def test_a_program_that_does_not_ask_is_evaluated_once() -> None:
    instance = only(check_instances(FILL + "fill(8)\n", archs=("sm_75", "sm_90")))
    assert instance.arch is None


# --- exceptions are data --------------------------------------------------------------------------------------

ASSERTING = FILL.replace("    @T.prim_func", "    assert block <= 64, 'block'\n    @T.prim_func")


def test_a_failing_assertion_ends_the_instance_only() -> None:
    analysis = check_instances(ASSERTING + "def main():\n    fill(1, 128)\ndef test_other():\n    fill(2, 64)\n")
    assert (2, 64) in bindings(analysis, "N", "block")
    assert (1, 128) not in bindings(analysis, "N", "block")


def test_what_a_program_catches_goes_on() -> None:
    rest = "for block in (128, 64):\n    try:\n        fill(1, block)\n    except AssertionError:\n        continue\n"
    assert bindings(check_instances(ASSERTING + rest), "block") == [64]


@pytest.mark.parametrize(
    "body",
    [
        "    with pytest.raises(ValueError):\n        fill(7)\n",
        "    with pytest.raises(Exception, match='x'):\n        fill(7)\n",
    ],
)
def test_expected_failures_are_marked(body: str) -> None:
    instance = only(check_instances(FILL + "import pytest\ndef test_fill():\n" + body))
    assert instance.expected_failure


@pytest.mark.parametrize("mark", ["xfail", "xfail(reason='x')"])
def test_expected_failures_by_mark(mark: str) -> None:
    source = FILL + f"import pytest\n@pytest.mark.{mark}\ndef test_fill():\n    fill(7)\n"
    assert only(check_instances(source)).expected_failure


def test_a_requirement_narrows_the_targets() -> None:
    source = FILL + """
import tilelang.testing

@tilelang.testing.requires_cuda_compute_version_ge(9, 0)
def test_fill():
    fill(7)
"""  # fmt: skip
    requires = only(check_instances(source)).requires
    assert requires is not None
    assert "sm_90" in requires
    assert "sm_80" not in requires


# --- autotune -------------------------------------------------------------------------------------------------


def test_entries_fill_what_the_call_left_open() -> None:
    source = tuned("[dict(block=32, stages=2), dict(block=64, stages=3)]", "")
    found = bindings(check_instances(source + "fill(5)\n"), "N", "block", "stages")
    assert found == [(5, 32, 2), (5, 64, 3)]


def test_an_argument_beats_the_entry() -> None:
    source = tuned("[dict(block=32), dict(block=64)]", "")
    assert set(bindings(check_instances(source + "fill(5, block=16)\n"), "block")) == {16}


@pytest.mark.parametrize(
    ("configs", "rest"),
    [
        ("make()", "import itertools\ndef make():\n    return [dict(block=b) for b, in itertools.product([16, 32])]"),
        ("lambda *args, **kwargs: [{'block': 16}, {'block': 32}]", ""),
        ("make", "def make(*args, **kwargs):\n    return [{'block': 16}] + [{'block': 32}]"),
        ("TABLE", "TABLE = [dict(zip(('block',), row)) for row in ((16,), (32,))]"),
        ("{'block': [16, 32]}", ""),
    ],
)
def test_entries_may_be_computed(configs: str, rest: str) -> None:
    analysis = check_instances(tuned(configs, rest) + "fill(5)\n")
    assert sorted(bindings(analysis, "block")) == [16, 32]


def test_an_entry_that_a_factory_refuses_is_dropped() -> None:
    source = tuned("[dict(block=32), dict(block=64)]", "").replace(
        "    @T.prim_func", "    assert block < 64\n    @T.prim_func"
    )
    assert bindings(check_instances(source + "fill(5)\n"), "block") == [32]


def test_entries_know_their_place() -> None:
    source = tuned("[\n    dict(block=32),\n    dict(block=64),\n]", "") + "fill(5)\n"
    entries = [instance.tune for instance in check_instances(source).instances]
    lines = [number for number, line in enumerate(source.splitlines(), 1) if "dict(block=" in line]
    assert [entry.span.line for entry in entries if entry is not None] == lines


# --- the helper library ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("fill(T.ceildiv(100, 32))", 4),
        ("import tilelang.math\nfill(tilelang.math.next_power_of_2(100))", 128),
        ("import tilelang\nfill(tilelang.cdiv(100, 32))", 4),
        ("import triton\nfill(triton.cdiv(100, 32))", 4),
        ("import torch\nx = torch.empty(3, 5).t().reshape(-1)\nfill(x.shape[0])", 15),
        ("import numpy as np\nfill(int(np.prod((3, 5))))", 15),
        ("import numpy as np\nfill(int(np.prod(np.ones((3, 5)))))", None),
        ("import math\nfill(math.ceil(100 / 32))", 4),
    ],
)
def test_helpers(source: str, expected: int | None) -> None:
    assert bindings(check_instances(FILL + source + "\n"), "N") == [expected]


# --- arguments of the language's host functions ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "argument"),
    [
        ("@tilelang.jit(out_idxs=[-1])\ndef g(N): ...\n", "out_idxs"),
        ("@tilelang.autotune(config=[{}])\n@tilelang.jit\ndef g(N): ...\n", "config"),
        ("tilelang.compile(fill(8), outidx=[-1])\n", "outidx"),
        ("tilelang.lower(fill(8), targets='cuda')\n", "targets"),
        ("fill(8, blok=32)\n", "blok"),
    ],
)
def test_keywords_that_nothing_takes(source: str, argument: str) -> None:
    found = [problem for problem in check_instances(FILL + source).problems if problem.kind == "unknown-argument"]
    assert [problem.data["argument"] for problem in found] == [argument]


def test_keywords_of_one_function_are_not_those_of_another() -> None:
    source = "tilelang.lower(fill(8), enable_host_codegen=True)\ntilelang.JITKernel(fill(8), from_database=True)\n"
    assert not check_instances(FILL + source).problems
