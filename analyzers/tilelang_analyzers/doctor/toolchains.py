"""Packages and tools that are here or missing, found without importing or running any of them."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Component:
    """One package or tool. ``found``: its version, or where it lies; None if it is missing.

    ``purpose``: what it is used for, which is what its absence disables. ``hint``: how to get it.
    """

    name: str
    found: str | None
    purpose: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Tool:
    """``distributions``: packages of PyPI that bring it. ``files``: names under a CUDA or ROCm folder."""

    name: str
    purpose: str
    hint: str = ""
    distributions: tuple[str, ...] = ()
    command: str = ""
    files: tuple[str, ...] = ()


DEPENDENCIES = {
    "tree-sitter": "all checking",
    "tree-sitter-python": "all checking",
    "rich": "printing tables and progress",
    "shtab": "shell completion",
    "jedi": "completion of plain Python in the language server",
    "pygls": "the language server",
    "lsprotocol": "the language server",
}
"""Required packages and what each is for. A test compares them with ``pyproject.toml``."""

if sys.version_info < (3, 11):
    DEPENDENCIES["tomli"] = "settings in pyproject.toml"

_CUDA_EXTRA = "extra `cuda`"

_TOOLS = (
    _Tool(
        "NVRTC",
        "compiling CUDA kernels",
        _CUDA_EXTRA,
        ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu13"),
        files=("lib64/libnvrtc.so", "lib/libnvrtc.so", "lib/x64/nvrtc.lib"),
    ),
    _Tool("nvdisasm", "SASS listings", _CUDA_EXTRA, ("nvidia-cuda-nvdisasm",), "nvdisasm", ("bin/nvdisasm",)),
    _Tool(
        "cuobjdump",
        "registers and spills of compiled kernels",
        _CUDA_EXTRA,
        ("nvidia-cuda-cuobjdump",),
        "cuobjdump",
        ("bin/cuobjdump",),
    ),
    _Tool("cuda-bindings", "launching CUDA kernels", _CUDA_EXTRA, ("cuda-bindings",)),
    _Tool(
        "ptxas",
        "nothing here; NVRTC assembles",
        "",
        ("nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc"),
        "ptxas",
        ("bin/ptxas",),
    ),
    _Tool("nvcc", "nothing here; upstream compiles with it", "", (), "nvcc", ("bin/nvcc",)),
    _Tool("apache-tvm", "lowering kernels to device code", "", ("apache-tvm",)),
    _Tool("torch", "passing torch tensors to compiled kernels", "extra `torch`", ("torch",)),
    _Tool(
        "cupy", "passing CuPy arrays to compiled kernels", "", ("cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x")
    ),
    _Tool("ROCm", "running kernels on AMD GPUs", "", (), "hipcc", ("bin/hipcc",)),
)

_TOOLKIT_FOLDERS = {
    "ROCm": ("ROCM_PATH", "ROCM_HOME", "/opt/rocm"),
    "": ("CUDA_HOME", "CUDA_PATH", "/usr/local/cuda"),
}
"""Environment variables and folders where toolkits lie, by tool; the last entry is for all others."""


def dependencies() -> tuple[Component, ...]:
    """The packages that this distribution requires."""
    return tuple(Component(name, installed_version((name,)), purpose) for name, purpose in DEPENDENCIES.items())


def tools() -> tuple[Component, ...]:
    """Optional packages and tools."""
    return tuple(Component(tool.name, _find(tool), tool.purpose, tool.hint) for tool in _TOOLS)


def installed_version(distributions: Sequence[str]) -> str | None:
    """The version of the first of these distributions that is installed."""
    for name in distributions:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def _find(tool: _Tool) -> str | None:
    version = installed_version(tool.distributions)
    if version is not None:
        return version
    command = shutil.which(tool.command) if tool.command else None
    return command or _in_toolkit(tool)


def _in_toolkit(tool: _Tool) -> str | None:
    for place in _TOOLKIT_FOLDERS.get(tool.name, _TOOLKIT_FOLDERS[""]):
        folder = place if place.startswith("/") else os.environ.get(place)
        for file in tool.files if folder else ():
            path = Path(folder or "", file)
            if path.exists():
                return str(path)
    return None
