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
