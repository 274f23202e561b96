"""The matching of our instances with upstream's results: values, rows, and what counts as invented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import agreement
import pytest
import truth

from tilelang.frontend.instance import TensorArg

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("recorded", "ours"),
    [
        (128, 128),
        ("float16", "half"),
        ("torch.float8_e4m3fn", "float8_e4m3fn"),
        ("Tensor[1, 128]:bfloat16", TensorArg((1, 128), "bfloat16")),
        ([64, 32], (64, 32)),
        (0.08838834764831845, 0.088388347),
        (None, "anything"),
        ("<function f>", 3),
        ([], None),
        ("x" * truth.CUT, "x" * truth.CUT + "more"),
    ],
)
def test_equal_values(recorded: object, ours: object) -> None:
    assert truth.same(truth.from_truth(recorded), truth.from_instance(ours))


@pytest.mark.parametrize(
    ("recorded", "ours"),
    [
        (128, 64),
        ("float16", "bfloat16"),
        ("Tensor[1, 128]:bfloat16", TensorArg((1, None), "bfloat16")),
        ("Tensor[128]:bfloat16", TensorArg((1, 128), "bfloat16")),
        ([64, 32], (64,)),
        (True, None),
    ],
)
def test_different_values(recorded: object, ours: object) -> None:
    assert not truth.same(truth.from_truth(recorded), truth.from_instance(ours))


def test_a_decorator_stands_for_its_function(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text("import x\n\n\n@x.jit(\n    a=1,\n)\ndef outer():\n    @x.func\n    def inner():\n        pass\n")
    facts = truth.read_facts(path)
    assert [facts.definition_lines.get(line) for line in (4, 6, 7, 8, 9, 10)] == [7, 7, 7, 9, 9, None]
    assert [facts.function_at(line) for line in (1, 4, 10)] == [None, "outer", "outer"]


@dataclass
class Ours:
    """The part of a prediction that the sorting looks at."""

    bindings: dict[str, object]
    root: tuple[str, str] = ("a.py", "")
    path: str = "a.py"
    line: int = 5
    certain: bool = True
    arch: str | None = None
    origin: str = "call"
    tune_index: int | None = None
    closure: dict[str, object] | None = None


class Lines:
    """Stands for the predictor: every line is that of a definition."""

    def definition_line(self, file: str, line: int) -> int:
        return line


def row(test: str | None = None, **args: object) -> truth.Row:
    data = {
        "file": "a.py",
        "def_file": "a.py",
        "def_line": 5,
        "args": args,
        "closure": None,
        "test": test,
        "arch": "sm_90",
    }
    return truth.Row(data)


def sort(rows: list[truth.Row], ours: list[Ours]) -> agreement.Unmatched:
    predictions: list[Any] = list(ours)
    used = {index for index, one in enumerate(predictions) if any(not agreement.differing(each, one) for each in rows)}
    matches = [next((one for one in predictions if not agreement.differing(each, one)), None) for each in rows]
    outcomes = [agreement.Outcome(each, match) for each, match in zip(rows, matches, strict=True)]
    return agreement.sort_unmatched(outcomes, predictions, used, Lines())  # type: ignore[arg-type]  # duck


def test_an_instance_between_recorded_ones_is_invented() -> None:
    found = sort([row(n=1), row(n=3)], [Ours({"n": 1}), Ours({"n": 2}), Ours({"n": 3})])
    assert [one.bindings for one in found.invented] == [{"n": 2}]


def test_an_instance_after_the_recorded_run_is_uncovered() -> None:
    found = sort([row(n=1)], [Ours({"n": 1}), Ours({"n": 2})])
    assert not found.invented
    assert [one.bindings for one in found.uncovered] == [{"n": 2}]


def test_a_wrong_value_is_invented() -> None:
    found = sort([row(n=1)], [Ours({"n": 2})])
    assert [one.bindings for one in found.invented] == [{"n": 2}]


@pytest.mark.parametrize(
    "ours",
    [
        Ours({"n": 2}, certain=False),
        Ours({"n": 2}, root=("a.py", "run_elsewhere")),
        Ours({"n": 2}, arch="sm_80"),
        Ours({"n": 2}, tune_index=7),
        Ours({"n": 2}, path="b.py"),
    ],
    ids=["possible", "never started", "other target", "entry not recorded", "no rows"],
)
def test_what_the_results_would_not_have_is_uncovered(ours: Ours) -> None:
    found = sort([row(n=1)], [ours])
    assert not found.invented
    assert len(found.uncovered) == 1


def test_an_instance_that_knows_less_is_vague() -> None:
    found = sort([row(n=1, m=2)], [Ours({"n": 1, "m": None})])
    assert not found.invented
    assert len(found.vague) == 1


def test_of_a_parametrised_test_only_missing_rows_count() -> None:
    test = ("a.py", "test_it")
    rows = [row("test_it[1]", n=1), row("test_it[3]", n=3)]
    found = sort(rows, [Ours({"n": number}, root=test) for number in (1, 2, 3)])
    assert not found.invented
    assert len(found.uncovered) == 1
