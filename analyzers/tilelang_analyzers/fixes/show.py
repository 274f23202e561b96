"""Fixes as people read them: a unified diff, and a list."""

from __future__ import annotations

from collections import Counter
from difflib import unified_diff
from typing import TYPE_CHECKING

from tilelang.syntax.text import SourceText
from tilelang_analyzers.report.places import display_path
from tilelang_analyzers.report.style import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_analyzers.fixes.fixpoint import FixedFile, Repair
    from tilelang_analyzers.report.style import Style

_ROLES = {"---": "bold", "+++": "bold", "@@": "help", "-": "removed", "+": "added"}


def diff_lines(file: FixedFile, style: Style) -> Iterator[str]:
    """A diff that `patch` and `git apply` take, for a file in UTF-8."""
    name = display_path(file.path)
    before, after = (SourceText.from_bytes(file.path, data).text for data in (file.before, file.after))
    for line in unified_diff(_lines(before), _lines(after), name, name):
        text, ended = line.removesuffix("\n"), line.endswith("\n")
        role = next((role for sign, role in _ROLES.items() if text.startswith(sign)), "")
        yield style.paint(text, role)
        if not ended:
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """Lines with their ends. A carriage return that ends no line by itself in a diff stays in it."""
    return [f"{line}\n" for line in text[:-1].split("\n")] if text.endswith("\n") else _open_ended(text)


def _open_ended(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def fixed_lines(fixed: Repair) -> Iterator[str]:
    """What was fixed, by file and rule."""
    for file in sorted(fixed.files, key=lambda it: it.path):
        yield f"  {display_path(file.path)}"
        counts = Counter((it.rule, it.fix.title if it.fix else "") for it in file.applied)
        for (rule, title), count in sorted(counts.items()):
            yield clean(f"    {count} × {rule}: {title}")


def trouble_lines(fixed: Repair) -> Iterator[str]:
    """What could not be fixed, and why."""
    for finding, reason in fixed.dropped:
        title = finding.fix.title if finding.fix else ""
        yield clean(f"{display_path(finding.span.path)}: no fix for {finding.rule} ({title}): {reason}")
    for path in fixed.restless:
        yield f"{display_path(path)}: the fixes undo each other; nothing is changed (please report it)"
