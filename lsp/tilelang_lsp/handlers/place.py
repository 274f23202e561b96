"""The edge: names of documents and positions of the editor to those of the core, and back. Nowhere else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified
from pygls.uris import from_fs_path, to_fs_path, uri_scheme

from tilelang.syntax.text import SourceText
from tilelang_lsp.positions import from_editor, to_editor

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.positions import Encoding
    from tilelang_lsp.server import Server
    from tilelang_lsp.session import Snapshot


class Uris:
    """The path of each document and back, as the editor spells it. A document without a file has a made-up path in the
    folder of the workspace, so that its settings and imports are those of the project."""

    def __init__(self) -> None:
        self._uris: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self.folder = str(Path.cwd())

    def path(self, uri: str) -> str:
        if uri not in self._paths:
            path = to_fs_path(uri) if uri_scheme(uri) == "file" else None
            if not path:
                digest = hashlib.blake2b(uri.encode(), digest_size=4).hexdigest()
                path = str(Path(self.folder, f"untitled-{digest}.py"))
            path = str(Path(path).absolute())
            self._paths[uri] = path
            self._uris.setdefault(path, uri)
        return self._paths[uri]

    def uri(self, path: str) -> str:
        return self._uris.get(path) or from_fs_path(path) or ""

    def alias(self, uri: str, path: str) -> None:
        """A cell belongs to the file of its notebook."""
        self._paths[uri] = path


@dataclass(frozen=True, slots=True)
class Place:
    """A position in an open file: line from 1, UTF-8 column."""

    snapshot: Snapshot
    line: int
    col: int


def place(ls: Server, uri: str, position: types.Position) -> Place | None:
    """A position in an open file that has to do with TileLang; None elsewhere, where the server keeps quiet."""
    snapshot = ls.session.snapshot(ls.uris.path(uri))
    if snapshot is None or not snapshot.file.mentions_language:
        return None
    line, col = core_position(snapshot.file, uri, position, ls.encoding)
    return Place(snapshot, line, col)


async def fresh(ls: Server, uri: str) -> Snapshot | None:
    """A snapshot whose analysis is that of the newest text. Raises *content modified* if that changes meanwhile."""
    path = ls.uris.path(uri)
    before = ls.session.workspace.open.get(path)
    if before is None or not before.mentions_language:
        return None
    await ls.scheduler.fresh(path)
    if not ls.session.is_current(before):
        raise JsonRpcContentModified("the document changed")
    return ls.session.snapshot(path)


async def fresh_place(ls: Server, uri: str, position: types.Position) -> Place | None:
    """Like :func:`place`, with the analysis of the newest text."""
    snapshot = await fresh(ls, uri)
    if snapshot is None:
        return None
    line, col = core_position(snapshot.file, uri, position, ls.encoding)
    return Place(snapshot, line, col)


def core_position(file: SourceFile, uri: str, position: types.Position, encoding: Encoding) -> tuple[int, int]:
    """A position of an editor in the text of its file. One behind the end means the end."""
    first, last = core_lines(file, uri)
    if position.line > last - first:
        return last, len(file.source.line_text(last).encode())
    line = first + position.line
    return line, from_editor(file.source, line, position.character, encoding)


def core_lines(file: SourceFile, uri: str, wanted: types.Range | None = None) -> tuple[int, int]:
    """First and last line of a document, or of a range in it, in the text of its file."""
    cell = next((cell for cell in file.cells if cell.uri == uri), None)
    first, count = (cell.start_line, cell.line_count) if cell is not None else (1, file.source.line_count)
    if wanted is None:
        return first, first + count - 1
    return first + wanted.start.line, first + min(wanted.end.line, count)


def position_of(ls: Server, path: str, line: int, col: int, file: SourceFile | None = None) -> types.Position:
    """A place in the core's terms as the editor counts; in a notebook, within its cell."""
    known = file or ls.session.workspace.file(path)
    source = known.source if known is not None else SourceText.from_text(path, "")
    line = min(max(line, 1), source.line_count)
    column = to_editor(source, line, col, ls.encoding)
    cell = known.cell_at(line) if known is not None else None
    return types.Position(line - (cell.start_line if cell is not None else 1), column)


def range_of(ls: Server, span: Span, file: SourceFile | None = None) -> types.Range:
    """A span as the editor counts. A span over several cells ends with the first one."""
    known = file if file is not None and file.path == span.path else ls.session.workspace.file(span.path)
    end_line, end_col = span.end_line, span.end_col
    cell = known.cell_at(span.line) if known is not None else None
    if cell is not None and known is not None and end_line >= cell.start_line + cell.line_count:
        end_line = cell.start_line + cell.line_count - 1
        end_col = len(known.source.line_text(end_line).encode())
    start = position_of(ls, span.path, span.line, span.col, known)
    return types.Range(start, position_of(ls, span.path, end_line, end_col, known))


def uri_of(ls: Server, path: str, line: int, file: SourceFile | None = None) -> str:
    """The document of a line: a file, or a cell of an open notebook."""
    known = file if file is not None and file.path == path else ls.session.workspace.open.get(path)
    cell = known.cell_at(line) if known is not None else None
    return cell.uri if cell is not None else ls.uris.uri(path)


def location_of(ls: Server, span: Span) -> types.Location:
    return types.Location(uri_of(ls, span.path, span.line), range_of(ls, span))
