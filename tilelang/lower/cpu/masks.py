"""Which threads run a piece of code that others leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.lower import tir
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.lower.cpu.kernel import BlockLowering


@dataclass(frozen=True, slots=True)
class Mask:
    """``array``: 1 for each thread that takes part. ``some``: 1 if any does."""

    array: Any
    some: Any

    @staticmethod
    def where(
        kernel: BlockLowering, outer: Mask | None, condition: Callable[[tir.Expr], tir.Expr]
    ) -> tuple[Mask, list[tir.Stmt]]:
        """The threads of ``outer`` for which a condition holds, and the code that finds them."""
        count = kernel.thread_count()
        array = kernel.memory.array("mask", "uint8", count)
        some = kernel.memory.array("some", "uint8", 1)
        made = Mask(array, some)

        def one(thread: tir.Expr) -> list[tir.Stmt]:
            zero, one = tir.const(0, "uint8"), tir.const(1, "uint8")
            found = tirx.if_then_else(condition(thread), one, zero)
            if outer is not None:
                found = tirx.if_then_else(outer.holds(thread), found, zero)
            add = kernel.put(some, 0, tirx.bitwise_or(tir.at(some, tir.const(0)), tir.at(array, thread)))
            return [kernel.put(array, thread, found), add]

        return made, [kernel.put(some, 0, tir.const(0, "uint8")), *kernel.loop("thread", count, one)]

    def holds(self, thread: tir.Expr) -> tir.Expr:
        return tirx.NE(tir.at(self.array, thread), tir.const(0, "uint8"))

    def any(self) -> tir.Expr:
        """Whether any thread takes part."""
        return tirx.NE(tir.at(self.some, tir.const(0)), tir.const(0, "uint8"))
