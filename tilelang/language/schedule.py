"""The parts of a warp-specialisation schedule (``T.annotate_ws_schedule``), as values that keep their arguments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class WSSyncKind(Enum):
    """What a synchronisation point of a pipeline does."""

    PRODUCER_ACQUIRE = "producer_acquire"
    """The producer waits for a free buffer."""
    PRODUCER_COMMIT = "producer_commit"
    """The producer announces a full buffer."""
    CONSUMER_WAIT = "consumer_wait"
    """The consumer waits for a full buffer."""
    CONSUMER_RELEASE = "consumer_release"
    """The consumer gives a buffer back."""


class WSInstr:
    """One step of the program of a role."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class WSOpRef(WSInstr):
    """The operation with this id (``annotations={T.WSID: id}``) or the scope with this id."""

    id: str


@dataclass(frozen=True, slots=True)
class WSSync(WSInstr):
    """A synchronisation point of a pipeline. ``stage``: how many iterations it runs ahead."""

    kind: WSSyncKind
    pipeline: str
    stage: int = 0

    @classmethod
    def producer_acquire(cls, pipeline: str, stage: int = 0) -> WSSync:
        """The producer waits for a free buffer."""
        return cls(WSSyncKind.PRODUCER_ACQUIRE, pipeline, stage)

    @classmethod
    def producer_commit(cls, pipeline: str, stage: int = 0) -> WSSync:
        """The producer announces a full buffer."""
        return cls(WSSyncKind.PRODUCER_COMMIT, pipeline, stage)

    @classmethod
    def consumer_wait(cls, pipeline: str, stage: int = 0) -> WSSync:
        """The consumer waits for a full buffer."""
        return cls(WSSyncKind.CONSUMER_WAIT, pipeline, stage)

    @classmethod
    def consumer_release(cls, pipeline: str, stage: int = 0) -> WSSync:
        """The consumer gives a buffer back."""
        return cls(WSSyncKind.CONSUMER_RELEASE, pipeline, stage)


class WSRole:
    """The warps from ``warps_lo`` up to, not including, ``warps_hi``, with one duty and a limit of registers."""

    __slots__ = ("max_nreg", "name", "warps_hi", "warps_lo")

    def __init__(self, name: str, *, warps_lo: int, warps_hi: int, max_nreg: int = 0) -> None:
        self.name, self.warps_lo, self.warps_hi, self.max_nreg = name, warps_lo, warps_hi, max_nreg


@dataclass(frozen=True, slots=True)
class WSPipeline:
    """A pair of barriers that protects ``depth`` versions of ``buffers``."""

    name: str
    buffers: Sequence[Any]
    depth: int


@dataclass(frozen=True, slots=True)
class WSScope:
    """One loop or block, with the program of each role in it: ids of operations and synchronisation points."""

    id: str
    bodies: Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class WSSchedule:
    """A whole schedule. ``num_warps`` is a multiple of 4."""

    num_warps: int
    roles: Sequence[WSRole]
    pipelines: Sequence[WSPipeline]
    scopes: Sequence[WSScope]
