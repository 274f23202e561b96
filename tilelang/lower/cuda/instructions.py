"""Matrix instructions of NVIDIA GPUs: shapes, registers, and the generation that has each.

Source: NVIDIA's PTX ISA, sections on ``mma.sync``. All but the ``m8n8k4`` of sm_70 share one scheme of lanes: lane
``l`` has rows ``l / 4`` (and 8 more), and along K packs of 32 bits at ``l % 4``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType


class MatrixInstruction(NamedTuple):
    """One ``mma.sync``.

    ``name``: the function of the prologue. ``pack``: operand elements in one register. ``wide``: the instruction of
    sm_70, whose lanes follow another scheme and whose warp covers 16 by 16."""

    name: str
    m: int
    n: int
    k: int
    pack: int
    wide: bool = False

    @property
    def accumulators(self) -> int:
        """Elements of the accumulator in one thread."""
        return self.m * self.n // 32

    @property
    def upper_rows(self) -> int:
        return self.m // 8

    @property
    def upper_depths(self) -> int:
        return max(self.k // (4 * self.pack), 1)


_FP8 = {"float8_e4m3": "e4m3", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
_SIXTEEN = {"float16": "f16", "bfloat16": "bf16"}
_INTEGERS = {"int8": "s8", "uint8": "u8", "int4": "s4", "uint4": "u4"}


def instruction_for(a: DType, b: DType, c: DType, capability: tuple[int, int]) -> MatrixInstruction | None:
    """The instruction for operands and accumulator of these types, ``None`` if this generation has none."""
    if capability < (7, 5):
        if a == b == "float16" and c in ("float16", "float32"):
            short = "f16" if c == "float16" else "f32"
            return MatrixInstruction(f"mma_m8n8k4_f16_{short}", 16, 16, 4, 1, wide=True)
        return None
    newer = capability >= (8, 0)
    if a == b and a in _SIXTEEN:
        if a == "bfloat16" and (not newer or c != "float32"):
            return None
        if c not in ("float16", "float32"):
            return None
        depth = 16 if newer else 8
        return MatrixInstruction(
            f"mma_m16n8k{depth}_{_SIXTEEN[a]}_{'f16' if c == 'float16' else 'f32'}", 16, 8, depth, 2
        )
    if a in _INTEGERS and b in _INTEGERS and a.bits == b.bits and c == "int32":
        depth = (32 if newer else 16) * 8 // a.bits
        shape = (16 if newer else 8, 8, depth)
        name = f"mma_m{shape[0]}n{shape[1]}k{shape[2]}_{_INTEGERS[a]}_{_INTEGERS[b]}"
        return MatrixInstruction(name, *shape, 32 // a.bits)
    if not newer:
        return None
    if a in ("float32", "tfloat32") and b in ("float32", "tfloat32") and c == "float32":
        return MatrixInstruction("mma_m16n8k8_tf32_f32", 16, 8, 8, 1)
    if a == b == c == "float64":
        return MatrixInstruction("mma_m8n8k4_f64_f64", 8, 8, 4, 1)
    if a in _FP8 and b in _FP8 and c == "float32" and capability >= (8, 9):
        return MatrixInstruction(f"mma_m16n8k32_{_FP8[a]}_{_FP8[b]}", 16, 8, 32, 4)
    return None
