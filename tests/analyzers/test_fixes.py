"""Fixes on disk: whole, in any encoding of lines, and never to the worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilelang.diagnostics import Diagnostic, Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.fixes import apply
from tilelang_analyzers.sources import Sources


def finding(path: Path, *edits: tuple[int, int, int, str], safe: bool = True) -> Diagnostic:
    """``edits``: line, first and last column in bytes, new text."""
    made = tuple(Edit(Span(str(path), line, start, line, end), text) for line, start, end, text in edits)
    return Diagnostic("r", Severity.WARNING, "m", Span(str(path), 1, 0, 1, 1), fix=Fix("t", made, safe=safe))


def fixed(path: Path, data: bytes, *findings: Diagnostic, unsafe: bool = False) -> tuple[bytes, int]:
    path.write_bytes(data)
    count = apply(findings, Sources(), unsafe=unsafe)
    return path.read_bytes(), count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "k.py"


@pytest.mark.parametrize(
    "data",
    ["größe = f(1, 2)\r\nb = 2\r\n".encode(), b"\xef\xbb\xbf" + "größe = f(1, 2)\nb = 2".encode()],
)
def test_edits_keep_everything_else(path: Path, data: bytes) -> None:
    brackets = finding(path, (1, 11, 12, "["), (1, 16, 17, "]"))
    assert fixed(path, data, brackets) == (data.replace(b"(", b"[").replace(b")", b"]"), 1)


def test_overlapping_fixes_wait(path: Path) -> None:
    first, second = finding(path, (1, 0, 1, "b")), finding(path, (1, 0, 5, "c = 2"), (2, 0, 1, "x"))
    assert fixed(path, b"a = 1\ny = 1\n", first, second) == (b"b = 1\ny = 1\n", 1)


def test_unsafe_fixes_are_asked_for(path: Path) -> None:
    risky = finding(path, (1, 0, 1, "b"), safe=False)
    assert fixed(path, b"a = 1\n", risky) == (b"a = 1\n", 0)
    assert fixed(path, b"a = 1\n", risky, unsafe=True) == (b"b = 1\n", 1)


def test_a_fix_that_breaks_the_syntax_is_not_written(path: Path) -> None:
    assert fixed(path, b"a = 1\n", finding(path, (1, 2, 3, "("))) == (b"a = 1\n", 0)


def test_other_encodings_stay(path: Path) -> None:
    data = "# coding: latin-1\na = 'ß'\n".encode("latin-1")
    assert fixed(path, data, finding(path, (2, 0, 1, "b"))) == (data, 0)


def test_the_mode_of_the_file_stays(path: Path) -> None:
    path.write_bytes(b"a = 1\n")
    path.chmod(0o755)
    assert apply([finding(path, (1, 0, 1, "b"))], Sources(), unsafe=False) == 1
    assert path.stat().st_mode & 0o777 == 0o755
    assert list(path.parent.iterdir()) == [path]
