"""Calls for their effect, and calls whose value follows from the thread or the block."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Call, Expr, Load, Var
from tilelang.ir.stmt import Copy, If, Scope, Store
from tilelang.ir.visit import walk
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import box_of, indices_of, long_extents, loops_for
from tilelang.lower.cpu.nests import Nest, copy_nest, lower_nest
from tilelang.lower.cpu.reductions import combined
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.stmt import Effect
    from tilelang.lower.cpu.kernel import BlockLowering

    Lower = Callable[[BlockLowering, Effect, Call], list[tir.Stmt]]

NOTHING = frozenset(
    (
        *("annotate_layout", "annotate_safe_value", "annotate_l2_hit_ratio", "annotate_restrict_buffers"),
        *("annotate_min_blocks_per_sm", "annotate_compile_flags", "annotate_pass_configs", "assume", "sblock_attr"),
        *("annotate_ws_schedule", "annotate_ws_pipeline_depth", "annotate_producer_reg_dealloc", "reads", "writes"),
        *("annotate_consumer_reg_alloc", "annotate_stmt", "use_swizzle", "reshape", "view", "no_set_max_nreg"),
        *("set_max_nreg", "inc_max_nreg", "dec_max_nreg", "disable_warp_group_reg_alloc"),
        *(
            "sync_threads",
            "syncthreads",
            "sync_warp",
            "tvm_storage_sync",
            "fence_proxy_async",
            "ptx_fence_barrier_init",
        ),
        *("threadfence", "threadfence_block", "threadfence_system", "named_barrier_arrive"),
        *("ptx_commit_group", "cp_async_commit_group", "ptx_wait_group", "cp_async_wait_group", "wait_wgmma"),
        *("warpgroup_arrive", "warpgroup_commit_batch", "warpgroup_wait", "warpgroup_fence_operand"),
        *("tma_store_arrive", "tma_store_wait", "pdl_trigger", "pdl_sync", "cp_async_barrier_noinc"),
        *("ptx_cp_async_barrier_noinc", "tcgen05_mma_arrive", "tcgen05_before_thread_sync", "deallocate_tmem"),
        *("tcgen05_after_thread_sync", "import_source", "reducer_result"),
    )
)
"""Effects that order what on the CPU runs in order anyway, or that speak to a GPU's compiler."""
ARRIVALS = frozenset(
    (
        *("barrier_arrive", "mbarrier_arrive", "ptx_arrive_barrier", "mbarrier_expect_tx", "mbarrier_arrive_expect_tx"),
        *("barrier_wait", "mbarrier_wait_parity"),
    )
)
"""Barriers in shared memory. Nothing is to wait for if all threads come by; see :func:`_arrival`."""


def lower_effect(kernel: BlockLowering, stmt: Effect) -> list[tir.Stmt]:
    """The code of one effect."""
    call = stmt.call
    if call.op in NOTHING:
        return []
    if call.op in ARRIVALS:
        return _arrival(kernel, stmt)
    found = EFFECTS.get(call.op)
    if found is not None:
        return found(kernel, stmt, call)
    if call.op == "evaluate" and call.args and isinstance(call.args[0], Call):
        call = call.args[0]
    if call.op in ("call_extern", "call_pure_extern", "evaluate"):
        return [tir.run(kernel.scalars.lower(call.args[0] if call.op == "evaluate" else call))]
    raise Unsupported(f"T.{call.op} is not supported on the CPU", stmt.span)


def _arrival(kernel: BlockLowering, stmt: Effect) -> list[tir.Stmt]:
    """Code that runs in order has nothing to wait for, unless one part of the threads works ahead of another."""
    for outer in walk(kernel.launch.body):
        parts = (outer.body,) if isinstance(outer, Scope) and outer.op in ("ws", "warp_specialize") else ()
        if isinstance(outer, If) and kernel.variance.of_value(outer.cond):
            parts = (outer.then, outer.orelse)
        waits = ("barrier_wait", "mbarrier_wait_parity")
        for part in parts:
            if any(getattr(getattr(inner, "call", None), "op", "") in waits for inner in walk(part)):
                raise Unsupported(
                    "parts of the threads that wait for each other at barriers need a GPU: on the CPU they would run "
                    "one after the other",
                    outer.span,
                )
    return []


