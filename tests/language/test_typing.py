"""Type checkers accept kernels whose annotations are in the subscript form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(__file__).parent / "typing"
EAGER = ("gemm_eager.py",)
"""Examples that declare a parameter a second time in the body, which checkers report whatever its type is."""


def pyright(*files: Path) -> dict[str, Any]:
    """What pyright reports on files, in the project's setting for code outside the packages: its standard mode."""
    command = [sys.executable, "-m", "pyright", "--outputjson", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return json.loads(done.stdout)


def test_pyright_standard_accepts_kernels() -> None:
    examples = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.name not in EAGER]
    samples = sorted(SAMPLES.glob("*.py"))
    assert len(samples) == 2
    assert len(examples) >= 8
    report = pyright(*samples, *examples)
    assert report["summary"]["filesAnalyzed"] == len(samples) + len(examples)
    assert [f"{finding['file']} {finding['message']}" for finding in report["generalDiagnostics"]] == []


def test_pyright_still_finds_errors_in_kernels(tmp_path: Path) -> None:
    """The types are not all ``Any``: a wrong call of the language is reported."""
    sample = tmp_path / "wrong.py"
    sample.write_text("import tilelang\nimport tilelang.language as T\nT.copy(1)\nT.gemmm\ntilelang.jitt\n")
    lines = {finding["range"]["start"]["line"] for finding in pyright(sample)["generalDiagnostics"]}
    assert lines == {2, 3, 4}
