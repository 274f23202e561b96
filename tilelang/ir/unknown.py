"""The value of everything that the evaluator does not follow.

``UNKNOWN`` absorbs every operation and never raises a finding by itself.
"""

from __future__ import annotations

from typing import Final


class Unknown:
    """One unknown value. ``why`` says in a few words where it came from, for ``--trace-instances``."""

    __slots__ = ("why",)

    def __init__(self, why: str = "") -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"<unknown{': ' + self.why if self.why else ''}>"


UNKNOWN: Final = Unknown()
