"""Two clients that others wrote: Neovim, and the packages that VS Code uses, on Node. Each sees everything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from lsp.ide import GEMM
from lsp.session import COMMAND

pytest.importorskip("tvm")
HERE = Path(__file__).parent / "clients"
ROOT = Path(__file__).parents[2]
MODULES = ROOT / "node_modules"
TEXT = GEMM.replace("matmul(1024, 1024, 1024)", 'name = "größe 🙂"; matmul(1024, 1024, 1024, num_stages=6)')
TIMEOUT = 300


def program(name: str) -> str:
    """A program of the environment or of the system."""
    found = shutil.which(name, path=os.pathsep.join((str(Path(COMMAND[0]).parent), os.environ.get("PATH", ""))))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def seen(command: list[str], folder: Path) -> dict[str, object]:
    """What a client prints. Its state is kept in a folder of the test."""
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_everything(found: dict[str, object]) -> None:
    texts = {key: value if isinstance(value, str) else "\n".join(map(str, value)) for key, value in found.items()}  # type: ignore[call-overload]
    assert "shared memory 98 304 B exceeds the 49 152 B of a block on T4 (sm_75)" in texts["diagnostics"]
    assert ": float16[128, 32] shared · 8 KiB ×6" in texts["hints"]
    assert "A_tile: float16[128, 32]" in texts["hover"]
    assert "gemm" in texts["completion"].splitlines()
    assert "T4 ✗ 96 KiB of 48 KiB" in texts["lenses"]
    assert "Set `num_stages=3` (fits in 49 152 B)" in texts["actions"]
    assert "HMMA.1688" in texts["listing"]


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    path = tmp_path / "gemm.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_neovim(kernel: Path) -> None:
    command = [program("nvim"), "--clean", "-l", str(HERE / "neovim.lua"), str(kernel), *COMMAND]
    found = seen(command, kernel.parent)
    check_everything(found)
    # Columns are those of Neovim: the text before the fix has characters of several bytes and units.
    assert 'name = "größe 🙂"; matmul(1024, 1024, 1024, num_stages=3)' in str(found["fixed"])


def test_node(kernel: Path) -> None:
    if not (MODULES / "vscode-languageserver-protocol").is_dir():
        pytest.skip("`npm ci` has not been run")
    check_everything(
        seen([program("node"), str(HERE / "node_client.cjs"), str(MODULES), str(kernel), *COMMAND], kernel.parent)
    )
