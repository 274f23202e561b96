"""Every case file yields exactly what its header says."""

from __future__ import annotations

import pytest
from cases import suite
from cases.compare import Found, differences
from cases.header import Case, Expectation, HeaderError, read_case

from tilelang_analyzers import rules

ALL = [case for folder in suite.folders() for case in suite.cases(folder)]
OWN = [case for case in ALL if case.path.parent == suite.OWN]


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.path.parent.name}/{case.path.stem}")
def test_case(case: Case) -> None:
    assert suite.problems(case) == []


def test_there_are_enough_cases_of_our_own() -> None:
    assert len(OWN) >= 60


def test_every_faulty_case_has_a_clean_twin() -> None:
    names = {case.path.stem for case in OWN}
    faulty = {case.path.stem for case in OWN if case.expected}
    assert faulty
    assert {name for name in faulty if f"{name}_ok" not in names} == set()


def test_names_in_headers_are_file_names() -> None:
    assert [case.name for case in OWN] == [case.path.stem for case in OWN]


def test_expected_rules_exist() -> None:
    known = set(rules.names())
    assert {expected.rule for case in OWN for expected in case.expected} - known == set()


# --- the reader and the comparison -----------------------------------------------------------------------------------


def write(tmp_path, text: str):
    path = tmp_path / "case.py"
    path.write_text(text)
    return path


HEADER = "# case: x\n# about: y\n# targets: sm_75 sm_80\n"


def test_header_is_read(tmp_path) -> None:
    text = HEADER + "# expect: error a-rule line=7 target=sm_75 need=10 have=5\n# allow: a-rule line=9\n\nimport x\n"
    case = read_case(write(tmp_path, text))
    assert case is not None
    assert case.targets == ("sm_75", "sm_80")
    assert case.expected == (Expectation("error", "a-rule", 7, ("sm_75",), {"need": 10, "have": 5}),)
    assert case.allowed == {("a-rule", 9)}


def test_file_without_header_is_no_case(tmp_path) -> None:
    assert read_case(write(tmp_path, '"""Kernels that cases import."""\n# case: x\n')) is None


@pytest.mark.parametrize(
    "line",
    ["# expect: fatal a-rule line=1", "# expect: error a-rule", "# expect: error a line=1 target=sm_90", "# about: y"],
)
def test_header_mistakes_are_errors(tmp_path, line: str) -> None:
    with pytest.raises(HeaderError):
        read_case(write(tmp_path, f"{HEADER}{line}\n"))


ONE = Expectation("error", "a-rule", 7, ("sm_75", "sm_80"), {})


def case_of(tmp_path, *expected: Expectation, allowed: tuple[tuple[str, int], ...] = ()) -> Case:
    return Case(tmp_path / "case.py", "x", ("sm_75", "sm_80"), expected, frozenset(allowed))


def on(*targets: str, severity: str = "error", rule: str = "a-rule", line: int = 7, **figures: int) -> list[Found]:
    return [Found(severity, rule, line, target, figures) for target in targets]


RULES = frozenset({"a-rule", "b-rule"})


def test_exact_findings_hold(tmp_path) -> None:
    assert differences(case_of(tmp_path, ONE), on("sm_75", "sm_80"), RULES) == []


@pytest.mark.parametrize(
    ("items", "word"),
    [
        ([], "missing"),
        (on("sm_75"), "missing"),
        (on("sm_75", "sm_80", line=8), "unexpected"),
        (on("sm_75", "sm_80", severity="warning"), "unexpected"),
        (on("sm_75", "sm_80") + on("sm_80", rule="b-rule"), "unexpected"),
    ],
)
def test_other_findings_do_not_hold(tmp_path, items: list[Found], word: str) -> None:
    assert any(text.startswith(word) for text in differences(case_of(tmp_path, ONE), items, RULES))


def test_clean_case_tolerates_hints_and_allowed_places_only(tmp_path) -> None:
    case = case_of(tmp_path, allowed=(("a-rule", 9),))
    assert differences(case, on("sm_75", severity="info") + on("sm_75", line=9), RULES) == []
    assert differences(case, on("sm_75", severity="warning"), RULES) != []


def test_expectations_of_unknown_rules_are_left_out(tmp_path) -> None:
    other = Expectation("error", "a-later-rule", 3, ("sm_75",), {})
    assert differences(case_of(tmp_path, other), [], RULES) == []


def test_figures_are_compared_on_each_target(tmp_path) -> None:
    expected = Expectation("error", "a-rule", 7, ("sm_75", "sm_80"), {"have": 5})
    assert differences(case_of(tmp_path, expected), on("sm_75", "sm_80", have=5), RULES) == []
    mixed = on("sm_75", have=5) + on("sm_80", have=6)
    assert differences(case_of(tmp_path, expected), mixed, RULES) != []
    one_of_them = Expectation("error", "a-rule", 7, ("sm_75", "sm_80"), {"have": 6}, shared=True)
    assert differences(case_of(tmp_path, one_of_them), mixed, RULES) == []
