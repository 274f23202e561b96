"""Statements of the tile IR: what runs once for the block, what runs for each thread, and in which pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import let_ranges, loop_ranges, try_const
from tilelang.ir.buffer import Region
from tilelang.ir.stmt import (
    Alloc,
    Atomic,
    Copy,
    Effect,
    Fill,
    For,
    Gemm,
    If,
    Launch,
    Let,
    Reduce,
    Scan,
    Scope,
    Stmt,
    Store,
    While,
)
from tilelang.lower import tir
from tilelang.lower.cpu.atomics import lower_atomic
from tilelang.lower.cpu.crossing import exchange
from tilelang.lower.cpu.effects import lower_effect
from tilelang.lower.cpu.gemm import lower_gemm
from tilelang.lower.cpu.jumps import is_clear, is_jump, jump, jumps_in, jumps_of, new_jumps
from tilelang.lower.cpu.masks import Mask
from tilelang.lower.cpu.nests import copy_nest, fill_nest, lower_nest, written_nest
from tilelang.lower.cpu.reductions import lower_reduce, lower_scan
from tilelang.lower.cpu.variance import crossing_calls
from tilelang.lower.persistent import open_persistent
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tilelang.lower.cpu.kernel import BlockLowering

    Inner = Callable[[tir.Expr, Mask | None], list[tir.Stmt]]

REGIONS = ("ws", "warp_specialize", "attr", "sblock", "block", "init", "realize")


# --- code of the block ------------------------------------------------------------------------------------------


def lower_block(kernel: BlockLowering, body: Sequence[Stmt], mask: Mask | None = None) -> list[tir.Stmt]:
    """The code of statements that follow each other. Outside of threads and nests, neighbours that run for each thread
    and need nothing of each other's threads share one loop over threads."""
    if kernel.thread is not None or kernel.parallel:
        return _in_order(kernel, body)
    code: list[tir.Stmt] = []
    place = 0
    while place < len(body):
        stmt = body[place]
        group: list[Stmt] = []
        while place < len(body) and _is_own(kernel, body[place]):
            group.append(body[place])
            place += 1
            if jumps_in(group[-1]):
                break
        if group:
            code += _for_threads(kernel, group, mask)
            stmt = group[-1]
        else:
            place += 1
            code += _together(kernel, stmt, mask)
        if place < len(body) and jumps_in(stmt):
            return code + _after_jump(kernel, stmt, body[place:], mask)
    return code


def _is_own(kernel: BlockLowering, stmt: Stmt) -> bool:
    return kernel.variance.is_per_thread(stmt) and not kernel.variance.is_together(stmt)


def _for_threads(kernel: BlockLowering, group: Sequence[Stmt], mask: Mask | None) -> list[tir.Stmt]:
    """One loop over the threads around statements."""

    def one(thread: tir.Expr) -> list[tir.Stmt]:
        with kernel.in_thread(thread):
            code = _in_order(kernel, group)
        return code if mask is None else [tir.branch(mask.holds(thread), code)] if code else []

    with kernel.at(group[0].span):
        return kernel.loop("thread", kernel.thread_count(group[0].span), one)


def _after_jump(kernel: BlockLowering, stmt: Stmt, rest: Sequence[Stmt], mask: Mask | None) -> list[tir.Stmt]:
    """What follows a statement that may have ended the iteration of some threads or of all."""
    level = kernel.jumps[-1]
    if not level.each:
        return [tir.branch(is_clear(level.skip, tir.const(0)), lower_block(kernel, rest, mask))]
    narrowed, code = Mask.where(kernel, mask, lambda thread: is_clear(level.skip, thread))
    return [*code, *lower_block(kernel, rest, narrowed)]


