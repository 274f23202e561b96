"""``tilelang layouts`` and the layouts in JSON reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from tilelang_analyzers.cli import main
from tilelang_analyzers.main import tilelang_main

ROOT = Path(__file__).parents[2]
GEMM = ROOT / "examples" / "gemm.py"
CONFLICT = """
import tilelang
import tilelang.language as T


@tilelang.jit
def wide(dtype: str = "float32"):
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), dtype), B: T.Tensor((64, 64), dtype)):
        with T.Kernel(1, threads=128) as bx:
            near = T.alloc_fragment((64, 64), dtype)
            T.copy(A, near)
            T.copy(near, B)

    return kernel


@tilelang.jit
def narrow(n: int):
    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            row = T.alloc_fragment((n,), "float32")
            T.fill(row, 0)
            T.copy(row, A)

    return kernel


narrow(32)
narrow(64)
"""


@pytest.fixture
def two_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two.py"
    path.write_text(CONFLICT)
    return path


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = tilelang_main(["layouts", *arguments])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err
    return code, captured.out, captured.err


def test_text_names_threads_registers_and_who_asked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = shown(capsys, str(GEMM), "-t", "sm_80")
    assert code == 0
    assert "acc: local.fragment, 128 x 128 float32, 128 registers in each of 128 threads" in out
    assert "(i, j) -> thread j // 64 * 64 + i // 64 * 32 + i % 8 * 4 + j // 2 % 4" in out
    assert "asked for by line 37: gemm acc += A_tile @ B_tile" in out
    assert "A_tile: shared.dyn, 128 x 32 float16, 64-byte swizzle" in out
    assert "line 35: copy A[by * 128:+128, k * 32:+32] -> A_tile" in out


def test_ir_has_layouts_as_comments(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = shown(capsys, str(GEMM), "-t", "sm_90", "--ir")
    (acc,) = (line for line in out.splitlines() if "alloc acc" in line)
    assert "local.fragment  # (i, j) -> thread i // 16 % 4 * 32 + i % 8 * 4 + j // 2 % 4, register " in acc
    (copy,) = (line for line in out.splitlines() if "copy acc ->" in line)
    assert ", round i // 64 * 64" in copy
    (clear,) = (line for line in out.splitlines() if "fill acc" in line)
    assert "#" not in clear


def test_one_buffer_with_its_picture(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = shown(capsys, str(GEMM), "-t", "sm_80", "-b", "acc", "--grid")
    assert "A_tile: " not in out
    assert "loops" not in out
    assert "0:0  0:1  1:0" in out
    assert "... of 128 x 128" in out


def test_pictures_become_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pictures" / "new"
    code, out, _ = shown(capsys, str(GEMM), "-t", "sm_80,sm_90", "--svg", str(folder))
    assert code == 0
    assert len(out.splitlines()) == 6
    root = ElementTree.parse(folder / "matmul-sm_80-acc.svg").getroot()
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "acc, 128 x 128: 128 registers in 128 threads"


def test_one_instance_of_each_kernel_unless_all_are_asked_for(
    two_kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = shown(capsys, "two.py")
    assert [line for line in out.splitlines() if line.startswith("two.py")] == [
        "two.py:9 wide on sm_80 (dtype=float32)",
        "two.py:21 narrow on sm_80 (n=32)",
    ]
    assert "1 more instance with other values: --all shows them" in out
    _, out, _ = shown(capsys, "two.py:narrow", "--all")
    assert [line for line in out.splitlines() if line.startswith("two.py")] == [
        "two.py:21 narrow on sm_80 (n=32)",
        "two.py:21 narrow on sm_80 (n=64)",
    ]
    assert "more instance" not in out


def test_json_is_what_the_report_has(two_kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = shown(capsys, "two.py:narrow", "--json")
    (one,) = json.loads(out)
    assert (one["factory"], one["target"], one["bindings"]) == ("narrow", "sm_80", {"n": 32})
    main(["two.py", "--format", "json", "--layouts"])
    report = json.loads(capsys.readouterr().out)
    (same,) = (it for it in report["instances"] if it["bindings"] == {"n": 32})
    assert same["targets"][0]["layouts"] == one["layouts"]


def test_maps_in_json_are_expressions_that_count_right(capsys: pytest.CaptureFixture[str]) -> None:
    """Every element of the accumulator has one thread and register of its own, by the formulas alone."""
    main([str(GEMM), "-t", "sm_80", "--format", "json", "--layouts", "--no-cache"])
    report = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "json-schema" / "report.schema.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(report)] == []
    buffers = report["instances"][0]["targets"][0]["layouts"]["buffers"]
    acc: dict[str, Any] = next(it for it in buffers if it["name"] == "acc")
    assert acc["axes"] == ["i", "j"]
    formula = compile(f"({acc['thread']}, {acc['index'][0]})", "layout", "eval")
    cells = {eval(formula, {"i": i, "j": j}) for i in range(128) for j in range(128)}
    assert len(cells) == 128 * 128
    assert {thread for thread, _ in cells} == set(range(acc["threads"]))
    assert {register for _, register in cells} == set(range(acc["extents"][0]))


def test_reports_without_the_option_have_no_layouts(two_kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also if the cache has an entry with them."""
    main(["two.py", "--format", "json", "--layouts"])
    assert "layouts" in capsys.readouterr().out
    main(["two.py", "--format", "json"])
    assert "layouts" not in capsys.readouterr().out
    main(["two.py", "--format", "json", "--layouts"])
    assert "layouts" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing.py"], "missing.py: No such file or directory"),
        (["two.py:narow"], "no kernel `narow` that could be followed, did you mean `narrow`?"),
        (["two.py", "-b", "rwo"], "no tile is called `rwo`, did you mean `row`?"),
        (["two.py", "-t", "sm_91"], "unknown target 'sm_91'"),
        (["two.py", "--svg", "two.py"], "two.py: File exists"),
        ([], "required: FILE[:KERNEL]"),
    ],
)
def test_wrong_usage_is_2_with_what_was_meant(
    two_kernels: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = shown(capsys, *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
