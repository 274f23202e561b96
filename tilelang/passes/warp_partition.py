"""How the warps of a block share the tile of a ``T.gemm``, and which instruction computes it.

The rules are those of upstream 0.1.15. A warp owns whole instruction tiles and the split depends on the policy. On CUDA
there is no fall-back, so a tile that no split covers cannot be compiled. On AMD and Apple GPUs the split comes first,
and where it does not divide the tile evenly the compiler fails later.
"""

from __future__ import annotations

from struct import pack, unpack
from typing import TYPE_CHECKING, Literal, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.passes.configs import NO_CONFIGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.buffer import Region
    from tilelang.ir.stmt import Gemm
    from tilelang.passes.configs import PassConfigs
    from tilelang.targets import Target

Instruction = Literal["mma", "wgmma", "tcgen05", "mfma", "wmma", "simdgroup", "cooperative", "scalar"]
"""``mfma`` and ``wmma`` are AMD's (CDNA, RDNA), ``simdgroup`` and ``cooperative`` Apple's. ``scalar``: no tensor core
takes these types, each thread multiplies elements."""

WARP = 32
MAX_THREADS = 4096
"""No block has more than 1,024; another rule says so of those that ask for more."""
MAX_EXTENT = 1 << 24
"""No tile is larger, and the ratio of larger extents is no exact number."""
NO_CAPABILITY: tuple[int, int] = (0, 0)
ROWS_PER_WARP = 16
SPARSE = frozenset(("gemm_sp", "wgmma_gemm_sp"))
"""Products whose A is kept without the zeros, at half the depth."""
WARP_GROUP = 4
"""Warps that issue one ``wgmma`` together."""


class GemmTile(NamedTuple):
    """Extents of a block's product; ``None`` where symbolic or where the regions do not say."""

    m: int | None
    n: int | None
    k: int | None


Misfit = Literal["rows", "columns", "warp-group", "policy", "uneven"]


class NoSplit(NamedTuple):
    """Why no split exists. ``kind``: ``rows`` or ``columns`` (the tile is no multiple of what one warp owns),
    ``warp-group`` (threads are no multiple of a warp group), ``policy`` (every part fits, no split covers the tile),
    ``uneven`` (the compiler takes a split that leaves part of the tile out: it may fail later or not)."""

    kind: Misfit
    rows_per_warp: int
    columns_per_warp: int


class WarpPartition(NamedTuple):
    """``m_warps`` x ``n_warps`` warps; both 0 if ``problem`` says why there is no split. ``depth``: elements of K that
    one ``mma`` takes."""

    instruction: Instruction
    tile: GemmTile
    warps: int
    m_warps: int
    n_warps: int
    problem: NoSplit | None = None
    depth: int = 16


def tile_of(gemm: Gemm) -> GemmTile:
    """M and N from the accumulator, K from the first operand, as the language takes them; from the second if the first
    is sparse."""
    a, c = _matrix(gemm.a), _matrix(gemm.c)
    if gemm.op in SPARSE:
        b = _matrix(gemm.b)
        return GemmTile(c[0], c[1], b[1] if gemm.trans_b else b[0])
    return GemmTile(c[0], c[1], a[0] if gemm.trans_a else a[1])


def _matrix(region: Region) -> tuple[int | None, int | None]:
    extents = region.extents if region.extents is not None else region.buffer.shape
    if len(extents) < 2:
        return None, None
    return try_const(extents[-2]), try_const(extents[-1])


