"""What comments hide, and comments that hide nothing."""

from __future__ import annotations

import pytest

from tilelang.diagnostics import Diagnostic, Severity
from tilelang.frontend.instance import FileAnalysis, KernelStatus
from tilelang.ir.span import Span
from tilelang_analyzers.fixes.rewrite import rewrite
from tilelang_analyzers.levels import Levels
from tilelang_analyzers.rule import Group, Rule
from tilelang_analyzers.settings import Settings
from tilelang_analyzers.sources import Sources
from tilelang_analyzers.suppress import apply_suppressions

PATH = "/p/k.py"


def rule(name: str, group: Group = "shape", severity: Severity = Severity.WARNING) -> Rule:
    return Rule(name, group, severity, "", "", "0.1.0", fixable=False)


UNUSED = rule("unused-suppression", "program")
OVERFLOW = rule("overflow", "budget", Severity.ERROR)
OVERFLOW.check_target(lambda ctx: None)
RULES = (UNUSED, OVERFLOW, rule("gemm-shape"), rule("copy-shape"), rule("quiet", severity=Severity.OFF))


def at(line: int, name: str = "gemm-shape", path: str = PATH) -> Diagnostic:
    return Diagnostic(name, Severity.WARNING, "m", Span(path, line, 0, line, 1))


def suppressed(
    text: str,
    *found: Diagnostic,
    chosen: bool = True,
    kernels: tuple[KernelStatus, ...] = (),
    others: dict[str, str] | None = None,
) -> list[Diagnostic]:
    sources = Sources()
    for path, content in {PATH: text, **(others or {})}.items():
        sources.overlay(path, content.encode())
    levels = Levels(Settings("/p"), PATH, RULES)
    analysis = FileAnalysis(PATH, (), (), kernels)
    return apply_suppressions(found, analysis, sources, levels, targets_chosen=chosen)


def unused(text: str, *found: Diagnostic, **changes: object) -> list[str]:
    left = suppressed(text, *found, **changes)  # type: ignore[arg-type]
    return [it.message for it in left if it.rule == UNUSED.name]


def hidden_lines(text: str) -> list[int]:
    left = {it.span.line for it in suppressed(text, *map(at, range(1, 12))) if it.rule != UNUSED.name}
    return [line for line in range(1, 12) if line not in left]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("f()\ng()  # tl: ignore[gemm-shape] a reason\nh()\n", [2]),
        ("# tl: ignore[gemm-shape]\n\nf()\n", [3]),
        ("f(  # tl: ignore[gemm-shape]\n    1,\n)\n", [1, 2, 3]),
        ("f(\n    1,\n)  # tl: ignore[gemm-shape]\n", [1, 2, 3]),
        ("x = [\n    1,\n    2,  # tl: ignore[gemm-shape]\n    3,\n]\n", [3]),
        ("x = [\n    1,\n    # tl: ignore[gemm-shape]\n    2,\n    3,\n]\n", [3, 4]),
        ("@a\n@b  # tl: ignore[gemm-shape]\ndef f():\n    return 1\ng()\n", [2, 3, 4]),
        ("# tl: ignore[gemm-shape]\n@a\n@b\ndef f():\n    return 1\ng()\n", [2, 3, 4, 5]),
        ("for i in x:  # tl: ignore[gemm-shape]\n    f()\n", [1]),
        ("x = '# tl: ignore[gemm-shape]'\n", []),
        ("f()  # tl: ignore[copy-shape]\n", []),
        ("# tl: ignore-file[gemm-shape, copy-shape]\nf()\n\n\n\n\n\n\n\n\n\n", list(range(1, 12))),
    ],
)
def test_covered_lines(text: str, lines: list[int]) -> None:
    assert hidden_lines(text) == lines


def test_comments_of_another_file_count_there() -> None:
    elsewhere = at(1, path="/p/other.py")
    assert suppressed("f()\n", elsewhere, others={"/p/other.py": "g()  # tl: ignore[gemm-shape]\n"}) == []
    assert suppressed("f()  # tl: ignore[gemm-shape]\n", elsewhere)[0] == elsewhere


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# tl: ignore[gemm-shape]", ["no finding of `gemm-shape` is hidden by this comment"]),
        ("# tl: ignore[gem-shape]", ["there is no rule `gem-shape`, did you mean `gemm-shape`?"]),
        ("# tl: ignore[quiet]", []),
        ("# tl: ignore[overflow]", ["no finding of `overflow` is hidden by this comment"]),
        ("# tl: ignore", ["'tl: ignore' names no rule, expected 'tl: ignore[rule]'"]),
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
    found = [it for it in suppressed(text, at(1)) if it.rule == UNUSED.name]
    assert [it.fix is not None and it.fix.safe for it in found] == [True]
    assert rewrite(PATH, text.encode(), found).data == expected.encode()
