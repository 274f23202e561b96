"""``tilelang-check --compile``: what the compiler and the assembler say, on the lines of the kernel."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tilelang.backends.compiling import Job
from tilelang.backends.workers import Pool
from tilelang_analyzers import compiling
from tilelang_analyzers.checker import Checker
from tilelang_analyzers.cli import main
from tilelang_analyzers.config import Config
from tilelang_analyzers.results import FileReport
from tilelang_analyzers.settings import validate

pytest.importorskip("tvm")

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/json-schema/report.schema.json").read_text()))
HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"
EMBEDDED = '''SOURCE = """
extern "C" __global__ void twice(float* a) {
  a[threadIdx.x] = 2 * b[threadIdx.x];
}
"""


@T.prim_func
def embedded(A: T.Tensor((128,), "float32")):
    T.CUDASourceCodeKernel(1, threads=128, source_code_or_path=SOURCE, entry_name="twice")
'''
EXTERN = """@T.prim_func
def extern(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128) as bx:
        T.call_extern("handle", "no_such_function", A[0])
"""
GOOD = """@T.prim_func
def good(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128) as bx:
        for i in T.Parallel(128):
            A[i] = A[i] + 1
"""
SPILLS = """@T.prim_func
def spills(A: T.Tensor((256, 256), "float32"), B: T.Tensor((256, 256), "float32")):
    with T.Kernel(1, threads=128) as bx:
        acc = T.alloc_fragment((256, 256), "float32")
        T.copy(A, acc)
        for k in T.serial(4):
            for i, j in T.Parallel(256, 256):
                acc[i, j] = acc[i, j] * 1.5 + acc[i, j]
        T.copy(acc, B)
"""
OVERFLOW = """@T.prim_func
def large(A: T.Tensor((1024, 1024), "float32")):
    with T.Kernel(1, threads=128) as bx:
        tile = T.alloc_shared((512, 512), "float32")
        T.copy(A[0:512, 0:512], tile)
