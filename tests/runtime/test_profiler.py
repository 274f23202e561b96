# pyright: reportInvalidTypeForm=false, reportRedeclaration=false, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportUndefinedVariable=false, reportCallIssue=false
"""Inputs, comparison, timing and bundles of kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from runtime.fake import FakeCompiler

import tilelang
import tilelang.language as T
from tilelang.backends.artifact import Argument, Artifact, DeviceKernel, ParamSpec, Resources, Signature
from tilelang.runtime.bundle import BundleError
from tilelang.runtime.kernel import CompiledKernel
from tilelang.runtime.timing import quantile, summary

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch):
    FakeCompiler(lambda a, b: np.multiply(a, 2, out=b)).install(monkeypatch)

    @T.prim_func
    def main(A: T.Tensor((T.dynamic("m"), 4), "float32"), B: T.Tensor((T.dynamic("m"), 4), "float32")):
        with T.Kernel(1, threads=32):
            T.copy(A[0, 0:4], B[0, 0:4])

    return tilelang.compile(main.with_attr("k", 1), out_idx=-1, target="cpu")


def test_inputs_need_the_sizes_that_a_call_brings(kernel):
    profiler = kernel.get_profiler()
    (made,) = profiler.make_inputs(m=3)
    assert made.shape == (3, 4)
    assert made.dtype == np.float32
    with pytest.raises(ValueError, match="A cannot be made up: the size m is not known"):
        profiler.run_once()


def test_results_are_compared_with_a_reference(kernel):
    profiler, inputs = kernel.get_profiler(), [np.ones((2, 4), "float32")]
    profiler.assert_allclose(lambda a: a * 2, inputs)
    with pytest.raises(AssertionError, match=r"8 of 8 elements of the kernel and the reference differ; the first at"):
        profiler.assert_allclose(lambda a: a * 3, inputs)
    with pytest.raises(AssertionError, match="the kernel returns 1 tensors, the reference 2"):
        profiler.assert_allclose(lambda a: (a, a), inputs)


def test_times_are_figures(kernel):
    profiler = kernel.get_profiler()
    assert profiler.do_bench(n_warmup=1, n_repeat=3, dynamic_symbolic_constraints={"m": 2}) > 0
    assert tilelang.bench(kernel, np.ones((2, 4), "float32"), _n_warmup=1, _n_repeat=2, backend="wall") > 0
    assert len(profiler.do_bench(n_repeat=5, quantiles=[0.2, 0.8], dynamic_symbolic_constraints={"m": 2})) == 2


def test_summaries():
    times = [4.0, 1.0, 2.0, 3.0]
    assert [summary(times, mode) for mode in ("min", "max", "mean", "median")] == [1, 4, 2.5, 2.5]
    assert quantile(times, 0.5) == 2.5
    assert quantile([7.0], 0.9) == 7


def test_check_says_what_differs():
    want = np.ones((4, 4), "float32")
    assert tilelang.check(want + np.float32(1e-6), want) < 1e-5
    have = want.copy()
    have[1, 2] = 3
    with pytest.raises(
        AssertionError, match=r"off by 0\.5 .* 1 of 16 elements differ\. The worst: \[1, 2\] is 3 instead of 1"
    ):
        tilelang.check(have, want)
    with pytest.raises(AssertionError, match="1 of 16"):
        tilelang.check(np.where(have == 3, np.nan, have), want)
    assert tilelang.check(np.full(3, np.nan), np.full(3, np.nan)) == 0
    with pytest.raises(AssertionError, match=r"shape \(4, 4\), not \(4,\)"):
        tilelang.check(have, want[0])


@pytest.mark.parametrize(("dtype", "passes"), [("float16", True), ("float32", False)])
def test_limits_follow_the_type(dtype: str, passes: bool):
    want = np.linspace(1, 2, 64)
    have = (want * (1 + 1e-3)).astype(dtype)
    if passes:
        tilelang.check(have, want)
    else:
        with pytest.raises(AssertionError, match=f"for {dtype}"):
            tilelang.check(have, want)


def test_integers_must_be_equal():
    with pytest.raises(AssertionError, match="1 of 3"):
        tilelang.check(np.array([1, 2, 3]), np.array([1, 2, 4]))


def cuda_artifact() -> Artifact:
    params = (ParamSpec("A", "tensor", "float32", ("n", 8)), ParamSpec("s", "scalar", "float32"))
    arguments = (
        Argument("param", "A", "float32"),
        Argument("dim", "n", "int32"),
        Argument("workspace", "w", "float32", ("n",)),
    )
    launch = DeviceKernel("main", ("(n + 7) // 8", 1, 1), (128, 1, 1), arguments, 65536, (2, 1, 1), Resources(32, 0, 0))
    return Artifact(
        Signature("main", params, (("n", "int32"),), (), (("n % 4 == 0", "n % 4 == 0"),)),
        "sm_90",
        (launch,),
        "src",
        "ptx",
        b"\x7fELF",
    )


def test_a_bundle_is_what_was_exported(tmp_path: Path):
    artifact = cuda_artifact()
    tilelang.export(CompiledKernel(artifact), tmp_path / "k")
    assert tilelang.load(tmp_path / "k").artifact == replace(artifact, source="")


def test_a_damaged_bundle(tmp_path: Path):
    tilelang.export(CompiledKernel(cuda_artifact()), tmp_path)
    (tmp_path / "kernel.cubin").write_bytes(b"else")
    with pytest.raises(BundleError, match=r"kernel\.cubin is damaged"):
        tilelang.load(tmp_path)
    (tmp_path / "kernel.cubin").unlink()
    with pytest.raises(BundleError, match="is not a bundle"):
        tilelang.load(tmp_path)


def test_a_bundle_for_the_cpu_is_its_text(kernel, tmp_path: Path):
    assert tilelang.load(kernel.export(tmp_path)).artifact == replace(kernel.artifact, host=None)


def test_a_kernel_without_code_cannot_leave_the_process(tmp_path: Path):
    with pytest.raises(RuntimeError, match="the kernel for sm_90 has no code that can be exported"):
        tilelang.export(CompiledKernel(replace(cuda_artifact(), ptx=None, cubin=None)), tmp_path)
