"""Spans of parts of a snippet, and arguments appended to calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilelang.frontend.instance import FileAnalysis
from tilelang.ir.span import Span
from tilelang_analyzers import rules
from tilelang_analyzers.rule import Context, Scene
from tilelang_analyzers.rules._edits import add_argument, within
from tilelang_analyzers.sources import Sources


def test_columns_count_bytes() -> None:
    span = Span("a.py", 3, 4, 4, 2)
    assert within(span, 'x["é"], y', 5, 6) == Span("a.py", 3, 10, 3, 11)
    assert within(span, "x,\n  y", 5, 6) == Span("a.py", 4, 2, 4, 3)


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ("f(a)", "f(a, b=1)"),
        ("f()", "f(b=1)"),
        ("f(a, )", "f(a, b=1 )"),
        ("f(\n    a,\n)", "f(\n    a, b=1\n)"),
        ("f(a  # why\n)", None),
        ("f", None),
    ],
)
def test_add_argument(tmp_path: Path, call: str, result: str | None) -> None:
    path = str(tmp_path / "a.py")
    sources = Sources()
    sources.overlay(path, call.encode())
    context = Context(rules.load("unknown-name"), Scene(FileAnalysis(path, (), (), ()), sources))
    lines = call.split("\n")
    edit = add_argument(context, Span(path, 1, 0, len(lines), len(lines[-1])), "b=1")
    if edit is None:
        assert result is None
        return
    offset = sum(len(line) + 1 for line in lines[: edit.span.line - 1]) + edit.span.col
    assert call[:offset] + edit.text + call[offset:] == result
