"""The documentation of rules as files, for the link that editors show on a finding's code.

They are written on demand, so they work without a network and are those of this very version.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tilelang_analyzers import rules
from tilelang_analyzers.rules.docs import page


@cache
def rule_page(name: str) -> str:
    """The path of the page of one rule; empty if there is none or it cannot be written."""
    if name not in rules.names():
        return ""
    file = _folder() / f"{name}.md"
    try:
        file.write_text(page(rules.load(name)), encoding="utf-8")
    except OSError:
        return ""
    return str(file)


@cache
def _folder() -> Path:
    return Path(mkdtemp(prefix="tilelang-rules-"))
