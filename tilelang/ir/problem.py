"""What went wrong while evaluating, as data. Rules turn problems into messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.span import Span


@dataclass(frozen=True, slots=True)
class Problem:
    """One fact about the source. ``kind`` is the name of the rule that reports it; ``data`` holds the figures and
    names of the message; ``notes`` are other places involved, each with a short text."""

    kind: str
    span: Span
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    notes: tuple[tuple[str, Span], ...] = ()


def function_name(data: Mapping[str, object]) -> str:
    """The language function that a problem is about: ``T.copy``."""
    name = str(data.get("function") or "the call")
    return name if "." in name or " " in name or name.endswith("()") else f"T.{name}"


def argument_text(data: Mapping[str, object]) -> str:
    """An ``invalid-argument`` problem as a sentence: what must be, and what is."""
    argument, expected, got = (data.get(key) or None for key in ("argument", "expected", "got"))
    message = data.get("message") or None
    if message is None and argument is not None and expected is not None:
        message = f"`{argument}` must be {expected}" + (f", not {got}" if got else "")
    elif message is not None and argument is not None and str(argument) not in str(message):
        message = f"`{argument}` {message}"
    return f"{function_name(data)}: {message or 'an argument cannot be right'}"
