"""Statements of the tile IR as statements of one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import let_ranges, loop_ranges, try_const
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
from tilelang.ir.visit import walk
from tilelang.lower import tir
from tilelang.lower.cuda.atomics import lower_atomic
from tilelang.lower.cuda.copies import lower_copy, lower_fill
from tilelang.lower.cuda.effects import lower_effect
from tilelang.lower.cuda.gemm import lower_gemm
from tilelang.lower.cuda.nests import ParallelNest, lower_nest, written
from tilelang.lower.cuda.pipeline import lower_pipeline
from tilelang.lower.cuda.reductions import lower_reduce
from tilelang.lower.cuda.scans import lower_scan
from tilelang.lower.persistent import open_persistent
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.layouts.nest import is_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tilelang.lower.cuda.kernel import KernelLowering

    Body = Callable[[Sequence[Stmt]], Sequence[tir.Stmt]]


def lower_block(kernel: KernelLowering, body: Iterable[Stmt]) -> list[tir.Stmt]:
    """The code of statements that follow each other, with the barriers between them."""
    code: list[tir.Stmt] = []
    for stmt in body:
        lowered = lower_statement(kernel, stmt)
        if id(stmt) in kernel.barriers.before:
            code += [*kernel.mark(stmt.span), kernel.barrier(stmt)]
        if lowered:
            code += [*kernel.mark(stmt.span), *lowered]
    return code


def lower_statement(kernel: KernelLowering, stmt: Stmt) -> list[tir.Stmt]:
    """The code of one statement outside of parallel nests, without the barrier before it."""
    if isinstance(stmt, Alloc):
        return _alloc(kernel, stmt)
    if isinstance(stmt, Copy):
        return lower_copy(kernel, stmt)
    if isinstance(stmt, Fill):
        return lower_fill(kernel, stmt)
    if isinstance(stmt, Gemm):
        return lower_gemm(kernel, stmt)
    if isinstance(stmt, Reduce):
        return lower_reduce(kernel, stmt)
    if isinstance(stmt, Scan):
        return lower_scan(kernel, stmt)
    if isinstance(stmt, Store):
        return _store(kernel, stmt)
    if isinstance(stmt, For):
        return _for(kernel, stmt)
    if isinstance(stmt, If):
        then, orelse = lower_block(kernel, stmt.then), lower_block(kernel, stmt.orelse)
        return [tir.branch(kernel.scalars.condition(stmt.cond), then, orelse)] if then or orelse else []
    if isinstance(stmt, While):
        body = lower_block(kernel, stmt.body)
        return [tir.tirx.While(kernel.scalars.condition(stmt.cond), tir.block(body))]
    if isinstance(stmt, Scope):
        return _scope(kernel, stmt)
    return lower_scalar_statement(kernel, stmt)


def lower_scalar_statement(kernel: KernelLowering, stmt: Stmt) -> list[tir.Stmt]:
    """A statement that a thread runs by itself, inside of parallel nests too."""
    if isinstance(stmt, Atomic):
        return lower_atomic(kernel, stmt)
    if isinstance(stmt, Effect):
        return lower_effect(kernel, stmt)
    if isinstance(stmt, Let):
        return _let(kernel, stmt)
    if isinstance(stmt, Jump):
        if stmt.kind == "break":
            return [tir.tirx.Break()]
        if stmt.kind == "continue":
            return [tir.tirx.Continue()]
        return [tir.run(tir.extern("void", "tl::leave"))]
    if isinstance(stmt, Copy):
        return lower_copy(kernel, stmt)
    if isinstance(stmt, Alloc):
        return _alloc(kernel, stmt)
    raise Unsupported(f"{type(stmt).__name__} is not supported on {kernel.target.arch}", stmt.span)


def _alloc(kernel: KernelLowering, stmt: Alloc) -> list[tir.Stmt]:
    """Registers with an initial value; everything else is declared when it is used."""
    if stmt.init is None or not (stmt.buffer.is_local or stmt.buffer.is_fragment):
        return []
    dtype = stmt.buffer.dtype
    value = kernel.scalars.encode(kernel.scalars.lower(stmt.init, dtype), dtype)
    placed = kernel.memory.place(stmt.buffer)
    return tir.loop(kernel.fresh("i"), placed.size or 1, lambda i: [tir.put(placed.array, i, value)], unroll=True)


def _store(kernel: KernelLowering, stmt: Store) -> list[tir.Stmt]:
    """One element. Where it lies in a fragment, or inference dealt the store out, only the threads that have it."""
    return lower_nest(kernel, ParallelNest(stmt, (), (1,), (stmt,)))


def _let(kernel: KernelLowering, stmt: Let) -> list[tir.Stmt]:
    """A value that is computed once, where it is named."""
    dtype = stmt.var.dtype
    kernel.ranges = let_ranges(stmt, kernel.ranges)
    if dtype.kind == "handle":
        kernel.scalars.bind(stmt.var, kernel.scalars.lower(stmt.value))
        return kernel.tensors_at(stmt.var)
    array, declaration = kernel.memory.temporary(stmt.var.name, kernel.storage(dtype), 1)
    value = kernel.scalars.encode(kernel.scalars.lower(stmt.value, dtype), dtype)
    kernel.scalars.bind(stmt.var, kernel.scalars.decode(tir.at(array, tir.const(0)), dtype))
    return [declaration, tir.put(array, tir.const(0), value), *kernel.tensors_at(stmt.var)]


def _for(kernel: KernelLowering, stmt: For) -> list[tir.Stmt]:
    if is_parallel(stmt):
        if all(try_const(extent) is not None for extent in stmt.extents):
            return lower_nest(kernel, written(stmt))
        return _dealt_out(kernel, stmt)
    if stmt.kind == "thread":
        # One dimension of the launch, under another name.
        return lower_block(kernel, stmt.body)
    if stmt.kind == "persistent":
        return _for(kernel, open_persistent(stmt))
    if id(stmt) in kernel.barriers.staged:
        return lower_pipeline(kernel, stmt)
    return lower_loop(kernel, stmt, lambda body: lower_block(kernel, body))


def _dealt_out(kernel: KernelLowering, stmt: For) -> list[tir.Stmt]:
    """A parallel loop whose extents are known at run time only: the threads take its iterations in turn."""
    if any(access.buffer.is_fragment for inner in walk(stmt.body) for access in accesses(inner)):
        raise Unsupported("T.Parallel over fragments needs constant extents", stmt.span)
    if any(try_const(start) != 0 for start in stmt.starts):
        raise Unsupported("T.Parallel loops start at 0", stmt.span)
    first, threads = kernel.active(stmt)
    extents = [kernel.index(extent) for extent in stmt.extents]
    total = tir.const(1)
    for extent in extents:
        total = total * extent
    outer = kernel.ranges
    kernel.ranges = loop_ranges(stmt, outer)

    def turn(number: tir.Expr) -> list[tir.Stmt]:
        index = number * threads + (kernel.thread - first if first else kernel.thread)
        rest = index
        for var, extent in reversed(list(zip(stmt.vars, extents, strict=True))):
            last = var is stmt.vars[0]
            kernel.scalars.bind(var, rest if last else tir.tirx.truncmod(rest, extent))
            rest = tir.tirx.truncdiv(rest, extent)
        try:
            body = lower_block(kernel, stmt.body)
        finally:
            for var in stmt.vars:
                kernel.scalars.unbind(var)
        return [tir.branch(tir.tirx.LT(index, total), body)] if body else []

    try:
        rounds = tir.tirx.truncdiv(total + (threads - 1), tir.const(threads))
        return tir.loop(kernel.fresh("turn"), rounds, turn)
    finally:
        kernel.ranges = outer


def lower_loop(kernel: KernelLowering, stmt: For, body: Body) -> list[tir.Stmt]:
    """The loops of a serial nest, outermost first."""
    return _loops(kernel, stmt, 0, body)


def _loops(kernel: KernelLowering, stmt: For, depth: int, body: Body) -> list[tir.Stmt]:
    if depth == len(stmt.vars):
        return list(body(stmt.body))
    var, start, extent = stmt.vars[depth], stmt.starts[depth], stmt.extents[depth]
    outer = kernel.ranges
    kernel.ranges = loop_ranges(stmt, outer)
    step, first = stmt.step, try_const(start)
    index = tir.var(kernel.fresh(var.name))
    value: tir.Expr = index
    count = kernel.index(extent)
    if try_const(step) != 1:
        stride = kernel.index(step)
        count = tir.tirx.truncdiv(count + stride - 1, stride)
        value = value * stride
    if first != 0:
        value = kernel.index(start) + value
    kernel.scalars.bind(var, value)
    try:
        inner = _loops(kernel, stmt, depth + 1, body)
    finally:
        kernel.scalars.unbind(var)
        kernel.ranges = outer
    if not inner:
        return []
    unroll = stmt.kind in ("unroll", "vectorized") or (stmt.kind != "serial" and try_const(extent) == 1)
    kind = tir.tirx.ForKind.UNROLLED if unroll else tir.tirx.ForKind.SERIAL
    return [tir.tirx.For(index, tir.const(0), count, kind, tir.block(inner))]


def _scope(kernel: KernelLowering, stmt: Scope) -> list[tir.Stmt]:
    body = lower_block(kernel, stmt.body)
    first, count = kernel.active(stmt.body[0]) if stmt.body else (0, kernel.threads)
    if stmt.op in ("ws", "warp_specialize") and count < kernel.threads and body:
        return [tir.branch(_between(kernel.thread, first, first + count, kernel.threads), body)]
    if stmt.op in ("ws", "warp_specialize", "attr", "sblock", "block", "init", "realize"):
        return body
    raise Unsupported(f"the region T.{stmt.op} is not supported on {kernel.target.arch}", stmt.span)


def _between(value: tir.Expr, low: int, high: int, end: int) -> tir.Expr:
    conditions: list[tir.Expr] = []
    if low > 0:
        conditions.append(tir.tirx.LE(tir.const(low), value))
    if high < end:
        conditions.append(tir.tirx.LT(value, tir.const(high)))
    found = tir.all_of(conditions)
    assert found is not None, "the range is not the whole block"
    return found
