"""``break``, ``continue`` and returns as flags. LLVM code of TVM has no jumps: what follows a possible jump asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.ir.stmt import Effect, For, Jump, While
from tilelang.ir.visit import children
from tilelang.lower import tir
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from tilelang.ir.stmt import Block, Stmt
    from tilelang.lower.cpu.kernel import BlockLowering


@dataclass(frozen=True, slots=True)
class Jumps:
    """The flags of one loop, or of the block as a whole. ``skip``: the rest of this iteration is left out. ``stop``: no
    other iteration follows. ``each``: threads have flags of their own."""

    skip: Any
    stop: Any
    each: bool

    def place(self, thread: tir.Expr | None) -> tir.Expr:
        return thread if self.each and thread is not None else tir.const(0)


def is_return(stmt: Stmt) -> bool:
    return (isinstance(stmt, Effect) and stmt.call.op == "thread_return") or (
        isinstance(stmt, Jump) and stmt.kind not in ("break", "continue")
    )


def is_jump(stmt: Stmt) -> bool:
    return isinstance(stmt, Jump) or (isinstance(stmt, Effect) and stmt.call.op == "loop_break") or is_return(stmt)


def jumps_in(stmt: Stmt, *, returns: bool = False) -> bool:
    """Whether a statement may end the iteration of the loop around it, or the block (``returns``: only that)."""
    if is_jump(stmt):
        return not returns or is_return(stmt)
    inner = isinstance(stmt, (For, While))
    return any(jumps_in(each, returns=returns or inner) for body in children(stmt) for each in body)


def jumps_of(body: Block) -> bool:
    return any(map(jumps_in, body))


def jump(kernel: BlockLowering, stmt: Stmt) -> list[tir.Stmt]:
    """The code of a jump: sets the flags."""
    returns = is_return(stmt)
    code: list[tir.Stmt] = []
    for level in kernel.jumps if returns else kernel.jumps[-1:]:
        every = level.each and kernel.thread is None
        goes_on = isinstance(stmt, Jump) and stmt.kind == "continue"
        flags = (level.skip,) if goes_on else (level.skip, level.stop)
        for flag in flags:
            if every:
                code += kernel.loop("t", kernel.thread_count(), lambda t, flag=flag: [kernel.put(flag, t, _one())])
            else:
                code.append(kernel.put(flag, level.place(kernel.thread), _one()))
    return code


def new_jumps(kernel: BlockLowering, *, each: bool) -> tuple[Jumps, list[tir.Stmt]]:
    """Flags for a loop, and the code that lowers them before it."""
    count = kernel.thread_count() if each else 1
    skip, stop = kernel.memory.array("skip", "uint8", count), kernel.memory.array("stop", "uint8", count)
    found = Jumps(skip, stop, each)
    return found, [*cleared(kernel, skip, count), *cleared(kernel, stop, count)]


def cleared(kernel: BlockLowering, flag: Any, count: int) -> list[tir.Stmt]:
    return kernel.loop("t", count, lambda t: [kernel.put(flag, t, tir.const(0, "uint8"))])


def is_set(flag: Any, place: tir.Expr) -> tir.Expr:
    return tirx.NE(tir.at(flag, place), tir.const(0, "uint8"))


def is_clear(flag: Any, place: tir.Expr) -> tir.Expr:
    return tirx.EQ(tir.at(flag, place), tir.const(0, "uint8"))


def _one() -> tir.Expr:
    return tir.const(1, "uint8")
