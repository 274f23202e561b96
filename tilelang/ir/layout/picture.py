"""Pictures of layouts: grids of text and SVG. Rows and columns are the last two dimensions of the buffer.

A cell of a fragment shows the thread and the register of an element, a cell of a shared tile its place in memory. Both
are plain strings.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from tilelang.ir.layout.fragment import Fragment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.layout.layout import Layout

MAX_ROWS = 64
MAX_COLUMNS = 64
CELL = 36
"""Pixels of a cell of an SVG picture."""
BANKS = 32
BANK_BITS = 32


@dataclass(frozen=True, slots=True)
class Cell:
    """One element. ``group`` is what cells are coloured by: the thread that holds it, or the bank that it lies in."""

    text: str
    group: int


def cells(
    layout: Layout | Fragment,
    leading: Sequence[int] = (),
    *,
    bits: int = 16,
    rows: int = MAX_ROWS,
    columns: int = MAX_COLUMNS,
) -> tuple[tuple[Cell, ...], ...]:
    """The top left of the matrix at the indices ``leading`` of the dimensions before the last two, zeros if left out.
    ``bits``: of an element, which tells the bank."""
    shape = layout.shape if len(layout.shape) > 1 else (1, *layout.shape)
    before = tuple(leading) or (0,) * (len(shape) - 2)
    found: list[tuple[Cell, ...]] = []
    for row in range(min(shape[-2], rows)):
        found.append(
            tuple(
                _cell(layout, (*before, row, column)[-len(layout.shape) :], bits)
                for column in range(min(shape[-1], columns))
            )
        )
    return tuple(found)


def _cell(layout: Layout | Fragment, index: tuple[int, ...], bits: int) -> Cell:
    if isinstance(layout, Fragment):
        threads = sorted(set(layout.threads_at(index)))
        register = _flat(layout.register_at(index), layout.registers)
        more = f"+{len(threads) - 1}" if len(threads) > 1 else ""
        return Cell(f"{threads[0]}{more}:{register}", threads[0])
    place = _flat(layout.at(index), layout.output_shape)
    return Cell(str(place), place * bits // BANK_BITS % BANKS)


def _flat(index: Sequence[int], shape: Sequence[int]) -> int:
    total = 0
    for number, extent in zip(index, shape, strict=True):
        total = total * extent + number
    return total


def grid(layout: Layout | Fragment, leading: Sequence[int] = (), *, rows: int = 16, columns: int = 16) -> str:
    """The matrix as text, ``thread:register`` or the place in memory; ``+n``: n more threads hold the element."""
    matrix = cells(layout, leading, rows=rows, columns=columns)
    width = max((len(cell.text) for line in matrix for cell in line), default=0)
    lines = [" ".join(cell.text.rjust(width) for cell in line) for line in matrix]
    shape = layout.shape if len(layout.shape) > 1 else (1, *layout.shape)
    cut = shape[-2] > rows or shape[-1] > columns
    return "\n".join(lines) + (f"\n... of {shape[-2]} x {shape[-1]}" if cut else "")


def svg(layout: Layout | Fragment, leading: Sequence[int] = (), *, bits: int = 16, title: str = "") -> str:
    """The matrix as an SVG document. Cells of one thread, or of one bank, have one colour."""
    matrix = cells(layout, leading, bits=bits)
    groups = layout.thread_extent if isinstance(layout, Fragment) else BANKS
    high, wide = len(matrix), max(map(len, matrix), default=0)
    size = f'width="{wide * CELL}" height="{high * CELL}" viewBox="0 0 {wide * CELL} {high * CELL}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="{CELL // 4}">',
        f"<title>{_escaped(title or str(layout))}</title>",
    ]
    for row, line in enumerate(matrix):
        for column, cell in enumerate(line):
            x, y = column * CELL, row * CELL
            hue = cell.group * 360 // max(groups, 1) % 360
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="hsl({hue} 70% 80%)" stroke="#555"/>'
                f'<text x="{x + CELL // 2}" y="{y + CELL * 5 // 8}" text-anchor="middle">{cell.text}</text>'
            )
    return "\n".join((*parts, "</svg>", ""))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def summary(layout: Layout | Fragment) -> str:
    """One line: shapes, and for fragments registers, threads and copies."""
    shape = " x ".join(map(str, layout.shape))
    if isinstance(layout, Fragment):
        copies = f", each element in {layout.replicate}" if layout.replicate > 1 else ""
        return f"{shape}: {layout.register_count} registers in {layout.thread_extent} threads{copies}"
    gaps = layout.size - prod(layout.shape)
    return f"{shape}: {layout.size} elements of memory" + (f", {gaps} of them unused" if gaps else "")
