"""Fractal layouts of Ascend's matrix unit: tiles of 16 rows by 32 bytes, in one order or another.

Each function takes the last two dimensions of a buffer. Leading ones stay in front.
"""

from __future__ import annotations

from typing import Final

from tilelang.ir.layout.digits import of
from tilelang.ir.layout.layout import Layout

ROWS: Final = 16
WIDTH_BITS: Final = 256


def by_column(rows: int, columns: int, bits: int) -> Layout:
    """``nz``, and ``major_k`` of M by K: tiles from top to bottom, then right."""
    i, j, width = of(0, rows), of(1, columns), WIDTH_BITS // bits
    return Layout((rows, columns), (j // width, i // ROWS, i % ROWS, j % width))


def by_row(rows: int, columns: int, bits: int) -> Layout:
    """``major_mn`` of K by M: the same of the transposed tile."""
    i, j, width = of(0, rows), of(1, columns), WIDTH_BITS // bits
    return Layout((rows, columns), (i // width, j // ROWS, j % ROWS, i % width))


def accumulator(rows: int, columns: int) -> Layout:
    """``l0c``: tiles of 16 by 16, whatever the type, from top to bottom, then right."""
    i, j = of(0, rows), of(1, columns)
    return Layout((rows, columns), (j // ROWS, i // ROWS, i % ROWS, j % ROWS))


def scales(rows: int, columns: int, bits: int) -> Layout | None:
    """``sf``: scale factors, 16 rows by 16 bits."""
    if bits > ROWS:
        return None
    i, j, width = of(0, rows), of(1, columns), ROWS // bits
    return Layout((rows, columns), (i // ROWS, j // width, i % ROWS, j % width))
