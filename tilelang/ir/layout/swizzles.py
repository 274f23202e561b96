"""Layouts of shared tiles that matrix instructions read without bank conflicts.

A tile has ``rows`` of ``columns`` elements of ``bits`` bits, row-major in the source. The unit of a swizzle is 16
bytes. Each function takes the last two dimensions; :func:`of_buffer` extends a layout over leading ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tilelang.ir.layout.digits import Sum, bitwise, of
from tilelang.ir.layout.layout import Layout, linear_layout

if TYPE_CHECKING:
    from collections.abc import Callable

UNIT_BITS: Final = 128
FULL, HALF, QUARTER = 8, 4, 2
"""Widths of the bank swizzles in units of 16 bytes: 128, 64 and 32 bytes."""
ROWS: Final = 8
"""Rows after which a bank swizzle repeats."""
TMA_BOX: Final = 256
"""Elements that one dimension of a TMA box has at most."""


def of_buffer(base: Layout | None, shape: tuple[int, ...]) -> Layout | None:
    """A layout of the last two dimensions of a buffer, repeated for each index of the leading ones."""
    return None if base is None else base.expand(shape[:-2])


@lru_cache(maxsize=256)
def bank_swizzle(rows: int, columns: int, bits: int, width: int) -> Layout | None:
    """A swizzle over ``width`` units of 16 bytes: full, half or quarter of the banks. The memory is cut into strips as
    wide as the swizzle, and these into blocks of eight rows. ``None`` where the tile is no multiple of that."""
    unit = UNIT_BITS // bits
    if columns % (unit * width) or (rows % ROWS and rows != ROWS // 2):
        return None
    i, j = of(0, rows), of(1, columns)
    row = i % ROWS
    swizzled = _xor(j // unit % width, row // (ROWS // width))
    return Layout((rows, columns), (j // unit // width, i // ROWS, j % unit + (swizzled + row * width) * unit))


def _xor(a: Sum, b: Sum) -> Sum:
    found = bitwise("^", a, b)
    assert found is not None, "operands of a swizzle are small and not negative"
    return found


def widest_bank_swizzle(rows: int, columns: int, bits: int) -> Layout | None:
    """The widest bank swizzle that the columns are a multiple of."""
    unit = UNIT_BITS // bits
    for width in (FULL, HALF, QUARTER):
        if columns % (unit * width) == 0:
            return bank_swizzle(rows, columns, bits, width)
    return None


def padded(rows: int, columns: int, bits: int) -> Layout:
    """Row-major with 16 bytes more in each row where rows are a multiple of 32 bytes."""
    stride = columns + (UNIT_BITS // bits if bits * columns % 256 == 0 else 0)
    return Layout((rows, columns), (of(0, rows) * stride + of(1, columns),))


@lru_cache(maxsize=256)
def matrix_swizzle(rows: int, columns: int, bits: int, k_inner: bool = True) -> Layout | None:
    """The layout of an operand of ``mma``: the widest swizzle, padding where none fits."""
    if bits == 64:
        return _double(rows, columns, k_inner) if columns % 16 == 0 else padded(rows, columns, bits)
    if not k_inner and bits == 8:
        return padded(rows, columns, bits)
    if columns % (UNIT_BITS // bits * QUARTER):
        return padded(rows, columns, bits)
    return widest_bank_swizzle(rows, columns, bits)


@lru_cache(maxsize=256)
def unpadded_swizzle(
    rows: int, columns: int, bits: int, k_inner: bool = True, side: int | None = None
) -> Layout | None:
    """The layout of an operand that an instruction reads from shared memory by itself (``wgmma``, ``tcgen05``, TMA):
    the widest swizzle, else row-major. ``None`` where rows are no multiple of 16 bytes. ``side``: elements that lie
    side by side for the instruction, all columns if left out; only 64-bit types ask."""
    if bits == 64 and (side or columns) % 16 == 0:
        return _double(rows, columns, k_inner)
    if bits == 64:
        return bank_swizzle(rows, columns, bits, QUARTER) if rows % ROWS == 0 else linear_layout((rows, columns))
    unit = UNIT_BITS // bits
    if rows % ROWS == 0 and columns % (unit * QUARTER) == 0:
        return widest_bank_swizzle(rows, columns, bits)
    return linear_layout((rows, columns)) if columns % unit == 0 else None


def _double(rows: int, columns: int, k_inner: bool) -> Layout:
    """64-bit elements: 16 columns by 4 rows, groups of four columns or the columns of a group swizzled by the row."""
    i, j = of(0, rows), of(1, columns)
    column, row = j % 16, i % 4
    inner, outer = column % 4, column // 4
    swizzled = outer * 4 + _xor(inner, row) if k_inner else inner + _xor(outer, row) * 4
    return Layout((rows, columns), (j // 16, i // 4, swizzled + row * 16))


def boxed(shape: tuple[int, ...]) -> Layout:
    """Row-major boxes of at most 256 elements along each dimension, the largest that one TMA instruction moves."""
    whole = [of(dim, extent) for dim, extent in enumerate(shape)]
    outer = [one // TMA_BOX for one, extent in zip(whole, shape, strict=True) if extent > TMA_BOX]
    return Layout(shape, (*outer, *(one % TMA_BOX for one in whole)))


# --- other generations ----------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def volta_swizzle(rows: int, columns: int, is_a: bool, k_inner: bool) -> Layout:
    """The layout of a 16-bit operand of the ``mma`` of sm_70."""
    if k_inner and columns % 32 == 0 and rows % 32 == 0:
        return _volta_crosswise(rows, columns)
    if columns % 64 == 0 and rows % 4 == 0:
        return _volta_congruous(rows, columns, is_a)
    return padded(rows, columns, 16)


def _volta_crosswise(rows: int, columns: int) -> Layout:
    i, j = of(0, rows), of(1, columns)
    vector = j // 4
    within = vector % 8
    bit2 = (i % 32 // 16 + i % 16 // 8 + within // 4) % 2
    bit1 = (i % 8 // 4 + within % 4 // 2) % 2
    permuted = i // 16 * 16 + i % 4 * 4 + bit2 * 2 + bit1
    return Layout((rows, columns), (j % 4 + permuted * 4 + vector * (rows * 4),))


def _volta_congruous(rows: int, columns: int, is_a: bool) -> Layout:
    i, j = of(0, rows), of(1, columns)
    vector = j // 8
    residual = vector % 8
    strided = residual // 2 if is_a else residual % 4
    upper = residual % 2 if is_a else residual // 4
    contiguous = upper * 4 + _xor(i % 4, strided)
    row = strided + i // 4 * 4
    return Layout((rows, columns), (row * columns + j % 8 + (contiguous + vector // 8 * 8) * 8,))


@lru_cache(maxsize=256)
def matrix_core_swizzle(rows: int, columns: int, bits: int, group: int) -> Layout | None:
    """The layout of an operand of AMD's matrix cores: groups of elements swizzled by the row over 32 banks."""
    per_phase = max(1, 32 * 32 // bits // columns)
    phases = min(16 // per_phase, columns // group)
    if phases < 1:
        return None
    i, j = of(0, rows), of(1, columns)
    swizzled = _xor(j // group, i // per_phase % phases)
    return Layout((rows, columns), (i, swizzled * group + j % group))


SWIZZLES: Final[dict[str, Callable[[int, int, int], Layout | None]]] = {
    "full_bank_swizzled": lambda rows, columns, bits: bank_swizzle(rows, columns, bits, FULL),
    "half_bank_swizzled": lambda rows, columns, bits: bank_swizzle(rows, columns, bits, HALF),
    "quarter_bank_swizzled": lambda rows, columns, bits: bank_swizzle(rows, columns, bits, QUARTER),
}


def bank_width(layout: Layout, shape: tuple[int, ...], bits: int) -> int | None:
    """The width of the bank swizzle that a layout of a buffer is; ``None`` if it is another layout."""
    if len(shape) < 2:
        return None
    for width in (QUARTER, HALF, FULL):
        if layout == of_buffer(bank_swizzle(shape[-2], shape[-1], bits, width), shape):
            return width
    return None


def merged(one: Layout, other: Layout, shape: tuple[int, ...], bits: int) -> Layout | None:
    """The narrower of two bank swizzles of one buffer, which serves the users of both; ``None`` for other layouts."""
    widths = bank_width(one, shape, bits), bank_width(other, shape, bits)
    if widths[0] is None or widths[1] is None:
        return None
    return one if widths[0] <= widths[1] else other
