"""Logical lines and top-level blocks of valid code are those of Python."""

from __future__ import annotations

import ast
import sysconfig
import tokenize
from io import StringIO
from pathlib import Path

import pytest

from tilelang.syntax.blocks import block_ranges
from tilelang.syntax.lines import logical_lines

TRICKY = r'''
@decorated(
    1,
)  # comment
# between
@twice
class A:
    """Doc "with" quotes.

def f(): not code
"""
    x = {"a": 1, 'b"': [2,
3], # ( in a comment
    }

if A: pass
# comment at the margin
else:
    y = \
1

try:
    pass
except (ValueError,
TypeError):
    pass
else:
    pass
finally:
    z = lambda: (yield)
a = 1; b = 2
call(
x for x in y
if x
)
s = 'it''s' r"\\" "\"" """
if 1:
"""
FFform = [
  'feed'
]
match (x):
    case {"k": v} if v: pass
value = """one""" + f"{'two'}" + rf"""{x:>{y}}"""
'''.replace("FF", "\x0c")


def check_blocks(text: str) -> int:
    module = ast.parse(text)
    found: list[str] = []
    for block in block_ranges(text):
        assert block.closed
        line = text.count("\n", 0, block.start)
        found += [
            ast.dump(node, include_attributes=True)
            for node in ast.parse("\n" * line + text[block.start : block.end]).body
        ]
    assert found == [ast.dump(node, include_attributes=True) for node in module.body]
    return len(found)


def test_blocks_of_tricky_code() -> None:
    assert check_blocks(TRICKY) == 10


@pytest.mark.parametrize(
    "name", ["argparse", "dataclasses", "enum", "inspect", "locale", "textwrap", "typing", "turtle"]
)
def test_blocks_of_the_standard_library(name: str) -> None:
    path = Path(sysconfig.get_path("stdlib")) / f"{name}.py"
    assert check_blocks(path.read_text(encoding="utf-8")) > 10


@pytest.mark.parametrize(
    "text", [TRICKY, Path(tokenize.__file__).read_text(encoding="utf-8")], ids=["tricky", "tokenize"]
)
def test_logical_lines_are_those_of_the_tokenizer(text: str) -> None:
    starts: list[int] = []
    fresh = True
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            continue
        if fresh:
            starts.append(token.start[0])
        fresh = token.type == tokenize.NEWLINE
    lines = list(logical_lines(text))
    assert [text.count("\n", 0, line.start) + 1 for line in lines] == starts
    assert all(line.closed for line in lines)


def test_an_unclosed_bracket_ends_before_a_statement_keyword() -> None:
    text = "def f():\n    g(1,\n    return 2\nx = 3\n"
    lines = [text[line.start : line.end] for line in logical_lines(text)]
    assert lines == ["def f():", "g(1,", "return 2", "x = 3"]


def test_soft_lines_also_end_at_the_margin() -> None:
    text = "  g(1,\n    2\n  x = 3\n"
    assert [text[line.start : line.end] for line in logical_lines(text, soft=True)] == ["g(1,\n    2", "x = 3"]
    assert [text[line.start : line.end] for line in logical_lines(text)] == ["g(1,\n    2\n  x = 3"]
