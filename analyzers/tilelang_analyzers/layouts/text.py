"""Layouts as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.layout.picture import grid
from tilelang.ir.printer import print_block
from tilelang.passes.layouts.notes import notes_of
from tilelang_analyzers.layouts.records import layout_of, layouts_of, settled
from tilelang_analyzers.report.style import clean
from tilelang_analyzers.results import plain, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.instance import Instance
    from tilelang.ir.buffer import Buffer
    from tilelang.passes import LaunchPlan
    from tilelang_analyzers.report.style import Style
    from tilelang_analyzers.results import BufferLayout, ConflictResult, LoopLayout, StatementResult

WHY = {
    "different": "two operations need different layouts of {buffer}",
    "loop": "no spread of a parallel loop suits both {buffer} and {other}",
    "reduce": "{buffer} has a layout that a reduction of {other} cannot give",
    "serial-index": "a serial loop inside a parallel one addresses elements of {buffer} that other threads hold",
    "not-invertible": "a loop maps several iterations to one element of {buffer}",
    "not-injective": "a loop maps several iterations to one element of {buffer}",
    "nothing": "no operation says how {buffer} is spread over threads",
    "scan": "a scan needs {buffer} row by row",
    "replicated": "a loop that several threads repeat stores to {buffer} and to memory",
    "annotation": "the layout given for {buffer} puts two elements in one place",
    "constant-index": "a parallel loop addresses an element of {buffer} other than the first by a constant",
}
"""What each reason of a conflict means."""


def title(instance: Instance, label: str) -> str:
    """The heading of one instance: ``gemm.py:14 matmul on sm_80 (M=1024, N=1024)``."""
    values = ", ".join(f"{name}={value_text(plain(value))}" for name, value in instance.bindings.items())
    return clean(f"{instance.factory or instance.kernel} on {label}{f' ({values})' if values else ''}")


def lines_of(plan: LaunchPlan, style: Style, wanted: str = "", *, pictures: bool = False) -> Iterator[str]:
    """The layouts of a launch. ``wanted``: only the buffers of this name, without loops. ``pictures``: a grid of each
    buffer besides."""
    found = layouts_of(plan)
    for buffer, record in zip(settled(plan), found.buffers, strict=True):
        if wanted in ("", buffer.name):
            yield from _buffer_lines(buffer, record, plan, style, pictures=pictures)
    if wanted:
        return
    if found.loops:
        yield style.paint("  loops", "bold")
    for loop in found.loops:
        yield from _loop_lines(loop)
    if found.unknown:
        yield f"  not known: {clean(', '.join(found.unknown))}"
    if found.conflict is not None:
        yield f"  {style.paint('conflict', 'error')}: {clean(_conflict_text(found.conflict))}"


def ir_lines(plan: LaunchPlan) -> Iterator[str]:
    """The launch as the passes see it, with layouts as comments."""
    for line in print_block((plan.opened,), note=notes_of(plan.layouts)).splitlines():
        yield f"  {clean(line)}"


def _buffer_lines(
    buffer: Buffer, record: BufferLayout, plan: LaunchPlan, style: Style, *, pictures: bool
) -> Iterator[str]:
    shape = " x ".join(map(str, record.shape))
    yield f"  {style.paint(clean(record.name), 'bold')}: {record.scope}, {shape} {record.dtype}{_size(record)}"
    axes = ", ".join(record.axes)
    index = ", ".join(record.places)
    if record.thread is None:
        yield f"    ({axes}) -> ({index})"
    else:
        yield f"    ({axes}) -> thread {record.thread}"
        yield f"    {' ' * len(f'({axes})')} -> register {index}"
    if record.asked is not None:
        origin = f", from {record.source}" if record.source else ""
        yield f"    asked for by {clean(_where(record.asked) + origin)}"
    if pictures:
        yield ""
        yield from (f"    {line}" for line in grid(layout_of(buffer, plan.layouts)).splitlines())
        yield ""


def _size(record: BufferLayout) -> str:
    registers = 1
    for extent in record.extents:
        registers *= extent
    if record.thread is None:
        return f", {record.swizzle}-byte swizzle" if record.swizzle else ""
    parts = "parts of each element" if record.reduced else "copies of each element"
    copies = f", {record.copies} {parts}" if record.copies > 1 else ""
    since = f" from {record.first_thread} on" if record.first_thread else ""
    return f", {registers} registers in each of {record.threads} threads{since}{copies}"


def _loop_lines(loop: LoopLayout) -> Iterator[str]:
    yield f"    {clean(_where(loop.statement))}"
    copies = f", {loop.copies} times" if loop.copies > 1 else ""
    yield f"      ({', '.join(loop.axes)}) -> thread {loop.thread}, round {', '.join(loop.places)}{copies}"


def _where(statement: StatementResult) -> str:
    return f"line {statement.line}: {statement.text}" if statement.line else statement.text


def _conflict_text(conflict: ConflictResult) -> str:
    text = WHY.get(conflict.reason, conflict.reason).format(buffer=conflict.buffer, other=conflict.other or "another")
    return text if conflict.statement is None else f"{text} ({_where(conflict.statement)})"
