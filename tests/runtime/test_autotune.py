# pyright: reportInvalidTypeForm=false, reportRedeclaration=false, reportArgumentType=false, reportAttributeAccessIssue=false
"""The tuner: spaces, configurations that the checks refute, trials, early stop, results on disk, executors."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from runtime.fake import FakeCompiler

import tilelang
import tilelang.language as T
from tilelang.runtime import cache
from tilelang.targets import resolve
from tilelang.tuning.result import Trial, TuneResult, load, store
from tilelang.tuning.search import NoConfigurationError
from tilelang.tuning.space import expand
from tilelang.tuning.work import compile_packed, packed, unpacked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    made = FakeCompiler(lambda a, b: np.multiply(a, 2, out=b))
    made.install(monkeypatch)
    return made


def factory(configs: object, **options: object):
    @tilelang.autotune(configs=configs, warmup=0.01, rep=0.01, **options)
    @tilelang.jit(out_idx=-1, target="cpu")
    def doubled(n: int, block: int = 32, stages: int = 1):
        assert n % block == 0, f"{n} is no multiple of {block}"

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(n // block, threads=32) as bx:
                for i in T.Parallel(block):
                    B[bx * block + i] = A[bx * block + i] * 2.0

        return main

    return doubled


@pytest.mark.parametrize(
    ("configs", "count"),
    [
        ([{"a": 1}, {"a": 2}, {"a": 1}], 2),
        ({"a": [1, 2], "b": (3, 4, 5)}, 6),
        ({"a": range(3), "b": 7}, 3),
        (lambda: [{"a": 1}], 1),
        (lambda m: [{"a": m}, {"a": m + 1}], 2),
        (lambda m, n=0: {"a": [m, n]}, 2),
    ],
)
def test_spaces(configs: object, count: int):
    assert len(expand(configs, (10, 20))) == count


def test_the_last_name_of_a_space_varies_fastest():
    assert expand({"a": [1, 2], "b": [3, 4]})[:2] == [{"a": 1, "b": 3}, {"a": 1, "b": 4}]


@pytest.mark.parametrize(
    ("configs", "error"), [([], ValueError), ({"a": []}, ValueError), (3, TypeError), ([3], TypeError)]
)
def test_what_is_no_space(configs: object, error: type[Exception]):
    with pytest.raises(error):
        expand(configs)


def test_every_configuration_is_tried(compiler: FakeCompiler):
    tuned = factory({"block": [16, 32, 24]})
    kernel = tuned(64)
    assert kernel.config in ({"block": 16}, {"block": 32})
    assert kernel.latency > 0
    assert (kernel(np.ones(64, "float32")) == 2).all()
    states = {tuple(trial.config.items()): trial.state for trial in tuned.result.trials}
    assert states == {(("block", 16),): "ok", (("block", 32),): "ok", (("block", 24),): "refuted"}
    (refuted,) = (trial for trial in tuned.result.trials if trial.state == "refuted")
    assert refuted.reason.startswith("AssertionError: 64 is no multiple of 24")
    assert tuned(64) is kernel
    assert len(compiler.programs) == 2


def test_what_the_call_gives_is_not_tuned(compiler: FakeCompiler):
    tuned = factory({"block": [16, 32], "stages": [1, 2]})
    assert set(tuned.tune(64, block=16).config) == {"stages"}
    assert tuned.tune(64, block=16, stages=1).config == {}


def test_configurations_that_the_checker_refutes_are_not_compiled(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tilelang.tuning.measure.measured", lambda *_: None)

    @tilelang.autotune(configs={"rows": [64, 4096]}, skip_check=True)
    @tilelang.jit(target="sm_75")
    def big(n: int, rows: int = 64):
        @T.prim_func
        def main(A: T.Tensor((n, 64), "float32")):
            with T.Kernel(1, threads=128):
                tile = T.alloc_shared((rows, 64), "float32")
                T.copy(A[0:rows, 0:64], tile)
                T.copy(tile, A[0:rows, 0:64])

        return main

    with pytest.raises(NoConfigurationError) as caught:
        big(4096)
    reasons = {trial.config["rows"]: (trial.state, trial.reason) for trial in caught.value.trials}
    assert reasons[4096][0] == "refuted"
    assert "[shared-memory-overflow]" in reasons[4096][1]
    assert "exceeds the" in reasons[4096][1]
    assert reasons[64][0] == "failed"
    assert [program.name for program in compiler.programs] == ["main"]


def test_a_wrong_result_is_not_chosen(monkeypatch: pytest.MonkeyPatch):
    FakeCompiler(lambda a, b: np.multiply(a, 3, out=b)).install(monkeypatch)
    with pytest.raises(NoConfigurationError, match="elements of the result") as caught:
        factory({"block": [16]}, ref_prog=lambda a: a * 2)(64)
    assert [trial.state for trial in caught.value.trials] == ["wrong"]


def test_inputs_may_be_given(monkeypatch: pytest.MonkeyPatch):
    seen: list[float] = []
    FakeCompiler(lambda a, b: seen.append(float(a[0]))).install(monkeypatch)
    with tilelang.autotuner.set_autotune_inputs(np.full(64, 7, "float32")):
        factory([{"block": 16}])(64)
    assert set(seen) == {7.0}


def test_an_eager_kernel_is_tuned_with_its_own_arguments(monkeypatch: pytest.MonkeyPatch):
    FakeCompiler(lambda a, b: np.multiply(a, 2, out=b)).install(monkeypatch)

    @tilelang.autotune(configs={"block": [16, 32]}, warmup=0.01, rep=0.01)
    @tilelang.jit(target="cpu")
    def twice(A, block: int = 16):
        N = T.const("N")
        A: T.Tensor[[N], T.float32]
        B = T.empty((N,), T.float32)
        with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * 2.0
        return B

    assert (twice(np.full(64, 3, "float32")) == 6).all()
    assert len(twice.result.trials) == 2


def test_results_are_kept_on_disk(home: Path):
    result = TuneResult(
        {"block": 16}, 1.5, [Trial({"block": 16}, "ok", 1.5), Trial({"block": 8}, "failed", None, "no")]
    )
    store("key", result)
    found = load("key")
    assert found is not None
    assert (found.config, found.latency, found.trials, found.from_cache) == (result.config, 1.5, result.trials, True)
    (home / "tuning" / "key.json").write_text(json.dumps({"config": 1}))
    assert load("key") is None


def test_a_result_on_disk_saves_the_search(compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tilelang.env.is_cache_enabled", lambda: True)
    first = factory({"block": [16, 32]}).tune(64)
    compiled = len(compiler.programs)
    again = factory({"block": [16, 32]}).tune(64)
    assert again.from_cache
    assert again.config == first.config
    assert len(compiler.programs) == compiled + 1


def test_the_table_has_every_trial():
    table = TuneResult({}, 1.0, [Trial({"b": 8}, "failed", None, "why"), Trial({"b": 16}, "ok", 0.5)]).table()
    assert [line.split() for line in table.splitlines()] == [
        ["ms", "state", "configuration"],
        ["0.5000", "ok", "b=16"],
        ["failed", "b=8", "why"],
    ]


def cuda_program(size: int = 64):
    @T.prim_func
    def main(A: T.Tensor((size,), "float32"), B: T.Tensor((size,), "float32")):
        with T.Kernel(size // 32, threads=32) as bx:
            for i in T.Parallel(32):
                B[bx * 32 + i] = A[bx * 32 + i]

    return main


def test_a_program_travels_to_another_process():
    target = resolve("sm_80")
    assert target is not None
    data = packed(cuda_program().instance, target)
    assert data is not None
    import pickle

    instance, arch = pickle.loads(data)
    assert arch == target
    assert cache.key_of(instance, target) == cache.key_of(cuda_program().instance, target)


def test_the_programs_executor_compiles(monkeypatch: pytest.MonkeyPatch):
    from tilelang.tuning import work

    target = resolve("sm_80")
    assert target is not None
    with ThreadPoolExecutor(1) as given, work.executor_for(target, 4, given) as pool:
        assert pool is given


def test_a_refusal_comes_back_as_text(compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch):
    from runtime.fake import Result

    from tilelang.ir.problem import Problem

    target = resolve("sm_80")
    assert target is not None
    instance = cuda_program().instance
    problem = Problem("compile-error", instance.program.span, {"message": "no such instruction"})
    monkeypatch.setattr(compiler, "build", lambda *_: Result(None, (problem,)))
    compiler.install(monkeypatch)
    data = packed(instance, target)
    assert data is not None
    with pytest.raises(RuntimeError, match=r"no such instruction \[compile-error\]"):
        unpacked(compile_packed(data))