def _together(kernel: BlockLowering, stmt: Stmt, mask: Mask | None) -> list[tir.Stmt]:
    """A statement of the block: a tile operation, control around such, or scalar code that is the same everywhere."""
    variance = kernel.variance
    if isinstance(stmt, For) and stmt.kind == "persistent":
        stmt = open_persistent(stmt)
    with kernel.at(stmt.span):
        calls = crossing_calls(stmt) if not isinstance(stmt, While) else []
        code = [line for call in calls for line in exchange(kernel, call, mask)]
        if isinstance(stmt, If) and variance.is_per_thread(stmt):
            return code + _if(kernel, stmt, mask)
        if isinstance(stmt, For) and stmt.kind not in ("parallel", "thread") and variance.is_per_thread(stmt):
            return code + _loop_of_threads(kernel, stmt, mask)
        if isinstance(stmt, While) and variance.is_per_thread(stmt):
            return code + _while_of_threads(kernel, stmt, mask)
        if isinstance(stmt, Scope):
            return code + _scope(kernel, stmt, mask)
        if isinstance(stmt, For) and stmt.kind == "thread":
            return code + lower_block(kernel, stmt.body, mask)
        if calls:
            # The values are there: what is left is code of each thread.
            return code + _for_threads(kernel, (stmt,), mask)
        if mask is None:
            return code + lower_statement(kernel, stmt)
        inner = lower_statement(kernel, stmt)
        return [*code, tir.branch(mask.any(), inner)] if inner else code


def _if(kernel: BlockLowering, stmt: If, mask: Mask | None) -> list[tir.Stmt]:
    """A branch around tile operations or barriers. One that threads may take differently narrows the mask."""
    if not kernel.variance.of_value(stmt.cond):
        condition, code = kernel.named("condition", kernel.scalars.condition(stmt.cond))
        then, orelse = lower_block(kernel, stmt.then, mask), lower_block(kernel, stmt.orelse, mask)
        return [*code, tir.branch(condition, then, orelse)] if then or orelse else []
    taken, code = Mask.where(kernel, mask, lambda thread: _condition(kernel, stmt.cond, thread))
    # The other arm is decided now: the first may change what the condition reads.
    other, more = Mask.where(kernel, mask, lambda thread: tirx.Not(taken.holds(thread))) if stmt.orelse else (None, [])
    code += more
    code += lower_block(kernel, stmt.then, taken)
    if other is not None:
        code += lower_block(kernel, stmt.orelse, other)
    return code


def _condition(kernel: BlockLowering, value: object, thread: tir.Expr) -> tir.Expr:
    with kernel.in_thread(thread):
        return kernel.scalars.condition(value)


def _loop_of_threads(kernel: BlockLowering, stmt: For, mask: Mask | None) -> list[tir.Stmt]:
    """A serial loop whose body has pieces for all threads and pieces for each."""
    bounds = (*stmt.starts, *stmt.extents, stmt.step)
    if any(kernel.variance.of_value(value) for value in bounds):
        raise Unsupported(
            "a loop whose length differs by thread cannot hold tile operations or barriers on the CPU", stmt.span
        )
    return _loops(kernel, stmt, 0, mask)


def _while_of_threads(kernel: BlockLowering, stmt: While, mask: Mask | None) -> list[tir.Stmt]:
    """Goes on as long as some thread does."""
    code: list[tir.Stmt] = []
    level, setup = new_jumps(kernel, each=True)
    code += setup
    calls = crossing_calls(stmt)
    again = kernel.memory.array("again", "uint8", 1)

    def goes_on(thread: tir.Expr) -> tir.Expr:
        return tirx.And(is_clear(level.stop, thread), _condition(kernel, stmt.cond, thread))

    before = [line for call in calls for line in exchange(kernel, call, mask)]
    running, narrow = Mask.where(kernel, mask, goes_on)
    kernel.jumps.append(level)
    body = lower_block(kernel, stmt.body, running)
    kernel.jumps.pop()
    set_again = kernel.put(again, 0, tirx.Cast("uint8", running.any()))
    clear_skip = kernel.loop("t", kernel.thread_count(), lambda t: [kernel.put(level.skip, t, tir.const(0, "uint8"))])
    # A thread that has left does not come back.
    leave = kernel.loop(
        "t",
        kernel.thread_count(),
        lambda t: [tir.branch(tirx.Not(running.holds(t)), [kernel.put(level.stop, t, tir.const(1, "uint8"))])],
    )
    turn = [*clear_skip, *before, *narrow, *leave, set_again, tir.branch(running.any(), body)]
    return [
        *code,
        kernel.put(again, 0, tir.const(1, "uint8")),
        tirx.While(tirx.NE(tir.at(again, tir.const(0)), tir.const(0, "uint8")), tir.block(turn)),
    ]