"""


def checked(tmp_path: Path, text: str, targets: str = "sm_80", **settings: object) -> FileReport:
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + text)
    written = {"target": targets, "compile": True, **settings}
    config = Config(validate(written, "test"), [], isolated=True)
    return Checker(compile_jobs=1).check(str(path), path.read_bytes(), config.for_file(str(path)))


def found(report: FileReport, rule: str) -> list[Any]:
    assert report.failure is None, report.failure
    return [it for it in report.findings if it.rule == rule]


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate((HEAD + text).splitlines(), 1) if part in line)


def test_errors_in_embedded_cuda_are_in_the_string(tmp_path: Path) -> None:
    report = checked(tmp_path, EMBEDDED, "sm_75,sm_80")
    (finding,) = found(report, "compile-error")
    assert finding.severity.label == "error"
    assert finding.message == 'does not compile: identifier "b" is undefined; for sm_75 and sm_80'
    assert finding.span.line == line_of(EMBEDDED, "b[threadIdx.x]")
    assert (finding.span.col, finding.span.end_col) == (2, len("  a[threadIdx.x] = 2 * b[threadIdx.x];"))
    assert finding.targets == ("sm_75", "sm_80")


def test_embedded_cuda_compiles(tmp_path: Path) -> None:
    report = checked(tmp_path, EMBEDDED.replace("2 * b", "2 * a").replace('extern "C" ', ""))
    assert found(report, "compile-error") == []
    (result,) = report.instances[0].targets
    assert result.compiled is not None
    assert result.compiled.state == "ok"
    assert result.compiled.registers
    report = checked(tmp_path, EMBEDDED.replace("2 * b", "2 * a").replace('entry_name="twice"', 'entry_name="thrice"'))
    (finding,) = found(report, "compile-error")
    assert "has no kernel thrice; it has twice" in finding.message


def test_errors_in_generated_code_are_at_their_statement(tmp_path: Path) -> None:
    (finding,) = found(checked(tmp_path, EXTERN), "compile-error")
    assert 'identifier "no_such_function" is undefined' in finding.message
    assert finding.span.line == line_of(EXTERN, "no_such_function")
    assert finding.span.col == 8


def test_spills_are_at_the_line_that_uses_them_most(tmp_path: Path) -> None:
    (finding,) = found(checked(tmp_path, SPILLS), "register-spill")
    assert finding.severity.label == "warning"
    assert finding.span.line == line_of(SPILLS, "* 1.5 + acc")
    assert finding.data["registers"] == 255
    assert finding.data["spill_stores"] > 0
    assert any(note.span.line == line_of(SPILLS, "T.copy(acc, B)") for note in finding.notes)


def test_the_real_figures_are_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(HEAD + GOOD)
    for _ in range(2):
        # The second time from the cache.
        assert main(["good.py", "--compile", "--target", "sm_80,cpu", "--format", "json", "--isolated"]) == 0
        document = json.loads(capsys.readouterr().out)
        SCHEMA.validate(document)
        gpu, cpu = (it["compiled"] for it in document["instances"][0]["targets"])
        assert gpu["state"] == "ok"
        assert 0 < gpu["registers"] < 64
        assert (gpu["spill_stores"], gpu["dynamic_bytes"], gpu["static_bytes"]) == (0, 0, 0)
        assert (cpu["state"], cpu["registers"]) == ("ok", None)


def test_what_rules_refuse_is_not_compiled(tmp_path: Path) -> None:
    report = checked(tmp_path, OVERFLOW)
    assert found(report, "shared-memory-overflow")
    assert found(report, "compile-error") == []
    assert report.instances[0].targets[0].compiled is None


def test_a_crash_is_a_finding_on_its_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submit = Pool.submit

    def crashing(pool: Pool, job: Job, priority: int = 0) -> Any:
        if job.program.name == "extern":
            pool.warm()
            submit(pool, job).result()
            (process,) = pool.process_ids()
            os.kill(process, signal.SIGSTOP)
            future = submit(pool, job)
            while not future.running():
                pass
            os.kill(process, signal.SIGKILL)
            return future
        return submit(pool, job, priority)

    monkeypatch.setattr(Pool, "submit", crashing)
    report = checked(tmp_path, EXTERN + "\n\n" + GOOD)
    (finding,) = found(report, "compile-error")
    assert finding.severity.label == "warning"
    assert finding.data["reason"] == "crash"
    assert finding.message.startswith("was not compiled: the compiler crashed (signal 9")
    assert finding.span.line == line_of(EXTERN, "def extern")
    good = next(it for it in report.instances if it.kernel == "good")
    assert good.targets[0].compiled is not None
    assert good.targets[0].compiled.state == "ok"


def test_instances_of_one_structure_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[Job] = []
    submit = Pool.submit

    def counting(pool: Pool, job: Job, priority: int = 0) -> Any:
        jobs.append(job)
        return submit(pool, job, priority)

    monkeypatch.setattr(Pool, "submit", counting)
    text = """@tilelang.jit
def factory(n, unused):
    @T.prim_func
    def kernel(A: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            for i in T.Parallel(128):
                A[i] = A[i] + n

    return kernel


for unused in range(3):
    factory(2, unused)
factory(3, 0)
"""
    report = checked(tmp_path, text)
    assert len(report.instances) == 4
    assert len(jobs) == 2
    assert all(it.targets[0].compiled is not None for it in report.instances)


def test_without_the_compiler_the_command_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.py").write_text(HEAD + GOOD)
    monkeypatch.setattr(compiling, "unavailable", lambda: compiling.MISSING_NVRTC)
    assert main([str(tmp_path / "good.py"), "--compile"]) == 2
    assert "pip install 'tilelang-suite[cuda]'" in capsys.readouterr().err


def test_unknown_values_are_not_compiled(tmp_path: Path) -> None:
    text = """@tilelang.jit
def factory(tile):
    @T.prim_func
    def kernel(A: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_fragment((tile,), "float32")
            T.copy(A[0:tile], a)

    return kernel
"""
    report = checked(tmp_path, text)
    assert found(report, "compile-error") == []
    assert [result.compiled for it in report.instances for result in it.targets] == [None]
