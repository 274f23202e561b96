"""How the elements of a tile lie in memory or in threads, for its hover: the map, a picture, bank conflicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilelang.ir.layout import Fragment
from tilelang.ir.layout.picture import grid
from tilelang.ir.stmt import Gemm
from tilelang.ir.visit import walk
from tilelang_analyzers.layouts.records import buffer_layout, swizzle_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.instance import Instance
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout import Layout
    from tilelang.passes import LaunchPlan
    from tilelang_analyzers.results import BufferLayout
    from tilelang_lsp.analysis import Analysis

PICTURE = 8
"""Rows and columns of the picture."""
MATRIX_ROWS, ROW_BYTES = 8, 16
"""What one step of ``ldmatrix`` and its kin reads: rows of 16 bytes (PTX ISA, ldmatrix)."""
BANK_BYTES = 128
"""What shared memory gives in one step: 32 banks of 4 bytes."""


@dataclass(frozen=True, slots=True)
class TileLayout:
    """A tile on one or several targets. ``map``: lines of a formula. ``about``: size, swizzle and copies. ``asked``:
    the statement that the layout is for, as text, and its line. ``picture``: the first rows and columns, as thread and
    register or as place in memory. ``ways``: steps that a read of a matrix by the tensor cores' loads takes."""

    targets: tuple[str, ...]
    map: tuple[str, ...]
    about: str
    asked: tuple[str, int] | None
    picture: str
    ways: int | None


def tile_layouts(analysis: Analysis, instance: Instance, buffer: Buffer) -> tuple[TileLayout, ...]:
    """The layouts of a tile, targets that have the same one together."""
    found: list[TileLayout] = []
    for target in analysis.targets(instance):
        for launch in instance.program.launches():
            made = _layout(analysis.plan(instance, launch, target), buffer.root)
            if made is None:
                continue
            same = next((n for n, each in enumerate(found) if replace(each, targets=()) == made), None)
            if same is None:
                found.append(replace(made, targets=(target.label,)))
            elif target.label not in found[same].targets:
                found[same] = replace(found[same], targets=(*found[same].targets, target.label))
    return tuple(found)


def swizzle_text(analysis: Analysis, instance: Instance, buffer: Buffer) -> str:
    """The swizzle of a shared tile on the first target, as short as a hint needs it; empty without one."""
    target = next(iter(analysis.targets(instance)), None)
    if target is None or not buffer.is_shared:
        return ""
    for launch in instance.program.launches():
        layout = analysis.plan(instance, launch, target).layouts.layout(buffer.root)
        width = swizzle_bytes(buffer.root, layout) if layout is not None else 0
        if width:
            return f"{width} B swizzle"
    return ""


def _layout(plan: LaunchPlan, buffer: Buffer) -> TileLayout | None:
    layout = plan.layouts.layout(buffer)
    if layout is None or (buffer not in plan.layouts.claims and buffer not in plan.layouts.reducers):
        return None
    record = buffer_layout(buffer, plan.layouts)
    asked = (record.asked.text, record.asked.line) if record.asked is not None else None
    picture = grid(layout, rows=PICTURE, columns=PICTURE)
    ways = matrix_ways(buffer, layout) if _is_operand(plan, buffer) else None
    return TileLayout((), tuple(_map(record)), _about(record), asked, picture, ways)


def _map(record: BufferLayout) -> Iterator[str]:
    axes, places = ", ".join(record.axes), ", ".join(record.places)
    if record.thread is None:
        yield f"({axes}) -> ({places})"
    else:
        yield f"({axes}) -> thread {record.thread}"
        yield f"{' ' * len(f'({axes})')} -> register {places}"


def _about(record: BufferLayout) -> str:
    if record.thread is None:
        return f"{record.swizzle}-byte swizzle" if record.swizzle else "no swizzle"
    registers = 1
    for extent in record.extents:
        registers *= extent
    copies = f", {record.copies} {'parts' if record.reduced else 'copies'} of each element" if record.copies > 1 else ""
    return f"{registers} elements in each of {record.threads} threads{copies}"


def _is_operand(plan: LaunchPlan, buffer: Buffer) -> bool:
    gemms = (stmt for stmt in walk(plan.opened.body) if isinstance(stmt, Gemm))
    return any(buffer in (stmt.a.buffer.root, stmt.b.buffer.root) for stmt in gemms)


def matrix_ways(buffer: Buffer, layout: Layout | Fragment) -> int | None:
    """How many steps shared memory needs for eight neighbouring rows of 16 bytes, which it gives in one if they are in
    different banks. None for tiles that such a matrix does not fit into, or whose rows are not kept in one piece."""
    bits = buffer.dtype.bits * buffer.dtype.lanes
    per_row = ROW_BYTES * 8 // max(bits, 1)
    if isinstance(layout, Fragment) or len(layout.shape) < 2 or bits > ROW_BYTES * 8:
        return None
    if layout.shape[-2] < MATRIX_ROWS or layout.shape[-1] < per_row:
        return None
    lead = (0,) * (len(layout.shape) - 2)
    groups: Counter[int] = Counter()
    for row in range(MATRIX_ROWS):
        places = [_place(layout, (*lead, row, column)) for column in range(per_row)]
        if places != list(range(places[0], places[0] + per_row)):
            return None
        groups[places[0] * bits // 8 % BANK_BYTES // ROW_BYTES] += 1
    return max(groups.values())


def _place(layout: Layout, index: tuple[int, ...]) -> int:
    total = 0
    for number, extent in zip(layout.at(index), layout.output_shape, strict=True):
        total = total * extent + number
    return total


def layout_text(found: TileLayout, *, several: bool) -> Iterator[str]:
    """Paragraphs of Markdown. ``several``: targets differ, so they are named."""
    on = f"{', '.join(found.targets)}: " if several else ""
    asked = f", for line {found.asked[1]}" if found.asked is not None and found.asked[1] else ""
    conflict = "no bank conflicts" if found.ways == 1 else f"{found.ways}-way bank conflicts"
    ways = f", {conflict} of matrix loads" if found.ways is not None else ""
    yield f"{on}layout: {found.about}{asked}{ways}"
    yield "```text\n" + "\n".join(found.map) + "\n\n" + found.picture + "\n```"