def _scope(kernel: BlockLowering, stmt: Scope, mask: Mask | None) -> list[tir.Stmt]:
    if stmt.op not in REGIONS:
        raise Unsupported(f"the region T.{stmt.op} is not supported on the CPU", stmt.span)
    groups = [try_const(group) for group in stmt.args] if stmt.op in ("ws", "warp_specialize") else []
    narrow = bool(groups) and any(map(kernel.variance.is_per_thread, stmt.body))
    if not narrow:
        return lower_block(kernel, stmt.body, mask)
    if None in groups:
        raise Unsupported("T.ws needs warp groups that are constants", stmt.span)

    def chosen(thread: tir.Expr) -> tir.Expr:
        group = tirx.truncdiv(thread, tir.const(128))
        found = tir.const(False, "bool")
        for number in groups:
            found = tirx.Or(found, tirx.EQ(group, tir.const(number or 0)))
        return found

    narrowed, code = Mask.where(kernel, mask, chosen)
    return [*code, *lower_block(kernel, stmt.body, narrowed)]


# --- code that is the same for all, of one thread, or of one iteration of a nest --------------------------------


def _in_order(kernel: BlockLowering, body: Iterable[Stmt]) -> list[tir.Stmt]:
    code: list[tir.Stmt] = []
    statements = list(body)
    for number, stmt in enumerate(statements):
        with kernel.at(stmt.span):
            code += lower_statement(kernel, stmt)
        rest = statements[number + 1 :]
        if rest and kernel.jumps and jumps_in(stmt):
            level = kernel.jumps[-1]
            code.append(tir.branch(is_clear(level.skip, level.place(kernel.thread)), _in_order(kernel, rest)))
            break
    return code


def lower_statement(kernel: BlockLowering, stmt: Stmt) -> list[tir.Stmt]:
    """The code of one statement."""
    if is_jump(stmt):
        return jump(kernel, stmt)
    if isinstance(stmt, Alloc):
        return _alloc(kernel, stmt)
    if isinstance(stmt, Copy):
        return lower_nest(kernel, copy_nest(stmt))
    if isinstance(stmt, Fill):
        return lower_nest(kernel, fill_nest(stmt))
    if isinstance(stmt, Gemm):
        return lower_gemm(kernel, stmt)
    if isinstance(stmt, Reduce):
        return lower_reduce(kernel, stmt)
    if isinstance(stmt, Scan):
        return lower_scan(kernel, stmt)
    if isinstance(stmt, Atomic):
        return lower_atomic(kernel, stmt)
    if isinstance(stmt, Store):
        value = kernel.scalars.encode(kernel.scalars.lower(stmt.value, stmt.buffer.dtype), stmt.buffer.dtype)
        return kernel.store(stmt.buffer, stmt.indices, value)
    if isinstance(stmt, Let):
        return _let(kernel, stmt)
    if isinstance(stmt, For):
        return _for(kernel, stmt)
    if isinstance(stmt, While):
        return _while(kernel, stmt)
    if isinstance(stmt, If):
        condition = kernel.scalars.condition(stmt.cond)
        then, orelse = lower_block(kernel, stmt.then), lower_block(kernel, stmt.orelse)
        return [tir.branch(condition, then, orelse)] if then or orelse else []
    if isinstance(stmt, Scope) and stmt.op in REGIONS:
        return lower_block(kernel, stmt.body)
    if isinstance(stmt, Effect):
        return lower_effect(kernel, stmt)
    if isinstance(stmt, Launch):
        raise Unsupported("a kernel inside of a kernel is not supported", stmt.span)
    raise Unsupported(f"{type(stmt).__name__} is not supported on the CPU", stmt.span)


