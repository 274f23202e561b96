# pyright: reportInvalidTypeForm=false, reportRedeclaration=false, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportUndefinedVariable=false, reportCallIssue=false
"""What the language refuses stops a running program with the checker's words, and the place."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilelang.language as T
from tilelang.live.errors import CompileError


def line_of(name: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"  # {name}"))


def test_the_rule_and_the_place_are_named():
    with pytest.raises(CompileError) as caught:

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                T.alloc_shared((4,), "floaty32")  # dtype

    (finding,) = caught.value.diagnostics
    assert finding.rule == "invalid-argument"
    assert "'floaty32'" in finding.message
    assert (finding.span.path, finding.span.line) == (__file__, line_of("dtype"))
    assert f"{__file__}:{line_of('dtype')}: " in str(caught.value)


def test_unknown_names_and_keywords_stop_a_program():
    with pytest.raises(CompileError, match=r"`copi`.*did you mean `copy`"):

        @T.prim_func
        def name(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                T.copi(A, A)

    with pytest.raises(CompileError, match="no parameter `quickly`"):

        @T.prim_func
        def keyword(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                T.copy(A, A, quickly=True)


def test_a_name_rebound_under_a_run_time_condition():
    with pytest.raises(CompileError, match="x"):

        @T.prim_func
        def main(A: T.Tensor((4,), "int32"), n: T.int32):
            with T.Kernel(1, threads=32):
                x = 1
                if n > 0:
                    x = 2
                A[0] = x


def test_it_is_what_upstream_raises():
    for kind in (ValueError, TypeError, RuntimeError):
        assert issubclass(CompileError, kind)


def test_without_the_checker_the_words_are_the_same(monkeypatch: pytest.MonkeyPatch):
    from tilelang.live import errors

    def refused() -> str:
        with pytest.raises(CompileError) as caught:

            @T.prim_func
            def main(A: T.Tensor((4,), "int32")):
                with T.Kernel(1, threads=32):
                    A[0] = T.atomic_load(A[1], memory_order="release")

        return str(caught.value)

    worded = refused()
    assert "T.atomic_load: atomic_load does not support memory_order 'release', only relaxed" in worded
    monkeypatch.setattr(errors, "checker", lambda: None)
    assert refused() == worded


def test_a_view_of_another_size():
    with pytest.raises(AssertionError, match=r"T\.reshape: \(4, 9\) float32 of 1 152 bits does not cover \(32,\)"):

        @T.prim_func
        def main(A: T.Tensor((32,), "float32"), B: T.Tensor((4, 9), "float32")):
            with T.Kernel(1, threads=32):
                T.copy(T.reshape(A, (4, 9)), B)


def test_an_initial_value_beyond_its_type():
    def started(value: float):
        @T.prim_func
        def main(A: T.Tensor((1,), "float32")):
            with T.Kernel(1, threads=32):
                A[0] = T.alloc_var("float32", init=value)

        return main

    with pytest.raises(ValueError, match="exceeds maximum of float32"):
        started(1e300)
    with pytest.raises(ValueError, match="is below minimum of float32"):
        started(-1e300)
    assert started(float("-inf")).program.complete
