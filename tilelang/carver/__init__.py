"""Suggestions of tile sizes for a device. They need a device and a compiler, so calling one raises."""

from __future__ import annotations

from typing import Any

from tilelang.unavailable import Unavailable

_NAMES = frozenset(
    (
        "CDNA",
        "CUDA",
        "ElementwiseTemplate",
        "FlashAttentionTemplate",
        "GEMVTemplate",
        "GeneralReductionTemplate",
        "Hint",
        "MatmulTemplate",
        "OutputNode",
        "PrimFuncNode",
        "RDNA",
        "TensorCorePolicy",
        "arch",
        "roller",
        "template",
    )
)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return Unavailable(f"tilelang.carver.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
