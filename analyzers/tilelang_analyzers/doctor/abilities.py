"""What can be done here beyond checking, from the tools that are here."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang_analyzers.doctor.gpus import Gpu
    from tilelang_analyzers.doctor.toolchains import Component

FIRST_NVDISASM_WITHOUT_VOLTA = 13
LAST_NVRTC_WITH_VOLTA = 12


@dataclass(frozen=True, slots=True)
class Ability:
    """``name``: what one would do. ``text``: for what, or what is missing."""

    name: str
    possible: bool
    text: str


def abilities(tools: Iterable[Component], gpus: Iterable[Gpu], system: str = sys.platform) -> tuple[Ability, ...]:
    """What ``tilelang asm``, ``tilelang run`` and ``--compile`` can do with these tools on this machine."""
    found = {tool.name: tool.found for tool in tools}
    lacking = [name for name in ("apache-tvm",) if found.get(name) is None]
    text = Ability("CPU code, CUDA text", not lacking, _missing(lacking) or "for every target with a code generator")
    if found.get("NVRTC") is None:
        lacking = [*lacking, "NVRTC"]
    major = _major(found.get("NVRTC"))
    volta = major is None or major <= LAST_NVRTC_WITH_VOLTA
    cubin = Ability(
        "PTX, machine code",
        not lacking,
        _missing(lacking, system) or f"for NVIDIA GPUs from {'sm_70' if volta else 'sm_75'} on",
    )
    unseen = [*lacking, *(["nvdisasm"] if found.get("nvdisasm") is None else [])]
    major = _major(found.get("nvdisasm"))
    from_arch = "sm_75" if major is not None and major >= FIRST_NVDISASM_WITHOUT_VOLTA else "sm_70"
    sass = Ability(
        "SASS listings", not unseen, _missing(unseen, system) or f"from {from_arch} on; PTX listings for all others"
    )
    seen = [gpu for gpu in gpus if gpu.arch is None or gpu.arch.startswith("sm_")]
    absent = [*lacking, *(["cuda-bindings"] if found.get("cuda-bindings") is None else [])]
    if absent:
        launch = Ability("running on a GPU", False, _missing(absent, system))
    elif not seen:
        launch = Ability(
            "running on a GPU", False, "no NVIDIA driver or GPU is seen; kernels are still compiled for any"
        )
    else:
        launch = Ability("running on a GPU", True, f"on {', '.join(gpu.name for gpu in seen)}")
    return text, cubin, sass, launch


def _missing(names: list[str], system: str = "") -> str:
    """``NVRTC is missing``; empty if nothing is."""
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    wheels = "; NVIDIA makes none for macOS" if system == "darwin" and set(names) & {"NVRTC", "nvdisasm"} else ""
    return f"{' and '.join(names)} {verb} missing{wheels}"


def _major(version: str | None) -> int | None:
    """The first part of a version; None for a path."""
    match = re.match(r"(\d+)\.", version or "")
    return int(match[1]) if match is not None else None
