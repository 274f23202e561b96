"""Values that several threads of a block combine: by shuffles inside of a warp, through shared memory across warps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.lower import tir
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Stmt
    from tilelang.lower.cuda.kernel import KernelLowering

WARP = 32


class Combination:
    """``op`` on values of ``dtype``, for the threads that run ``stmt``. ``what``: how messages call the operation."""

    def __init__(
        self, kernel: KernelLowering, stmt: Stmt, op: str, dtype: DType, what: str, *, propagates_nan: bool = False
    ) -> None:
        self.kernel = kernel
        self.stmt = stmt
        self.op = op
        self.dtype = dtype
        self.what = what
        self.propagates_nan = propagates_nan
        self.first, self.threads = kernel.active(stmt)

    # --- threads ---

    def across(self, partial: Any, count: int, compute: str, digits: Iterable[tuple[int, int]]) -> list[tir.Stmt]:
        """Combines ``count`` values of each thread along places in the number of the thread, each with scale and
        extent. All threads end up with the results."""
        code: list[tir.Stmt] = []
        far: list[tuple[int, int]] = []
        for scale, extent in digits:
            if extent & (extent - 1) == 0 and scale & (scale - 1) == 0 and scale * extent <= WARP:
                code += self._shuffles(partial, count, compute, scale, extent)
            elif scale < WARP < scale * extent and WARP % scale == 0 and extent % (WARP // scale) == 0:
                inside = WARP // scale
                code += self._shuffles(partial, count, compute, scale, inside)
                far.append((WARP, extent // inside))
            elif extent > 1:
                far.append((scale, extent))
        for number, (scale, extent) in enumerate(far):
            code += self._through_memory(partial, count, compute, scale, extent, number)
        return code

    def _shuffles(self, partial: Any, count: int, compute: str, scale: int, extent: int) -> list[tir.Stmt]:
        """A butterfly: every thread of a group ends up with the result."""
        code: list[tir.Stmt] = []
        step = scale * extent // 2
        while step >= scale:

            def exchange(register: tir.Expr, step: int = step) -> list[tir.Stmt]:
                value = tir.at(partial, register)
                other = tirx.call_extern(compute, "tl::shuffle_xor", value, tir.const(step))
                return [tir.put(partial, register, self.combined(value, other))]

            code += tir.loop(self.kernel.fresh("i"), count, exchange, unroll=True)
            step //= 2
        return code

    def _through_memory(
        self, partial: Any, count: int, compute: str, scale: int, extent: int, number: int
    ) -> list[tir.Stmt]:
        """One element of each thread at a time goes through the workspace of the plan."""
        kernel, stmt = self.kernel, self.stmt
        slots = [slot for slot in kernel.plan.memory.allocations if slot.kind == "scratch" and slot.first is stmt] or [
            slot for slot in kernel.plan.memory.allocations if slot.kind == "scratch" and slot.span == stmt.span
        ]
        slot = slots[min(number, len(slots) - 1)] if slots else None
        storage = kernel.storage(self.dtype)
        width = max(self.dtype.bits // 8, 1)
        name = kernel.fresh("workspace")
        if slot is None or slot.offset is None:
            workspace = kernel.memory.exchange(name, self.threads, storage)
            number += 1
        else:
            workspace = kernel.memory.scratch(name, slot.offset, self.threads, storage, width)
        thread = kernel.thread - self.first if self.first else kernel.thread
        place = tirx.truncmod(tirx.truncdiv(thread, tir.const(scale)), tir.const(extent))
        base = thread - place * scale
        scalars = kernel.scalars

        def exchange(register: tir.Expr) -> list[tir.Stmt]:
            value = tir.at(partial, register)
            total, declaration = kernel.memory.temporary("total", compute, 1)
            zero = tir.const(0)
            gather = tir.loop(
                kernel.fresh("k"),
                extent,
                lambda k: [
                    tir.put(
                        total,
                        zero,
                        self.combined(
                            tir.at(total, zero), scalars.decode(tir.at(workspace, base + k * scale), self.dtype)
                        ),
                    )
                ],
                unroll=extent <= 32,
            )
            # The barrier in front of the statement frees the workspace for its first use.
            if number > 0:
                free = [kernel.barrier(stmt)]
            else:
                free = [] if count == 1 else [tir.branch(tirx.GT(register, tir.const(0)), [kernel.barrier(stmt)])]
            return [
                *free,
                tir.put(workspace, thread, scalars.encode(value, self.dtype)),
                kernel.barrier(stmt),
                declaration,
                tir.put(total, zero, self.neutral(compute)),
                *gather,
                tir.put(partial, register, tir.at(total, zero)),
            ]

        return tir.loop(kernel.fresh("i"), count, exchange, unroll=True)

    # --- the operation ---

    def neutral(self, compute: str) -> tir.Expr:
        op = self.op
        if op in ("sum", "abssum", "absmax", "bitor", "bitxor", "any"):
            return tir.const(0, compute)
        if op in ("bitand", "all"):
            return (
                tir.const(True, "bool")
                if compute == "bool"
                else tir.const(-1 if not compute.startswith("u") else 2 ** int(compute[4:]) - 1, compute)
            )
        if compute.startswith("float"):
            return tir.const(float("-inf") if op == "max" else float("inf"), compute)
        if compute == "bool":
            return tir.const(op == "min", "bool")
        bits = int(compute.removeprefix("u").removeprefix("int"))
        low, high = (0, 2**bits - 1) if compute.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return tir.const(low if op == "max" else high, compute)

    def entering(self, value: tir.Expr) -> tir.Expr:
        """An element as it takes part: its absolute value for ``abssum`` and ``absmax``."""
        if self.op not in ("abssum", "absmax"):
            return value
        dtype = tir.type_of(value)
        if dtype.startswith("float"):
            return tirx.call_pure_extern(dtype, "fabsf" if dtype == "float32" else "fabs", value)
        zero = tir.const(0, dtype)
        return tirx.Select(tirx.LT(value, zero), zero - value, value)

    def combined(self, a: tir.Expr, b: tir.Expr) -> tir.Expr:
        op = self.op
        if op in ("sum", "abssum"):
            return a + b
        if op in ("max", "absmax", "min"):
            if self.propagates_nan and tir.type_of(a).startswith("float"):
                name = "tl::min_nan" if op == "min" else "tl::max_nan"
                return tirx.call_pure_extern(tir.type_of(a), name, a, b)
            return tirx.Min(a, b) if op == "min" else tirx.Max(a, b)
        if tir.type_of(a) == "bool":
            return {"bitand": tirx.And, "all": tirx.And, "bitor": tirx.Or, "any": tirx.Or}.get(op, tirx.NE)(a, b)
        return {
            "bitand": tirx.bitwise_and,
            "all": tirx.bitwise_and,
            "bitor": tirx.bitwise_or,
            "any": tirx.bitwise_or,
        }.get(op, tirx.bitwise_xor)(a, b)
