"""Source positions. One kind is used everywhere in the core.

Lines count from 1. Columns count UTF-8 bytes from 0, as in :mod:`ast`. Only reports and the language
server convert columns to characters or UTF-16 units.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range in one file.

    ``via`` is the place that led here: the call of an inlined macro, or the call site of a factory.
    Walking ``via`` gives the whole chain, innermost first.
    """

    path: str
    line: int
    col: int
    end_line: int
    end_col: int
    via: Span | None = None

    def chain(self) -> tuple[Span, ...]:
        """This span followed by every place that led to it, innermost first."""
        links: list[Span] = []
        link: Span | None = self
        while link is not None:
            links.append(link)
            link = link.via
        return tuple(links)

    def outermost(self) -> Span:
        """The end of the ``via`` chain: the place a user would look at first."""
        link = self
        while link.via is not None:
            link = link.via
        return link

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.col + 1}"


NOWHERE = Span("", 0, 0, 0, 0)
"""Placeholder for nodes made outside any source file (tests, hand-built IR)."""