def partition(gemm: Gemm, threads: int, target: Target, configs: PassConfigs = NO_CONFIGS) -> WarpPartition | None:
    """The split of one gemm over ``threads`` threads. ``None`` where an extent or a type is unknown, or the target has
    no matrix instructions that are known here."""
    tile = tile_of(gemm)
    capability = target.compute_capability
    if tile.m is None or tile.n is None or tile.k is None:
        return None
    if not WARP <= threads <= MAX_THREADS or not 0 < min(tile.m, tile.n) <= max(tile.m, tile.n) <= MAX_EXTENT:
        return None
    if not all(region.buffer.dtype.is_known for region in (gemm.a, gemm.b, gemm.c)):
        return None
    if capability is None:
        return _elsewhere(gemm, tile, threads, target)
    instruction = select_instruction(gemm, tile, threads, target, configs)
    found = split(instruction, tile, threads // WARP, gemm.policy, 16 if capability < (7, 5) else 8)
    return found._replace(depth=_depth(gemm.a.buffer.dtype.bits, capability))


def _depth(bits: int, capability: tuple[int, int]) -> int:
    if capability < (7, 5):
        return 4
    deepest = 256 // max(bits, 1)
    return deepest // 2 if capability < (8, 0) else deepest


def split(instruction: Instruction, tile: GemmTile, warps: int, policy: str, columns_per_warp: int) -> WarpPartition:
    """The split of a tile with known M and N."""
    if instruction in ("tcgen05", "scalar"):
        return WarpPartition(instruction, tile, warps, 1, warps)
    group = WARP_GROUP if instruction == "wgmma" else 1
    columns = 8 if instruction == "wgmma" else columns_per_warp
    m, n = tile.m or 0, tile.n or 0

    def without(kind: Misfit) -> WarpPartition:
        return WarpPartition(instruction, tile, warps, 0, 0, NoSplit(kind, ROWS_PER_WARP, columns))

    if warps % group:
        return without("warp-group")
    if m % ROWS_PER_WARP:
        return without("rows")
    if n % columns:
        return without("columns")
    choices = [
        (rows, warps // rows)
        for rows in range(group, warps + 1, group)
        if warps % rows == 0 and m % (rows * ROWS_PER_WARP) == 0 and n % (warps // rows * columns) == 0
    ]
    if not choices:
        return without("policy")
    m_warps, n_warps = _preferred(policy)(choices, m, n, columns)
    return WarpPartition(instruction, tile, warps, m_warps, n_warps)


Splits = list[tuple[int, int]]


def _preferred(policy: str) -> Callable[[Splits, int, int, int], tuple[int, int]]:
    if policy == "FullRow":
        return lambda choices, m, n, columns: max(choices)
    if policy == "FullCol":
        return lambda choices, m, n, columns: max(choices, key=lambda choice: choice[1])
    return _squarest


def _squarest(choices: Splits, m: int, n: int, columns: int) -> tuple[int, int]:
    """The split whose warps own a tile, counted in instructions, of the shape of the block's tile; fewer rows of warps
    on a tie."""
    return min(choices, key=_imbalance(m, n, ROWS_PER_WARP, columns))


def _imbalance(m: int, n: int, rows: int, columns: int) -> Callable[[tuple[int, int]], float]:
    """How far a split is from the shape of the tile, in single precision, as the ratios of odd tiles need it."""
    ideal = _single(m / n) if n else 1.0

    def imbalance(choice: tuple[int, int]) -> float:
        down = _single(m / (choice[0] * rows))
        across = _single(n / (choice[1] * columns))
        return abs(_single(_single(down / across) - ideal))

    return imbalance


def _single(value: float) -> float:
    return unpack("f", pack("f", value))[0]


# --- AMD and Apple --------------------------------------------------------------------------------------------


def _elsewhere(gemm: Gemm, tile: GemmTile, threads: int, target: Target) -> WarpPartition | None:
    """The split on a GPU that is not NVIDIA's; ``None`` where it has no instruction for these types."""
    instruction = _instruction_elsewhere(gemm, tile, threads, target)
    lanes = target.launch.warp_size
    if instruction is None or lanes is None or threads < lanes or gemm.op != "gemm":
        return None
    rows, columns = {"simdgroup": (8, 8), "cooperative": (16, 32)}.get(instruction, (16, 16))
    warps, m, n = threads // lanes, tile.m or 0, tile.n or 0
    depth = _depth_elsewhere(gemm, instruction)

    def without(kind: Misfit) -> WarpPartition:
        return WarpPartition(instruction, tile, warps, 0, 0, NoSplit(kind, rows, columns), depth)

    if m % rows:
        return without("rows")
    if n % columns:
        return without("columns")
    m_warps, n_warps = _with_fall_back(gemm.policy, warps, m, n, rows, columns)
    if m_warps * n_warps != warps:
        return without("policy")
    if m % (m_warps * rows) or n % (n_warps * columns):
        return without("uneven")
    return WarpPartition(instruction, tile, warps, m_warps, n_warps, None, depth)


def _with_fall_back(policy: str, warps: int, m: int, n: int, rows: int, columns: int) -> tuple[int, int]:
    """Warps along M and N. If all along one dimension are too many, the rest goes to the other one. The result need
    neither be all warps nor divide the tile."""
    if policy == "FullRow":
        along = warps if m % (warps * rows) == 0 else m // rows
        return along, max(warps // along, 1)
    if policy == "FullCol":
        along = warps if n % (warps * columns) == 0 else n // columns
        return max(warps // along, 1), along
    # AMD's split asks for one instruction tile a warp only, Apple's for whole ones.
    evenly = rows != ROWS_PER_WARP or columns != ROWS_PER_WARP
    choices = [
        (along, warps // along)
        for along in range(1, min(m // rows, warps) + 1)
        if warps % along == 0 and warps // along <= n // columns
    ]
    if evenly:
        choices = [(a, b) for a, b in choices if m % (a * rows) == 0 and n % (b * columns) == 0]
    return min(choices, key=_imbalance(m, n, rows, columns)) if choices else (1, 1)


def _instruction_elsewhere(gemm: Gemm, tile: GemmTile, threads: int, target: Target) -> Instruction | None:
    units = {found.unit for found in target.instructions}
    a, c = gemm.a.buffer.dtype, gemm.c.buffer.dtype
    if "mfma" in units:
        return "mfma" if a.bits in (8, 16, 32) else None
    if "wmma" in units:
        return "wmma" if a in ("float16", "bfloat16") and c == "float32" else None
    if "simdgroup" not in units:
        return None
    in_registers = gemm.c.buffer.is_fragment or gemm.c.buffer.scope == "metal.simdgroup"
    if in_registers or not target.has("metal4_tensors") or (tile.k or 0) % 16:
        return "simdgroup"
    m_warps, n_warps = _with_fall_back(gemm.policy, threads // WARP, tile.m or 0, tile.n or 0, 16, 32)
    even = (tile.m or 0) % (m_warps * 16) == 0 and (tile.n or 0) % (n_warps * 32) == 0
    return "cooperative" if even and m_warps * n_warps == threads // WARP else "simdgroup"


def _depth_elsewhere(gemm: Gemm, instruction: Instruction) -> int:
    """Elements of K that one instruction takes. ``k_pack`` of them work as one."""
    packed = try_const(gemm.attr("k_pack"))
    if instruction == "mfma":
        return {8: 32, 16: 16, 32: 4}[gemm.a.buffer.dtype.bits] * (packed or 1)
    return 8 if instruction == "simdgroup" else 16


# --- which instruction ----------------------------------------------------------------------------------------


def select_instruction(
    gemm: Gemm, tile: GemmTile, threads: int, target: Target, configs: PassConfigs = NO_CONFIGS
) -> Instruction:
    """The instruction that upstream picks. It does not check that the target has it for these types."""
    capability = target.compute_capability or NO_CAPABILITY
    scopes = (gemm.a.buffer.scope, gemm.b.buffer.scope, gemm.c.buffer.scope)
    if gemm.op.startswith("tcgen05"):
        return "tcgen05"
    if gemm.op.startswith("wgmma"):
        return "wgmma"
    if (10, 0) <= capability <= (11, 0) and scopes[2] == "shared.tmem":
        return "tcgen05"
    hopper = (9, 0) <= capability < (10, 0)
    if (
        hopper
        and not configs.flag("disable_wgmma")
        and (tile.m or 0) >= 64
        and threads // WARP % WARP_GROUP == 0
        and takes_wgmma(gemm, tile.k or 0)
    ):
        return "wgmma"
    if capability < (7, 5):
        return "mma" if _takes_volta_mma(gemm, tile) else "scalar"
    if capability < (8, 0):
        return "mma" if _takes_turing_mma(gemm) else "scalar"
    return "mma"


def takes_wgmma(gemm: Gemm, k: int) -> bool:
    """Whether types, scopes and transposes suit ``wgmma``. Only 16-bit types may be transposed in shared memory."""
    a, b, c = gemm.a.buffer.dtype, gemm.b.buffer.dtype, gemm.c.buffer.dtype
    if not gemm.b.buffer.is_shared:
        return False
    if gemm.op in SPARSE:
        k //= 2
    if a == b and (a, c) in (("float16", "float16"), ("float16", "float32"), ("bfloat16", "float32")):
        return k % 16 == 0
    k_major = not gemm.trans_a and gemm.trans_b
    if a.kind == b.kind == "tfloat" and c == "float32":
        return k_major and k % 8 == 0
    if a.is_fp8 and b.is_fp8 and c in ("float16", "float32"):
        return k_major and k % 32 == 0
    eight_bits = a in ("int8", "uint8") and b in ("int8", "uint8")
    return eight_bits and c == "int32" and k_major and k % 32 == 0


def _takes_volta_mma(gemm: Gemm, tile: GemmTile) -> bool:
    scopes = (gemm.a.buffer.is_shared or gemm.a.buffer.is_fragment) and gemm.b.buffer.is_shared
    types = gemm.a.buffer.dtype == gemm.b.buffer.dtype == "float16" and gemm.c.buffer.dtype in ("float16", "float32")
    extents = (tile.m or 0) % 16 == 0 and (tile.n or 0) % 16 == 0 and (tile.k or 0) % 4 == 0
    return scopes and types and extents and not gemm.trans_a


def _takes_turing_mma(gemm: Gemm) -> bool:
    a, b, c = gemm.a.buffer.dtype, gemm.b.buffer.dtype, gemm.c.buffer.dtype
    if a != b:
        return False
    if a == "float16":
        return c in ("float16", "float32")
    return a.is_integer and a.bits in (4, 8) and c == "int32"
