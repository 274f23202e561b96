"""Decoding as Python does it, and positions that survive every kind of character."""

from __future__ import annotations

import ast
import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilelang.syntax import SourceText

CODE = 'x = "é"\n'


def read(data: bytes) -> SourceText:
    return SourceText.from_bytes("kernel.py", data)


@pytest.mark.parametrize(
    "data",
    [
        CODE.encode(),
        codecs.BOM_UTF8 + CODE.encode(),
        codecs.BOM_UTF8 + b"# coding: utf-8\n" + CODE.encode(),
        b"# -*- coding: latin-1 -*-\n" + CODE.encode("latin-1"),
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n" + CODE.encode("cp1252"),
        b"\x0c\n# coding=iso-8859-15\r\n" + CODE.encode("iso-8859-15"),
        b"x = 0\n# coding: latin-1\n" + CODE.encode(),  # Not in the first two comment lines: no coding comment.
        b"# encoding: utf8\r" + CODE.encode(),
    ],
)
def test_decodes_what_python_decodes(data: bytes) -> None:
    source = read(data)
    assert source.problems == ()
    assert ast.dump(ast.parse(source.text)) == ast.dump(ast.parse(data))


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"x = 1\ny = '\xff'\n", 2, 5, "'utf-8' codec can't decode byte 0xff: invalid start byte"),
        ("é = 'ü".encode() + b"\xc3(", 1, 8, "'utf-8' codec can't decode byte 0xc3: invalid continuation byte"),
        (b"# coding: ascii\nx = '\xe9'\n", 2, 5, "'ascii' codec can't decode byte 0xe9: ordinal not in range(128)"),
        (b"# coding: klingon\nx = 1\n", 1, 10, "unknown encoding: klingon"),
        (b"# coding: rot13\nk = 1\n", 1, 10, "unknown encoding: rot13"),
        (b"# coding: idna\nk = 1\n", 1, 10, "unknown encoding: idna"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", 1, 10, "encoding problem: latin-1 with a UTF-8 byte order mark"),
        ("x = 1".encode("utf-16"), 1, 0, "file is encoded as UTF-16, Python reads UTF-8"),
        ("x = 1".encode("utf-32"), 1, 0, "file is encoded as UTF-32, Python reads UTF-8"),
        (b"x = 1\ny = \x00\n", 2, 4, "source code cannot contain null bytes"),
    ],
)
def test_reports_the_first_bad_byte(data: bytes, line: int, column: int, message: str) -> None:
    (problem,) = read(data).problems
    assert (problem.line, problem.column, problem.message, problem.kind) == (line, column, message, "encoding")


def test_what_can_be_decoded_is_kept() -> None:
    source = read(b"x = 1\ny = '\xff'\nz = 3\n")
    assert source.text == "x = 1\ny = '\ufffd'\nz = 3\n"
    assert source.has_bad_bytes


def test_lone_surrogates_become_replacement_characters_of_the_same_length() -> None:
    source = SourceText.from_text("kernel.py", "x = '\ud800'\n")
    assert source.text == "x = '\ufffd'\n"
    assert source.problems == ()


def test_lines_end_as_in_pythons_tokenizer() -> None:
    source = SourceText.from_text("kernel.py", "a\r\nb\rc\n\x0cd\x0be\u2028f\x85g")
    assert [source.line_text(line) for line in range(1, source.line_count + 1)] == [
        "a",
        "b",
        "c",
        "\x0cd\x0be\u2028f\x85g",
    ]
    assert source.line_text(0) == source.line_text(5) == ""


def test_columns_of_wide_characters() -> None:
    source = SourceText.from_text("kernel.py", "a\nxé😀y\n")
    assert [source.char_column(2, column) for column in (0, 1, 3, 7, 8, 99)] == [0, 1, 2, 3, 4, 4]
    assert [source.utf16_column(2, column) for column in (0, 1, 3, 7, 8)] == [0, 1, 2, 4, 5]
    assert [source.byte_column_from_utf16(2, column) for column in (0, 1, 2, 3, 4, 5, 9)] == [0, 1, 3, 3, 7, 8, 8]
    assert source.char_column(2, 5) == 2, "inside a character: its start"


@settings(deadline=None, derandomize=True)
@given(st.text(st.sampled_from("ab\r\n\t\x0cé\u20ac😀\u2028")), st.data())
def test_positions_round_trip(text: str, data: st.DataObject) -> None:
    source = SourceText.from_text("kernel.py", text)
    assert source.byte_starts == tuple(len(text[:start].encode()) for start in source.line_starts)
    offset = data.draw(st.integers(0, len(text)))
    line, column = source.position_at(offset)
    if text[offset - 1 : offset + 1] != "\r\n":  # Between the two there is no column.
        assert source.char_offset(line, column) == offset
        assert source.byte_offset(line, column) == len(text[:offset].encode())
        assert source.position_at_byte(len(text[:offset].encode())) == (line, column)
        assert source.byte_column_from_utf16(line, source.utf16_column(line, column)) == column
        assert source.byte_column(line, source.char_column(line, column)) == column


def test_positions_outside_the_text_are_clamped() -> None:
    source = SourceText.from_text("kernel.py", "ab\ncd")
    assert source.char_offset(0, 0) == 0
    assert source.char_offset(9, 9) == 5
    assert source.char_offset(1, 9) == 2
    assert source.position_at(99) == source.position_at_byte(99) == (2, 2)
