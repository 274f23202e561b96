"""Which thread holds which element of a fragment, as far as reductions and register counts need it.

A thread number is a sum of *digits*: ``(index[dim] // lower) % extent * scale``. This is the thread half of an inferred
layout without its copies; reducers add digits for the loops that they sum over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.layout.digits import Input

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.layout.fragment import Fragment
    from tilelang.passes.layouts import LayoutMap

WARP = 32
REDUCED = -1
"""Instead of a dimension: the digit comes from a loop that a reducer sums over."""


class Digit(NamedTuple):
    """One factor of the thread number, taken from one dimension of the index."""

    dim: int
    lower: int
    extent: int
    scale: int

    @property
    def span(self) -> int:
        """Threads that a reduction along this digit runs over, those in between included."""
        return self.extent * self.scale


class ThreadMap(NamedTuple):
    """Digits of one fragment. A dimension without digits is not spread over threads: each thread has all of it, or the
    fragment is replicated."""

    digits: tuple[Digit, ...]

    @property
    def parts(self) -> int:
        """Into how many different parts the fragment is cut."""
        count = 1
        for digit in self.digits:
            if digit.dim != REDUCED:
                count *= digit.extent
        return count

    def along(self, dim: int) -> tuple[Digit, ...]:
        return tuple(digit for digit in self.digits if digit.dim == dim and digit.extent > 1)


Maps = dict["Buffer", ThreadMap]


def of_layouts(layouts: LayoutMap) -> Maps:
    """The maps of all fragments with a layout."""
    found = {buffer: of_fragment(one.layout) for buffer, one in layouts.claims.items() if buffer.is_fragment}  # type: ignore[arg-type]  # fragments have fragment layouts
    return {buffer: spread for buffer, spread in found.items() if spread is not None}


def of_fragment(fragment: Fragment) -> ThreadMap | None:
    """The digits of a layout; ``None`` where the thread is no sum of plain digits."""
    digits: list[Digit] = []
    for source, lower, extent, scale in fragment.thread.digits:
        if not isinstance(source, Input) or not isinstance(source.key, int):
            return None
        if source.key >= 0:
            digits.append(Digit(source.key, lower, extent, scale))
    return ThreadMap(tuple(sorted(digits, key=lambda digit: digit.scale)))
