"""Atomic updates. Blocks run side by side, so updates of tensors exchange whole elements until none came between.
Memory of a block belongs to one thread of the CPU and needs no such care."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Region
from tilelang.ir.expr import Expr, Load, Var
from tilelang.ir.stmt import Atomic
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import box_of, indices_of, long_extents, loops_for, plus
from tilelang.lower.cpu.memory import storage_bytes
from tilelang.lower.cpu.nests import Nest, lower_nest
from tilelang.lower.cpu.reductions import combined
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand
    from tilelang.lower.cpu.kernel import BlockLowering

PRELUDE = "\n".join(
    f"""define linkonce_odr i{bits} @tl_exchange_{bits}(ptr %place, i{bits} %old, i{bits} %new) alwaysinline {{
  %pair = cmpxchg ptr %place, i{bits} %old, i{bits} %new seq_cst seq_cst
  %found = extractvalue {{ i{bits}, i1 }} %pair, 0
  ret i{bits} %found
}}"""
    for bits in (8, 16, 32, 64)
)
"""LLVM text of the exchanges: the code generator has no node for them."""


def lower_atomic(kernel: BlockLowering, stmt: Atomic) -> list[tir.Stmt]:
    """One element, neighbours, or the elements of a box."""
    if stmt.op.startswith("addx"):
        return _neighbours(kernel, stmt)
    if isinstance(stmt.dst, Region):
        return lower_nest(kernel, _tile(stmt, stmt.dst))
    return _element(kernel, stmt, stmt.dst)


def _tile(stmt: Atomic, target: Region) -> Nest:
    box = box_of(target)
    extents = tuple(long_extents(box))
    value = stmt.value
    if isinstance(value, Region):
        source = box_of(value)
        extents = tuple(long_extents(source))
        loops = loops_for(extents)
        value = Load(value.buffer.dtype, value.buffer, indices_of(source, loops, extents, value), span=stmt.span)
    else:
        loops = loops_for(extents)
    place = Load(target.buffer.dtype, target.buffer, indices_of(box, loops, extents, target), span=stmt.span)
    inner = Atomic(stmt.op, place, value, span=stmt.span, attrs=stmt.attrs)
    return Nest(stmt, loops, extents, (inner,))


def _neighbours(kernel: BlockLowering, stmt: Atomic) -> list[tir.Stmt]:
    """``T.atomic_addx2`` and ``T.atomic_addx4``: elements side by side."""
    if stmt.attr("result") is not None:
        raise Unsupported(f"T.atomic_{stmt.op} with return_prev is not supported on the CPU", stmt.span)
    target, source = _first(stmt.dst), _first(stmt.value)
    if target is None or source is None:
        raise Unsupported(f"T.atomic_{stmt.op} takes elements of buffers", stmt.span)
    code: list[tir.Stmt] = []
    for lane in range(int(stmt.op.removeprefix("addx"))):
        one = Atomic("add", _beside(target, lane), _beside(source, lane), span=stmt.span)
        assert isinstance(one.dst, Load)
        code += _element(kernel, one, one.dst)
    return code


def _first(place: object) -> Load | None:
    if isinstance(place, Load):
        return place
    if isinstance(place, Region):
        return Load(place.buffer.dtype, place.buffer, place.mins, span=place.span)
    return None


def _beside(place: Load, lane: int) -> Load:
    last: Operand = plus(place.indices[-1], lane)
    return Load(place.dtype, place.buffer, (*place.indices[:-1], last), span=place.span)


def _element(kernel: BlockLowering, stmt: Atomic, place: Load) -> list[tir.Stmt]:
    buffer, scalars, memory = place.buffer, kernel.scalars, kernel.memory
    dtype = buffer.dtype
    storage = scalars.storage(dtype)
    if dtype.bits == 4:
        raise Unsupported(f"T.atomic_{stmt.op} on {dtype} is not supported", stmt.span)
    offset, code = kernel.named("place", memory.offset(buffer, place.indices))
    array = memory.place(buffer).array
    value: tir.Expr | None = None
    if stmt.op != "load":
        assert isinstance(stmt.value, (Expr, int, float)), "a tile is taken apart before"
        value, more = kernel.named("value", scalars.lower(stmt.value, dtype))
        code += more
    old, declaration = memory.temporary("old", storage, 1)
    read = kernel.put(old, 0, memory.read(buffer, offset))
    before = tir.at(old, tir.const(0))

    def updated() -> tir.Expr:
        assert value is not None
        if stmt.op == "store":
            return scalars.encode(value, dtype)
        return scalars.encode(combined(_OPS[stmt.op], scalars.decode(before, dtype), value), dtype)

    if stmt.op not in ("load", "store", *_OPS):
        raise Unsupported(f"T.atomic_{stmt.op} is not supported on the CPU", stmt.span)
    body: list[tir.Stmt]
    if stmt.op == "load":
        body = [read]
    elif not buffer.is_global:
        body = [read, kernel.put(array, offset, updated())]
    else:
        body = _exchanged(kernel, array, offset, storage, old, read, updated())
    result = stmt.attr("result")
    inside = kernel.inside(buffer, place.indices)
    if isinstance(result, Var):
        declarations = [declaration, kernel.put(old, 0, tir.const(0, storage))]
        kept, more = _result(kernel, result, storage)
        body.append(kernel.put(kept[0], kept[1], before))
        declarations += more
    else:
        declarations = [declaration]
    return [*code, *declarations, *(body if inside is None else [tir.branch(inside, body)])]


def _result(kernel: BlockLowering, result: Var, storage: str) -> tuple[tuple[object, tir.Expr], list[tir.Stmt]]:
    """Where the old value goes: to each thread its own."""
    scalars = kernel.scalars
    if kernel.thread is not None and not kernel.parallel:
        array = kernel.memory.array(result.name, storage, kernel.thread_count(result.span))

        def own() -> tir.Expr:
            thread = kernel.thread
            if thread is None:
                raise Unsupported(f"{result.name} differs by thread, and is used where the threads work together")
            return scalars.decode(tir.at(array, thread), result.dtype)

        scalars.bind_lazily(result, own)
        return (array, kernel.thread), []
    array, declaration = kernel.memory.temporary(result.name, storage, 1)
    scalars.bind(result, scalars.decode(tir.at(array, tir.const(0)), result.dtype))
    return (array, tir.const(0)), [declaration, kernel.put(array, 0, tir.const(0, storage))]


_OPS = {"add": "sum", "max": "max", "min": "min", "or": "bitor", "and": "bitand", "xor": "bitxor"}


def _exchanged(
    kernel: BlockLowering, array: object, offset: tir.Expr, storage: str, old: object, read: tir.Stmt, new: tir.Expr
) -> list[tir.Stmt]:
    """Reads, computes, and exchanges if nothing came between; else again with what is there now."""
    bits = storage_bytes(storage) * 8
    word = f"int{bits}"
    seen, seen_declaration = kernel.memory.temporary("seen", word, 1)
    done, done_declaration = kernel.memory.temporary("done", "uint8", 1)
    expected, expected_declaration = kernel.memory.temporary("expected", word, 1)

    def as_word(value: tir.Expr) -> tir.Expr:
        return value if tir.type_of(value) == word else tirx.reinterpret(word, value)

    def as_value(value: tir.Expr) -> tir.Expr:
        return value if storage == word else tirx.reinterpret(storage, value)

    zero = tir.const(0)
    exchange = tirx.call_extern(
        word, f"tl_exchange_{bits}", tir.address(array, offset), tir.at(expected, zero), as_word(new)
    )
    turn = [
        kernel.put(expected, 0, as_word(tir.at(old, zero))),
        kernel.put(seen, 0, exchange),
        tir.branch(
            tirx.EQ(tir.at(seen, zero), tir.at(expected, zero)),
            [kernel.put(done, 0, tir.const(1, "uint8"))],
            [kernel.put(old, 0, as_value(tir.at(seen, zero)))],
        ),
    ]
    return [
        *(seen_declaration, done_declaration, expected_declaration),
        read,
        kernel.put(done, 0, tir.const(0, "uint8")),
        tirx.While(tirx.EQ(tir.at(done, zero), tir.const(0, "uint8")), tir.block(turn)),
    ]
