"""The examples are clean on the targets they name, and the faulty ones say what their first lines promise."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from cases import suite
from cases.header import Case, read_case

from tilelang_analyzers.checker import Checker
from tilelang_analyzers.settings import Settings

EXAMPLES = suite.ROOT / "examples"
TARGETS = ("t4", "a100", "l4", "h100")
GOOD = sorted(EXAMPLES.glob("*.py"))
FAULTY = [case for case in map(read_case, sorted((EXAMPLES / "faulty").glob("*.py"))) if case]


def name(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_example_is_clean_and_checked(path: Path) -> None:
    settings = Settings(root=str(EXAMPLES), target=TARGETS, cache=False)
    report = Checker().check(str(path), path.read_bytes(), settings)
    assert report.failure is None
    assert [finding for finding in report.findings if finding.severity.label in ("error", "warning")] == []
    assert {kernel.state for kernel in report.kernels} == {"checked"}
    assert report.instances
    assert all(instance.certain for instance in report.instances)
    assert {target.verdict for instance in report.instances for target in instance.targets} == {"ok"}


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.path.stem)
def test_faulty_example_is_found(case: Case) -> None:
    assert suite.problems(case) == []


def test_every_faulty_example_has_a_header() -> None:
    assert len(FAULTY) == len(list((EXAMPLES / "faulty").glob("*.py"))) >= 3


def test_reading_order_names_every_example() -> None:
    text = (EXAMPLES / "README.md").read_text()
    files = [*GOOD, *(EXAMPLES / "faulty").glob("*.py")]
    assert [path.name for path in files if f"({path.relative_to(EXAMPLES)})" not in text] == []


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_example_explains_itself_and_how_to_check_it(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text()))
    assert doc is not None
    assert f"tilelang-check examples/{path.name}" in doc


def test_running_an_example_without_pytorch_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('hidden')\n")
    run = f"runpy.run_path({str(GOOD[0])!r}, run_name='__main__')"
    code = f"import sys, runpy; sys.path.insert(0, {str(tmp_path)!r}); {run}"
    done = subprocess.run([sys.executable, "-c", code], cwd=suite.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs PyTorch" in done.stderr
    assert "Traceback" not in done.stderr
