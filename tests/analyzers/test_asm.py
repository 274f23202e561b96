"""``tilelang asm``: text, JSON, passes, values, differences, and what is said where a tool is missing."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tilelang.backends import workers
from tilelang.backends.compiling import Job, Outcome, compile_job
from tilelang.backends.cuda import toolchain
from tilelang_analyzers.asm import command
from tilelang_analyzers.main import tilelang_main

pytest.importorskip("tvm")

ROOT = Path(__file__).parents[2]
ADD = str(ROOT / "examples" / "vector_add.py")
GEMM = str(ROOT / "examples" / "gemm.py")
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/json-schema/listing.schema.json").read_text()))


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = tilelang_main(["asm", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code, out, err = shown(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    SCHEMA.validate(found)
    return found


class InThisProcess:
    """A pool without workers, so that what a test changes here is seen by the compiler."""

    def submit(self, job: Job) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_result(compile_job(job))
        return future


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    from tilelang.backends.store import Store

    monkeypatch.setattr(workers, "shared_pool", InThisProcess)
    monkeypatch.setattr(Store, "default", staticmethod(lambda: Store(tmp_path)))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    toolchain.forget()
    yield monkeypatch
    toolchain.forget()


def test_sass_stands_under_its_python_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, GEMM, "--target", "a100")
    lines = out.splitlines()
    assert code == 0
    assert "on A100" in lines[0]
    assert re.search(r"^  sass: \d+ instructions · 64 tensor", out, re.MULTILINE)
    assert "of instructions lead to a Python line" in out
    assert re.search(r"128 threads, \d+ registers, no spills, 32768 B shared", out)
    assert re.search(r"\d blocks?/SM = \d+% of the warps, limited by registers", " ".join(out.split()))
    product = next(number for number, text in enumerate(Path(GEMM).read_text().splitlines(), 1) if "T.gemm(" in text)
    heading = lines.index(f"line {product}: T.gemm(A_tile, B_tile, acc)")
    code_lines = lines[heading + 1 : next(n for n in range(heading + 1, len(lines)) if lines[n].startswith("line "))]
    assert code_lines
    assert all(re.match(r"      @?!?[UA-Z]|  \.L", line) for line in code_lines)
    mix = lines.index("  instructions by line")
    assert any("64 HMMA.16816" in line for line in lines[mix:])
    assert max(len(line) for line in lines if not line.startswith("  .")) <= 120
    assert max(len(line) for line in lines[mix:]) <= 80


def test_most_instructions_lead_to_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, GEMM, "--target", "t4,a100,h100")
    assert [it["target"] for it in found] == ["sm_75", "sm_80", "sm_90"]
    assert all(it["mapped"]["share"] > 0.95 for it in found)
    last = len(Path(GEMM).read_text().splitlines())
    texts = Path(GEMM).read_text().splitlines()
    for it in found:
        named = {entry["line"] for entry in it["mix"]}
        assert max(named) <= last
        assert not [line for line in named if not texts[line - 1].strip() or texts[line - 1].strip().startswith("#")]


@pytest.mark.parametrize("stage", ["tile-ir", "tir", "cuda", "ptx"])
def test_every_stage_as_json(capsys: pytest.CaptureFixture[str], stage: str) -> None:
    found = document(capsys, ADD, "--target", "sm_80", "--as", stage)
    assert found["stage"] == stage
    assert found["lines"]
    assert found["mix"]


def test_the_host_code_of_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, ADD, "--target", "cpu")
    assert (found["stage"], found["target"]) == ("cpu", "cpu")
    assert any(line["kind"] == "instruction" for line in found["lines"])


def test_the_ir_between_all_passes(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, GEMM, "--target", "sm_90", "--passes")
    assert [it["stage"] for it in found] == [
        *("tile-ir", "tile-ir:expand", "tile-ir:partition", "tile-ir:specialise", "tile-ir:stage"),
        *("tile-ir:spread", "tile-ir:share", "tile-ir:count"),
        *("tir", "tir:StmtSimplify", "tir:FlattenBuffer", "tir:LowerIntrin"),
    ]
    texts = {it["stage"]: "\n".join(line["text"] for line in it["lines"]) for it in found}
    assert "# 2 copies" in texts["tile-ir:stage"]
    assert "wgmma" in texts["tile-ir:partition"]
    assert "producer" in texts["tile-ir:specialise"]
    assert "16,384 B (2 copies of 8,192 B, one for each stage)" in texts["tile-ir:share"]
    assert "128 registers" in texts["tile-ir:count"]
    code, out, _ = shown(capsys, GEMM, "--target", "sm_80", "--passes")
    assert code == 0
    assert "The pass specialise does nothing here." in out


def test_values_choose_or_make_an_instance(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, GEMM, "-t", "a100", "--as", "tile-ir", "-c", "block_m=64", "--config", "num_stages=3")
    assert code == 0
    assert "block_m=64" in out
    assert "alloc A_tile: float16[64, 32]" in out
    code, _, err = shown(capsys, GEMM, "-t", "a100", "-c", "blockm=64")
    assert (code, err) == (2, "tilelang: --config: no kernel has a parameter `blockm`, did you mean `block_m`?\n")
    assert shown(capsys, GEMM, "-c", "64")[0] == 2


def test_the_difference_of_two_targets(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, GEMM, "-t", "t4,a100", "--diff")
    assert "HMMA.1688 -> HMMA.16816" in found["summary"]
    assert found["before"]["target"] == "sm_75"
    code, _, err = shown(capsys, GEMM, "-t", "t4", "--diff")
    assert code == 2
    assert "--diff compares two listings, not 1" in err


def test_one_line_only(capsys: pytest.CaptureFixture[str]) -> None:
    line = next(number for number, text in enumerate(Path(GEMM).read_text().splitlines(), 1) if "T.gemm(" in text)
    code, out, _ = shown(capsys, GEMM, "-t", "a100", "--line", str(line))
    assert code == 0
    assert "HMMA" in out
    assert "LDGSTS" not in out


def test_a_kernel_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = shown(capsys, f"{GEMM}:matmull", "-t", "a100")
    assert code == 2
    assert "no kernel `matmull` that could be followed, did you mean `matmul`?" in err


def test_volta_has_ptx_and_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, ADD, "-t", "v100")
    assert code == 0
    assert re.search(r"^  ptx: \d+ instructions", out, re.MULTILINE)
    assert "does not know sm_70, so there is no SASS; the PTX is complete." in " ".join(out.split())
    code, out, _ = shown(capsys, ADD, "-t", "v100", "--as", "sass")
    assert code == 2
    assert "sass: nothing to show" in out


def test_without_nvrtc_there_is_cuda_text(capsys: pytest.CaptureFixture[str], inline: pytest.MonkeyPatch) -> None:
    inline.setattr(toolchain, "NVRTC_PACKAGES", ())
    inline.setattr(toolchain, "_DEFAULT_TOOLKIT", "/no/toolkit")
    toolchain.forget()
    code, out, _ = shown(capsys, ADD, "-t", "a100")
    assert code == 2
    assert "NVRTC" in out
    code, out, _ = shown(capsys, ADD, "-t", "a100", "--as", "cuda")
    assert code == 0
    assert "__global__" in out


def test_without_nvdisasm_there_is_ptx(capsys: pytest.CaptureFixture[str], inline: pytest.MonkeyPatch) -> None:
    inline.setattr(toolchain, "TOOL_PACKAGES", {})
    inline.setattr(toolchain, "_DEFAULT_TOOLKIT", "/no/toolkit")
    toolchain.forget()
    code, out, _ = shown(capsys, ADD, "-t", "a100")
    assert code == 0
    assert "ptx:" in out
    assert "There is no SASS without nvdisasm" in out


def test_without_the_compiler_there_is_tile_ir(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_compiler_is_here", lambda: False)
    code, _, err = shown(capsys, ADD, "-t", "a100")
    assert code == 2
    assert "pip install 'tilelang-suite[cuda]'" in err
    assert shown(capsys, ADD, "-t", "a100", "--as", "tile-ir")[0] == 0


def test_a_program_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["tilelang"])
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    program = tmp_path / "hello.py"
    program.write_text("import sys, tilelang\nif __name__ == '__main__':\n    print(tilelang.__file__, sys.argv[1:])\n")
    assert tilelang_main(["run", str(program), "--flag"]) == 0
    assert f"{ROOT / 'tilelang' / '__init__.py'} ['--flag']" in capsys.readouterr().out
    program.write_text("import tvm.no_such_part\n")
    assert tilelang_main(["run", str(program)]) == 2
    assert "pip install 'tilelang-suite[cuda]'" in capsys.readouterr().err
    assert tilelang_main(["run", str(tmp_path / "missing.py")]) == 2
    program.write_text("raise SystemExit(7)\n")
    with pytest.raises(SystemExit, match="7"):
        tilelang_main(["run", str(program)])
