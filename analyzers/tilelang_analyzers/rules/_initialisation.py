"""The first reads of on-chip memory that nothing has written.

A buffer counts as written once anything that comes earlier in the source may have written a part of it: under any
condition, through a view, by an operation with an unknown effect. What is left are buffers that hold whatever the
memory last held. Shared and tensor memory may be written by other threads, which source order does not tell, so there
any other writer counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import Access, call_effect
from tilelang.ir.stmt import Alloc, Atomic, Effect, For, Gemm, If, Reduce, While
from tilelang.ir.visit import children
from tilelang_analyzers.rules._uses import uses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Block, Stmt
    from tilelang_analyzers.rule import InstanceContext


class StaleRead(NamedTuple):
    """``stmt`` reads ``access.buffer`` before anything writes it. ``accumulates``: it adds its result to it."""

    stmt: Stmt
    access: Access
    accumulates: bool


def stale_reads(ctx: InstanceContext) -> tuple[StaleRead, ...]:
    """The first stale read of every buffer, in source order; none if part of the program was not followed."""
    if not ctx.program.complete:
        return ()
    walker = _Walker(ctx.shared(uses))
    for param in ctx.program.params:
        walker.written.add(param)
    walker.collect(ctx.program.body, ())
    walker.visit(ctx.program.body, ())
    return tuple(walker.found)


class _Walker:
    def __init__(self, table: Mapping[int, tuple[Access, ...]]) -> None:
        self._table = table
        self.found: list[StaleRead] = []
        self.written: set[object] = set()
        """Roots that something earlier may have written."""
        self._writers: dict[Buffer, list[tuple[Stmt, tuple[Stmt, ...]]]] = {}
        """Every statement that may write a root, with the statements around it."""
        self._reported: set[Buffer] = set()

    def collect(self, block: Block, around: tuple[Stmt, ...]) -> None:
        for stmt in block:
            for access in self._uses(stmt):
                if access.writes:
                    self._writers.setdefault(access.buffer.root, []).append((stmt, around))
            for body in children(stmt):
                self.collect(body, (*around, stmt))

    def visit(self, block: Block, around: tuple[Stmt, ...]) -> None:
        for stmt in block:
            if isinstance(stmt, Alloc) and stmt.init is not None:
                self.written.add(stmt.buffer)
            found = self._uses(stmt)
            for access in found:
                if _certainly_reads(stmt, access):
                    self._check(stmt, access, around)
            self.written.update(access.buffer.root for access in found if access.writes)
            for body in children(stmt):
                self.visit(body, (*around, stmt))

    def _uses(self, stmt: Stmt) -> tuple[Access, ...]:
        """The accesses of a statement. An element that is handed to a call with an unknown effect may be where the
        call puts its result."""
        found = self._table[id(stmt)]
        if not isinstance(stmt, Effect) or call_effect(stmt.call) != "unknown":
            return found
        handed = stmt.call.args
        return tuple(
            Access("unknown", one.buffer, one.place, one.span) if any(one.place is arg for arg in handed) else one
            for one in found
        )

    def _check(self, stmt: Stmt, access: Access, around: tuple[Stmt, ...]) -> None:
        root = access.buffer.root
        if root in self.written or root in self._reported or not _is_checked(root):
            return
        others = [(writer, path) for writer, path in self._writers.get(root, ()) if writer is not stmt]
        if root.scope.startswith("shared") and others:
            return
        if any(_may_precede(around, path) for _, path in others):
            return
        self._reported.add(root)
        self.found.append(StaleRead(stmt, access, isinstance(stmt, Gemm) and access.mode == "update"))


def _is_checked(root: Buffer) -> bool:
    """Memory that a kernel has to fill itself. Variables start at 0, barriers and descriptors are set up by the
    operations that use them, and reducers start at the identity of their operation."""
    scope = root.scope
    if scope in ("global", "local.var", "shared.barrier", "shared.cluster_barrier") or "descriptor" in scope:
        return False
    return root.attr("op") is None and root.attr("reducer") is None


def _certainly_reads(stmt: Stmt, access: Access) -> bool:
    """Whether a statement reads the buffer whatever its flags are at run time."""
    if access.mode == "read":
        return True
    if access.mode != "update" or isinstance(stmt, (Atomic, Effect)):
        return False
    if isinstance(stmt, Gemm):
        return stmt.clear_accum in (False, None)
    return isinstance(stmt, Reduce) and stmt.clear in (False, None)


def _may_precede(read: tuple[Stmt, ...], write: tuple[Stmt, ...]) -> bool:
    """Whether a write that comes later in the source may run before a read: both are in one loop, and a condition
    inside that loop may skip the read in the first iteration."""
    for depth, (one, two) in enumerate(zip(read, write, strict=False)):
        if one is not two:
            return False
        if isinstance(one, (For, While)) and any(isinstance(inner, If) for inner in read[depth + 1 :]):
            return True
    return False
