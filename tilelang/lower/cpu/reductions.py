"""Reductions and scans of tiles along one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import Interval, try_const
from tilelang.ir.expr import Load
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import box_of, loops_for, plus
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tilelang.ir.buffer import Dim
    from tilelang.ir.expr import Operand, Var
    from tilelang.ir.stmt import Reduce, Scan
    from tilelang.lower.cpu.boxes import Box
    from tilelang.lower.cpu.kernel import BlockLowering

LANES = 8
"""Partial results side by side along a dimension that is reduced, where there are that many elements."""


def lower_reduce(kernel: BlockLowering, stmt: Reduce) -> list[tir.Stmt]:
    """The code of one reduction, in the compute type of the result."""
    return _Reduction(kernel, stmt).run()


class _Reduction:
    def __init__(self, kernel: BlockLowering, stmt: Reduce) -> None:
        self.kernel = kernel
        self.stmt = stmt
        self.op = stmt.op
        self.dtype = stmt.dst.buffer.dtype
        self.compute = kernel.scalars.compute(self.dtype)
        self.source, self.target = box_of(stmt.src), box_of(stmt.dst)
        self.dim = stmt.dim % len(self.source)
        self.propagates = bool(stmt.attr("nan_propagate", False))

    def run(self) -> list[tir.Stmt]:
        kernel, stmt = self.kernel, self.stmt
        extents = [extent for _, extent in self.source]
        loops = loops_for(extents)
        kept = [number for number in range(len(extents)) if number != self.dim]
        places = _result_places(self.target, [loops[number] for number in kept], self.dim, stmt)
        length = try_const(extents[self.dim])
        if length is None:
            raise Unsupported(f"T.reduce_{self.op} needs a constant extent", stmt.span)
        read = tuple(plus(start, loop) for (start, _), loop in zip(self.source, loops, strict=True))

        def element() -> list[tir.Stmt]:
            if self.dim == len(extents) - 1 and length % LANES == 0 and length > LANES:
                return self._in_lanes(loops[self.dim], read, places, length)
            return self._in_line(loops[self.dim], read, places, length)

        with kernel.ranging(_ranges(loops, extents)):
            return _nest(kernel, [loops[number] for number in kept], [extents[number] for number in kept], element)

    def _in_line(self, loop: Var, read: Sequence[Operand], places: tuple[Operand, ...], length: int) -> list[tir.Stmt]:
        kernel = self.kernel
        partial, declaration = kernel.memory.temporary("partial", self.compute, 1)

        def add(index: tir.Expr) -> list[tir.Stmt]:
            value = self._value(loop, index, read)
            return [kernel.put(partial, 0, self._combined(tir.at(partial, tir.const(0)), value))]

        return [
            declaration,
            kernel.put(partial, 0, self._neutral()),
            *kernel.loop(loop.name, length, add),
            *self._finish(tir.at(partial, tir.const(0)), places),
        ]

    def _in_lanes(self, loop: Var, read: Sequence[Operand], places: tuple[Operand, ...], length: int) -> list[tir.Stmt]:
        """Partial results side by side, so that the steps do not wait for each other."""
        kernel = self.kernel
        partial, declaration = kernel.memory.temporary("partial", self.compute, LANES)
        vector = tirx.ForKind.VECTORIZED

        def lane(index: tir.Expr, number: tir.Expr) -> list[tir.Stmt]:
            value = self._value(loop, index * tir.const(LANES) + number, read)
            return [kernel.put(partial, number, self._combined(tir.at(partial, number), value))]

        code = [declaration]
        code += kernel.loop("lane", LANES, lambda number: [kernel.put(partial, number, self._neutral())], vector)
        code += kernel.loop(
            loop.name,
            length // LANES,
            lambda index: kernel.loop("lane", LANES, lambda number: lane(index, number), vector),
        )
        width = LANES // 2
        while width:
            code += [
                kernel.put(
                    partial,
                    number,
                    self._combined(tir.at(partial, tir.const(number)), tir.at(partial, tir.const(number + width))),
                )
                for number in range(width)
            ]
            width //= 2
        return [*code, *self._finish(tir.at(partial, tir.const(0)), places)]

    def _value(self, loop: Var, index: tir.Expr, read: Sequence[Operand]) -> tir.Expr:
        """One element as it enters the reduction."""
        kernel = self.kernel
        buffer = self.stmt.src.buffer
        kernel.scalars.bind(loop, index)
        stored = kernel.load(Load(buffer.dtype, buffer, tuple(read)))
        kernel.scalars.unbind(loop)
        found = kernel.scalars.decode(stored, buffer.dtype)
        if self.compute == "bool" or self.op in ("any", "all"):
            return kernel.scalars.convert(
                tirx.NE(found, tir.const(0, tir.type_of(found))) if tir.type_of(found) != "bool" else found,
                self.compute,
            )
        found = kernel.scalars.convert(found, self.compute)
        if self.op in ("abssum", "absmax"):
            return tirx.abs(found)
        return found

    def _neutral(self) -> tir.Expr:
        return tir.const(neutral(self.op, self.compute), self.compute)

    def _combined(self, a: tir.Expr, b: tir.Expr) -> tir.Expr:
        return combined(self.op, a, b, propagates=self.propagates)

    def _finish(self, value: tir.Expr, places: tuple[Operand, ...]) -> list[tir.Stmt]:
        kernel, stmt = self.kernel, self.stmt
        buffer = stmt.dst.buffer
        before = kernel.scalars.decode(kernel.load(Load(self.dtype, buffer, places)), self.dtype)
        kept = self._combined(before, value)
        clear = stmt.clear
        if clear is True or try_const(clear) == 1:
            kept = value
        elif clear is not False and try_const(clear) != 0:
            kept = tirx.Select(kernel.scalars.condition(clear), value, kept)
        return kernel.store(buffer, places, kernel.scalars.encode(kept, self.dtype))


def neutral(op: str, compute: str) -> float | int | bool:
    """What changes nothing in a reduction."""
    if compute == "bool":
        return op in ("all", "bitand", "min")
    if op in ("max", "min"):
        sign = -1 if op == "max" else 1
        if compute.startswith("float"):
            return sign * float("inf")
        bits, signed = int("".join(filter(str.isdigit, compute))), not compute.startswith("uint")
        if op == "min":
            return (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        return -(1 << (bits - 1)) if signed else 0
    if op == "bitand":
        return -1 if not compute.startswith("uint") else (1 << int(compute.removeprefix("uint"))) - 1
    return 1 if op == "all" else 0


def combined(op: str, a: tir.Expr, b: tir.Expr, *, propagates: bool = False) -> tir.Expr:
    """Two partial results as one. The larger and the smaller of a number and NaN is the number, unless NaN
    ``propagates``."""
    if tir.type_of(a).startswith("bool"):
        made = {"any": tirx.Or, "bitor": tirx.Or, "max": tirx.Or, "all": tirx.And, "bitand": tirx.And, "min": tirx.And}
        return made.get(op, tirx.Or)(a, b) if op != "bitxor" else tirx.NE(a, b)
    if op in ("sum", "abssum", "cumsum"):
        return a + b
    if op in ("max", "absmax", "cummax", "min"):
        larger = op != "min"
        if not tir.type_of(a).startswith("float"):
            return tirx.Max(a, b) if larger else tirx.Min(a, b)
        better = tirx.GT(b, a) if larger else tirx.LT(b, a)
        # Comparisons with NaN are false: the first operand stays if the second is NaN.
        if propagates:
            return tirx.Select(tirx.Or(better, tirx.isnan(b)), b, a)
        return tirx.Select(tirx.Or(better, tirx.isnan(a)), b, a)
    if op in ("bitand", "all"):
        return tirx.bitwise_and(a, b)
    if op in ("bitor", "any"):
        return tirx.bitwise_or(a, b)
    if op == "bitxor":
        return tirx.bitwise_xor(a, b)
    raise Unsupported(f"the reduction {op} is not supported")


def _result_places(box: Box, kept: Sequence[Var], dim: int, stmt: Reduce) -> tuple[Operand, ...]:
    """Indices of the result: the dimensions that are left, with or without one of extent 1 for the reduced one."""
    loops: list[Operand] = list(kept)
    if len(box) == len(kept) + 1:
        loops.insert(dim if kept else 0, 0)
    if len(box) != len(loops):
        raise Unsupported(f"the result of T.reduce_{stmt.op} has {len(box)} dimensions, not {len(kept)}", stmt.span)
    return tuple(plus(start, loop) for (start, _), loop in zip(box, loops, strict=True))


def _nest(
    kernel: BlockLowering,
    loops: Sequence[Var],
    extents: Sequence[Dim],
    body: Callable[[], list[tir.Stmt]],
) -> list[tir.Stmt]:
    """Loops around code."""
    if not loops:
        return body()

    def one(index: tir.Expr) -> list[tir.Stmt]:
        kernel.scalars.bind(loops[0], index)
        try:
            return _nest(kernel, loops[1:], extents[1:], body)
        finally:
            kernel.scalars.unbind(loops[0])

    number = try_const(extents[0])
    return kernel.loop(loops[0].name, number if number is not None else kernel.integer(extents[0]), one)


# --- scans ------------------------------------------------------------------------------------------------------


def lower_scan(kernel: BlockLowering, stmt: Scan) -> list[tir.Stmt]:
    """``T.cumsum`` and ``T.cummax`` along one dimension, from the end if they are reversed."""
    if stmt.op not in ("cumsum", "cummax"):
        raise Unsupported(f"the scan {stmt.op} is not supported", stmt.span)
    source = box_of(stmt.src)
    dim = stmt.dim % len(source)
    extents = [extent for _, extent in source]
    loops = loops_for(extents)
    kept = [number for number in range(len(extents)) if number != dim]
    target = box_of(stmt.dst)
    dtype = stmt.dst.buffer.dtype
    compute = kernel.scalars.compute(dtype)
    length: Any = try_const(extents[dim])
    length = length if length is not None else kernel.integer(extents[dim])
    reverse = stmt.reverse is True or try_const(stmt.reverse) == 1

    def line() -> list[tir.Stmt]:
        total, declaration = kernel.memory.temporary("total", compute, 1)
        start = neutral("max" if stmt.op == "cummax" else "sum", compute)

        def step(index: tir.Expr) -> list[tir.Stmt]:
            place = (length - 1 if isinstance(length, int) else length - tir.const(1)) - index if reverse else index
            kernel.scalars.bind(loops[dim], place)
            read, write = (_moved(box, loops) for box in (source, target))
            buffer = stmt.src.buffer
            value = kernel.scalars.decode(kernel.load(Load(buffer.dtype, buffer, read)), buffer.dtype)
            add = combined(stmt.op, tir.at(total, tir.const(0)), kernel.scalars.convert(value, compute))
            code = [
                kernel.put(total, 0, add),
                *kernel.store(stmt.dst.buffer, write, kernel.scalars.encode(tir.at(total, tir.const(0)), dtype)),
            ]
            kernel.scalars.unbind(loops[dim])
            return code

        return [
            declaration,
            kernel.put(total, 0, tir.const(start, compute)),
            *kernel.loop(loops[dim].name, length, step),
        ]

    with kernel.ranging(_ranges(loops, extents)):
        return _nest(kernel, [loops[number] for number in kept], [extents[number] for number in kept], line)


def _ranges(loops: Sequence[Var], extents: Sequence[Dim]) -> dict[Var, Interval]:
    tops = [try_const(extent) for extent in extents]
    return {loop: Interval(0, None if top is None else top - 1) for loop, top in zip(loops, tops, strict=True)}


def _moved(box: Box, loops: Sequence[Var]) -> tuple[Operand, ...]:
    return tuple(plus(start, loop) for (start, _), loop in zip(box, loops, strict=True))
