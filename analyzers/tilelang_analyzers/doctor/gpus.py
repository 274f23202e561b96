"""GPUs of this machine, asked from the drivers. Any failure means that none was seen."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NVML_LIBRARY = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
PROC_FOLDER = Path("/proc/driver/nvidia/gpus")
KFD_FOLDER = Path("/sys/class/kfd/kfd/topology/nodes")
NAME_BYTES = 96
"""NVML's NVML_DEVICE_NAME_V2_BUFFER_SIZE."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """``arch`` is None where the driver gives only a name. ``source``: who said so."""

    name: str
    arch: str | None
    source: str


def find_gpus() -> tuple[Gpu, ...]:
    """NVIDIA's and AMD's GPUs."""
    return (*(_from_nvml() or _from_proc() or _from_nvidia_smi()), *_from_kfd())


def _from_nvml() -> tuple[Gpu, ...]:
    try:
        nvml = ctypes.CDLL(NVML_LIBRARY)
        if nvml.nvmlInit_v2() != 0:
            return ()
        try:
            return _nvml_devices(nvml)
        finally:
            nvml.nvmlShutdown()
    except (OSError, AttributeError):
        return ()


def _nvml_devices(nvml: ctypes.CDLL) -> tuple[Gpu, ...]:
    count = ctypes.c_uint()
    if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return ()
    gpus: list[Gpu] = []
    for index in range(count.value):
        handle = ctypes.c_void_p()
        if nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) != 0:
            continue
        name = ctypes.create_string_buffer(NAME_BYTES)
        major, minor = ctypes.c_int(), ctypes.c_int()
        nvml.nvmlDeviceGetName(handle, name, NAME_BYTES)
        known = nvml.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(major), ctypes.byref(minor)) == 0
        arch = f"sm_{major.value}{minor.value}" if known else None
        gpus.append(Gpu(name.value.decode(errors="replace"), arch, "NVML"))
    return tuple(gpus)


def _from_proc() -> tuple[Gpu, ...]:
    gpus: list[Gpu] = []
    for file in sorted(PROC_FOLDER.glob("*/information")):
        match = re.search(r"^Model:\s*(.+)$", _read(file), re.MULTILINE)
        if match:
            gpus.append(Gpu(match[1].strip(), None, str(PROC_FOLDER)))
    return tuple(gpus)


def _from_nvidia_smi() -> tuple[Gpu, ...]:
    command = ["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    if done.returncode != 0:
        return ()
    rows = (line.rpartition(",") for line in done.stdout.splitlines() if "," in line)
    return tuple(
        Gpu(name.strip(), f"sm_{capability.strip().replace('.', '')}", "nvidia-smi") for name, _, capability in rows
    )


def _from_kfd() -> tuple[Gpu, ...]:
    """AMD's kernel driver gives the version as decimal digits: major, two of minor, two of stepping (90402: gfx942)."""
    gpus: list[Gpu] = []
    for file in sorted(KFD_FOLDER.glob("*/properties")):
        match = re.search(r"^gfx_target_version (\d+)$", _read(file), re.MULTILINE)
        version = int(match[1]) if match else 0
        if version:
            arch = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
            gpus.append(Gpu("AMD GPU", arch, "KFD"))
    return tuple(gpus)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
