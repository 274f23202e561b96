"""From when to when each piece of shared memory is needed, in moments of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.passes.timeline import Moment, Timeline
    from tilelang.passes.workspace import Workspace


class Life(NamedTuple):
    """Moments ``first`` to ``last``, both included."""

    first: int
    last: int


def lives(timeline: Timeline) -> dict[Buffer | Workspace, Life]:
    """The life of everything that is touched at all, in order of first use."""
    first: dict[Buffer | Workspace, int] = {}
    last: dict[Buffer | Workspace, int] = {}
    for index, moment in enumerate(timeline.moments):
        for slot in moment.touched:
            first.setdefault(slot, index)
            last[slot] = index
    ends = {*first.values(), *last.values()}
    end = len(timeline.moments) - 1
    found = {slot: Life(first[slot], _released(timeline.moments, ends, first[slot], last[slot])) for slot in first}
    return found | {buffer: Life(0, max(end, 0)) for buffer in timeline.whole}


def _released(moments: tuple[Moment, ...], ends: set[int], first: int, last: int) -> int:
    """What is last touched in deeper loops than first is kept until the run of such loops ends. Moments where nothing
    begins or ends do not interrupt the run."""
    level = moments[first].level
    if moments[last].level <= level:
        return last
    for index in range(last + 1, len(moments)):
        if index in ends:
            if moments[index].level == level:
                break
            last = index
    return last
