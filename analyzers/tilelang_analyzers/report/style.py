"""How text looks: width, colours, and the few signs outside ASCII."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_WIDTH = 80

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "note": "1;32",
    "help": "1;36",
    "ok": "32",
    "bold": "1",
    "faint": "2",
    "gutter": "34",
    "added": "32",
    "removed": "31",
}
_BREAK = re.compile(r"(?<!\d) | (?!\d{3}\b|[KM]?i?B\b)")
"""A space where a line may end: not inside ``131 072 B``."""
_DIRECTION_MARKS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Style:
    """``signs``: whether the output can show ``✓``, ``✗`` and ``…``."""

    width: int = DEFAULT_WIDTH
    color: bool = False
    signs: bool = True

    @staticmethod
    def of(stream: TextIO, color: str = "auto") -> Style:
        """The style for a stream. ``color`` is auto, always or never; auto is on a terminal only, and obeys
        ``NO_COLOR`` and ``FORCE_COLOR``."""
        terminal = stream.isatty()
        wanted = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        wanted = wanted or bool(os.environ.get("FORCE_COLOR"))
        return Style(_width(stream, terminal), {"always": True, "never": False}.get(color, wanted), _can_show(stream))

    def paint(self, text: str, role: str) -> str:
        """``text`` in the colour of a role; an empty role has none."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and role and text else text

    @property
    def tick(self) -> str:
        return "✓" if self.signs else "+"

    @property
    def cross(self) -> str:
        return "✗" if self.signs else "x"

    @property
    def dots(self) -> str:
        return "…" if self.signs else "~"


def _width(stream: TextIO, terminal: bool) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) >= 40:
        return int(columns)
    if not terminal:
        return DEFAULT_WIDTH
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, 40)
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def _can_show(stream: TextIO) -> bool:
    try:
        "✓✗…×".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def clean(text: str) -> str:
    """Text from a checked file without what could drive a terminal: control characters and changes of direction."""
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character.isprintable() or character in "\t ":
        return character
    return "\ufffd" if character in _DIRECTION_MARKS or unicodedata.category(character) in ("Cc", "Cf", "Cs") else " "


def display_width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def char_width(character: str) -> int:
    """0 for combining marks, 2 for East Asian wide characters and emoji, else 1."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap(text: str, width: int, first: str = "", rest: str = "  ") -> Iterator[str]:
    """Lines of at most ``width`` columns, broken at spaces; a longer word has a line of its own. ``first`` and ``rest``
    start the lines."""
    line, start = "", first
    for word in _BREAK.split(text):
        candidate = f"{line} {word}" if line else word
        if line and display_width(start) + display_width(candidate) > width:
            yield start + line
            line, start = word, rest
        else:
            line = candidate
    yield start + line
