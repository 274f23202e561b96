"""The documentation of rules as files, for the link that editors show on a finding's code.

They are written on demand, so they work without a network and are those of this very version.
"""

from __future__ import annotations

from functools import cache

from tilelang_analyzers import rules
from tilelang_analyzers.cache import user_folder
from tilelang_analyzers.rules.docs import page


@cache
def rule_page(name: str) -> str:
    """The path of the page of one rule; empty if there is none or it cannot be written."""
    if name not in rules.names():
        return ""
    file = user_folder() / "rules" / f"{name}.md"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(rules.load(name)), encoding="utf-8")
    except OSError:
        return ""
    return str(file)
