"""Applies the fixes of findings to files.

A fix is applied whole or not at all. Fixes that overlap wait for the next round, when the file has been checked again.
A file that is not UTF-8, is a notebook, or would stop parsing stays as it is.
"""

from __future__ import annotations

import ast
import codecs
import os
import warnings
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.diagnostics import Diagnostic, Edit, Fix
    from tilelang.syntax.text import SourceText
    from tilelang_analyzers.sources import Sources

MAX_ROUNDS = 10
"""Checks and repairs of one run; more would mean that two fixes undo each other."""

Change = tuple[int, int, bytes]
"""Start and end in bytes of the text, and what takes their place."""


def apply(findings: Iterable[Diagnostic], sources: Sources, *, unsafe: bool) -> int:
    """Write the fixes of the findings, safe ones only unless ``unsafe``. The result counts what was fixed."""
    by_file: dict[str, list[Fix]] = defaultdict(list)
    for finding in findings:
        fix = finding.fix
        paths = {edit.span.path for edit in fix.edits} if fix else set[str]()
        if fix and len(paths) == 1 and (fix.safe or unsafe):
            by_file[paths.pop()].append(fix)
    return sum(_rewrite(path, fixes, sources.file(path)) for path, fixes in by_file.items())


def fixed_text(fixes: Iterable[Fix], source: SourceText) -> tuple[bytes, int]:
    """The UTF-8 text with all fixes that do not overlap, and how many those are."""
    accepted: list[Change] = []
    count = 0
    for fix in fixes:
        changes = [_change(edit, source) for edit in fix.edits]
        if changes and not any(_overlap(change, other) for change in changes for other in accepted):
            accepted += changes
            count += 1
    text = source.text.encode()
    for start, end, replacement in sorted(accepted, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text, count


def _change(edit: Edit, source: SourceText) -> Change:
    start = source.byte_offset(edit.span.line, edit.span.col)
    end = source.byte_offset(edit.span.end_line, edit.span.end_col)
    return start, max(start, end), edit.text.encode()


def _overlap(a: Change, b: Change) -> bool:
    """Two insertions at one place count: their order is not known."""
    return a[0] == b[0] or (a[0] < b[1] and b[0] < a[1])


def _rewrite(path: str, fixes: list[Fix], source: SourceText) -> int:
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError:
        return 0
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if path.endswith(".ipynb") or data != mark + source.text.encode("utf-8", "replace"):
        return 0
    text, count = fixed_text(fixes, source)
    if text == data[len(mark) :] or (_parses(data) and not _parses(text)):
        return 0
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_bytes(mark + text)
        temporary.chmod(file.stat().st_mode)
        temporary.replace(file)
    except OSError:
        return 0
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return count


def _parses(data: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
