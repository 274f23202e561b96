"""Findings as data, shared by the checker, the server and running programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.span import Span


class Severity(IntEnum):
    """Ordered: a higher value is worse. ``OFF`` never shows."""

    OFF = 0
    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Note:
    """Another place involved in a finding, or a sentence of advice (``span`` is None then)."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``text``."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that removes the finding. A fix is ``safe`` if it cannot change what a right program computes."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. ``message`` stands alone on one line, with the numbers in it.

    ``targets`` are arch names the finding holds for; empty means that it does not depend on the target.
    ``data`` has the figures of the message (``need``, ``have``, ...) for JSON output and tests.
    """

    rule: str
    severity: Severity
    message: str
    span: Span
    notes: tuple[Note, ...] = ()
    fix: Fix | None = None
    targets: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict[str, object], compare=False)
