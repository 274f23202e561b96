"""What a device offers a kernel: limits, features, matrix instructions and element types.

All sizes are bytes. ``None`` means that a device has no such limit or that it is not known; a check that meets ``None``
has nothing to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Family = Literal["cuda", "rocm", "metal", "webgpu", "ascend", "cpu"]

DtypeSupport = Literal["native", "converted", "none"]
"""``native``: the hardware computes with it, or converts it if it is narrower than 16 bits. ``converted``: programs may
store it, software converts it. ``none``: the compiler has no such type."""


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Shared memory (LDS, threadgroup memory, workgroup storage, L1 buffer), in bytes.

    ``budget``: what one block may use, the figure to check against. ``static``: limit of statically declared arrays.
    ``without_optin`` and ``optin``: limits of a block before and after it asked the driver for more. ``per_sm``: of one
    multiprocessor. ``reserved``: what each block costs beside its own bytes. ``unit``: allocation granularity.
    """

    budget: int | None = None
    static: int | None = None
    without_optin: int | None = None
    optin: int | None = None
    per_sm: int | None = None
    reserved: int = 0
    unit: int = 1
    banks: int | None = None


@dataclass(frozen=True, slots=True)
class Registers:
    """32-bit registers. ``unit``: granularity of the allocation of one warp."""

    per_thread: int | None = None
    per_block: int | None = None
    per_sm: int | None = None
    unit: int = 1


@dataclass(frozen=True, slots=True)
class LaunchLimits:
    """Sizes of blocks and grids, and how much of them one multiprocessor holds at a time."""

    threads_per_block: int | None = None
    block_dims: tuple[int, int, int] | None = None
    grid_dims: tuple[int, int, int] | None = None
    warp_size: int | None = None
    warps_per_sm: int | None = None
    threads_per_sm: int | None = None
    blocks_per_sm: int | None = None
    cluster_blocks: int | None = None
    """Blocks of a cluster that every device of the target accepts; None without clusters."""


@dataclass(frozen=True, slots=True)
class MatrixInstruction:
    """One dense tensor-core instruction, ``accumulator += a @ b`` on an ``m`` x ``n`` x ``k`` tile.

    For ``wgmma`` and ``tcgen05``, ``m`` and ``n`` are the smallest; ``n`` may be any multiple of 8 up to 256.
    """

    unit: str
    m: int
    n: int
    k: int
    a: str
    b: str
    accumulator: str


@dataclass(frozen=True, slots=True)
class Card:
    """A product. ``cores``: multiprocessors. ``peak``: dense tera-operations a second by operand type."""

    name: str
    arch: str
    cores: int | None = None
    l2_bytes: int | None = None
    memory_gb: float | None = None
    bandwidth_gbs: float | None = None
    peak: tuple[tuple[str, float], ...] = ()

    def peak_of(self, rate: str) -> float | None:
        """The peak of one rate: ``fp16``, ``bf16``, ``tf32``, ``fp8``, ``fp6``, ``fp4``, ``int8`` or ``int4``."""
        return dict(self.peak).get(rate)


_OPERAND_CLASSES = {
    "tfloat32": "float32",
    "float8_e4m3": "fp8",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
    "float8_e4m3fnuz": "fp8-fnuz",
    "float8_e5m2fnuz": "fp8-fnuz",
    "uint8": "int8",
    "uint4": "int4",
}


def _operand_class(dtype: str) -> str:
    """Instructions take any two operand types of one class. Float32 tiles go through TF32 where there is no more."""
    return _OPERAND_CLASSES.get(dtype, dtype)


@dataclass(frozen=True, slots=True)
class Target:
    """One device to check or compile for.

    ``name`` is what the user wrote, in its usual spelling (``t4``, ``sm_75``); ``arch`` is what reports print
    (``sm_75``). An arch has one spelling: from compute capability 9.0 on, ``sm_90``, ``sm_90a`` and ``sm_90f`` are all
    ``sm_90``, with the features of ``sm_90a``, since kernels are compiled for the ``a`` name (:attr:`compiled_as`).
    """

    name: str
    arch: str
    family: Family
    compiled_as: str
    shared_memory: SharedMemory
    registers: Registers
    launch: LaunchLimits
    features: frozenset[str]
    instructions: tuple[MatrixInstruction, ...]
    held: frozenset[str]
    native: frozenset[str]
    products: tuple[str, ...] = ()
    card: Card | None = None
    tensor_memory_columns: int | None = None
    memories: tuple[tuple[str, int], ...] = ()
    """Bytes of the named on-chip buffers of an Ascend core."""

    @property
    def label(self) -> str:
        """How tables head the column of this target: ``T4``, ``sm_75``, ``metal``."""
        is_product = self.name != self.arch and any(character.isdigit() for character in self.name)
        return self.name.upper() if is_product else self.name

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """``(7, 5)`` for ``sm_75``; None for other families."""
        if self.family != "cuda":
            return None
        digits = self.arch.removeprefix("sm_")
        return int(digits[:-1]), int(digits[-1])

    def has(self, feature: str) -> bool:
        """Whether the target has a feature such as ``cp_async``, ``tma_tensor``, ``wgmma`` or ``tcgen05_tmem``."""
        return feature in self.features

    def with_optin(self) -> Target:
        """The same target with blocks that ask the driver for the larger limit."""
        return replace(self, shared_memory=replace(self.shared_memory, budget=self.shared_memory.optin))

    def dtype_support(self, dtype: str) -> DtypeSupport:
        """How far the target knows an element type, by its TileLang name without lanes."""
        if dtype in self.native:
            return "native"
        return "converted" if dtype in self.held else "none"

    def matrix_instructions(self, a: str, b: str, accumulator: str | None = None) -> tuple[MatrixInstruction, ...]:
        """Instructions that multiply tiles of these element types, the deepest ``k`` first."""
        classes = (_operand_class(a), _operand_class(b))
        found = [
            instruction
            for instruction in self.instructions
            if (_operand_class(instruction.a), _operand_class(instruction.b)) == classes
            and accumulator in (None, instruction.accumulator)
        ]
        return tuple(sorted(found, key=lambda instruction: -instruction.k))
