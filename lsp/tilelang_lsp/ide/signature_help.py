"""The signature of the call around a cursor, with what is known about the tiles that were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang_lsp.ide.callee import callee_of
from tilelang_lsp.ide.cursor import cursor_at
from tilelang_lsp.ide.tiles import scope_of, shape_of

if TYPE_CHECKING:
    from tilelang_lsp.ide.callee import Callee
    from tilelang_lsp.ide.cursor import Frame
    from tilelang_lsp.session import Snapshot


@dataclass(frozen=True, slots=True)
class Parameter:
    """``start`` and ``end`` are characters of the label."""

    start: int
    end: int
    doc: str


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    label: str
    doc: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signature_help(snapshot: Snapshot, line: int, col: int) -> SignatureHelp | None:
    """None outside the brackets of a call that is known."""
    cursor = cursor_at(snapshot.file, line, col)
    frame = cursor.call
    if frame is None or cursor.in_comment:
        return None
    callee = callee_of(snapshot, frame.callee, line, col)
    return _render(snapshot, callee, frame, line) if callee is not None else None


def _render(snapshot: Snapshot, callee: Callee, frame: Frame, line: int) -> SignatureHelp:
    label = f"{callee.name}("
    parameters: list[Parameter] = []
    starred = False
    for number, each in enumerate(callee.arguments):
        label += ", " if number else ""
        if each.keyword_only and not starred:
            label += "*, "
        starred = starred or each.keyword_only or each.is_variadic
        start = len(label)
        label += each.label
        given = frame.words[number] if number < len(frame.words) and not each.keyword_only else ""
        parameters.append(Parameter(start, len(label), _given(snapshot, given, line)))
    return SignatureHelp(f"{label})", callee.doc, tuple(parameters), callee.active(frame))


def _given(snapshot: Snapshot, text: str, line: int) -> str:
    """What is known about an argument that was written already: ``A_tile: float16[128, 32] shared``."""
    found = snapshot.map_at(line)
    name = text.partition("[")[0].strip()
    buffer = found.by_name.get(name) if found is not None and name.isidentifier() else None
    return f"{name}: {buffer.dtype}[{', '.join(shape_of(buffer))}] {scope_of(buffer)}" if buffer is not None else ""
