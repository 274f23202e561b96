"""The report of ``tilelang doctor``."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tilelang_analyzers.doctor import Diagnosis, ImportName, examine, gpus, report, run, toolchains
from tilelang_analyzers.doctor.gpus import Gpu
from tilelang_analyzers.doctor.toolchains import Component

HEALTHY = Diagnosis(
    version="0.1.0",
    python="3.11.7",
    executable="/usr/bin/python3",
    platform="Linux-6.1-x86_64",
    python_supported=True,
    import_name=ImportName("own", "/site/tilelang/__init__.py", "0.1.0", None),
    packages=(Component("tree-sitter", "0.25.0", "all checking"),),
    tools=(Component("NVRTC", None, "compiling CUDA kernels", "extra `cuda`"), Component("nvcc", "/bin/nvcc", "")),
    gpus=(Gpu("NVIDIA H200", "sm_90", "NVML"),),
)


def shown(monkeypatch: pytest.MonkeyPatch, diagnosis: Diagnosis, json: bool = False) -> tuple[str, int]:
    monkeypatch.setattr(report, "examine", lambda: diagnosis)
    stream = io.StringIO()
    code = run(stream, json=json)
    return stream.getvalue(), code


def test_a_healthy_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    text, code = shown(monkeypatch, HEALTHY)
    assert code == 0
    assert "tilelang-suite 0.1.0" in text
    assert re.search(r"tree-sitter +0\.25\.0", text)
    assert re.search(r"NVRTC +missing; used for compiling CUDA kernels \(extra `cuda`\)", text)
    assert re.search(r"sm_90 +NVIDIA H200 \(from NVML\)", text)
    assert text.endswith("Everything that checking needs is here.\n")


def test_what_is_missing_is_a_problem_with_its_consequence(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(
        HEALTHY,
        packages=(Component("tree-sitter", None, "all checking"),),
        import_name=ImportName("upstream", "/site/tilelang/__init__.py", None, "0.1.15"),
        gpus=(),
    )
    text, code = shown(monkeypatch, broken)
    assert code == 1
    assert "Problem: tree-sitter is missing, which all checking needs." in text
    assert "Problem: `import tilelang` does not get this checker's core." in text
    assert "None seen" in text
    assert "Everything that checking needs is here" not in text


def test_an_old_python_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    text, code = shown(monkeypatch, replace(HEALTHY, python="3.9.2", python_supported=False))
    assert code == 1
    assert "Problem: Python 3.9.2 is not supported; 3.10 to 3.13 are." in text


def test_lines_fit_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    both = ImportName("upstream-over-own", "/" + "long/" * 40 + "tilelang/__init__.py", "0.1.0", "0.1.15", True)
    text, _ = shown(monkeypatch, replace(HEALTHY, import_name=both, executable="/" + "deep/" * 30 + "python"))
    assert max(map(len, text.splitlines())) <= 80


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    text, code = shown(monkeypatch, HEALTHY, json=True)
    document = json.loads(text)
    assert code == 0
    assert (document["version"], document["suite"], document["problems"]) == (1, "0.1.0", [])
    assert document["import_name"]["situation"] == "own"
    assert document["gpus"] == [{"name": "NVIDIA H200", "arch": "sm_90", "source": "NVML"}]


def test_this_machine_can_be_examined() -> None:
    before = set(sys.modules)
    diagnosis = examine()
    assert diagnosis.python_supported
    assert diagnosis.import_name.works
    assert {item.name for item in diagnosis.tools} >= {"NVRTC", "nvdisasm", "cuobjdump", "ptxas", "nvcc", "torch"}
    assert not {"torch", "tvm", "cupy"} & (set(sys.modules) - before)


def test_dependencies_are_those_of_the_distribution() -> None:
    pyproject = Path(__file__).resolve().parents[2] / "pyproject.toml"
    block = re.search(r"^dependencies = \[(.*?)^\]", pyproject.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    required = set(re.findall(r'"([\w-]+)[><=]', block[1]))
    assert required
    assert required - {"tomli"} == set(toolchains.DEPENDENCIES) - {"tomli"}


def test_tools_are_found_in_a_toolkit_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvdisasm").touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchains, "installed_version", lambda names: None)
    found = {item.name: item.found for item in toolchains.tools()}
    assert found["nvdisasm"] == str(tmp_path / "bin" / "nvdisasm")
    assert found["torch"] is None


def test_without_drivers_no_gpu_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpus, "NVML_LIBRARY", "no-such-library.so")
    monkeypatch.setattr(gpus, "PROC_FOLDER", tmp_path / "proc")
    monkeypatch.setattr(gpus, "KFD_FOLDER", tmp_path / "kfd")
    monkeypatch.setenv("PATH", "")
    assert gpus.find_gpus() == ()


def test_gpus_by_the_files_of_the_drivers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    card = tmp_path / "proc" / "0000:01:00.0"
    card.mkdir(parents=True)
    (card / "information").write_text("Model: \t\t NVIDIA L4\nIRQ:   \t 1\n", encoding="utf-8")
    for node, version in (("0", 0), ("1", 90402), ("2", 110001)):
        folder = tmp_path / "kfd" / node
        folder.mkdir(parents=True)
        (folder / "properties").write_text(f"simd_count 4\ngfx_target_version {version}\n", encoding="utf-8")
    monkeypatch.setattr(gpus, "NVML_LIBRARY", "no-such-library.so")
    monkeypatch.setattr(gpus, "PROC_FOLDER", tmp_path / "proc")
    monkeypatch.setattr(gpus, "KFD_FOLDER", tmp_path / "kfd")
    found = gpus.find_gpus()
    assert [(gpu.name, gpu.arch) for gpu in found] == [
        ("NVIDIA L4", None),
        ("AMD GPU", "gfx942"),
        ("AMD GPU", "gfx1101"),
    ]
