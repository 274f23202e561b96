"""SASS of a cubin, by nvdisasm, and its resources, by cuobjdump.

nvdisasm takes a fifth of a second of processor time to start, whatever the kernel, so its text is kept by the content
of the cubin.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.backends.cuda.resources import resources_of_usage
from tilelang.backends.cuda.toolchain import tool
from tilelang.backends.store import Store, digest

if TYPE_CHECKING:
    from tilelang.backends.artifact import Resources

TIMEOUT = 120.0
"""Seconds after which a tool is given up."""
MISSING = "There is no SASS without nvdisasm: pip install 'tilelang-suite[cuda]' (for Linux and Windows)."
_UNSUPPORTED = re.compile(r'CUDA architecture "SM(\w+)" is deprecated|[Uu]nknown (?:architecture|sm) *"?(\w*)')
_VERSION = re.compile(r"release (\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Disassembly:
    """``text`` is nvdisasm's; if it is empty, ``note`` says why in a sentence."""

    text: str
    note: str = ""


def disassemble(cubin: bytes, *, control: bool = False, store: Store | None = None) -> Disassembly:
    """The SASS of a cubin with line comments. ``control``: with the encodings, which hold the scheduling."""
    nvdisasm = tool("nvdisasm")
    if nvdisasm is None:
        return Disassembly("", MISSING)
    flags = ("-c", "-gi", "-ndf", *(("-hex",) if control else ()))
    store = Store.default() if store is None else store
    key = digest(cubin, *flags, version_of(nvdisasm))
    known = store.get(key)
    if known is not None:
        return Disassembly(known.decode())
    made = _run_on(cubin, nvdisasm, *flags)
    if isinstance(made, str):
        return Disassembly("", made)
    store.put(key, made.stdout.encode())
    return Disassembly(made.stdout)


def usage_of(cubin: bytes) -> dict[str, Resources]:
    """Registers, stack and static shared memory by function; empty without cuobjdump."""
    cuobjdump = tool("cuobjdump")
    made = None if cuobjdump is None else _run_on(cubin, cuobjdump, "-res-usage")
    return {} if made is None or isinstance(made, str) else resources_of_usage(made.stdout)


@cache
def version_of(program: Path) -> str:
    """The version that a tool prints; empty if it does not run."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout)
    return match[1] if match is not None else ""


def _run_on(cubin: bytes, program: Path, *flags: str) -> subprocess.CompletedProcess[str] | str:
    """Run a tool on a cubin. The result is a sentence if it fails."""
    with tempfile.TemporaryDirectory(prefix="tilelang-") as folder:
        file = Path(folder, "kernel.cubin")
        file.write_bytes(cubin)
        try:
            done = subprocess.run(
                [program, *flags, file],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                timeout=TIMEOUT,
                cwd=folder,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{program.name} cannot be run: {error}."
    if done.returncode == 0 and done.stdout.strip():
        return done
    return _why(program, done.stderr)


def _why(program: Path, complaint: str) -> str:
    unsupported = _UNSUPPORTED.search(complaint)
    if unsupported is not None:
        arch = f"sm_{unsupported[1] or unsupported[2]}".rstrip("_")
        return (
            f"{program.name} {version_of(program)} does not know {arch}, so there is no SASS; the PTX is complete. "
            f"nvdisasm of CUDA 12 reads it."
        )
    text = complaint.strip().splitlines()
    return f"{program.name} failed: {text[-1] if text else 'it does not say why'}."