def _print(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """Scalars of every thread that has them, else once; tiles element by element."""
    message = str(dict(call.attrs).get("message", "") or "")
    shown = call.args[0] if call.args else None
    if isinstance(shown, (Buffer, Region)):
        buffer = shown if isinstance(shown, Buffer) else shown.buffer
        region = shown if isinstance(shown, Region) else Region(buffer, None, (0,) * buffer.rank, buffer.shape)
        name = f"{message} {buffer.name}".strip()
        box = box_of(region)
        extents = tuple(long_extents(box))
        loops = loops_for(extents)
        indices = indices_of(box, loops, extents, region)
        value = Call(INT32, "print_element", (Load(buffer.dtype, buffer, indices), name, *indices))
        from tilelang.ir.stmt import Effect as EffectStmt

        return lower_nest(kernel, Nest(stmt, loops, extents, (EffectStmt(value, span=stmt.span),)))
    args: list[tir.Expr] = [tir.tvm.ir.StringImm(message)]
    if shown is not None:
        args.append(_printable(kernel, shown))
    return [tir.run(tirx.call_packed("tilelang.cpu.print", *args))]


def _print_element(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    value, name, *indices = call.args
    args = [tir.tvm.ir.StringImm(str(name)), _printable(kernel, value), *(kernel.integer(index) for index in indices)]
    return [tir.run(tirx.call_packed("tilelang.cpu.print_element", *args))]


def _printable(kernel: BlockLowering, value: object) -> tir.Expr:
    """A value in a type that packed calls take."""
    found = kernel.scalars.lower(value)
    kind = tir.type_of(found)
    if kind.startswith("float"):
        return kernel.scalars.convert(found, "float64")
    return kernel.scalars.convert(found, "int64")


def _device_assert(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    message = str(dict(call.attrs).get("message", "") or "") or "device assertion failed"
    where = f"{stmt.span.path}:{stmt.span.line}: {message}" if stmt.span.line else message
    code: list[tir.Stmt] = []
    for one in call.args:
        condition = kernel.scalars.condition(one)
        failed = tir.run(tirx.call_packed("tilelang.cpu.assertion_failed", tir.tvm.ir.StringImm(where)))
        code.append(tir.branch(tirx.Not(condition), [failed]))
    return code


# --- reducers ---------------------------------------------------------------------------------------------------


def _reducer_init(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    from tilelang.lower.cpu.reductions import neutral

    region = _region(call.args[0])
    buffer = region.buffer
    op = str(buffer.attr("reducer"))
    given = dict(call.attrs).get("init")
    box = box_of(region)
    extents = tuple(extent for _, extent in box)
    loops = loops_for(extents)
    indices = indices_of(box, loops, extents, region) if 1 not in extents else tuple(loops)
    value = given if isinstance(given, (Expr, int, float)) else neutral(op, kernel.scalars.compute(buffer.dtype))
    return lower_nest(kernel, Nest(stmt, loops, extents, (Store(buffer, indices, value, span=stmt.span),)))


def _reducer_update(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    target, value = call.args[0], call.args[1]
    region = _region(target)
    buffer, dtype = region.buffer, region.buffer.dtype
    indices = target.indices if isinstance(target, Load) else region.mins
    before = kernel.scalars.decode(kernel.load(Load(dtype, buffer, indices)), dtype)
    found = combined(str(buffer.attr("reducer")), before, kernel.scalars.lower(value, dtype))
    return kernel.store(buffer, indices, kernel.scalars.encode(found, dtype))


def _finalize_reducer(kernel: BlockLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """There is one part only; with a destination it is copied there."""
    body = kernel.launch.body
    region = _region(call.args[0])
    for block in _blocks(body):
        for this, following in pairwise(block):
            if this is stmt and getattr(getattr(following, "call", None), "op", "") == "reducer_result":
                target = _region(following.call.args[0])  # type: ignore[attr-defined]  # an effect
                return lower_nest(kernel, copy_nest(Copy(region, target, span=stmt.span)))
    return []


def _blocks(body: tuple[object, ...]) -> list[tuple[object, ...]]:
    from tilelang.ir.stmt import Stmt
    from tilelang.ir.visit import children

    found: list[tuple[object, ...]] = [body]
    for stmt in body:
        if isinstance(stmt, Stmt):
            for inner in children(stmt):
                found += _blocks(inner)
    return found


def _region(value: object) -> Region:
    if isinstance(value, Region):
        return value
    if isinstance(value, Buffer):
        return Region(value, None, (0,) * value.rank, value.shape)
    assert isinstance(value, Load)
    return Region(value.buffer, value.indices, value.indices, (1,) * value.buffer.rank)


EFFECTS: dict[str, Lower] = {
    "print": _print,
    "print_element": _print_element,
    "device_assert": _device_assert,
    "reducer_init": _reducer_init,
    "reducer_update": _reducer_update,
    "finalize_reducer": _finalize_reducer,
}


# --- values -----------------------------------------------------------------------------------------------------


LIBM = frozenset(
    base + suffix
    for suffix in ("", "f")
    for base in (
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos"),
        *("atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "lgamma"),
        *("floor", "ceil", "trunc", "round", "rint", "fabs", "fmod", "pow", "hypot", "fmax", "fmin", "fma"),
    )
)
"""Functions of C's mathematics library, which every process has: the only ones that may be called by name."""


def block_call(kernel: BlockLowering, call: Call) -> tir.Expr | None:
    """A call with a value that follows from the thread or the block, or that reads a tile; ``None`` for others."""
    op = call.op
    if op in ("call_extern", "call_pure_extern"):
        name = str(dict(call.attrs).get("name"))
        if name not in LIBM:
            raise Unsupported(f"the function {name} is CUDA code, which cannot run on the CPU", call.span)
        args = [kernel.scalars.argument(arg) for arg in call.args]
        return kernel.scalars.decode(tirx.call_pure_extern(kernel.scalars.storage(call.dtype), name, *args), call.dtype)
    if op in _INDICES:
        return _INDICES[op](kernel, call)
    if op in ("any_of", "all_of"):
        return _whole_tile(kernel, call)
    if op == "__ldg":
        return kernel.scalars.lower(call.args[0])
    return None


def _thread(kernel: BlockLowering, call: Call) -> tir.Expr:
    if kernel.thread is None:
        raise Unsupported(f"T.{call.op} differs by thread, and is used where the threads work together", call.span)
    return kernel.thread


def _size(kernel: BlockLowering, call: Call, place: int, default: int) -> tir.Expr:
    return kernel.integer(call.args[place]) if len(call.args) > place else tir.const(default)


def _lane(kernel: BlockLowering, call: Call) -> tir.Expr:
    return tirx.truncmod(_thread(kernel, call), _size(kernel, call, 0, 32))


def _warp(kernel: BlockLowering, call: Call) -> tir.Expr:
    return tirx.truncdiv(_thread(kernel, call), _size(kernel, call, 0, 32))


def _warp_group(kernel: BlockLowering, call: Call) -> tir.Expr:
    return tirx.truncdiv(_thread(kernel, call), _size(kernel, call, 0, 32) * _size(kernel, call, 1, 4))


def _elected(kernel: BlockLowering, call: Call) -> tir.Expr:
    extent = try_const(call.args[0]) if call.args else 0
    thread = _thread(kernel, call)
    return tirx.EQ(tirx.truncmod(thread, tir.const(extent)) if extent else thread, tir.const(0))


def _first_of_cluster(kernel: BlockLowering, call: Call) -> tir.Expr:
    if kernel.launch.attr("cluster_dims") is not None:
        raise Unsupported("clusters of blocks are not supported on the CPU", call.span)
    return tir.const(0)


_INDICES: dict[str, Callable[[BlockLowering, Call], tir.Expr]] = {
    "get_lane_idx": _lane,
    "get_warp_idx": _warp,
    "get_warp_idx_sync": _warp,
    "get_warp_group_idx": _warp_group,
    "shuffle_elect": _elected,
    "elect_one_sync": lambda kernel, call: tirx.EQ(tirx.truncmod(_thread(kernel, call), tir.const(32)), tir.const(0)),
    "block_rank_in_cluster": _first_of_cluster,
    "activemask": lambda kernel, call: tir.const(0xFFFFFFFF, "uint64"),
}


def _whole_tile(kernel: BlockLowering, call: Call) -> tir.Expr:
    """Whether an element, or every element, of a small box is not 0."""
    region = _region(call.args[0])
    box = box_of(region)
    extents = [try_const(extent) for extent in long_extents(box)]
    total = 1
    for extent in extents:
        if extent is None:
            raise Unsupported(f"T.{call.op} needs a box of constant size", call.span)
        total *= extent
    if total > 64:
        raise Unsupported(f"T.{call.op} of {total} elements is not supported on the CPU; reduce the tile", call.span)
    loops = loops_for([extent or 1 for extent in extents])
    indices = indices_of(box, loops, [extent or 1 for extent in extents], region)
    found: tir.Expr = tir.const(call.op == "all_of", "bool")
    for number in range(total):
        rest = number
        places: list[tuple[Var, int]] = []
        for loop, extent in zip(reversed(loops), reversed(extents), strict=True):
            rest, place = divmod(rest, extent or 1)
            places.append((loop, place))
        for loop, place in places:
            kernel.scalars.bind(loop, tir.const(place))
        one = kernel.scalars.condition(Load(region.buffer.dtype, region.buffer, indices))
        found = tirx.Or(found, one) if call.op == "any_of" else tirx.And(found, one)
    for loop in loops:
        kernel.scalars.unbind(loop)
    return found
