"""Comments to the checker, what they cover, and what is no comment."""

from __future__ import annotations

import pytest

from tilelang.syntax import Comments, SourceText, comments


def read(text: str) -> Comments:
    return comments(SourceText.from_text("kernel.py", text))


@pytest.mark.parametrize(
    ("text", "covers"),
    [
        ("x = 1\ny = 2  # tl: ignore[a]\nz = 3\n", (2, 2)),
        ("x = f(  # tl: ignore[a]\n    1,\n)\n", (1, 3)),
        ("x = f(\n    1,  # tl: ignore[a]\n)\n", (1, 3)),
        ("x = f(\n    # tl: ignore[a]\n    1,\n)\n", (1, 4)),
        ("x = f(\n    1,\n)  # tl: ignore[a]\n", (1, 3)),
        ("x = '''\n'''  # tl: ignore[a]\n", (1, 2)),
        ("# tl: ignore[a]\nx = f(\n    1,\n)\n", (2, 4)),
        ("# tl: ignore[a]\n# why\n\nx = 1\ny = 2\n", (4, 4)),
        ("for i in x:  # tl: ignore[a]\n    y\n", (1, 1)),
        ("# tl: ignore[a]\n@jit\n@tune(\n)\ndef f(\n):\n    x\n    y\n\nz\n", (2, 8)),
        ("@jit  # tl: ignore[a]\ndef f():\n    x\nz\n", (1, 3)),
        ("def f():  # tl: ignore[a]\n    x\n", (1, 1)),
        ("x = 1\n# tl: ignore[a]\n", (2, 2)),
        ("x = (\ny = 1  # tl: ignore[a]\n", (2, 2)),
        ("x = 1\r\ny = 2  # tl: ignore[a]\r\n", (2, 2)),
    ],
)
def test_a_suppression_covers_a_logical_line(text: str, covers: tuple[int, int]) -> None:
    (suppression,) = read(text).suppressions
    assert suppression.covers == covers
    assert [rule.name for rule in suppression.rules] == ["a"]
    assert not suppression.whole_file


def test_columns_rules_and_reason() -> None:
    (suppression,) = read("é = 1  # type: ignore # tl: ignore[rule-a, rule-b] the caller pads  # more\n").suppressions
    assert (suppression.line, suppression.column, suppression.end_column) == (1, 23, 67)
    assert [(rule.name, rule.column, rule.end_column) for rule in suppression.rules] == [
        ("rule-a", 36, 42),
        ("rule-b", 44, 50),
    ]
    assert suppression.reason == "the caller pads"


def test_the_whole_file() -> None:
    (suppression,) = read("x = 1\ny = 2\n# tl: ignore-file[a]").suppressions
    assert suppression.whole_file
    assert suppression.covers == (1, 3)


@pytest.mark.parametrize(
    "text",
    [
        'x = "# tl: ignore[a]"\n',
        'x = """\n# tl: ignore[a]\n"""\n',
        'x = (\n"# tl: ignore[a]"\n',
        "x = f'{y} # tl: ignore[a]'\n",
        "x = '# tl: ignore[a]\ny = 1\n",
        "# tl: top left\n# tilelang: a language\n",
        "# see tl.ignore[a]\n",
    ],
)
def test_what_is_no_comment_to_the_checker(text: str) -> None:
    assert read(text) == Comments()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x # tl: ignore\n", "'tl: ignore' names no rule, expected 'tl: ignore[rule]'"),
        ("x # tl: ignore[ ]\n", "'tl: ignore' names no rule, expected 'tl: ignore[rule]'"),
        (
            "x # tl: ignored[a]\n",
            "unknown comment 'tl: ignored', expected 'tl: ignore[rule]' or 'tl: ignore-file[rule]'",
        ),
        ("x # tilelang: targets\n", "'tilelang: targets' has no value"),
    ],
)
def test_comments_that_are_not_understood(text: str, message: str) -> None:
    found = read(text)
    assert not found.suppressions
    assert not found.directives
    assert [(problem.line, problem.column, problem.message) for problem in found.problems] == [(1, 2, message)]


def test_directives() -> None:
    text = """\
# tilelang: targets=sm_90+, a100  # not the T4
# tilelang: instance(M=4096, dtype="float16")
@tilelang.jit
def f(M, dtype):
    return M
"""
    targets, instance = read(text).directives
    assert (targets.name, targets.value, targets.line, targets.value_column) == ("targets", "sm_90+, a100", 1, 20)
    assert (instance.name, instance.value, instance.line) == ("instance", 'M=4096, dtype="float16"', 2)
    assert text.splitlines()[1][instance.value_column :].startswith("M=4096")
    assert targets.covers == instance.covers == (3, 5)