def _alloc(kernel: BlockLowering, stmt: Alloc) -> list[tir.Stmt]:
    """Memory with an initial value; everything else is declared when it is used."""
    buffer = stmt.buffer
    if stmt.init is None or not (buffer.is_local or buffer.is_fragment):
        return []
    whole = Region(buffer, None, (0,) * buffer.rank, buffer.shape, span=stmt.span)
    return lower_nest(kernel, fill_nest(Fill(whole, stmt.init, span=stmt.span)))


def _let(kernel: BlockLowering, stmt: Let) -> list[tir.Stmt]:
    """A value that is computed once, where it is named. One that differs is kept for each thread, since the code of the
    thread may be cut behind it."""
    dtype, scalars = stmt.var.dtype, kernel.scalars
    kernel.ranges = let_ranges(stmt, kernel.ranges)
    if dtype.kind == "handle":
        raise Unsupported("a pointer as a value is not supported on the CPU", stmt.span)
    storage = scalars.storage(dtype)
    if kernel.thread is not None and not kernel.parallel:
        array = kernel.memory.array(stmt.var.name, storage, kernel.thread_count(stmt.span))
        value = scalars.encode(scalars.lower(stmt.value, dtype), dtype)
        store = kernel.put(array, kernel.thread, value)
        scalars.bind_lazily(stmt.var, lambda: scalars.decode(tir.at(array, _thread(kernel, stmt)), dtype))
        return [store]
    array, declaration = kernel.memory.temporary(stmt.var.name, storage, 1)
    value = scalars.encode(scalars.lower(stmt.value, dtype), dtype)
    scalars.bind(stmt.var, scalars.decode(tir.at(array, tir.const(0)), dtype))
    if kernel.parallel:
        return [declaration, kernel.put(array, 0, value)]
    kernel.memory.declarations.append(declaration)
    return [kernel.put(array, 0, value)]


def _thread(kernel: BlockLowering, stmt: Let) -> tir.Expr:
    if kernel.thread is None:
        raise Unsupported(f"{stmt.var.name} differs by thread, and is used where the threads work together", stmt.span)
    return kernel.thread


# --- loops ------------------------------------------------------------------------------------------------------


def _for(kernel: BlockLowering, stmt: For) -> list[tir.Stmt]:
    if stmt.kind == "parallel":
        nest = written_nest(kernel, stmt)
        return lower_nest(kernel, nest)
    if stmt.kind == "thread":
        return lower_block(kernel, stmt.body)
    if stmt.kind == "persistent":
        return _for(kernel, open_persistent(stmt))
    return _loops(kernel, stmt, 0, None)


