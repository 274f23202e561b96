"""Operands of an instruction, in any assembly language."""

from __future__ import annotations

_OPEN, _CLOSE = "[({", "])}"


def split_operands(text: str) -> tuple[str, ...]:
    """The operands between the commas that are in no brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for index, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    parts.append(text[start:].strip())
    return tuple(part for part in parts if part)
