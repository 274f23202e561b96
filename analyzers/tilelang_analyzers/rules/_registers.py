"""The registers that fragments and private arrays cost a thread at the moment when most of them are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import accesses
from tilelang.ir.stmt import For, While
from tilelang.ir.visit import children

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Block, Launch
    from tilelang.passes.registers import RegisterEstimate


class Peak(NamedTuple):
    """``registers`` of a thread in all, and the arrays that they are for, each with its registers."""

    registers: int
    arrays: tuple[tuple[Buffer, int], ...]


def peak(launch: Launch, estimate: RegisterEstimate) -> Peak:
    """The moment with the most registers. An array is needed from its first to its last use, and all through a loop
    that it enters or leaves with a value."""
    costs = {use.buffer: use.registers for use in estimate.uses}
    spans: dict[Buffer, tuple[int, int]] = {}
    _Clock(costs, spans).run(launch.body)
    moments = {start for start, _ in spans.values()}
    best = Peak(0, ())
    for moment in sorted(moments):
        needed = tuple((buffer, costs[buffer]) for buffer, (start, end) in spans.items() if start <= moment <= end)
        total = sum(cost for _, cost in needed)
        if total > best.registers:
            best = Peak(total, needed)
    return best


class _Clock:
    """Numbers the statements and records when each array is needed."""

    def __init__(self, arrays: dict[Buffer, int], spans: dict[Buffer, tuple[int, int]]) -> None:
        self._arrays = arrays
        self._spans = spans
        self._now = 0

    def run(self, block: Block) -> None:
        for stmt in block:
            self._now += 1
            start = self._now
            for access in accesses(stmt):
                if access.buffer.root in self._arrays:
                    self._use(access.buffer.root, start)
            known = dict(self._spans)
            for body in children(stmt):
                self.run(body)
            if isinstance(stmt, (For, While)):
                self._stretch(known, start, self._now)

    def _use(self, buffer: Buffer, moment: int) -> None:
        first, last = self._spans.get(buffer, (moment, moment))
        self._spans[buffer] = (first, max(last, moment))

    def _stretch(self, before: dict[Buffer, tuple[int, int]], start: int, end: int) -> None:
        """Arrays that had a value before a loop and are used in it keep it to the loop's end."""
        for buffer, (first, last) in self._spans.items():
            if buffer in before and last > start:
                self._spans[buffer] = (first, end)
