"""Values beside the lines of a kernel while a debugger stands in it: sizes, tiles and loops of the shown instance.

The body of a kernel runs once, when it is built, so a debugger has names of the language there, not numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.printer import text_of
from tilelang.ir.stmt import For
from tilelang_lsp.ide.tiles import buffer_at, loop_of, scope_of, shape_of, trips, value_of

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch
    from tilelang_lsp.analysis import Map
    from tilelang_lsp.ide.names import Occurrence
    from tilelang_lsp.session import Snapshot


@dataclass(frozen=True, slots=True)
class InlineValue:
    span: Span
    text: str


def inline_values(snapshot: Snapshot, first: int, last: int) -> list[InlineValue]:
    """What the names in some lines stand for, each once a line."""
    found: dict[tuple[int, str], InlineValue] = {}
    for symbol in snapshot.file.names.symbols():
        for span in symbol.places():
            if not first <= span.line <= last or (span.line, symbol.name) in found:
                continue
            shown = snapshot.map_at(span.line)
            occurrence = snapshot.file.names.at(span.line, span.col)
            text = _text(occurrence, shown) if shown is not None and occurrence is not None else None
            if text is not None:
                found[span.line, symbol.name] = InlineValue(span, text)
    return sorted(found.values(), key=lambda each: (each.span.line, each.span.col))


def _text(occurrence: Occurrence, shown: Map) -> str | None:
    symbol = occurrence.symbol
    buffer = buffer_at(occurrence, shown)
    if buffer is not None:
        return f"{symbol.name}: {buffer.dtype}[{', '.join(shape_of(buffer))}] {scope_of(buffer)}"
    stmt = loop_of(symbol, shown)
    if stmt is not None:
        extent = _extent(stmt, symbol.name)
        return f"{symbol.name} < {extent}" if extent else None
    value = value_of(symbol, shown.instance)
    return f"{symbol.name} = {value}" if value is not None else None


def _extent(stmt: For | Launch, name: str) -> str:
    """The end of the values of a variable that count from 0."""
    if isinstance(stmt, For):
        names = [var.name for var in stmt.vars]
        index = names.index(name) if name in names else 0
        count = trips(stmt)[index]
        starts_at_zero = stmt.starts[index] == 0 and stmt.step == 1
        return (str(count) if count is not None else text_of(stmt.extents[index])) if starts_at_zero else ""
    variables = [var.name for var in (*stmt.block_vars, *stmt.thread_vars)]
    extents = [*stmt.grid, *stmt.threads]
    index = variables.index(name) if name in variables else len(extents)
    return text_of(extents[index]) if index < len(extents) else ""
