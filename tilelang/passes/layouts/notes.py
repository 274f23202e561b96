"""Layouts as comments of printed IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.stmt import Alloc

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.stmt import Stmt
    from tilelang.passes.layouts.result import LayoutMap


def notes_of(layouts: LayoutMap) -> Callable[[Stmt], str]:
    """What :func:`tilelang.ir.printer.print_block` writes beside statements: an allocation has the layout of its
    buffer, a parallel loop or a tile operation the thread and the round of each iteration."""

    def note(stmt: Stmt) -> str:
        if isinstance(stmt, Alloc):
            layout = layouts.layout(stmt.buffer) or layouts.reducers.get(stmt.buffer)
            return "layout not known" if layout is None and stmt.buffer in layouts.unknown else str(layout or "")
        spread = layouts.loop_of(stmt)
        return "" if spread is None else str(spread).replace(", register ", ", round ")

    return note
