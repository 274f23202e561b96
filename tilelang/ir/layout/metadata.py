"""How the metadata of 2:4 sparse operands is ordered in memory, as CUTLASS's compressors write it.

Each function takes the metadata buffer of ``rows`` by ``columns`` elements and gives the place of an element.
"""

from __future__ import annotations

from typing import Final

from tilelang.ir.layout.digits import ZERO, Sum, of
from tilelang.ir.layout.layout import Layout

ATOM_ROWS: Final = 64
MAX_BLOCK_K: Final = 128
"""The widest block of K that one atom of sm_90 covers."""


def ampere(rows: int, columns: int, bits: int) -> Layout | None:
    """sm_80: rows interleaved in groups, then pairs of columns by rows. ``bits``: of a metadata element, 16 or 32."""
    if bits not in (16, 32) or rows % 2 or columns % 2:
        return None
    group, ways = (32, 4) if bits == 16 else (16, 2)
    i, j = of(0, rows), of(1, columns)
    row = i // group * group + i % 8 * ways + i % group // 8
    # The two by two blocks of rows and columns are transposed.
    place = j // 2 * (rows * 2) + (row // 2 * 2 + j % 2) * 2 + row % 2
    return Layout((rows, columns), (place // columns, place % columns))


def hopper(rows: int, columns: int, operand_bits: int, block_k: int) -> Layout | None:
    """sm_90: atoms of 64 rows. ``operand_bits``: of the sparse operand; ``block_k``: depth of a block's tile."""
    block_k = min(block_k, MAX_BLOCK_K)
    least = 512 // operand_bits if operand_bits in (8, 16, 32) else 0
    if not least or block_k % least:
        return None
    i, j = of(0, rows), of(1, columns)
    if operand_bits == 8:
        wide = block_k // 8
        return Layout((rows, columns), (_atoms(i % ATOM_ROWS * wide + j % wide, i, j, rows, wide),))
    bytes_, blocks = operand_bits // 8 if operand_bits == 16 else 1, block_k // least
    # Digits of the row and of the column, each with its extent; the numbers say which one is how far out.
    digits = (
        (i, 1, 8, 3), (i, 8, 2, 1), (i, 16, 4, 5),
        (j, 1, bytes_, 0), (j, bytes_, 2, 4), (j, bytes_ * 2, blocks, 2),
    )  # fmt: skip
    place, stride = ZERO, 1
    for source, lower, extent, _ in sorted(digits, key=lambda digit: digit[3]):
        place += source // lower % extent * stride
        stride *= extent
    return Layout((rows, columns), (_atoms(place, i, j, rows, bytes_ * 2 * blocks),))


def _atoms(place: Sum, i: Sum, j: Sum, rows: int, wide: int) -> Sum:
    """The place in an atom of ``wide`` columns, with the atoms one below the other first."""
    size = ATOM_ROWS * wide
    below = -(-rows // ATOM_ROWS)
    return place + i // ATOM_ROWS * size + j // wide * (size * below)
