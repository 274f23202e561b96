"""Which statements before a split loop move into its producer or consumer branch.

A statement that prepares registers or scalars for one branch only goes to that branch, so whatever shared memory it
reads is needed until then. Everything else stays in front of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.buffer import Buffer
from tilelang.ir.stmt import Copy, Fill, For, Gemm, If, Launch, Let, Scope, Store
from tilelang.ir.visit import children
from tilelang.passes.stage_uses import statements, uses_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Block, Stmt


class Prelude(NamedTuple):
    """Statements that moved, in source order. A statement may be in both."""

    producer: tuple[Stmt, ...] = ()
    consumer: tuple[Stmt, ...] = ()

    def moved(self, stmt: Stmt) -> bool:
        return any(stmt is other for other in (*self.producer, *self.consumer))


NOTHING_MOVES = Prelude()


class _Live:
    """Registers and scalars that are needed later."""

    def __init__(self) -> None:
        self.buffers: set[Buffer] = set()
        self.variables: set[Var] = set()

    def needs(self, own: _Own) -> bool:
        return bool(self.buffers & own.written or self.variables & own.defined)

    def add(self, own: _Own) -> None:
        self.buffers |= own.read
        self.variables |= own.mentioned


class _Own(NamedTuple):
    """What a statement reads and writes of its thread's own memory."""

    read: frozenset[Buffer]
    written: frozenset[Buffer]
    mentioned: frozenset[Var]
    defined: frozenset[Var]

    @property
    def defines(self) -> bool:
        return bool(self.written or self.defined)


def sort_prelude(launch: Launch, loop: For, producers: Iterable[Stmt], consumers: Iterable[Stmt]) -> Prelude:
    """Sorts the statements before ``loop``, level by level, from the loop outwards."""
    shared, producer, consumer = _Live(), _Live(), _Live()
    for stmt in producers:
        producer.add(_own(stmt))
    for stmt in consumers:
        consumer.add(_own(stmt))
    to_producer: list[Stmt] = []
    to_consumer: list[Stmt] = []
    for level, at in reversed(_levels(launch.body, loop)):
        _propagate(level, at, shared, producer, consumer)
        for stmt in level[:at]:
            own = _own(stmt)
            if not own.defines or shared.needs(own):
                continue
            if producer.needs(own):
                to_producer.append(stmt)
            if consumer.needs(own):
                to_consumer.append(stmt)
    return Prelude(tuple(to_producer), tuple(to_consumer))


def _levels(body: Block, loop: For) -> list[tuple[Block, int]]:
    """The blocks around the loop, outermost first, each with the place of the statement that leads to the loop."""
    for at, stmt in enumerate(body):
        if stmt is loop:
            return [(body, at)]
        if isinstance(stmt, (For, If, Scope)):
            for inner in children(stmt):
                found = _levels(inner, loop)
                if found:
                    return [(body, at), *found]
    return []


def _propagate(level: Sequence[Stmt], at: int, shared: _Live, producer: _Live, consumer: _Live) -> None:
    """Adds what the statements of one level need. What follows the loop runs in the consumer, but its scalars stay in
    front of both."""
    for stmt in level[at + 1 :]:
        own = _own(stmt)
        shared.variables |= own.mentioned
        consumer.buffers |= own.read
    for stmt in reversed(level[:at]):
        own = _own(stmt)
        if not own.defines:
            shared.add(own)
            continue
        needs = [live.needs(own) for live in (shared, producer, consumer)]
        if needs[0] or not any(needs[1:]):
            shared.add(own)
        if needs[1]:
            producer.add(own)
        if needs[2]:
            consumer.add(own)


def _own(stmt: Stmt) -> _Own:
    """Only plain stores, copies, fills and gemms count as writes; other operations are taken to read what they name."""
    uses = uses_of(stmt)
    written: set[Buffer] = set()
    for inner in statements(stmt):
        if isinstance(inner, Store):
            written.add(inner.buffer)
        elif isinstance(inner, (Copy, Fill)):
            written.add(inner.dst.buffer)
        elif isinstance(inner, Gemm):
            written.add(inner.c.buffer)
    lets = frozenset(inner.var for inner in statements(stmt) if isinstance(inner, Let))
    loops = frozenset(var for inner in statements(stmt) if isinstance(inner, For) for var in inner.vars)
    reads = frozenset(use.buffer for use in uses.reads if _is_private(use.buffer))
    plain = {inner.dst.buffer for inner in statements(stmt) if isinstance(inner, (Copy, Fill))}
    sources = {use.buffer for inner in statements(stmt) if isinstance(inner, Copy) for use in (inner.src,)}
    only_written = plain - sources if isinstance(stmt, (Copy, Fill)) else set[Buffer]()
    return _Own(
        reads - only_written,
        frozenset(buffer for buffer in written if _is_private(buffer)),
        uses.mentioned - loops - lets,
        lets,
    )


def _is_private(buffer: Buffer) -> bool:
    return buffer.is_fragment or buffer.is_local
