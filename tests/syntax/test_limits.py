"""No text is too deep or too large: it is refused with a clear problem, and what is around it is kept."""

from __future__ import annotations

import ast
import gc
import sys
import warnings

import pytest

from tilelang.syntax import MISSING, Module, SourceText, parse_module
from tilelang.syntax.limits import MAX_DEPTH, MAX_WORDS


def parse(text: str) -> Module:
    return parse_module(SourceText.from_text("kernel.py", text))


DEEP = {
    "parentheses": ("(" * 100_000, "nested too deeply (100,000 levels)"),
    "closed parentheses": ("x = " + "(" * 100_000 + ")" * 100_000, "nested too deeply (100,000 levels)"),
    "lists": ("x = " + "[" * 10_000 + "]" * 10_000, "nested too deeply (10,000 levels)"),
    "minus": ("x = " + "-" * 100_000 + "1", "nested too deeply (100,000 levels)"),
    "lambdas": ("x = " + "lambda: " * 20_000 + "1", "nested too deeply (20,000 levels)"),
    "sum": ("x = " + "1 + " * 100_000 + "1", "nested too deeply (100,000 levels)"),
    "attributes": ("x = a" + ".b" * 100_000, "nested too deeply (100,000 levels)"),
    "branches": ("if a: pass\n" + "elif a: pass\n" * 20_000, "nested too deeply (20,001 levels)"),
    "ifs": ("".join(" " * i + "if a:\n" for i in range(2_000)) + " " * 2_000 + "x", "nested too deeply (2,000 levels)"),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_refused(kind: str) -> None:
    text, message = DEEP[kind]
    module = parse(f"before = 1\n{text}\nafter = 2\n")
    (problem,) = module.problems
    assert (problem.line, problem.message, problem.kind) == (2, message, "limit")
    assert "before = 1" in ast.unparse(ast.Module(module.body, []))


@pytest.mark.parametrize(
    "text", ["x = " + "1 + " * 150_000 + "1", "x = a" + "(b, c)" * 100_000, "x = " + "not " * 150_000 + "a"]
)
def test_deep_nesting_is_refused_under_a_raised_recursion_limit(text: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        module = parse(text)
    finally:
        sys.setrecursionlimit(limit)
    (problem,) = module.problems
    assert problem.message.startswith("nested too deeply")


def test_nesting_that_python_accepts_is_cut_where_walkers_would_fail() -> None:
    module = parse("x = " + "1 + " * 600 + "1\ny = 2\n")
    (problem,) = module.problems
    assert (problem.line, problem.message, problem.kind) == (1, "nested too deeply (601 levels)", "limit")
    assert ast.unparse(ast.Module(module.body, [])) == f"x = {MISSING}\ny = 2"


def test_long_chains_of_branches_are_cut() -> None:
    module = parse("if a: pass\n" + "elif a: pass\n" * (MAX_DEPTH + 100) + "y = 2\n")
    (problem,) = module.problems
    assert (problem.line, problem.kind) == (MAX_DEPTH, "limit")
    assert isinstance(module.body[1], ast.Assign)


def test_usual_nesting_is_kept() -> None:
    text = "x = " + "1 + " * 300 + "1\n" + "".join(" " * i + "if a:\n" for i in range(90)) + " " * 90 + "x = 1\n"
    assert parse(text).problems == ()


def test_more_than_99_indents_drop_only_what_lies_deeper() -> None:
    text = "".join(" " * i + "if a:\n" for i in range(120)) + " " * 120 + "x = 1\n" + "y = 2\n"
    module = parse(text)
    (problem,) = module.problems
    assert (problem.line, problem.message, problem.kind) == (101, "nested too deeply (120 levels)", "limit")
    assert [type(n).__name__ for n in module.body] == ["If", "Assign"]


def test_huge_literals_are_refused_before_they_are_parsed() -> None:
    module = parse("x = [" + "1," * MAX_WORDS + "]\n")
    (problem,) = module.problems
    assert problem.message.startswith("file too large to be analysed")
    assert problem.kind == "limit"
    assert module.body == []


def test_long_files_are_parsed() -> None:
    text = "T.copy(A[i * 32, j], B)\n" * 5_000
    module = parse(text + "x = \n" + text)
    assert [problem.line for problem in module.problems] == [5_001]
    assert len(module.body) == 10_001
    assert module.body[-1].lineno == 10_001


def test_a_huge_broken_function_is_dropped_with_pythons_message() -> None:
    module = parse("def f():\n" + "    T.copy(A, B)\n" * 10_000 + "    x = \ny = 1\n")
    (problem,) = module.problems
    assert (problem.line, problem.message) == (10_002, "invalid syntax")
    assert [type(n).__name__ for n in module.body] == ["Assign"]
    assert module.repaired == ((1, 10_002),)


@pytest.mark.parametrize(
    "text",
    [
        "x = = 1\n" * 3_000,
        "f(\n" * 20_000,
        "((\n" * 20_000,
        "x = '''\n" * 3_001,
        ")\n" * 20_000,
        "else:\n" * 5_000,
        "x = 1 + \\\n" * 5_000,
        "a = " * 5_000,
        "def f(" + "a," * 5_000,
        "\0" * 5_000,
        "@a\n" * 5_000,
        "x:" * 5_000,
    ],
)
def test_repeated_faults_end(text: str) -> None:
    module = parse(text)
    assert module.problems
    assert len(module.problems) <= 102


def test_warnings_are_neither_shown_nor_raised() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert parse("x = '\\d'\nif x is 1: pass\n").problems == ()
    assert caught == []


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    parse("x = (")
    assert gc.isenabled()
