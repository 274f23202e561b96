"""Fragments of matrix instructions: operands and accumulators of a block, by instruction family.

Sources of the lane maps: NVIDIA's PTX ISA (``mma.m8n8k4``, ``m16n8k8``, ``m16n8k16``, ``m16n8k32``, ``m16n8k64``,
``wgmma``), AMD's matrix instruction calculator (MFMA, WMMA). How an atom repeats over
warps and registers follows what upstream 0.1.15 does for the same tile.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from tilelang.ir.layout.digits import Sum, normal, of
from tilelang.ir.layout.fragment import REP, Fragment

if TYPE_CHECKING:
    from collections.abc import Callable

WARP: Final = 32
WAVEFRONT: Final = 64
"""Lanes of a wavefront of CDNA GPUs."""
WARP_GROUP: Final = 4

Family = Literal["volta", "turing", "mma", "wgmma", "mfma", "rdna3", "rdna4", "simdgroup"]
"""NVIDIA: ``volta`` is sm_70, ``turing`` sm_75, ``mma`` from sm_80 on, ``wgmma`` Hopper's. AMD: ``mfma`` is CDNA's,
``rdna3`` and ``rdna4`` are the ``wmma`` of gfx11 and gfx12. Apple: ``simdgroup``."""

AMD: Final = ("mfma", "rdna3", "rdna4")


class BlockTile(NamedTuple):
    """A block's product: ``m`` by ``n`` by ``k``, over ``m_warps`` by ``n_warps`` warps. ``depth``: elements of K that
    one instruction of an AMD GPU takes, or several that are packed; other families have it from the types."""

    m: int
    n: int
    k: int
    m_warps: int
    n_warps: int
    depth: int = 16


class Atom(NamedTuple):
    """Rows, columns and depth that one warp computes at a time."""

    m: int
    n: int
    k: int


def atom_of(family: Family, tile: BlockTile, bits: int) -> Atom | None:
    """The atom of a family for operands of ``bits`` bits; ``None`` if it does not cover the part of a warp."""
    rows, columns = tile.m // tile.m_warps, tile.n // tile.n_warps
    if family == "volta":
        atom = Atom(16, 16, 4)
    elif family in AMD:
        atom = Atom(16, 16, tile.depth)
    elif family == "simdgroup":
        atom = Atom(8, 8, 8)
    elif family == "turing" and bits in (4, 8, 16):
        atom = Atom(16 if bits == 16 else 8, 8, min(128 // bits, tile.k))
    elif bits == 64:
        atom = Atom(8, 8, 4)
    else:
        atom = Atom(16, 16 if columns % 16 == 0 else 8, min(256 // bits, tile.k))
    fits = rows >= atom.m and columns >= atom.n and rows % atom.m == 0 and columns % atom.n == 0
    return atom if fits and tile.m % tile.m_warps == 0 and tile.n % tile.n_warps == 0 else None


# --- accumulators ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def accumulator(family: Family, tile: BlockTile, bits: int, half_accumulator: bool = False) -> Fragment | None:
    """The fragment of the accumulator. ``bits``: of the operands. ``half_accumulator``: it has 16-bit elements, which
    matters on sm_70."""
    atom = atom_of(family, tile, bits)
    if atom is None:
        return None
    if family == "wgmma":
        return _wgmma_accumulator(tile, atom)
    rows, columns = tile.m // tile.m_warps // atom.m, tile.n // tile.n_warps // atom.n
    lanes = WAVEFRONT if family == "mfma" else WARP
    size = atom.m * atom.n // lanes
    i, j = of(0, tile.m), of(1, tile.n)
    if family == "volta":
        lane, register = _volta_lane(i % 16, j % 16, half_accumulator)
    else:
        lane, register = _LANES.get(family, _lane)(i % atom.m, j % atom.n)
    warp = i // (atom.m * rows) + j // (atom.n * columns) * tile.m_warps
    place = i // atom.m % rows * columns + j // atom.n % columns
    return Fragment((tile.m, tile.n), lane + warp * lanes, (register + place * size,))


def _mfma_lane(i: Sum, j: Sum) -> tuple[Sum, Sum]:
    """The operands are exchanged, so that a lane has neighbours of a row: the transpose of what AMD documents."""
    return i + j // 4 * 16, j % 4


def _rdna3_lane(i: Sum, j: Sum) -> tuple[Sum, Sum]:
    """Even rows in the lower half of the lanes, odd ones in the upper."""
    return i % 2 * 16 + j, i // 2


def _rdna4_lane(i: Sum, j: Sum) -> tuple[Sum, Sum]:
    return i // 8 * 16 + j, i % 8


def _simdgroup_lane(i: Sum, j: Sum) -> tuple[Sum, Sum]:
    """Quadrants of 4 by 4 in groups of eight lanes, pairs of columns in a lane. Apple does not say so; it is what
    public kernels rely on that address the elements of a ``simdgroup_matrix``."""
    return i // 4 * 16 + j // 4 * 8 + i % 4 * 2 + j // 2 % 2, j % 2


_LANES: Final[dict[str, Callable[[Sum, Sum], tuple[Sum, Sum]]]] = {
    "mfma": _mfma_lane,
    "rdna3": _rdna3_lane,
    "rdna4": _rdna4_lane,
    "simdgroup": _simdgroup_lane,
}


def _lane(i: Sum, j: Sum) -> tuple[Sum, Sum]:
    """Lane and register of an element of 16 by 16, 16 by 8 or 8 by 8: pairs of columns, four lanes to a row of 8."""
    return i % 8 * 4 + j % 8 // 2, j % 2 + i // 8 * 2 + j // 8 * 4


def _volta_lane(i: Sum, j: Sum, half: bool) -> tuple[Sum, Sum]:
    if half:
        lane = i % 4 + i // 8 * 4 + j % 8 // 4 * 8 + i % 8 // 4 * 16
        return lane, j % 4 + j // 8 * 4
    lane = i % 2 + j % 4 // 2 * 2 + i // 8 * 4 + j % 8 // 4 * 8 + i % 8 // 4 * 16
    return lane, j % 2 + i % 4 // 2 * 2 + j // 8 * 4


def _wgmma_accumulator(tile: BlockTile, atom: Atom) -> Fragment | None:
    """A group of four warps owns consecutive rows; its 64-row atoms follow each other in registers."""
    groups = tile.m_warps // WARP_GROUP
    if not groups:
        return None
    lane, register = _lane(of(0, atom.m), of(1, atom.n))
    found = Fragment((atom.m, atom.n), lane, (register,))
    found = found.repeat((1, tile.n // tile.n_warps // atom.n), last_first=False)
    found = found.repeat((WARP_GROUP, 1), on_threads=True, last_first=False)
    found = found.repeat((tile.m // tile.m_warps // atom.m, 1), last_first=False)
    found = found.repeat((groups, 1), on_threads=True, last_first=False)
    return found.repeat((1, tile.n_warps), on_threads=True, last_first=False)


# --- operands -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def operand(
    family: Family, tile: BlockTile, matrix: Literal["a", "b"], bits: int, transposed: bool, *, sparse: bool = False
) -> Fragment | None:
    """The fragment of an operand that is kept in registers. ``transposed`` as the source says: ``a`` is stored K by M
    then, and ``b`` N by K. ``sparse``: the operand meets a sparse one, so that an instruction takes twice the depth."""
    atom = atom_of(family, tile, bits)
    is_a = matrix == "a"
    if sparse and atom is not None:
        atom = atom._replace(k=512 // bits)
    if atom is None or tile.k % atom.k or (not is_a and family in ("wgmma", "volta")):
        return None
    depth_last = transposed != is_a
    base = _operand_atom(family, atom, matrix, bits, depth_last)
    if base is None:
        return None
    warps, copies = (tile.m_warps, tile.n_warps) if is_a else (tile.n_warps, tile.m_warps)
    across = (tile.m if is_a else tile.n) // warps // (atom.m if is_a else atom.n)

    def grid(along: int, deep: int) -> tuple[int, int]:
        return (along, deep) if depth_last else (deep, along)

    registers = grid(across, tile.k // atom.k)
    threads = grid(warps, 1)
    if family == "wgmma":
        spread = base.repeat(threads, on_threads=True, last_first=False).replicated(copies)
        return spread.repeat(registers, last_first=not depth_last)
    inner = base.repeat(registers, last_first=not depth_last)
    if is_a:
        return inner.repeat(threads, on_threads=True).replicated(copies)
    return inner.replicated(copies).repeat(threads, on_threads=True)


def _operand_atom(family: Family, atom: Atom, matrix: str, bits: int, depth_last: bool) -> Fragment | None:
    """One atom of an operand, its elements in the order of the buffer."""
    across = atom.m if matrix == "a" else atom.n
    shape = (across, atom.k) if depth_last else (atom.k, across)
    row, deep = (of(0, across), of(1, atom.k)) if depth_last else (of(1, across), of(0, atom.k))
    if family == "volta":
        # Two quads of lanes hold a copy each.
        lane = row % 4 + row // 4 % 2 * 16 + row // 8 * 4 + of(REP, 2) * 8
        return Fragment(shape, lane, (deep,), 2)
    if family in AMD:
        return _amd_operand(family, atom, shape, row, deep)
    if bits not in (4, 8, 16, 32) or family == "simdgroup":
        return None
    pack = max(32 // bits, 1)
    lane = row % 8 * 4 + deep % (4 * pack) // pack
    upper_row, upper_depth = row // 8, deep // (4 * pack)
    if matrix == "a" and bits == 4:
        register = deep % pack + upper_depth * pack + upper_row * (2 * pack)
    elif matrix == "a":
        register = deep % pack + upper_row * pack + upper_depth * (2 * pack)
    else:
        register = deep % pack + upper_depth * pack + upper_row * (atom.k // 4)
    return Fragment(shape, lane, (register,))


def _amd_operand(family: Family, atom: Atom, shape: tuple[int, int], row: Sum, deep: Sum) -> Fragment:
    """Lanes along the rows, consecutive elements of K in one lane. On gfx11 both halves of the lanes hold all of it."""
    if family == "rdna3":
        return Fragment(shape, row + of(REP, 2) * 16, (deep,), 2)
    run = atom.k * 16 // (WAVEFRONT if family == "mfma" else WARP)
    return Fragment(shape, row + deep // run * 16, (deep % run,))


# --- no tensor cores ------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def dealt_out(shape: tuple[int, ...], threads: int) -> Fragment:
    """One element after the other to the next thread, in row-major order."""
    total, stride = normal(()), 1
    for dim in range(len(shape) - 1, -1, -1):
        total += of(dim, shape[dim]) * stride
        stride *= shape[dim]
    return Fragment(shape, total % threads, (total // threads,))
