"""Where NVIDIA's compiler library and its tools are: in the Python packages of the extra ``cuda``, else in a toolkit.

Packages come first since their versions are known to fit; a toolkit helps with GPUs that they do not know.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NVRTC_PACKAGES = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu13")
HEADER_PACKAGES = ("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", "nvidia-cuda-runtime-cu13")
CCCL_PACKAGES = ("nvidia-cuda-cccl-cu12", "nvidia-cuda-cccl", "nvidia-cuda-cccl-cu13")
TOOL_PACKAGES = {
    "nvdisasm": ("nvidia-cuda-nvdisasm", "nvidia-cuda-nvcc-cu12"),
    "cuobjdump": ("nvidia-cuda-cuobjdump",),
}
_TOOLKITS = ("CUDA_HOME", "CUDA_PATH")
_DEFAULT_TOOLKIT = "/usr/local/cuda"
_NVRTC_FILE = re.compile(r"(libnvrtc\.so\.\d+|libnvrtc\.\d+[.\d]*\.dylib|nvrtc64_\d+_\d+\.dll)$")


@cache
def nvrtc_libraries() -> tuple[Path, ...]:
    """The libraries that may be loaded, the preferred one first."""
    return tuple(dict.fromkeys(path.resolve() for path in _nvrtc_candidates() if path.is_file()))


def _nvrtc_candidates() -> Iterator[Path]:
    for package in NVRTC_PACKAGES:
        yield from _files_of(package, _NVRTC_FILE)
    for toolkit in toolkits():
        for folder in ("lib64", "lib", "bin", "bin/x64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"):
            with_names = sorted((toolkit / folder).glob("*nvrtc*"), reverse=True)
            yield from (path for path in with_names if _NVRTC_FILE.match(path.name))


def _files_of(package: str, name: re.Pattern[str]) -> Iterator[Path]:
    """Files of an installed package whose names match."""
    try:
        found = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return
    for file in found.files or ():
        if name.match(file.name):
            yield Path(str(found.locate_file(file)))


def toolkits() -> tuple[Path, ...]:
    """Folders of installed CUDA toolkits."""
    named = [os.environ.get(variable, "") for variable in _TOOLKITS]
    return tuple(dict.fromkeys(Path(folder) for folder in (*named, _DEFAULT_TOOLKIT) if folder))


@cache
def header_folders() -> tuple[Path, ...]:
    """Where ``cuda_fp16.h`` and its like are, and the C++ headers of CCCL if they are installed."""
    found: list[Path] = []
    runtime = _first_of(HEADER_PACKAGES, re.compile(r"cuda_fp16\.h$"))
    candidates = [runtime.parent if runtime else None, *(toolkit / "include" for toolkit in toolkits())]
    headers = next((it for it in candidates if it is not None and (it / "cuda_fp16.h").is_file()), None)
    if headers is not None:
        found.append(headers)
    cccl = _first_of(CCCL_PACKAGES, re.compile(r"cstdint$"))
    if cccl is not None:
        # .../include/cuda/std/cstdint
        found.append(cccl.parents[2])
    elif headers is not None and (headers / "cccl" / "cuda").is_dir():
        found.append(headers / "cccl")
    return tuple(found)


def _first_of(packages: tuple[str, ...], name: re.Pattern[str]) -> Path | None:
    return next((path for package in packages for path in _files_of(package, name)), None)


@cache
def tool(name: str) -> Path | None:
    """The program ``nvdisasm`` or ``cuobjdump``; None if it is nowhere."""
    program = f"{name}.exe" if sys.platform == "win32" else name
    packaged = _first_of(TOOL_PACKAGES.get(name, ()), re.compile(re.escape(program) + "$"))
    if packaged is not None and packaged.is_file():
        return packaged
    for toolkit in toolkits():
        path = toolkit / "bin" / program
        if path.is_file():
            return path
    found = shutil.which(name)
    return Path(found) if found else None


def forget() -> None:
    """Look again: packages or variables of the environment have changed."""
    for found in (nvrtc_libraries, header_folders, tool):
        found.cache_clear()
