"""Which lines a comment covers, and comments that hide nothing."""

from __future__ import annotations

import ast

import pytest

from tilelang.diagnostics import Diagnostic, Severity
from tilelang.frontend.instance import FileAnalysis, KernelStatus
from tilelang.ir.span import Span
from tilelang_analyzers.fixes import fixed_text
from tilelang_analyzers.ignore_comments import ignore_comments
from tilelang_analyzers.levels import Levels
from tilelang_analyzers.rule import Group, Rule
from tilelang_analyzers.settings import Settings
from tilelang_analyzers.sources import Sources
from tilelang_analyzers.suppress import apply_suppressions

PATH = "/p/k.py"

SOURCE = """\
# tl: ignore-file[a]
x = "# tl: ignore"
y = f(  # tl: ignore[b] a reason
    1,
    2,  # tl: ignore[c]
)
# tl: ignore
# another comment

z = 1; w = 2
@jit  # tl: ignore[d, e]
def g(n):
    return n

# tl: ignore[f]
@jit
def h(n):
    # tl: ignored is no directive, tl:ignore is none either
    with k(n):  # tl: ignore[g]
        return [
            n,
        ]  # tl: ignore[h]
"""


def covered(text: str, broken: bool = False) -> list[tuple[int, tuple[str, ...], list[int] | None]]:
    comments = ignore_comments(text, None if broken else ast.parse(text))
    return [(it.line, it.rules, None if it.lines is None else list(it.lines)) for it in comments]


def test_covered_lines() -> None:
    assert covered(SOURCE) == [
        (1, ("a",), None),
        (3, ("b",), [3, 4, 5, 6]),
        (5, ("c",), [5]),
        (7, (), [10]),
        (11, ("d", "e"), [11, 12, 13]),
        (15, ("f",), [16, 17, 18, 19, 20, 21, 22]),
        (19, ("g",), [19]),
        (22, ("h",), [20, 21, 22]),
    ]


def test_broken_files_cover_line_by_line() -> None:
    text = "x = (  # tl: ignore[a]\r\n)\n# tl: ignore[b]\ny = 1\n'''\n# tl: ignore[c]\nz = 2\n"
    assert covered(text, broken=True) == [(1, ("a",), [1]), (3, ("b",), [4]), (6, ("c",), [7])]


# --- what is hidden ---------------------------------------------------------------------------------------------------


def rule(name: str, group: Group = "shape", severity: Severity = Severity.WARNING) -> Rule:
    return Rule(name, group, severity, "", "", "0.1.0", fixable=False)


UNUSED = rule("unused-suppression", "program")
OVERFLOW = rule("overflow", "budget", Severity.ERROR)
OVERFLOW.check_target(lambda ctx: None)
RULES = (UNUSED, OVERFLOW, rule("gemm-shape"), rule("copy-shape"), rule("quiet", severity=Severity.OFF))


def at(line: int, name: str = "gemm-shape", path: str = PATH) -> Diagnostic:
    return Diagnostic(name, Severity.WARNING, "m", Span(path, line, 0, line, 1))


def suppressed(
    text: str, *found: Diagnostic, chosen: bool = True, kernels: tuple[KernelStatus, ...] = ()
) -> list[Diagnostic]:
    sources = Sources()
    sources.overlay(PATH, text.encode())
    levels = Levels(Settings("/p"), PATH, RULES)
    analysis = FileAnalysis(PATH, (), (), kernels)
    return apply_suppressions(found, analysis, sources, levels, targets_chosen=chosen)


def unused(text: str, *found: Diagnostic, **changes: object) -> list[str]:
    left = suppressed(text, *found, **changes)  # type: ignore[arg-type]
    return [it.message for it in left if it.rule == UNUSED.name]


def test_only_the_named_rules_of_the_covered_lines_are_hidden() -> None:
    text = "f()  # tl: ignore[gemm-shape]\ng()\n"
    here, other, below = at(1), at(1, "copy-shape"), at(2)
    elsewhere = at(1, path="/p/other.py")
    assert suppressed(text, here, other, below, elsewhere) == [other, below, elsewhere]
    assert suppressed("# tl: ignore-file\nf()\n", here, other, below) == []


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# tl: ignore", ["no finding is hidden by this comment"]),
        ("# tl: ignore[gemm-shape]", ["no finding of `gemm-shape` is hidden by this comment"]),
        ("# tl: ignore[gem-shape]", ["there is no rule `gem-shape`, did you mean `gemm-shape`?"]),
        ("# tl: ignore[quiet]", []),
        ("# tl: ignore[overflow]", ["no finding of `overflow` is hidden by this comment"]),
    ],
)
def test_comments_that_hide_nothing(comment: str, expected: list[str]) -> None:
    assert unused(f"f()  {comment}\n") == expected


def test_what_another_run_may_need_is_not_unused() -> None:
    text = "f()  # tl: ignore[overflow]\n"
    assert unused(text, chosen=False) == []
    partly = KernelStatus("k", Span(PATH, 1, 0, 1, 3), "partly", 1, 1)
    assert unused("f()  # tl: ignore[gemm-shape]\n", kernels=(partly,)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()  # tl: ignore[copy-shape]\n", "f()\n"),
        ("f()  # why # tl: ignore[copy-shape]\n", "f()  # why\n"),
        ("# tl: ignore[copy-shape]\r\nf()\r\n", "f()\r\n"),
        ("ö()  # tl: ignore[gemm-shape, copy-shape] why\n", "ö()  # tl: ignore[gemm-shape] why\n"),
    ],
)
def test_the_fix_removes_what_is_not_needed(text: str, expected: str) -> None:
    left = suppressed(text, at(1))
    fixes = [it.fix for it in left if it.rule == UNUSED.name]
    assert [fix is not None and fix.safe for fix in fixes] == [True]
    sources = Sources()
    sources.overlay(PATH, text.encode())
    assert fixed_text([fix for fix in fixes if fix], sources.file(PATH)) == (expected.encode(), 1)
