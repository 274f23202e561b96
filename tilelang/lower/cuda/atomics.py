"""Atomic updates of elements and tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Expr, Load, Var
from tilelang.ir.stmt import Atomic
from tilelang.lower import tir
from tilelang.lower.cuda.copies import box_of
from tilelang.lower.cuda.nests import NestLowering, ParallelNest, lower_nest
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand
    from tilelang.lower.cuda.kernel import KernelLowering

_ORDERS = {
    None: "relaxed",
    "relaxed": "relaxed",
    "consume": "acquire",
    "acquire": "acquire",
    "release": "release",
    "acq_rel": "acq_rel",
    "seq_cst": "acq_rel",
}


def lower_atomic(kernel: KernelLowering, stmt: Atomic) -> list[tir.Stmt]:
    """One element inside of the code of a thread; a tile as a nest over its elements."""
    if isinstance(stmt.dst, Region) and not stmt.op.startswith("addx"):
        return lower_nest(kernel, _tile(stmt, stmt.dst))
    place = stmt.dst if isinstance(stmt.dst, Load) else Load(stmt.dst.buffer.dtype, stmt.dst.buffer, stmt.dst.mins)
    return _element(kernel, stmt, place)


def _tile(stmt: Atomic, target: Region) -> ParallelNest:
    box = box_of(target)
    loops = tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(box)))
    running = [(loop, extent) for loop, (_, extent) in zip(loops, box, strict=True) if extent != 1]
    indices = tuple(
        _plus(start, loop) if extent != 1 else start for (start, extent), loop in zip(box, loops, strict=True)
    )
    value = stmt.value
    if isinstance(value, Region):
        source = box_of(value)
        order = iter(loop for loop, _ in running)
        read = tuple(_plus(start, next(order)) if extent != 1 else start for start, extent in source)
        value = Load(value.buffer.dtype, value.buffer, read, span=stmt.span)
    place = Load(target.buffer.dtype, target.buffer, indices, span=stmt.span)
    inner = Atomic(stmt.op, place, value, span=stmt.span, attrs=stmt.attrs)
    return ParallelNest(stmt, tuple(loop for loop, _ in running), tuple(extent for _, extent in running), (inner,))


def _plus(a: Operand, b: Operand) -> Operand:
    return b if isinstance(a, int) and a == 0 else Binary(INT32, "+", a, b)


def _element(kernel: KernelLowering, stmt: Atomic, place: Load) -> list[tir.Stmt]:
    buffer = place.buffer
    memory, scalars = kernel.memory, kernel.scalars
    pointer = tir.address(memory.place(buffer).array, memory.offset(buffer, place.indices))
    dtype = buffer.dtype
    order = _ORDERS.get(stmt.attr("memory_order"), "relaxed")  # type: ignore[arg-type]  # a name or None
    result = stmt.attr("result")
    storage = kernel.storage(dtype)
    if stmt.op.startswith("addx"):
        lanes = int(stmt.op.removeprefix("addx"))
        source = stmt.value
        if isinstance(source, Region):
            source = Load(source.buffer.dtype, source.buffer, source.mins)
        if not isinstance(source, Load):
            raise Unsupported(f"T.atomic_{stmt.op} takes an element of a buffer", stmt.span)
        values = tir.address(memory.place(source.buffer).array, memory.offset(source.buffer, source.indices))
        if result is not None:
            raise Unsupported(f"T.atomic_{stmt.op} with return_prev is not supported", stmt.span)
        return [tir.run(tir.extern("void", f"tl::atomic_add_vector<{lanes}>", pointer, values))]
    if stmt.op == "load":
        call = tir.extern(storage, f"tl::atomic_load_{order}", pointer)
    else:
        assert isinstance(stmt.value, (Expr, int, float)), "a tile is taken apart before"
        value = scalars.encode(scalars.lower(stmt.value, dtype), dtype)
        call = tir.extern(storage, f"tl::atomic_{stmt.op}_{order}", pointer, value)
    if not isinstance(result, Var):
        return [_checked(kernel, place, tir.run(call))]
    array, declaration = memory.temporary(result.name, storage, 1)
    scalars.bind(result, scalars.decode(tir.at(array, tir.const(0)), dtype))
    return [declaration, _checked(kernel, place, tir.put(array, tir.const(0), call))]


def _checked(kernel: KernelLowering, place: Load, code: tir.Stmt) -> tir.Stmt:
    """The update only where its element exists."""
    probe = NestLowering.__new__(NestLowering)
    probe.kernel = kernel
    condition = probe.inside(place.buffer, place.indices)
    return code if condition is None else tir.branch(condition, [code])
