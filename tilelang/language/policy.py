"""Enumerations of the language and of the profiler."""

from __future__ import annotations

from enum import Enum, IntEnum


class GemmWarpPolicy(IntEnum):
    """How the warps of a block divide the output tile of ``T.gemm``."""

    Square = 0
    """As square as the tile: rows and columns are divided so that the parts are balanced."""
    FullRow = 1
    """All warps along M."""
    FullCol = 2
    """All warps along N."""

    def is_square(self) -> bool:
        return self is GemmWarpPolicy.Square

    def is_full_row(self) -> bool:
        return self is GemmWarpPolicy.FullRow

    def is_full_col(self) -> bool:
        return self is GemmWarpPolicy.FullCol


class TensorSupplyType(Enum):
    """How the profiler fills the inputs of a kernel."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7
