"""Where the sources of a notebook's cells stand in the JSON text of its file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=True)


class Value(NamedTuple):
    """A JSON value and where its text is."""

    start: int
    end: int
    value: object

    def strings(self, text: str) -> tuple[Value, ...]:
        """The strings of a cell's source: itself, or the lines that it lists."""
        if isinstance(self.value, str):
            return (self,)
        listed = elements(text, self.start) if isinstance(self.value, list) else ()
        return tuple(element for element in listed if isinstance(element.value, str))


def cell_sources(text: str) -> Iterator[Value | None]:
    """The source of every cell, of whatever kind, in order; None for a cell without one.

    Formats 3 (worksheets) and 4 are known. Raises ``ValueError``, ``LookupError`` or ``TypeError`` on text that is no
    notebook.
    """
    top = members(text, _skip(text, 0))
    if "cells" in top:
        lists = [top["cells"]]
    else:
        sheets = elements(text, top["worksheets"].start)
        lists = [members(text, sheet.start)["cells"] for sheet in sheets]
    for cells in lists:
        for cell in elements(text, cells.start):
            found = members(text, cell.start)
            yield found.get("source") or found.get("input")


def elements(text: str, at: int) -> Iterator[Value]:
    """The elements of the array whose bracket is at ``at``."""
    at = _inside(text, at, "[")
    while text[at] != "]":
        element = _value(text, at)
        yield element
        at = _skip(text, element.end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def members(text: str, at: int) -> dict[str, Value]:
    """The members of the object whose brace is at ``at``; as in Python, the last one of a name counts."""
    found: dict[str, Value] = {}
    at = _inside(text, at, "{")
    while text[at] != "}":
        name = _value(text, at)
        value = _value(text, _skip(text, _skip(text, name.end) + 1))
        found[str(name.value)] = value
        at = _skip(text, value.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _inside(text: str, at: int, opening: str) -> int:
    if text[at] != opening:
        raise ValueError(f"expected {opening!r} at {at}")
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _value(text: str, at: int) -> Value:
    value, end = cast("tuple[object, int]", _DECODER.raw_decode(text, at))
    return Value(at, end, value)
