"""`textDocument/inlayHint` and its resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types

from tilelang_lsp.handlers.place import core_lines, fresh, location_of, position_of
from tilelang_lsp.ide.hover_text import without_marks
from tilelang_lsp.ide.inlay_hints import Hint, inlay_hints

if TYPE_CHECKING:
    from tilelang_lsp.server import Server
    from tilelang_lsp.session import Snapshot


def register(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(text_document_inlay_hint)
    server.feature(types.INLAY_HINT_RESOLVE)(inlay_hint_resolve)


async def text_document_inlay_hint(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    snapshot = await fresh(ls, params.text_document.uri)
    if snapshot is None:
        return None
    first, last = core_lines(snapshot.file, params.text_document.uri, params.range)
    return [_convert(ls, snapshot, hint) for hint in inlay_hints(snapshot, first, last)]


def _convert(ls: Server, snapshot: Snapshot, hint: Hint) -> types.InlayHint:
    parts = [
        types.InlayHintLabelPart(part.text, location=location_of(ls, part.target) if part.target is not None else None)
        for part in hint.parts
    ]
    return types.InlayHint(
        position=position_of(ls, snapshot.file.path, hint.line, hint.col, snapshot.file),
        label=parts,
        kind=types.InlayHintKind.Type if hint.kind == "tile" else None,
        data={"tooltip": hint.tooltip, "markdown": hint.kind == "code"},
    )


def inlay_hint_resolve(ls: Server, hint: types.InlayHint) -> types.InlayHint:
    """The tooltip, which names the instance that the hint holds for."""
    data: Any = hint.data
    if isinstance(data, dict):
        table = cast("dict[str, object]", data)
        text = str(table.get("tooltip", ""))
        is_markdown = bool(table.get("markdown")) and ls.client.shows_markdown
        hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, text) if is_markdown else without_marks(text)
    return hint
