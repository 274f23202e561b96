"""Tensor memory of sm_100: 128 data paths (rows) of 512 columns of 32 bits, and how tiles lie in it.

An instruction works on an *atom* of rows and columns. Atoms with fewer than 128 rows fold their columns into the other
data paths, or use every other half of them. A tile repeats the atom, down its rows first, then along its columns, then
for each index of leading dimensions. Sources: PTX ISA, data path layouts A to G of ``tcgen05``; the choice of the atom
and of the order is that of upstream 0.1.15.
"""

from __future__ import annotations

from math import prod
from typing import Final, Literal, NamedTuple

from tilelang.ir.layout.digits import of
from tilelang.ir.layout.layout import Layout

PATHS: Final = 128
COLUMN_BITS: Final = 32
HALF_PATHS: Final = 16

Operands = Literal["half", "narrow", "bytes"]
"""Element types of A and B: 16-bit floats, floats of 8 bits and fewer, 8-bit integers."""


class Atom(NamedTuple):
    """``m`` by ``n`` elements of the accumulator in one CTA. ``folded``: its columns go around the data paths, as with
    two CTAs or a stationary operand; else an atom of 64 rows uses half of them."""

    m: int
    n: int
    folded: bool


def select_atom(m: int, n: int, operands: Operands, *, two_ctas: bool = False, stationary: bool = True) -> Atom | None:
    """The atom for a tile of ``m`` by ``n`` in one CTA; ``None`` if no instruction covers it. ``stationary``: whether
    instructions that keep B in place may be used; block-scaled products cannot."""
    if two_ctas and m % 64 == 0:
        step = 32 if operands == "bytes" else 16
        columns = _widest(n, step, step)
        if columns is not None:
            return Atom(128 if m % 128 == 0 else 64, columns, folded=True)
    rows = next((rows for rows in (128, 64, 32) if m % rows == 0), None)
    if rows is None:
        return None
    kept = _kept(n) if stationary and (operands != "half" or rows < PATHS) else None
    if kept is not None:
        return Atom(rows, kept, folded=True)
    if rows == 32 or (rows == 64 and operands == "half"):
        return None
    coarse = 16 if operands == "bytes" else 8
    columns = _widest(n, coarse, 8)
    return None if columns is None else Atom(rows, columns, folded=False)


def _kept(n: int) -> int | None:
    return next((columns for columns in (256, 128, 64) if n % columns == 0), None)


def _widest(n: int, step: int, least: int) -> int | None:
    """The largest width up to 256 that divides ``n``: multiples of ``step``, below 32 of ``least``."""
    widths = [width for width in range(256, 0, -least) if width % step == 0 or width <= 32]
    return next((width for width in widths if n % width == 0), None)


def accumulator(shape: tuple[int, ...], atom: Atom, bits: int, *, interleaved: bool = True) -> Layout | None:
    """Data path and column of each element of an accumulator, the column in elements. Each takes a whole column of 32
    bits. ``interleaved``: a second atom of 64 rows takes the data paths that the first left; not so if A lies in tensor
    memory too. ``None`` if the atom does not divide the tile."""
    return _tiled(shape, atom, COLUMN_BITS // bits, interleaved=interleaved)


def operand(shape: tuple[int, ...], rows: int, depth: int) -> Layout | None:
    """The layout of A in tensor memory, for instructions of ``rows`` by ``depth`` elements; they are packed."""
    return _tiled(shape, Atom(rows, depth, folded=False), 1, interleaved=False)


def _tiled(shape: tuple[int, ...], atom: Atom, spread: int, *, interleaved: bool) -> Layout | None:
    if len(shape) < 2 or shape[-2] % atom.m or shape[-1] % atom.n or spread < 1:
        return None
    i, j = of(len(shape) - 2, shape[-2]), of(len(shape) - 1, shape[-1])
    down, along = shape[-2] // atom.m, shape[-1] // atom.n
    number, stride = i // atom.m + j // atom.n * down, down * along
    for dim in range(len(shape) - 3, -1, -1):
        number += of(dim, shape[dim]) * stride
        stride *= shape[dim]
    row, column = i % atom.m, j % atom.n
    if atom.m == PATHS:
        path, width = row, atom.n
    elif atom.folded:
        width = atom.n * atom.m // PATHS
        path = row + column // width * atom.m
        column = column % width
    else:
        path, width = row % HALF_PATHS + row // HALF_PATHS * (2 * HALF_PATHS), atom.n
        if interleaved and prod(shape) > atom.m * atom.n:
            path, number = path + number % 2 * HALF_PATHS, number // 2
    return Layout(shape, (path, (column + number * width) * spread))
