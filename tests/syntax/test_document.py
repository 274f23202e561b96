"""A document after edits is the document of its text."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from tilelang.syntax import Change, Document, Module, SourceText, parse_module
from tilelang.syntax.tree import parse_tree

TEXT = """\
import tilelang.language as T

# The block size.
BLOCK = 128


@T.prim_func
def kernel(A: T.Tensor((128, 128), "float16")):
    with T.Kernel(8, threads=128) as bx:
        s = T.alloc_shared((BLOCK, 32), "float16")
        T.copy(A[bx * 32, 0], s)


def other():
    return "é😀"


class Last:
    x = 1
"""

SNIPPETS = (
    "", "", "(", ")", "[", "]", '"', "'", '"""', ":", "\n", "\r", "\r\n", "    ", "#", "@", "@a\n", "else:\n",
    "x = 1\n", "def f():\n", "é😀", "\\\n", 'f"{', 'f"""{', "}", "if x:\n", "return\n", ";", "\t", "\0", "\ufeff",
)  # fmt: skip


def facts(module: Module) -> tuple[object, ...]:
    body = [ast.dump(node, include_attributes=True) for node in module.body]
    return body, module.problems, module.repaired, module.source


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[list[tuple[float, int, str]]]]:
    lines = TEXT.splitlines(keepends=True)
    text = "".join(draw(st.lists(st.sampled_from(lines), max_size=30))) if draw(st.booleans()) else TEXT
    change = st.tuples(st.floats(0, 1), st.sampled_from((0, 0, 1, 3, 40)), st.sampled_from(SNIPPETS))
    return text, draw(st.lists(st.lists(change, min_size=1, max_size=3), min_size=1, max_size=5))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(edits())
def test_edits_equal_a_full_parse(case: tuple[str, list[list[tuple[float, int, str]]]]) -> None:
    text, versions = case
    document = Document.open("kernel.py", text)
    for number, version in enumerate(versions):
        source, changes = document.source, list[Change]()
        for place, length, new in version:
            start = int(place * len(source.text))
            change = Change(source.position_at(start), source.position_at(start + length), new)
            start, end = source.char_offset(*change.start), source.char_offset(*change.end)
            source = SourceText.from_text("kernel.py", source.text[:start] + new + source.text[max(start, end) :])
            changes.append(change)
        before = document
        document = document.edit(changes)
        assert document.version == before.version + 1
        assert facts(document.module) == facts(parse_module(source))
        if number % 2:
            tree = parse_tree(source)
            # Trees of broken text depend on the way there.
            assert tree.root_node.has_error or str(document.tree.root_node) == str(tree.root_node)


def test_blocks_that_an_edit_leaves_alone_are_shared() -> None:
    before = Document.open("kernel.py", TEXT)
    assert before.module.problems == ()
    after = before.edit([Change((10, 12), (10, 13), "other")])
    same = [new is old for new, old in zip(after.parsed, before.parsed, strict=True)]
    assert same == [True, True, False, True, True]
    assert after.blocks[2].key != before.blocks[2].key


def test_blocks_that_move_keep_their_key_and_get_new_lines() -> None:
    before = Document.open("kernel.py", TEXT)
    after = before.edit([Change((4, 0), (4, 0), "X = 1\n")])
    assert [block.key for block in after.blocks[2:]] == [block.key for block in before.blocks[1:]]
    assert [block.start_line for block in after.parsed] == [1, 4, 5, 8, 15, 19]
    assert after.parsed[-1].body[0].lineno == before.parsed[-1].body[0].lineno + 1
    assert before.module.body[-1].lineno == 18, "the version before is as it was"


def test_a_broken_block_does_not_touch_the_others() -> None:
    before = Document.open("kernel.py", TEXT)
    assert before.module.problems == ()
    column = len("        T.copy(A[")
    after = before.edit([Change((11, column), (11, 99), "")])
    (problem,) = after.module.problems
    assert (problem.line, problem.column, problem.message) == (11, column - 1, "'[' was never closed")
    assert [new is old for new, old in zip(after.parsed, before.parsed, strict=True)] == [True, True, False, True, True]


def test_trees_follow_edits_that_nobody_looked_at() -> None:
    document = Document.open("kernel.py", TEXT)
    assert not document.tree.root_node.has_error
    for _ in range(150):
        document = document.edit([Change((15, 12), (15, 12), "é")])
    assert str(document.tree.root_node) == str(parse_tree(document.source).root_node)
    assert document.tree.root_node.end_byte == len(document.source.text.encode())
