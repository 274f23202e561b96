"""What layout inference finds: layouts with the statement that asked for each, and why it could not go on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.layout.fragment import Fragment
    from tilelang.ir.layout.layout import Layout
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt

AnyLayout = "Layout | Fragment"


class Claim(NamedTuple):
    """One layout of a buffer and the statement that asked for it. ``origin`` is the buffer that it was derived from
    inside that statement, if any."""

    layout: Layout | Fragment
    stmt: Stmt | None
    origin: Buffer | None = None

    @property
    def span(self) -> Span | None:
        return None if self.stmt is None else self.stmt.span


class IgnoredWidth(NamedTuple):
    """A ``coalesced_width`` that does not apply. ``possible``: elements that one thread takes at a time."""

    stmt: Stmt
    asked: int
    possible: int


Reason = Literal[
    "different", "loop", "reduce", "serial-index", "not-invertible", "not-injective", "nothing", "scan", "replicated",
    "annotation", "constant-index",
]  # fmt: skip
"""Why inference stops.

- ``different``: two operations ask for different layouts of ``buffer``.
- ``loop``: no spread of a parallel loop suits the layouts of two fragments in it.
- ``reduce``: the result of a reduction has a layout that its source cannot give.
- ``serial-index``: a serial loop inside a parallel one addresses elements that lie in other threads.
- ``not-invertible``, ``not-injective``: a loop maps several iterations to one place.
- ``nothing``: no operation says how ``buffer`` is spread.
- ``scan``: a scan needs a linear layout.
- ``replicated``: a loop that runs in several threads stores to fragments and to memory.
- ``annotation``: a layout given by hand maps two elements to one place.
- ``constant-index``: a parallel loop addresses an element other than the first by a constant.
"""


class Conflict(NamedTuple):
    """A contradiction. ``earlier`` is the claim that stood, ``later`` the one that does not agree with it. ``certain``:
    upstream's compiler stops here too; else it may find a way that is not known here."""

    reason: Reason
    buffer: Buffer
    stmt: Stmt | None
    earlier: Claim | None = None
    later: Claim | None = None
    other: Buffer | None = None
    loop: Var | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class LayoutMap:
    """The layouts of one launch on one target.

    ``claims`` has every buffer whose layout is settled. ``loops`` has the spread of each parallel statement (written
    loop or tile operation), by identity: a :class:`Fragment` over its loops. ``unknown`` are buffers about which
    nothing is said because something that concerns them could not be followed. ``conflict``: where upstream's
    compiler would stop; what it had not settled by then is missing. ``floating``: fragments that code outside of tile
    operations and parallel loops reads or writes, so that every thread holds them whole.
    """

    claims: Mapping[Buffer, Claim]
    loops: Mapping[int, Fragment]
    unknown: frozenset[Buffer] = frozenset()
    conflict: Conflict | None = None
    floating: Mapping[Buffer, Stmt] = field(default_factory=dict["Buffer", "Stmt"])
    ignored: tuple[IgnoredWidth, ...] = ()
    reducers: Mapping[Buffer, Fragment] = field(default_factory=dict["Buffer", "Fragment"])
    """How the partial results of each reducer are spread. The copies of an element are the parts that are combined;
    they are all the same once the reducer is finished."""

    def layout(self, buffer: Buffer) -> Layout | Fragment | None:
        claim = self.claims.get(buffer)
        return None if claim is None else claim.layout

    def loop_of(self, stmt: Stmt) -> Fragment | None:
        """How the iterations of a parallel statement are spread over threads."""
        return self.loops.get(id(stmt))
