"""Syntax of later Python versions than the one that runs: valid code that this Python's parser refuses."""

from __future__ import annotations

import re
import sys

from tilelang.syntax.lines import nests_quotes

_LATER = (
    ((3, 11), re.compile(r"except\s*\*")),
    ((3, 12), re.compile(r"(?:async\s+)?(?:def|class)\s+[^\W\d]\w*\s*\[")),
    ((3, 12), re.compile(r"type\s+[^\W\d]\w*\s*(?:\[[^=]*\])?\s*=")),
)


def needed_version(text: str) -> tuple[int, int] | None:
    """The Python version that a logical line is written for, if it is later than this one."""
    for version, pattern in _LATER:
        if sys.version_info < version and pattern.match(text):
            return version
    if sys.version_info < (3, 12) and nests_quotes(text):
        return 3, 12
    return None


def version_message(version: tuple[int, int]) -> str:
    """What to say of a line that only a later version reads."""
    return f"syntax of Python {version[0]}.{version[1]}, not read by Python {sys.version_info[0]}.{sys.version_info[1]}"
