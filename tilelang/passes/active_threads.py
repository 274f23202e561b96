"""How many threads run each statement: fewer than the block inside ``T.ws`` and under conditions on the thread index.

As upstream, only comparisons of ``threadIdx.x`` itself with constants narrow the range. A condition on a warp number or
on several ranges leaves it as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.expr import Binary
from tilelang.ir.stmt import If, Scope
from tilelang.ir.visit import children

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Block, Launch, Stmt

WARP_GROUP = 128
WARP_GROUP_SCOPES = ("ws", "warp_specialize")


class _Range(NamedTuple):
    """Threads from ``start`` up to, not including, ``stop``."""

    start: int
    stop: int

    def meet(self, start: int, stop: int) -> _Range:
        return _Range(max(self.start, start), min(self.stop, stop))


class ActiveThreads(NamedTuple):
    """``block``: threads of the block. ``narrowed``: those of statements that fewer threads run, by identity."""

    block: int
    narrowed: Mapping[int, _Range]

    def of(self, stmt: Stmt) -> int:
        found = self.narrowed.get(id(stmt))
        return self.block if found is None else found.stop - found.start

    def first(self, stmt: Stmt) -> int:
        """The lowest thread that runs a statement."""
        found = self.narrowed.get(id(stmt))
        return 0 if found is None else found.start


def active_threads(launch: Launch, block: int) -> ActiveThreads:
    """``block`` is the number of threads of a block."""
    narrowed: dict[int, _Range] = {}
    if len(launch.threads) == 1:
        thread = launch.thread_vars[0] if launch.thread_vars else None
        _visit(launch.body, thread, _Range(0, block), block, narrowed)
    return ActiveThreads(block, narrowed)


def _visit(body: Block, thread: Var | None, active: _Range, block: int, narrowed: dict[int, _Range]) -> None:
    count = active.stop - active.start
    for stmt in body:
        if 0 < count < block:
            narrowed[id(stmt)] = active
        if isinstance(stmt, If):
            _visit(stmt.then, thread, _where(stmt.cond, thread, active), block, narrowed)
            _visit(stmt.orelse, thread, _where_not(stmt.cond, thread, active), block, narrowed)
            continue
        inner = _groups(stmt.args, active) if isinstance(stmt, Scope) and stmt.op in WARP_GROUP_SCOPES else active
        for part in children(stmt):
            _visit(part, thread, inner, block, narrowed)


def _groups(args: Sequence[object], active: _Range) -> _Range:
    """The threads of warp groups that follow each other."""
    groups = sorted(group for group in map(try_const, args) if group is not None)
    if not groups or len(groups) != len(args) or groups != list(range(groups[0], groups[0] + len(groups))):
        return active
    return active.meet(groups[0] * WARP_GROUP, (groups[-1] + 1) * WARP_GROUP)


def _where(cond: object, thread: Var | None, active: _Range) -> _Range:
    """The threads that pass a condition, or more."""
    if not isinstance(cond, Binary):
        return active
    if cond.op == "and":
        return _where(cond.b, thread, _where(cond.a, thread, active))
    compared = _comparison(cond, thread)
    if compared is None:
        return active
    op, bound = compared
    starts = {">": bound + 1, ">=": bound, "==": bound}
    stops = {"<": bound, "<=": bound + 1, "==": bound + 1}
    return active.meet(starts.get(op, active.start), stops.get(op, active.stop))


def _where_not(cond: object, thread: Var | None, active: _Range) -> _Range:
    compared = _comparison(cond, thread)
    opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}
    if compared is None or compared[0] not in opposite or not isinstance(cond, Binary):
        return active
    return _where(Binary(cond.dtype, opposite[compared[0]], thread, compared[1]), thread, active)  # type: ignore[arg-type]  # compared, so a Var


def _comparison(cond: object, thread: Var | None) -> tuple[str, int] | None:
    """A comparison of the thread index with a constant, the index on the left."""
    if thread is None or not isinstance(cond, Binary):
        return None
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
    if cond.op not in mirrored:
        return None
    for side, other, op in ((cond.a, cond.b, cond.op), (cond.b, cond.a, mirrored[cond.op])):
        bound = try_const(other)
        if side is thread and bound is not None:
            return op, bound
    return None
