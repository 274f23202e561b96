"""`Document`: an immutable version of a file in an editor, cheap to derive from the one before.

An edit reads again only the top-level blocks that it touches. Statements carry the line numbers of the file, so a block
that an edit above moves is parsed again from its text: Python's parser makes a node in less than a microsecond, while
moving one costs two to three.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

from tilelang.syntax.blocks import BlockRange, block_ranges
from tilelang.syntax.broken import following_position
from tilelang.syntax.cpython import paused_collection
from tilelang.syntax.limits import MAX_PROBLEMS, cut_depth, size_problem
from tilelang.syntax.module import MISSING, Module, assemble
from tilelang.syntax.recover import count_errors, read_blocks, unread_rest
from tilelang.syntax.text import SourceText
from tilelang.syntax.tree import TreeEdit, parse_tree, tree_edit

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

    from tree_sitter import Tree

    from tilelang.syntax.problem import SyntaxProblem

# Edits after which a tree that nobody asked for again is forgotten.
_MAX_PENDING_EDITS = 100

Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the text between two positions (line, UTF-8 column) of the document as the changes before left it."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level statement: its range in characters, its first line, and the hash of its text."""

    range: BlockRange
    start_line: int
    key: bytes


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """Statements and problems of a block. As long as it neither changes nor moves, all versions share one object.

    The nodes are shared too: treat them as immutable. `following` is the position of the next block's first token,
    which problems may show.
    """

    key: bytes
    start_line: int
    body: tuple[ast.stmt, ...]
    problems: tuple[SyntaxProblem, ...]
    repaired: tuple[tuple[int, int], ...]
    following: Position | None


@dataclass(frozen=True, eq=False)
class Document:
    """One version of a file. Made by `Document.open`, then by `edit`; statements and tree are read on demand."""

    source: SourceText
    version: int
    blocks: tuple[Block, ...]
    _known: dict[tuple[bytes, int], ParsedBlock] = field(repr=False)
    _base_tree: Tree | None = field(default=None, repr=False)
    _tree_edits: tuple[TreeEdit, ...] = field(default=(), repr=False)

    @staticmethod
    def open(path: str, text: str, version: int = 0) -> Document:
        """The first version of a document."""
        source = SourceText.from_text(path, text)
        blocks = (_block(source, block) for block in block_ranges(source.readable))
        return Document(source, version, tuple(blocks), {})

    def edit(self, changes: Iterable[Change], version: int | None = None) -> Document:
        """The document after `changes`, which apply one after the other."""
        source = self.source
        tree = self.__dict__.get("tree")
        base, edits = (self._base_tree, list(self._tree_edits)) if tree is None else (tree, [])
        # What every change leaves alone: the first `head` characters and the last `tail`.
        head = tail = len(source.text)
        for change in changes:
            start = source.char_offset(*change.start)
            end = max(source.char_offset(*change.end), start)
            head, tail = min(head, start), min(tail, len(source.text) - end)
            text = source.text[:start] + change.text + source.text[end:]
            changed = SourceText.from_text(source.path, text)
            edits.append(tree_edit(source, changed, start, end, start + len(change.text)))
            source = changed
        if len(edits) > _MAX_PENDING_EDITS:
            base, edits = None, []
        blocks = tuple(self._blocks_after(source, head, tail))
        known = self._known
        if "parsed" in self.__dict__:
            known = {(block.key, block.start_line): block for block in self.parsed}
        return Document(
            source, self.version + 1 if version is None else version, blocks, known, base, tuple(edits) if base else ()
        )

    @cached_property
    def parsed(self) -> tuple[ParsedBlock, ...]:
        """The blocks with their statements; the rest is left out after too many problems, all of too large a text."""
        if size_problem(self.source) is not None:
            return ()
        parsed: list[ParsedBlock] = []
        allowed = MAX_PROBLEMS
        with paused_collection():
            while len(parsed) < len(self.blocks) and allowed > 0:
                known = self._reusable(len(parsed))
                read = [known] if known else self._read(len(parsed), allowed)
                parsed += read
                allowed -= sum(count_errors(block.problems) for block in read)
        return tuple(parsed)

    @cached_property
    def module(self) -> Module:
        """All statements, equal to what `parse_module` finds in the text."""
        too_large = size_problem(self.source)
        if too_large is not None:
            return Module([], (*self.source.problems, too_large), self.source, ((1, self.source.line_count),))
        body: list[ast.stmt] = []
        problems: list[SyntaxProblem] = []
        repaired: list[tuple[int, int]] = []
        for block in self.parsed:
            body += block.body
            problems += block.problems
            repaired += block.repaired
        if len(self.parsed) < len(self.blocks):
            rest = unread_rest(self.source, self.blocks[len(self.parsed)].range.start)
            problems += rest.problems
            repaired += rest.repaired
        return assemble(self.source, body, problems, repaired)

    @cached_property
    def tree(self) -> Tree:
        """The tree-sitter tree of the text, parsed from the last version's that was asked for."""
        return parse_tree(self.source, self._base_tree, self._tree_edits)

    def _blocks_after(self, source: SourceText, head: int, tail: int) -> Iterator[Block]:
        """Blocks of a changed text that keeps the first `head` and the last `tail` characters of this one."""
        old_length, shift = len(self.source.text), len(source.text) - len(self.source.text)
        starts = [block.range.start for block in self.blocks]
        # A closed block depends on the next one and a line more, an open one on all that follows.
        kept = max(bisect_right(starts, head) - 3, 0)
        kept = next((index for index in range(kept) if not self.blocks[index].range.closed), kept)
        yield from self.blocks[:kept]
        restart = starts[kept] if kept else 0
        for block in block_ranges(source.readable, restart):
            # Scanning has no memory at the start of a block: from a common start on, equal text has equal blocks.
            index = bisect_right(starts, block.start - shift) - 1
            if index >= 0 and starts[index] == block.start - shift and starts[index] >= old_length - tail:
                lines = bisect_right(source.line_starts, block.start) - self.blocks[index].start_line
                for old in self.blocks[index:]:
                    moved = BlockRange(old.range.start + shift, old.range.end + shift, old.range.closed)
                    yield Block(moved, old.start_line + lines, old.key)
                return
            yield _block(source, block)

    def _reusable(self, index: int) -> ParsedBlock | None:
        """The block as an earlier version read it, if it still says the same."""
        block = self.blocks[index]
        known = self._known.get((block.key, block.start_line))
        if known is None or (known.problems and known.following != self._following(block)):
            return None
        return known

    def _following(self, block: Block) -> Position | None:
        return following_position(self.source, self.source.readable, block.range.end)

    def _read(self, first: int, allowed: int) -> list[ParsedBlock]:
        """Read the blocks from `first` to the next one that is known, until there are `allowed` syntax errors."""
        last = first + 1
        while last < len(self.blocks) and self._reusable(last) is None:
            last += 1
        blocks = self.blocks[first:last]
        result: list[ParsedBlock] = []
        read = read_blocks(self.source, self.source.readable, [block.range for block in blocks], allowed)
        for block, recovered in zip(blocks, read, strict=False):
            problems = (*recovered.problems, *cut_depth(self.source, recovered.body, MISSING))
            following = self._following(block) if problems else None
            body, repaired = tuple(recovered.body), tuple(recovered.repaired)
            result.append(ParsedBlock(block.key, block.start_line, body, problems, repaired, following))
        return result


def _block(source: SourceText, block: BlockRange) -> Block:
    text = source.text[block.start : block.end]
    return Block(block, bisect_right(source.line_starts, block.start), blake2b(text.encode(), digest_size=16).digest())
