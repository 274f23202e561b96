"""Warp-specialised schedules that the program writes itself, with ``T.WSSchedule``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.stmt import Effect
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.ir.stmt import Launch


class _ScheduledPipeline(Protocol):
    @property
    def depth(self) -> object: ...
    @property
    def buffers(self) -> Iterable[object]: ...


def written_schedule(launch: Launch) -> dict[Buffer, int] | None:
    """Copies that the pipelines of a ``T.WSSchedule`` make, if the launch has one. From sm_90 on, where alone it takes
    effect, it replaces the automatic schedule."""
    for stmt in walk(launch.body):
        if isinstance(stmt, Effect) and stmt.call.op == "annotate_ws_schedule":
            schedule = dict(stmt.call.attrs).get("schedule")
            pipelines = cast("Iterable[_ScheduledPipeline]", getattr(schedule, "pipelines", ()))
            return {
                buffer: depth
                for each in pipelines
                if (depth := try_const(each.depth)) is not None
                for buffer in each.buffers
                if isinstance(buffer, Buffer)
            }
    return None
