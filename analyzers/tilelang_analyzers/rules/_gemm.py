"""How each `T.gemm` of an instance is computed on a target: with which instruction, and whether its types exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.expr import Var, const_int
from tilelang.ir.stmt import For, Gemm, If, Launch, Scope, While
from tilelang.ir.visit import children, operands, subterms
from tilelang.passes.configs import PassConfigs
from tilelang.passes.warp_partition import GemmTile, Instruction, select_instruction, tile_of
from tilelang.targets import cuda_archs, profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Block
    from tilelang.targets import Target
    from tilelang_analyzers.rule import InstanceContext, TargetContext

DENSE = ("gemm", "wgmma_gemm", "tcgen05_gemm")
"""Operations that multiply plain tiles; sparse and block-scaled ones have types of their own."""

DtypeVerdict = Literal["fine", "mixed", "unsupported", "nonexistent"]
"""``mixed``: A and B differ. ``unsupported``: another NVIDIA GPU has an instruction for the three types, this one does
not. ``nonexistent``: no GPU has."""

_NARROW_FLOATS = (4, 6, 8)


class GemmUse(NamedTuple):
    """One gemm and how it runs. ``threads``: those that run it; None if they are not known or not the whole block."""

    gemm: Gemm
    launch: Launch
    threads: int | None


class GemmPlan(NamedTuple):
    """A gemm on one CUDA target. All types are known."""

    use: GemmUse
    tile: GemmTile
    instruction: Instruction
    verdict: DtypeVerdict

    @property
    def gemm(self) -> Gemm:
        return self.use.gemm

    @property
    def dtypes(self) -> tuple[DType, DType, DType]:
        return self.gemm.a.buffer.dtype, self.gemm.b.buffer.dtype, self.gemm.c.buffer.dtype


def gemm_uses(ctx: InstanceContext) -> tuple[GemmUse, ...]:
    """Every gemm inside a launch, in source order."""
    return tuple(use for launch in ctx.launches for use in _uses(launch, launch.body, _block_threads(launch)))


def gemm_plans(ctx: TargetContext) -> Iterator[GemmPlan]:
    """The gemms whose types are known; none on targets other than CUDA's."""
    if ctx.target.family != "cuda":
        return
    configs = PassConfigs.of(ctx.instance.jit.pass_configs)
    for use in ctx.shared(gemm_uses):
        dtypes = [region.buffer.dtype for region in (use.gemm.a, use.gemm.b, use.gemm.c)]
        if use.gemm.op in DENSE and all(dtype.is_known for dtype in dtypes):
            tile = tile_of(use.gemm)
            instruction = select_instruction(use.gemm, tile, use.threads or 128, ctx.target, configs)
            yield GemmPlan(use, tile, instruction, _verdict(use.gemm, instruction, ctx.target))


def _uses(launch: Launch, block: Block, threads: int | None) -> Iterator[GemmUse]:
    for stmt in block:
        if isinstance(stmt, Gemm):
            yield GemmUse(stmt, launch, threads)
        narrowed = isinstance(stmt, Scope) or (isinstance(stmt, (If, While, For)) and _depends_on_thread(stmt))
        for body in children(stmt):
            yield from _uses(launch, body, None if narrowed else threads)


def _depends_on_thread(stmt: If | While | For) -> bool:
    """Whether threads may differ in what they do here. Names bound from the thread index count."""
    kinds = ("thread",) if isinstance(stmt, For) else ("thread", "let", "unknown")
    return any(isinstance(term, Var) and term.kind in kinds for value in operands(stmt) for term in subterms(value))


def _block_threads(launch: Launch) -> int | None:
    count = 1
    for extent in launch.threads:
        number = const_int(extent)
        if number is None:
            return None
        count *= number
    return count


def _verdict(gemm: Gemm, instruction: Instruction, target: Target) -> DtypeVerdict:
    a, b, c = gemm.a.buffer.dtype, gemm.b.buffer.dtype, gemm.c.buffer.dtype
    if a != b and gemm.a.buffer.scope != "shared.tmem":
        narrow = all(dtype.bits in _NARROW_FLOATS and not dtype.is_integer for dtype in (a, b))
        return "fine" if instruction == "tcgen05" and narrow else "mixed"
    explicit = gemm.op == "wgmma_gemm" and target.has("wgmma")
    if not (instruction == "mma" or explicit) or "custom" in (a.kind, b.kind):
        return "fine"
    if any(found.unit == instruction for found in target.matrix_instructions(a, b, c)):
        return "fine"
    return "unsupported" if any(profile(arch).matrix_instructions(a, b, c) for arch in cuda_archs()) else "nonexistent"


def first_arch(a: DType, b: DType, c: DType) -> str | None:
    """The oldest NVIDIA arch with an instruction for three types."""
    return next((arch for arch in cuda_archs() if profile(arch).matrix_instructions(a, b, c)), None)


def k_step(dtype: DType, target: Target) -> int:
    """The K extent of the instruction that a tile of ``dtype`` is computed with, in elements."""
    if (target.compute_capability or (8, 0)) < (8, 0):
        return {4: 32, 8: 16, 16: 8}.get(dtype.bits, 256 // dtype.bits)
    return 256 // dtype.bits
