"""What differs from thread to thread of a block.

Code that says nothing of threads runs once for the block. A value *differs* if it follows from the number of the
thread; a private buffer differs if such a value reaches it. Statements that use such values run for each thread.
Barriers, tile operations and exchanges between threads cut the code into pieces that all threads finish before the next
begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Call, Load, Var
from tilelang.ir.stmt import (
    Alloc,
    Atomic,
    Copy,
    Effect,
    Fill,
    For,
    Gemm,
    If,
    Jump,
    Let,
    Reduce,
    Scan,
    Scope,
    Stmt,
    Store,
    While,
)
from tilelang.ir.visit import children, operands, subterms, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Block, Launch

CROSSING = frozenset(
    (
        *("shfl_sync", "shfl_xor", "shfl_down", "shfl_up", "any_sync", "all_sync", "ballot_sync", "ballot"),
        *("match_any_sync", "match_all_sync", "syncthreads_count", "syncthreads_and", "syncthreads_or"),
        *("warp_reduce_sum", "warp_reduce_max", "warp_reduce_min", "warp_reduce_bitand", "warp_reduce_bitor"),
    )
)
"""Calls that exchange values between threads."""
OF_THREAD = frozenset(
    ("get_lane_idx", "get_warp_idx", "get_warp_idx_sync", "get_warp_group_idx", "shuffle_elect", "elect_one_sync")
)
"""Calls whose value follows from the number of the thread."""
BARRIERS = frozenset(
    (
        *("sync_threads", "syncthreads", "sync_warp", "tvm_storage_sync", "barrier_arrive", "barrier_wait"),
        *("mbarrier_arrive", "mbarrier_wait_parity", "mbarrier_expect_tx", "mbarrier_arrive_expect_tx"),
        *("named_barrier_arrive", "sync_grid", "cluster_sync"),
    )
)
"""Effects at which threads wait for each other."""
TILE = (Copy, Fill, Gemm, Reduce, Scan)


def crossing_calls(stmt: Stmt) -> list[Call]:
    """The exchanges between threads among the operands of a statement, innermost first."""
    found = [
        term for value in operands(stmt) for term in subterms(value) if isinstance(term, Call) and term.op in CROSSING
    ]
    return list({id(call): call for call in reversed(found)}.values())


class Variance:
    """``thread_loops``: loop variables that are a dimension of the block, with its number."""

    def __init__(self, program: Program, launch: Launch) -> None:
        self._vars: set[Var] = set(launch.thread_vars)
        self._buffers: set[Buffer] = set()
        self.thread_loops: list[tuple[Var, int]] = []
        for loop in walk(program.body):
            tag = str(loop.attr("thread")) if isinstance(loop, For) and loop.kind == "thread" else ""
            if isinstance(loop, For) and tag.startswith("threadIdx"):
                self.thread_loops.append((loop.vars[0], "xyz".find(tag[-1])))
                self._vars.add(loop.vars[0])
        size = -1
        while size != len(self._vars) + len(self._buffers):
            size = len(self._vars) + len(self._buffers)
            self._visit(launch.body, differs=False)
        self._per_thread: dict[int, tuple[Stmt, bool]] = {}
        self._together: dict[int, tuple[Stmt, bool]] = {}
        # By identity; the statements are kept, so that no other one gets the same.

    # --- questions ---

    def of_buffer(self, buffer: Buffer) -> bool:
        return buffer.root in self._buffers

    def of_value(self, value: object) -> bool:
        """Whether an operand, a region or a call differs."""
        for term in _terms(value):
            if isinstance(term, Var) and term in self._vars:
                return True
            if isinstance(term, Call) and (term.op in CROSSING or term.op in OF_THREAD):
                return True
            if isinstance(term, (Load, Region)) and term.buffer.root in self._buffers:
                return True
            if isinstance(term, Buffer) and term.root in self._buffers:
                return True
        return False

    def is_per_thread(self, stmt: Stmt) -> bool:
        """Whether some of a statement runs for each thread."""
        known = self._per_thread.get(id(stmt))
        if known is not None:
            return known[1]
        if isinstance(stmt, For) and stmt.kind == "parallel":
            # The threads share its iterations.
            found = any(map(self._uses, walk((stmt,))))
        else:
            found = self._own(stmt) or any(self.is_per_thread(inner) for body in children(stmt) for inner in body)
        self._per_thread[id(stmt)] = (stmt, found)
        return found

    def is_together(self, stmt: Stmt) -> bool:
        """Whether a statement has something that the threads do together: tiles, barriers, exchanges."""
        known = self._together.get(id(stmt))
        if known is not None:
            return known[1]
        found = self._collective(stmt) or any(self.is_together(inner) for body in children(stmt) for inner in body)
        self._together[id(stmt)] = (stmt, found)
        return found

    def _own(self, stmt: Stmt) -> bool:
        """Whether a statement itself runs for each thread. Every thread that comes by updates an element atomically."""
        if isinstance(stmt, Atomic) and not isinstance(stmt.dst, Region):
            return True
        if isinstance(stmt, Atomic) and stmt.op.startswith("addx"):
            return True
        return self._uses(stmt)

    def _uses(self, stmt: Stmt) -> bool:
        """Whether a statement itself has something that differs."""
        if isinstance(stmt, Let) and stmt.var in self._vars:
            return True
        if isinstance(stmt, (Store, Alloc)) and self.of_buffer(stmt.buffer):
            return True
        return any(self.of_value(value) for value in operands(stmt))

    def _collective(self, stmt: Stmt) -> bool:
        if isinstance(stmt, TILE) or (isinstance(stmt, Atomic) and isinstance(stmt.dst, Region)):
            return not self._own(stmt)
        if isinstance(stmt, For) and stmt.kind == "parallel":
            return not self.is_per_thread(stmt)
        if isinstance(stmt, Effect) and stmt.call.op in BARRIERS:
            return True
        return bool(crossing_calls(stmt))

    # --- the fixed point ---

    def _visit(self, body: Block, *, differs: bool, nested: bool = False) -> None:
        """``differs``: the statements run for some threads only. ``nested``: in a parallel nest."""
        for stmt in body:
            self._statement(stmt, differs=differs, nested=nested)

    def _statement(self, stmt: Stmt, *, differs: bool, nested: bool) -> None:
        own = differs or any(self.of_value(value) for value in operands(stmt))
        if isinstance(stmt, Let):
            if own:
                self._vars.add(stmt.var)
        elif isinstance(stmt, Store):
            if own:
                self._private(stmt.buffer)
        elif isinstance(stmt, Alloc):
            if own and stmt.init is not None:
                self._private(stmt.buffer)
        elif isinstance(stmt, For):
            if own and not (differs and not any(self.of_value(value) for value in operands(stmt))):
                self._vars.update(stmt.vars)
            self._visit(stmt.body, differs=own, nested=nested or stmt.kind == "parallel")
        elif isinstance(stmt, (While, If)):
            for inner in children(stmt):
                self._visit(inner, differs=own, nested=nested)
        elif isinstance(stmt, Scope):
            self._visit(stmt.body, differs=differs, nested=nested)
        elif not isinstance(stmt, Jump):
            if own:
                for access in accesses(stmt):
                    if access.writes:
                        self._private(access.buffer)
            if isinstance(stmt, Atomic):
                result = stmt.attr("result")
                if isinstance(result, Var) and not nested:
                    self._vars.add(result)

    def _private(self, buffer: Buffer) -> None:
        """A differing value reaches a buffer; only those that a thread has for itself differ then."""
        if buffer.is_local:
            self._buffers.add(buffer.root)


def _terms(value: object) -> Iterator[object]:
    """The terms of an operand, and of the box of a region."""
    for term in subterms(value):
        yield term
        if isinstance(term, Region):
            for start in term.mins:
                yield from subterms(start)
