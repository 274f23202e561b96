"""Folding and selection, from the tree-sitter tree: both work in unfinished code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from tilelang_lsp.files import SourceFile

_FOLDED = frozenset(
    (
        "function_definition",
        "class_definition",
        "with_statement",
        "for_statement",
        "while_statement",
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "match_statement",
        "argument_list",
        "parameters",
        "list",
        "dictionary",
        "tuple",
        "string",
    )
)
_SKIPPED = frozenset(("block", "module", "expression_list", "pattern_list"))


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines from 1, both included."""

    first: int
    last: int
    kind: Literal["region", "comment", "imports"] | None = None


def folds(file: SourceFile) -> list[Fold]:
    """Bodies, brackets over several lines, groups of imports and comments, and `# region` comments."""
    found: dict[int, Fold] = {}
    for fold in (*_nodes(file.root), *_regions(file), *_groups(file)):
        if fold.last > fold.first:
            found.setdefault(fold.first, fold)
    return [found[line] for line in sorted(found)]


def _nodes(root: Node) -> Iterator[Fold]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _FOLDED:
            yield Fold(node.start_point[0] + 1, node.end_point[0] + 1)
        stack += node.named_children


def _regions(file: SourceFile) -> Iterator[Fold]:
    starts: list[int] = []
    for line in range(1, file.source.line_count + 1):
        text = file.source.line_text(line).strip()
        if text.startswith(("# region", "#region")):
            starts.append(line)
        elif text.startswith(("# endregion", "#endregion")) and starts:
            yield Fold(starts.pop(), line, "region")


def _groups(file: SourceFile) -> Iterator[Fold]:
    """Runs of import lines, and of whole-line comments."""
    kind, first = "", 0
    for line in range(1, file.source.line_count + 2):
        text = file.source.line_text(line)
        bare = text.strip()
        now = "imports" if text.startswith(("import ", "from ")) else "comment" if bare.startswith("#") else ""
        if now != kind:
            if kind and line - 1 > first:
                yield Fold(first, line - 1, "imports" if kind == "imports" else "comment")
            kind, first = now, line


def selections(file: SourceFile, line: int, col: int) -> list[Span]:
    """The nodes around a position, inner ones first: argument, call, statement, loop, kernel."""
    offset = file.source.byte_offset(line, col)
    node: Node | None = file.root.descendant_for_byte_range(offset, offset)
    spans: list[Span] = []
    while node is not None:
        start, end = _position(file, node.start_byte), _position(file, node.end_byte)
        span = Span(file.path, *start, *end)
        if node.type not in _SKIPPED and (not spans or spans[-1] != span) and node.end_byte > node.start_byte:
            spans.append(span)
        node = node.parent
    whole = Span(file.path, 1, 0, *file.source.position_at(len(file.source.text)))
    return spans if spans and spans[-1] == whole else [*spans, whole]


def _position(file: SourceFile, offset: int) -> tuple[int, int]:
    return file.source.position_at_byte(offset)
