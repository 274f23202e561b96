"""Rename: all mentions or none, and a reason where it cannot be done."""

from __future__ import annotations

import builtins
import keyword
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit
from tilelang_lsp.ide.resolve import references, symbol_home

if TYPE_CHECKING:
    from tilelang.ir.span import Span
    from tilelang_lsp.ide.resolve import Home
    from tilelang_lsp.session import Snapshot


class CannotRename(Exception):
    """The message says why, for the user."""


def prepare(snapshot: Snapshot, line: int, col: int) -> Span:
    """The name that would be replaced. Raises :class:`CannotRename`."""
    _home(snapshot, line, col)
    occurrence = snapshot.file.names.at(line, col)
    attribute = snapshot.file.names.attribute_at(line, col)
    if occurrence is not None:
        return occurrence.span
    assert attribute is not None
    return attribute[0]


def rename(snapshot: Snapshot, line: int, col: int, name: str) -> list[Edit]:
    """The edits that give a name another spelling everywhere. Raises :class:`CannotRename`."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise CannotRename(f"`{name}` is not a name")
    home = _home(snapshot, line, col)
    taken = home.symbol.scope.symbols.get(name)
    if taken is not None and taken is not home.symbol:
        raise CannotRename(f"`{name}` exists already in line {taken.definitions[0].span.line}")
    spans = {each.span for each in references(snapshot.workspace, home)}
    for span in spans:
        file = snapshot.workspace.file(span.path)
        inner = file.names.scope_at(span.line, span.col).resolve(name) if file is not None else None
        if inner is not None and inner.scope is not home.symbol.scope:
            raise CannotRename(f"`{name}` means something else in line {span.line} of {span.path}")
    ordered = sorted(spans, key=lambda span: (span.path, span.line, span.col))
    return [Edit(span, name) for span in ordered]


def _home(snapshot: Snapshot, line: int, col: int) -> Home:
    occurrence = snapshot.file.names.at(line, col)
    if occurrence is None and snapshot.file.names.attribute_at(line, col) is None:
        raise CannotRename("there is no name here that is defined in the project")
    home = symbol_home(snapshot.workspace, snapshot.file, line, col)
    if home is not None and home.symbol.definitions:
        return home
    if occurrence is not None and occurrence.symbol.kind == "import" and not hasattr(builtins, occurrence.symbol.name):
        raise CannotRename(f"`{occurrence.symbol.name}` comes from outside the project")
    raise CannotRename("this name is not defined in the project")
