"""Reductions of fragments: registers of a thread, then the threads that have other parts of the reduced dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Input, Sum, of, substitute
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.recover import REGISTER, THREAD, recover
from tilelang.lower import tir
from tilelang.lower.cuda.combine import Combination
from tilelang.lower.sums import expression
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.layouts import reduced

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Reduce
    from tilelang.lower.cuda.kernel import KernelLowering


def lower_reduce(kernel: KernelLowering, stmt: Reduce) -> list[tir.Stmt]:
    """The code of one reduction, for the threads that run it."""
    return _ReduceLowering(kernel, stmt).run()


class _ReduceLowering:
    def __init__(self, kernel: KernelLowering, stmt: Reduce) -> None:
        self.kernel = kernel
        self.stmt = stmt
        self.first, self.threads = kernel.active(stmt)
        source, result = stmt.src.buffer, stmt.dst.buffer
        if 4 in (source.dtype.bits, result.dtype.bits):
            # Registers hold two such elements each.
            raise Unsupported(f"T.reduce_{stmt.op} of 4-bit elements is not supported; copy them to 8 bits", stmt.span)
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
        self.combination = Combination(
            kernel,
            stmt,
            stmt.op,
            result.dtype,
            f"T.reduce_{stmt.op}",
            propagates_nan=stmt.attr("nan_propagate") is True,
        )
        # Where the result is spread more finely than the source allows, every thread first has what it helped to
        # compute, and then keeps what is its own.
        self.direct = self._covers(self.result)
        self.middle = self.result if self.direct else self._fitted(reduced(from_layout, self.dim))

    def run(self) -> list[tir.Stmt]:
        kernel, stmt, combination = self.kernel, self.stmt, self.combination
        slots = self._slots(self.middle)
        scalars = kernel.scalars
        source = kernel.memory.place(stmt.src.buffer).array
        count = self.middle.register_count
        compute = scalars.compute(self.dtype)
        partial, declaration = kernel.memory.temporary("partial", compute, count)
        neutral = combination.neutral(compute)
        code = [declaration]
        code += tir.loop(kernel.fresh("i"), count, lambda i: [tir.put(partial, i, neutral)], unroll=True)

        def accumulate(register: tir.Expr) -> list[tir.Stmt]:
            value = scalars.decode(tir.at(source, register), stmt.src.buffer.dtype)
            value = combination.entering(scalars.convert(value, compute))
            slot = slots(register)
            add = [tir.put(partial, slot, combination.combined(tir.at(partial, slot), value))]
            condition = tir.all_of(
                tirx.LT(expression(one.value, self._value_of(register)), tir.const(one.bound))
                for one in self.back.guards
            )
            return add if condition is None else [tir.branch(condition, add)]

        code += tir.loop(kernel.fresh("i"), self.source.register_count, accumulate, unroll=True)
        code += combination.across(partial, count, compute, self._digits())
        finish = self._keep if self.direct else self._keep_own()
        return [*code, *tir.loop(kernel.fresh("i"), count, lambda i: finish(i, tir.at(partial, i)), unroll=True)]

    # --- results ---

    def _keep(self, register: tir.Expr, value: tir.Expr) -> list[tir.Stmt]:
        """Puts a value into a register of the result."""
        kernel, scalars, clear = self.kernel, self.kernel.scalars, self.stmt.clear
        result = kernel.memory.place(self.stmt.dst.buffer).array
        before = scalars.decode(tir.at(result, register), self.dtype)
        kept = self.combination.combined(before, value)
        if clear is True or try_const(clear) == 1:
            kept = value
        elif clear is not False and try_const(clear) != 0:
            kept = tirx.Select(scalars.condition(clear), value, kept)
        return [tir.put(result, register, scalars.encode(kept, self.dtype))]

    def _keep_own(self) -> Callable[[tir.Expr, tir.Expr], list[tir.Stmt]]:
        """The same for a value that only the threads keep which have its element."""
        have, want = recover(self.middle, self.threads), recover(self.result, self.threads)
        if have is None or want is None:
            raise Unsupported(f"the layout of {self.stmt.dst.buffer.name} cannot be inverted", self.stmt.span)
        register_of = Sum(())
        for one, extent in zip(self.result.index_of(have.dims), self.result.registers, strict=True):
            register_of = register_of * extent + one

        def keep(register: tir.Expr, value: tir.Expr) -> list[tir.Stmt]:
            mine = self._value_of(register)
            place = expression(register_of, mine)
            own = self._value_of(place)
            conditions = [
                tirx.EQ(expression(there, own), expression(here, mine))
                for here, there in zip(have.dims, want.dims, strict=True)
                if not here.is_const
            ]
            conditions += [tirx.LT(expression(one.value, mine), tir.const(one.bound)) for one in have.guards]
            conditions += [tirx.LT(expression(one.value, own), tir.const(one.bound)) for one in want.guards]
            condition = tir.all_of(conditions)
            code = self._keep(place, value)
            return code if condition is None else [tir.branch(condition, code)]

        return keep

    def _fitted(self, layout: Fragment) -> Fragment:
        """A layout for the shape of the result, which may keep the reduced dimension."""
        fitted = layout if layout.shape == self.result.shape else layout.reshape(self.result.shape)
        if fitted is None or not self._covers(fitted):
            raise Unsupported(
                f"the result of T.reduce_{self.stmt.op} has a layout that its source cannot give", self.stmt.span
            )
        return fitted

    # --- registers ---

    def _value_of(self, register: tir.Expr) -> Any:
        thread = self.kernel.thread - self.first if self.first else self.kernel.thread

        def value_of(key: object) -> tir.Expr:
            return thread if key == THREAD else register

        return value_of

    def _kept(self, layout: Fragment) -> list[Sum]:
        """The indices into the result of an element of the source, over thread and register."""
        kept = [dim for number, dim in enumerate(self.back.dims) if number != self.dim]
        shape = layout.shape
        if len(kept) == len(shape) - 1:
            kept.insert(self.dim, Sum(()))
        if not kept:
            kept = [Sum(())]
        if len(kept) != len(shape):
            raise Unsupported(
                f"the result of T.reduce_{self.stmt.op} has {len(shape)} dimensions, not {len(kept)}", self.stmt.span
            )
        return kept

    def _covers(self, layout: Fragment) -> bool:
        """Whether every thread has, in a layout of the result, the elements that its part of the source belongs to."""
        back = recover(layout, self.threads)
        if back is None:
            return False
        kept = self._kept(layout)
        register_of = Sum(())
        for one, extent in zip(layout.index_of(kept), layout.registers, strict=True):
            register_of = register_of * extent + one
        values: dict[object, Sum] = {THREAD: of(THREAD, self.threads), REGISTER: register_of}
        there = [substitute(one, values) for one in back.dims]
        if there == kept and not back.guards:
            return True
        for thread in range(self.threads):
            for register in range(self.source.register_count):
                point: dict[object, int] = {THREAD: thread, REGISTER: register}
                if any(one.value.at(point) >= one.bound for one in self.back.guards):
                    continue
                own: dict[object, int] = {THREAD: thread, REGISTER: register_of.at(point)}
                if any(one.value.at(own) >= one.bound for one in back.guards):
                    return False
                if any(a.at(own) != b.at(point) for a, b in zip(back.dims, kept, strict=True)):
                    return False
        return True

    def _slots(self, layout: Fragment) -> Callable[[tir.Expr], tir.Expr]:
        """Which register of the result a register of the source belongs to."""
        total = Sum(())
        for one, extent in zip(layout.index_of(self._kept(layout)), layout.registers, strict=True):
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
