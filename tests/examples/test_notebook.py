"""The notebook is valid, is clean, and runs here: without a GPU up to the machine code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.settings import Settings

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "gemm_vs_cublas.ipynb"


def cells(kind: str) -> list[str]:
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == kind]


def test_it_is_a_clean_notebook_of_version_4() -> None:
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in document["cells"]]
    assert len(set(names)) == len(names)
    for cell in document["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            # Results and counters of somebody's run would be in every diff.
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    for card in ("T4", "L4", "A100"):
        assert card in cells("markdown")[0]


def test_its_kernel_has_no_findings() -> None:
    settings = Settings(root=str(NOTEBOOK.parent), target=("t4", "l4", "a100"), cache=False)
    report = Checker().check(str(NOTEBOOK), NOTEBOOK.read_bytes(), settings)
    assert report.failure is None
    assert [it for it in report.findings if it.severity.label in ("error", "warning")] == []
    assert {kernel.state for kernel in report.kernels} == {"checked"}


def test_its_cells_run(tmp_path: Path) -> None:
    pytest.importorskip("tvm")
    # Commands of notebooks are no Python; what they install is here.
    lines = [line for cell in cells("code") for line in cell.splitlines() if not line.startswith(("%", "!"))]
    program = tmp_path / "notebook.py"
    program.write_text("\n".join(lines), encoding="utf-8")
    compile(program.read_text(encoding="utf-8"), str(program), "exec")
    environment = dict(os.environ, TILELANG_CACHE_DIR=str(tmp_path / "cache"), CUDA_VISIBLE_DEVICES="")
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        environment.pop(variable, None)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    measured = {row[0]: [int(figure) for figure in row[1:]] for row in rows if row and row[0] in ("T4", "L4", "A100")}
    assert set(measured) == {"T4", "L4", "A100"}
    assert all(registers <= 255 and shared == 32768 for registers, _, shared in measured.values())
    assert done.stdout.count("not measured: no GPU here") == 2
