"""Calls for their effect: barriers, waits, printing, embedded CUDA; and calls with a value that only a GPU has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Call, Expr, Load, Var
from tilelang.lower import tir
from tilelang.lower.cuda import reducers
from tilelang.lower.cuda.embedded import source_text
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.stmt import Effect
    from tilelang.lower.cuda.kernel import KernelLowering

    Lower = Callable[[KernelLowering, Effect, Call], list[tir.Stmt]]

ANNOTATIONS = frozenset(
    (
        *(
            "annotate_layout",
            "annotate_safe_value",
            "annotate_l2_hit_ratio",
            "annotate_restrict_buffers",
            "use_swizzle",
        ),
        *("annotate_min_blocks_per_sm", "annotate_compile_flags", "annotate_pass_configs", "assume", "sblock_attr"),
        *("annotate_ws_schedule", "annotate_ws_pipeline_depth", "reads", "writes", "no_set_max_nreg", "set_max_nreg"),
        *("disable_warp_group_reg_alloc", "annotate_producer_reg_dealloc", "annotate_consumer_reg_alloc"),
        *("inc_max_nreg", "dec_max_nreg", "annotate_stmt", "reshape", "view"),
    )
)
"""Effects that say something about a kernel and run no code here."""


def lower_effect(kernel: KernelLowering, stmt: Effect) -> list[tir.Stmt]:
    """The code of one effect."""
    call = stmt.call
    if call.op in ANNOTATIONS:
        return []
    found = EFFECTS.get(call.op)
    if found is not None:
        return found(kernel, stmt, call)
    if call.op == "evaluate" and call.args and isinstance(call.args[0], Call):
        call = call.args[0]
    if call.op in ("call_extern", "call_pure_extern"):
        # What it returns is not asked for.
        name, args = extern_call(kernel, call)
        return [tir.run(tir.extern("void", name, *args))]
    if call.op == "evaluate":
        return [tir.run(kernel.scalars.lower(call.args[0]))]
    value = device_call(kernel, call)
    if value is not None:
        return [tir.run(value)]
    raise Unsupported(f"T.{call.op} is not supported on {kernel.target.arch} yet", stmt.span)


# --- effects ----------------------------------------------------------------------------------------------------


def _sync_threads(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    if call.args:
        numbers = [kernel.index(arg) for arg in call.args]
        count = numbers[1] if len(numbers) > 1 else tir.const(kernel.active(stmt)[1])
        return [tir.run(tir.extern("void", "tl::sync_threads", numbers[0], count))]
    return [kernel.barrier(stmt)]


def _sync_warp(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    return [tir.run(tir.extern("void", "__syncwarp", *map(kernel.index, call.args)))]


def _sync_grid(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    raise Unsupported("T.sync_grid needs a cooperative launch, which is not supported yet", stmt.span)


def _storage_sync(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    return (
        _sync_warp(kernel, stmt, Call(call.dtype, "sync_warp", ())) if "warp" in call.args else [kernel.barrier(stmt)]
    )


def _named(name: str) -> Lower:
    """A function of the prologue with the same operands."""

    def lower(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
        return [tir.run(tir.extern("void", name, *(argument(kernel, arg) for arg in call.args)))]

    return lower


def _wait_group(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    count = try_const(call.args[0]) if call.args else 0
    if count is None:
        raise Unsupported(f"T.{call.op} needs a constant number of groups", stmt.span)
    return [tir.run(tir.extern("void", f"tl::cp_async_wait<{count}>"))]


def _print(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """One line for each thread that runs it: scalars by every thread, tiles element by element by the first."""
    message = str(dict(call.attrs).get("message", "") or "")
    if not call.args:
        return [tir.run(tir.extern("void", "tl::print_message", tir.tvm.ir.StringImm(message)))]
    shown = call.args[0]
    if isinstance(shown, (Buffer, Region)):
        return _print_tile(kernel, stmt, shown if isinstance(shown, Buffer) else shown.buffer, message)
    assert isinstance(shown, (Expr, int, float))
    value = kernel.scalars.lower(shown)
    return [tir.run(tir.extern("void", "tl::print_value", tir.tvm.ir.StringImm(message), value))]


def _print_tile(kernel: KernelLowering, stmt: Effect, buffer: Buffer, message: str) -> list[tir.Stmt]:
    if buffer.is_fragment:
        # ``expand`` put a copy into shared memory right before.
        tile = next(
            (
                slot.buffer
                for slot in kernel.plan.memory.allocations
                if slot.buffer is not None and slot.span == stmt.span
            ),
            None,
        )
        if tile is None:
            raise Unsupported(f"T.print cannot find the copy of {buffer.name}", stmt.span)
        buffer = tile
    count = buffer.element_count()
    if count is None:
        raise Unsupported(f"T.print needs a tile of constant size, {buffer.name} has none", stmt.span)
    shape = [try_const(extent) or 1 for extent in buffer.shape]
    name = buffer.name if not message else f"{message} {buffer.name}"

    def element(index: tir.Expr) -> list[tir.Stmt]:
        rest = index
        places: list[Var] = []
        for extent in reversed(shape):
            var = Var(INT32, "at", "loop")
            kernel.scalars.bind(var, tirx.truncmod(rest, tir.const(extent)))
            places.append(var)
            rest = tirx.truncdiv(rest, tir.const(extent))
        value = kernel.scalars.lower(Load(buffer.dtype, buffer, tuple(reversed(places))))
        return [tir.run(tir.extern("void", "tl::print_element", tir.tvm.ir.StringImm(name), index, value))]

    loop = tir.loop(kernel.fresh("i"), count, element)
    return [kernel.barrier(stmt), tir.branch(tirx.EQ(kernel.thread, tir.const(0)), loop)]


def _device_assert(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    message = str(dict(call.attrs).get("message", "") or "") or "device assertion failed"
    conditions = [kernel.scalars.condition(arg) for arg in call.args if isinstance(arg, (Expr, int, bool))]
    return [tir.run(tir.extern("void", "tl::check", one, tir.tvm.ir.StringImm(message))) for one in conditions]


def _import_source(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    kernel.sources.append(source_text(dict(call.attrs).get("source"), stmt.span, kernel.lines))
    return []


def _loops_of(call: Call) -> tuple[Region, int]:
    """The box that ``T.all_of`` or ``T.any_of`` looks at, and its number of elements."""
    value = call.args[0]
    region = Region(value, None, (0,) * value.rank, value.shape) if isinstance(value, Buffer) else value
    if not isinstance(region, Region) or region.extents is None:
        raise Unsupported(f"T.{call.op} needs a buffer or a box of one", call.span)
    count, ended = 1, False
    for extent, whole in zip(reversed(region.extents), reversed(region.buffer.shape), strict=True):
        number = try_const(extent)
        if number is None or (ended and number != 1):
            raise Unsupported(f"T.{call.op} needs elements that lie side by side", call.span)
        ended = ended or number != try_const(whole)
        count *= number
    return region, count


def _thread_return(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    return [tir.run(tir.extern("void", "tl_return"))]


EFFECTS: dict[str, Lower] = {
    "sync_threads": _sync_threads,
    "syncthreads": _sync_threads,
    "sync_warp": _sync_warp,
    "sync_grid": _sync_grid,
    "tvm_storage_sync": _storage_sync,
    "named_barrier_arrive": _named("tl::arrive_threads"),
    "barrier_arrive": _named("tl::barrier_arrive"),
    "mbarrier_arrive": _named("tl::barrier_arrive"),
    "ptx_arrive_barrier": _named("tl::barrier_arrive"),
    "barrier_wait": _named("tl::barrier_wait"),
    "mbarrier_wait_parity": _named("tl::barrier_wait"),
    "mbarrier_expect_tx": _named("tl::barrier_expect"),
    "ptx_commit_group": _named("tl::cp_async_commit"),
    "cp_async_commit_group": _named("tl::cp_async_commit"),
    "ptx_wait_group": _wait_group,
    "cp_async_wait_group": _wait_group,
    "ptx_cp_async_barrier_noinc": _named("tl::cp_async_arrive"),
    "cp_async_barrier_noinc": _named("tl::cp_async_arrive"),
    "fence_proxy_async": _named("tl::fence_proxy_async"),
    "threadfence": _named("__threadfence"),
    "threadfence_block": _named("__threadfence_block"),
    "print": _print,
    "device_assert": _device_assert,
    "import_source": _import_source,
    "pdl_trigger": _named("tl::pdl_trigger"),
    "pdl_sync": _named("tl::pdl_sync"),
    "thread_return": _thread_return,
    "loop_break": lambda kernel, stmt, call: [tirx.Break()],
    **reducers.EFFECTS,
}


# --- values -----------------------------------------------------------------------------------------------------


def argument(kernel: KernelLowering, value: object) -> tir.Expr:
    """An argument of a call: a buffer, a box or a barrier is the address of its first element."""
    if isinstance(value, Buffer):
        return tir.address(kernel.memory.place(value).array, kernel.memory.offset(value, (0,) * value.rank))
    if isinstance(value, Region):
        return tir.address(kernel.memory.place(value.buffer).array, kernel.memory.offset(value.buffer, value.mins))
    if isinstance(value, Load) and value.buffer.scope in ("shared.barrier", "shared.cluster_barrier"):
        return tir.address(kernel.memory.place(value.buffer).array, kernel.memory.offset(value.buffer, value.indices))
    return kernel.scalars.argument(value)


def device_call(kernel: KernelLowering, call: Call) -> tir.Expr | None:
    """A call with a value that only a GPU has; ``None`` for others."""
    op, scalars = call.op, kernel.scalars
    if op in ("address_of", "access_ptr", "tvm_access_ptr"):
        return _address(kernel, call)
    if op in ("call_extern", "call_pure_extern"):
        name, args = extern_call(kernel, call)
        result = "void" if call.dtype.kind == "void" else kernel.storage(call.dtype)
        made = tirx.call_extern(result, name, *args)
        return made if result == "void" else scalars.decode(made, call.dtype)
    if op in _SHUFFLES:
        value, *rest = call.args
        assert isinstance(value, Expr)
        inner = scalars.lower(value)
        lane, width, mask = (kernel.index(arg) for arg in (*rest, 32, 0xFFFFFFFF)[:3])
        return tirx.call_extern(tir.type_of(inner), _SHUFFLES[op], mask, inner, lane, width)
    if op in _WARP_REDUCTIONS:
        inner = scalars.lower(call.args[0])
        return tirx.call_extern(tir.type_of(inner), _WARP_REDUCTIONS[op], inner)
    if op in _VOTES:
        predicate = scalars.condition(call.args[0])
        mask = kernel.index(call.args[1]) if len(call.args) > 1 else tir.const(0xFFFFFFFF, "uint32")
        dtype = scalars.compute(call.dtype)
        args = (mask, predicate) if not op.startswith("syncthreads") else (predicate,)
        return tirx.Cast(dtype, tirx.call_extern("int32" if dtype == "int32" else "uint32", _VOTES[op], *args))
    if op in _INDICES:
        return _INDICES[op](kernel, call)
    if op in ("all_of", "any_of"):
        region, count = _loops_of(call)
        if region.buffer.is_fragment:
            raise Unsupported(
                f"T.{op} of a fragment would need other threads; copy it to shared memory first", call.span
            )
        return tirx.call_extern("bool", f"tl::{op}<{count}>", argument(kernel, region))
    if op == "__ldg" and isinstance(call.args[0], Load):
        return scalars.lower(call.args[0])
    if op == "ldg32" and isinstance(call.args[0], (Load, Region, Buffer)) and len(call.args) == 1:
        return tirx.call_extern("uint32", "tl::load_word", _address(kernel, call))
    if op in ("ldg32", "ldg64", "ldg128", "lds32", "lds64", "lds128"):
        raise Unsupported(f"T.{op} is not supported yet; index the buffer instead", call.span)
    if op == "activemask":
        return tirx.Cast("uint64", tirx.call_extern("uint32", "__activemask"))
    if op in ("match_any_sync", "match_all_sync"):
        inner = scalars.lower(call.args[0])
        mask = kernel.index(call.args[1]) if len(call.args) > 1 else tir.const(0xFFFFFFFF, "uint32")
        return tirx.call_extern("uint32", f"tl::{op}", mask, inner)
    return None


def extern_call(kernel: KernelLowering, call: Call) -> tuple[str, list[tir.Expr]]:
    """Name and arguments of a call of a function that the program brings itself."""
    name = dict(call.attrs).get("name")
    if not isinstance(name, str):
        raise Unsupported(f"T.{call.op} needs the name of a function that is known", call.span)
    return name, [argument(kernel, arg) for arg in call.args]


def _address(kernel: KernelLowering, call: Call) -> tir.Expr:
    place = next((arg for arg in call.args if isinstance(arg, (Buffer, Region, Load))), None)
    if place is None:
        raise Unsupported(f"T.{call.op} of something that is no buffer", call.span)
    if isinstance(place, Load):
        return tir.address(kernel.memory.place(place.buffer).array, kernel.memory.offset(place.buffer, place.indices))
    return argument(kernel, place)


_SHUFFLES = {
    "shfl_sync": "tl::shuffle",
    "shfl_xor": "tl::shuffle_xor_sync",
    "shfl_down": "tl::shuffle_down",
    "shfl_up": "tl::shuffle_up",
}
_WARP_REDUCTIONS = {
    "warp_reduce_sum": "tl::warp_reduce<tl::Add>",
    "warp_reduce_max": "tl::warp_reduce<tl::Max>",
    "warp_reduce_min": "tl::warp_reduce<tl::Min>",
    "warp_reduce_bitand": "tl::warp_reduce<tl::BitAnd>",
    "warp_reduce_bitor": "tl::warp_reduce<tl::BitOr>",
}
_VOTES = {
    "any_sync": "__any_sync",
    "all_sync": "__all_sync",
    "ballot_sync": "__ballot_sync",
    "ballot": "__ballot_sync",
    "syncthreads_count": "__syncthreads_count",
    "syncthreads_and": "__syncthreads_and",
    "syncthreads_or": "__syncthreads_or",
}


def _lane(kernel: KernelLowering, call: Call) -> tir.Expr:
    return tirx.truncmod(kernel.thread, kernel.index(call.args[0]) if call.args else tir.const(32))


def _warp(kernel: KernelLowering, call: Call) -> tir.Expr:
    return tirx.truncdiv(kernel.thread, kernel.index(call.args[0]) if call.args else tir.const(32))


def _warp_group(kernel: KernelLowering, call: Call) -> tir.Expr:
    size = [kernel.index(arg) for arg in call.args]
    warp = size[0] if size else tir.const(32)
    return tirx.truncdiv(kernel.thread, warp * (size[1] if len(size) > 1 else 4))


def _elected(kernel: KernelLowering, call: Call) -> tir.Expr:
    extent = try_const(call.args[0]) if call.args else 0
    if not extent:
        return tirx.EQ(kernel.thread, tir.const(0))
    return tirx.EQ(tirx.truncmod(kernel.thread, tir.const(extent)), tir.const(0))


def _block_rank(kernel: KernelLowering, call: Call) -> tir.Expr:
    return tirx.call_extern("int32", "tl::block_rank_in_cluster")


_INDICES: dict[str, Callable[[KernelLowering, Call], tir.Expr]] = {
    "get_lane_idx": _lane,
    "get_warp_idx": _warp,
    "get_warp_idx_sync": _warp,
    "get_warp_group_idx": _warp_group,
    "shuffle_elect": _elected,
    "block_rank_in_cluster": _block_rank,
}
