"""Reductions of fragments: registers of a thread, then lanes by shuffles, then warps through shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Input, Sum, substitute
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.recover import REGISTER, THREAD, recover
from tilelang.lower import tir
from tilelang.lower.sums import expression
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Reduce
    from tilelang.lower.cuda.kernel import KernelLowering

WARP = 32


def lower_reduce(kernel: KernelLowering, stmt: Reduce) -> list[tir.Stmt]:
    """The code of one reduction, for the threads that run it."""
    return _ReduceLowering(kernel, stmt).run()


class _ReduceLowering:
    def __init__(self, kernel: KernelLowering, stmt: Reduce) -> None:
        self.kernel = kernel
        self.stmt = stmt
        self.first, self.threads = kernel.active(stmt)
        source, result = stmt.src.buffer, stmt.dst.buffer
        from_layout, to_layout = kernel.layout(source), kernel.layout(result)
        if not isinstance(from_layout, Fragment) or not isinstance(to_layout, Fragment):
            raise Unsupported(f"T.reduce_{stmt.op} needs fragments whose layout is known", stmt.span)
        self.source, self.result = from_layout, to_layout
        found = recover(from_layout, self.threads)
        if found is None:
            raise Unsupported(f"the layout of {source.name} cannot be inverted", stmt.span)
        self.back = found
        self.dim = stmt.dim % len(from_layout.shape)
        self.dtype: DType = result.dtype

    def run(self) -> list[tir.Stmt]:
        kernel, stmt = self.kernel, self.stmt
        slots = self._slots()
        scalars = kernel.scalars
        source = kernel.memory.place(stmt.src.buffer).array
        result = kernel.memory.place(stmt.dst.buffer).array
        count = self.result.register_count
        compute = scalars.compute(self.dtype)
        partial, declaration = kernel.memory.temporary("partial", compute, count)
        neutral = self._neutral(compute)
        code = [declaration]
        code += tir.loop(kernel.fresh("i"), count, lambda i: [tir.put(partial, i, neutral)], unroll=True)

        def accumulate(register: tir.Expr) -> list[tir.Stmt]:
            value = scalars.decode(tir.at(source, register), stmt.src.buffer.dtype)
            value = self._entering(scalars.convert(value, compute))
            slot = slots(register)
            add = [tir.put(partial, slot, self._combined(tir.at(partial, slot), value))]
            condition = tir.all_of(
                tirx.LT(expression(one.value, self._value_of(register)), tir.const(one.bound))
                for one in self.back.guards
            )
            return add if condition is None else [tir.branch(condition, add)]

        code += tir.loop(kernel.fresh("i"), self.source.register_count, accumulate, unroll=True)
        code += self._across(partial, count, compute)
        clear = stmt.clear

        def finish(register: tir.Expr) -> list[tir.Stmt]:
            value = tir.at(partial, register)
            before = scalars.decode(tir.at(result, register), self.dtype)
            kept = self._combined(before, value)
            if clear is True or try_const(clear) == 1:
                kept = value
            elif clear is not False and try_const(clear) != 0:
                kept = tirx.Select(scalars.condition(clear), value, kept)
            return [tir.put(result, register, scalars.encode(kept, self.dtype))]

        return [*code, *tir.loop(kernel.fresh("i"), count, finish, unroll=True)]

    # --- registers ---

    def _value_of(self, register: tir.Expr) -> Any:
        thread = self.kernel.thread - self.first if self.first else self.kernel.thread

        def value_of(key: object) -> tir.Expr:
            return thread if key == THREAD else register

        return value_of

    def _slots(self) -> Any:
        """Which register of the result a register of the source belongs to."""
        kept = [dim for number, dim in enumerate(self.back.dims) if number != self.dim]
        shape = self.result.shape
        if len(kept) == len(shape) - 1:
            kept.insert(self.dim, Sum(()))
        if not kept:
            kept = [Sum(())]
        if len(kept) != len(shape):
            raise Unsupported(
                f"the result of T.reduce_{self.stmt.op} has {len(shape)} dimensions, not {len(kept)}", self.stmt.span
            )
        total = Sum(())
        for one, extent in zip(self.result.index_of(kept), self.result.registers, strict=True):
            total = total * extent + one
        keys = {one.key for one in total.inputs()}
        if THREAD in keys:
            # The registers do not depend on the thread, even where the digits do not show it.
            table = [total.at({THREAD: 0, REGISTER: number}) for number in range(self.source.register_count)]
            steady = all(
                total.at({THREAD: thread, REGISTER: number}) == at
                for number, at in enumerate(table)
                for thread in range(self.threads)
            )
            if not steady:
                raise Unsupported(
                    f"the result of T.reduce_{self.stmt.op} has a layout that its source cannot give", self.stmt.span
                )
            total = substitute(total, {THREAD: Sum(())})

        def slot(register: tir.Expr) -> tir.Expr:
            return expression(total, self._value_of(register))

        return slot

    # --- threads ---

    def _across(self, partial: Any, count: int, compute: str) -> list[tir.Stmt]:
        """Combines the values of threads that have other parts of the reduced dimension."""
        code: list[tir.Stmt] = []
        far: list[tuple[int, int]] = []
        for scale, extent in self._digits():
            if extent & (extent - 1) == 0 and scale & (scale - 1) == 0 and scale * extent <= WARP:
                code += self._shuffles(partial, count, compute, scale, extent)
            elif scale < WARP < scale * extent and WARP % scale == 0 and extent % (WARP // scale) == 0:
                inside = WARP // scale
                code += self._shuffles(partial, count, compute, scale, inside)
                far.append((WARP, extent // inside))
            else:
                far.append((scale, extent))
        for number, (scale, extent) in enumerate(far):
            code += self._through_memory(partial, count, compute, scale, extent, number)
        return code

    def _digits(self) -> list[tuple[int, int]]:
        """The places in the number of the thread that the reduced dimension decides: scale and extent."""
        found: list[tuple[int, int]] = []
        for digit in self.source.thread.digits:
            if isinstance(digit.source, Input):
                if digit.source.key == self.dim:
                    found.append((digit.scale, digit.extent))
            elif any(one.key == self.dim for one in digit.source.inputs()):
                if (
                    len(digit.source.inputs()) > 1
                    and self.source.shape[1 - self.dim if len(self.source.shape) == 2 else 0] != 1
                ):
                    raise Unsupported(
                        f"T.reduce_{self.stmt.op} of a fragment whose rows are not multiples of its threads is not "
                        "supported",
                        self.stmt.span,
                    )
                found.append((digit.scale, digit.extent))
        return found

    def _shuffles(self, partial: Any, count: int, compute: str, scale: int, extent: int) -> list[tir.Stmt]:
        """A butterfly: every thread of a group ends up with the result."""
        code: list[tir.Stmt] = []
        step = scale * extent // 2
        while step >= scale:

            def exchange(register: tir.Expr, step: int = step) -> list[tir.Stmt]:
                value = tir.at(partial, register)
                other = tirx.call_extern(compute, "tl::shuffle_xor", value, tir.const(step))
                return [tir.put(partial, register, self._combined(value, other))]

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
        if slot is None or slot.offset is None:
            raise Unsupported(f"T.reduce_{stmt.op} across warps has no workspace in the memory plan", stmt.span)
        storage = kernel.storage(self.dtype)
        width = max(self.dtype.bits // 8, 1)
        workspace = kernel.memory.scratch(kernel.fresh("workspace"), slot.offset, self.threads, storage, width)
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
                        self._combined(
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
                tir.put(total, zero, self._neutral(compute)),
                *gather,
                tir.put(partial, register, tir.at(total, zero)),
            ]

        return tir.loop(kernel.fresh("i"), count, exchange, unroll=True)

    # --- the operation ---

    def _neutral(self, compute: str) -> tir.Expr:
        op = self.stmt.op
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

    def _entering(self, value: tir.Expr) -> tir.Expr:
        """An element as it takes part: its absolute value for ``abssum`` and ``absmax``."""
        if self.stmt.op not in ("abssum", "absmax"):
            return value
        dtype = tir.type_of(value)
        if dtype.startswith("float"):
            return tirx.call_pure_extern(dtype, "fabsf" if dtype == "float32" else "fabs", value)
        zero = tir.const(0, dtype)
        return tirx.Select(tirx.LT(value, zero), zero - value, value)

    def _combined(self, a: tir.Expr, b: tir.Expr) -> tir.Expr:
        op = self.stmt.op
        if op in ("sum", "abssum"):
            return a + b
        if op in ("max", "absmax", "min"):
            if self.stmt.attr("nan_propagate") is True and tir.type_of(a).startswith("float"):
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
