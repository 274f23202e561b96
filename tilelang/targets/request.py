"""What a program says about its target: the strings and mappings that ``jit`` and ``compile`` take."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tilelang.targets.names import resolve

if TYPE_CHECKING:
    from tilelang.targets.target import Family, Target

_FAMILIES: dict[str, Family] = {
    "cuda": "cuda",
    "nvptx": "cuda",
    "cutedsl": "cuda",
    "hip": "rocm",
    "rocm": "rocm",
    "metal": "metal",
    "webgpu": "webgpu",
    "ascend": "ascend",
    "ascendc": "ascend",
    "npu": "ascend",
    "cpu": "cpu",
    "c": "cpu",
    "llvm": "cpu",
}

_OPTION = re.compile(r"--?(?P<name>\w+)[= ](?P<value>\S+)")
_DEVICE_OPTIONS = ("arch", "mcpu")


@dataclass(frozen=True, slots=True)
class TargetRequest:
    """``family``: None for ``"auto"``, which takes the device of the machine. ``target``: set if a device is named."""

    family: Family | None = None
    target: Target | None = None

    def accepts(self, target: Target) -> bool:
        """Whether the program, run as written, may be compiled for ``target``."""
        if self.target is not None:
            return self.target.arch == target.arch
        return self.family in (None, target.family)


def read_request(value: object) -> TargetRequest | None:
    """The request in ``"auto"``, ``"cuda"``, ``"cuda -arch=sm_80"``, ``"nvidia/nvidia-a100"``, ``"h100"``,
    ``{"kind": "cuda", "arch": "sm_90a"}``, the same as JSON, and their like. None if the value says nothing that is
    understood."""
    if isinstance(value, str):
        return _read_string(value.strip().lower())
    if isinstance(value, Mapping):
        return _read_mapping(cast("Mapping[object, object]", value))
    return None


def _read_string(text: str) -> TargetRequest | None:
    if text == "auto":
        return TargetRequest()
    if text.startswith("{"):
        try:
            return read_request(json.loads(text))
        except ValueError:
            return None
    words = text.split(maxsplit=1)
    if words and words[0] in _FAMILIES:
        options = {match["name"]: match["value"] for match in _OPTION.finditer(text)}
        return _device(_FAMILIES[words[0]], options)
    target = resolve(text.rpartition("/")[2])
    return None if target is None else TargetRequest(target.family, target)


def _read_mapping(options: Mapping[object, object]) -> TargetRequest | None:
    kind = options.get("kind")
    if isinstance(kind, str):
        family = _FAMILIES.get(kind.lower())
        return None if family is None else _device(family, options)
    tag = options.get("tag")
    return _read_string(tag.lower()) if isinstance(tag, str) else None


def _device(family: Family, options: Mapping[object, object] | Mapping[str, str]) -> TargetRequest:
    for key, value in options.items():
        if key in _DEVICE_OPTIONS and isinstance(value, str):
            target = resolve(value)
            if target is not None and target.family == family:
                return TargetRequest(family, target)
    return TargetRequest(family)
