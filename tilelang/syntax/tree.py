"""Tree-sitter trees of a text, parsed again only where it changed.

Trees are for what an editor asks inside unfinished code: which call the cursor is in, what encloses it, what folds.
Statements come from `ast` (see `recover`). A tree's points count rows by `\\n` alone; byte offsets are the safe way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Language, Tree

    from tilelang.syntax.text import SourceText


@dataclass(frozen=True, slots=True)
class TreeEdit:
    """One replacement as tree-sitter wants it: byte offsets and (row, column in bytes)."""

    start_byte: int
    old_end_byte: int
    new_end_byte: int
    start_point: tuple[int, int]
    old_end_point: tuple[int, int]
    new_end_point: tuple[int, int]


def tree_edit(before: SourceText, after: SourceText, start: int, old_end: int, new_end: int) -> TreeEdit:
    """The edit that replaced characters `start` to `old_end` of `before` by those up to `new_end` of `after`."""
    return TreeEdit(
        _byte(before, start),
        _byte(before, old_end),
        _byte(after, new_end),
        _point(before.text, start),
        _point(before.text, old_end),
        _point(after.text, new_end),
    )


def parse_tree(source: SourceText, base: Tree | None = None, edits: Sequence[TreeEdit] = ()) -> Tree:
    """The tree of a text; `base` is a tree of an earlier text and `edits` lead from there to `source`."""
    from tree_sitter import Parser

    parser, data = Parser(_language()), source.text.encode()
    if base is None:
        return parser.parse(data)
    old = base.copy()
    for edit in edits:
        points = edit.start_point, edit.old_end_point, edit.new_end_point
        old.edit(edit.start_byte, edit.old_end_byte, edit.new_end_byte, *points)
    return parser.parse(data, old)


@cache
def _language() -> Language:
    import tree_sitter_python
    from tree_sitter import Language

    return Language(tree_sitter_python.language())


def _byte(source: SourceText, offset: int) -> int:
    return source.byte_offset(*source.position_at(offset))


def _point(text: str, offset: int) -> tuple[int, int]:
    row_start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), len(text[row_start:offset].encode())