def _loops(kernel: BlockLowering, stmt: For, depth: int, mask: Mask | None) -> list[tir.Stmt]:
    """The loops of a serial nest, outermost first."""
    if depth == len(stmt.vars):
        return lower_block(kernel, stmt.body, mask)
    var, start, extent = stmt.vars[depth], stmt.starts[depth], stmt.extents[depth]
    kind = kernel.scalars.compute(var.dtype)
    count, code = kernel.named("count", kernel.integer(extent, kind))
    step = try_const(stmt.step)
    if step != 1:
        stride = kernel.integer(stmt.step, kind)
        whole = tirx.truncdiv(count + (stride - tir.const(1, kind)), stride)
        if step is None:
            # A step that runs backwards counts down.
            back = tirx.truncdiv(count + (stride + tir.const(1, kind)), stride)
            whole = tirx.Select(tirx.LT(stride, tir.const(0, kind)), back, whole)
        elif step < 0:
            whole = tirx.truncdiv(count + (stride + tir.const(1, kind)), stride)
        count, more = kernel.named("count", whole)
        code += more
    first, more = kernel.named("start", kernel.integer(start, kind))
    code += more
    jumping = depth == len(stmt.vars) - 1 and jumps_of(stmt.body)

    def value(index: tir.Expr) -> tir.Expr:
        moved = index if step == 1 else index * kernel.integer(stmt.step, kind)
        return moved if tir.is_const(first, 0) else first + moved

    def inner(index: tir.Expr, running: Mask | None = mask) -> list[tir.Stmt]:
        kernel.scalars.bind(var, value(index))
        with kernel.ranging(loop_ranges(stmt, kernel.ranges)):
            body = _loops(kernel, stmt, depth + 1, running)
        kernel.scalars.unbind(var)
        return body

    if jumping:
        return [*code, *_jumping(kernel, stmt, count, kind, inner, mask)]
    number = try_const(extent)
    unrolled = stmt.kind in ("unroll", "vectorized") and number is not None and number <= 16 and step == 1
    if not isinstance(count, tirx.IntImm) or int(count.value) > 1:
        index = tir.var(kernel.fresh(var.name), kind)
        body = inner(index)
        if not body:
            return []
        how = tirx.ForKind.UNROLLED if unrolled else tirx.ForKind.SERIAL
        return [*code, tirx.For(index, tir.const(0, kind), count, how, tir.block(body))]
    return [*code, *inner(tir.const(0, kind))] if int(count.value) == 1 else []


def _jumping(
    kernel: BlockLowering,
    stmt: For,
    count: tir.Expr,
    kind: str,
    inner: Inner,
    mask: Mask | None,
) -> list[tir.Stmt]:
    """A loop that may end early."""
    each = kernel.thread is None and not kernel.parallel and any(map(kernel.variance.is_per_thread, stmt.body))
    level, setup = new_jumps(kernel, each=each)
    index, declaration = kernel.memory.temporary("index", kind, 1)
    kernel.memory.declarations.append(declaration)
    threads = kernel.thread_count() if each else 1
    kernel.jumps.append(level)
    here = tir.at(index, tir.const(0))
    narrow: list[tir.Stmt] = []
    running: Mask | None = mask
    if each:
        running, narrow = Mask.where(kernel, mask, lambda thread: is_clear(level.stop, thread))
        more = running.any()
    else:
        more = is_clear(level.stop, tir.const(0))
    body = inner(here, running)
    kernel.jumps.pop()
    clear = kernel.loop("t", threads, lambda t: [kernel.put(level.skip, t, tir.const(0, "uint8"))])
    advance = kernel.put(index, 0, here + tir.const(1, kind))
    start = [*setup, kernel.put(index, 0, tir.const(0, kind))]
    if each and running is not None:
        # The first turn finds out who goes on.
        start.append(kernel.put(running.some, 0, tir.const(1, "uint8")))
    going = tirx.And(tirx.LT(here, count), more)
    return [*start, tirx.While(going, tir.block([*clear, *narrow, *body, advance]))]


def _while(kernel: BlockLowering, stmt: While) -> list[tir.Stmt]:
    if not jumps_of(stmt.body):
        return [tirx.While(kernel.scalars.condition(stmt.cond), tir.block(lower_block(kernel, stmt.body)))]
    level, setup = new_jumps(kernel, each=False)
    kernel.jumps.append(level)
    body = lower_block(kernel, stmt.body)
    kernel.jumps.pop()
    condition = tirx.And(is_clear(level.stop, tir.const(0)), kernel.scalars.condition(stmt.cond))
    return [*setup, tirx.While(condition, tir.block([kernel.put(level.skip, 0, tir.const(0, "uint8")), *body]))]
