"""Barriers, fences and waits. Each is an effect whose call has the name of the function.

A barrier argument is a ``T.alloc_barrier`` buffer with one barrier, or an element of one (``mbar[ko % 2]``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import current
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Call, Expr, Load, Var, const_int
from tilelang.ir.stmt import Let
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import describe, effect, invalid, is_unknown, target_name
from tilelang.language.regions import to_region

if TYPE_CHECKING:
    from tilelang.language.values import BufferLike, Scalar, Value

_BARRIER_SCOPES = ("shared.barrier", "shared.cluster_barrier")


def emit(op: str, *values: object, attrs: tuple[tuple[str, object], ...] = ()) -> None:
    """Emit an effect with operands; what could not be followed is left out and marks the call as not modelled."""
    given = [_argument(value) for value in values if value is not None]
    known = [value for value in given if not isinstance(value, Unknown)]
    effect(op, *known, mode="read", attrs=attrs, modelled=len(known) == len(given))


def _argument(value: object) -> object:
    if isinstance(value, (Buffer, str)):
        return value
    return value if to_region(value) is not None else operand(value)


def barrier_argument(function: str, barrier: object, argument: str = "mbarrier") -> object:
    """A barrier operand. Records ``invalid-argument`` for a buffer that holds no barriers."""
    buffer = barrier.buffer if isinstance(barrier, Load) else barrier
    if isinstance(buffer, Buffer):
        if buffer.scope.startswith("shared") and buffer.scope not in _BARRIER_SCOPES and buffer.dtype.is_known:
            if buffer.dtype != "uint64":
                invalid(function, argument, "a barrier from T.alloc_barrier", f"{buffer.name}, of {buffer.dtype}")
        elif isinstance(barrier, Buffer) and buffer.rank != 1:
            invalid(function, argument, "a buffer of one dimension", f"{buffer.name} with {buffer.rank}")
    elif not is_unknown(barrier) and not isinstance(barrier, (Expr, int)):
        invalid(function, argument, "a barrier from T.alloc_barrier", describe(barrier))
    return barrier


# --- the block, the warp, the grid ----------------------------------------------------------------------------------


def sync_threads(barrier_id: int | None = None, arrive_count: int | None = None) -> None:
    """Wait until all threads of the block are here, or ``arrive_count`` threads at the named barrier ``barrier_id``."""
    emit("sync_threads", barrier_id, arrive_count)


def sync_warp(mask: int | None = None) -> None:
    """Wait until the threads of the warp, or those in ``mask``, are here."""
    emit("sync_warp", mask)


def sync_grid() -> None:
    """Wait until all threads of the grid are here (cooperative launch)."""
    emit("sync_grid")


def named_barrier_arrive(barrier_id: Value, thread_count: Value) -> None:
    """Arrive at a named barrier of ``thread_count`` threads without waiting."""
    emit("named_barrier_arrive", barrier_id, thread_count)


def _vote(op: str, predicate: object) -> Any:
    """A barrier that combines a predicate of all threads: the value is bound where the barrier stands."""
    builder = current()
    found = operand(predicate)
    if builder is None or isinstance(found, Unknown):
        effect(op, modelled=False)
        return UNKNOWN
    _check_predicate(f"T.{op}", found)
    span = builder.site.span
    result = Var(INT32, target_name("votes"), "let", span=span)
    builder.emit(Let(result, Call(INT32, op, (found,), span=span), span=span))
    return result


def _check_predicate(function: str, predicate: object) -> None:
    dtype = value_dtype(predicate)
    if dtype.is_known and not (dtype.is_integer or dtype.is_bool):
        invalid(function, "predicate", "an integer or a condition", f"of type {dtype}")


def syncthreads_count(predicate: Value) -> Scalar:
    """Wait for all threads of the block; for how many of them the predicate holds. An ``int32``."""
    return _vote("syncthreads_count", predicate)


def syncthreads_and(predicate: Value) -> Scalar:
    """Wait for all threads of the block; not 0 if the predicate holds for all of them. An ``int32``."""
    return _vote("syncthreads_and", predicate)


def syncthreads_or(predicate: Value) -> Scalar:
    """Wait for all threads of the block; not 0 if the predicate holds for one of them. An ``int32``."""
    return _vote("syncthreads_or", predicate)


def tvm_storage_sync(storage_scope: str) -> None:
    """Wait for all threads that share a memory scope: ``shared`` or ``warp``."""
    emit("tvm_storage_sync", storage_scope)


# --- memory barriers ------------------------------------------------------------------------------------------------


def barrier_arrive(mbarrier: BufferLike) -> None:
    """Arrive at a barrier in shared memory."""
    emit("barrier_arrive", barrier_argument("T.barrier_arrive", mbarrier))


def barrier_wait(mbarrier: BufferLike, parity: Value) -> None:
    """Wait until the phase of a barrier with this parity (0 or 1) is complete."""
    emit("barrier_wait", barrier_argument("T.barrier_wait", mbarrier), parity)


def mbarrier_arrive(mbarrier: BufferLike, cta_id: Value | None = None) -> None:
    """Arrive at a barrier in shared memory; with ``cta_id``, at that of another block of the cluster."""
    emit("mbarrier_arrive", barrier_argument("T.mbarrier_arrive", mbarrier), cta_id)


def mbarrier_wait_parity(mbarrier: BufferLike, parity: Value) -> None:
    """Wait until the phase of a barrier with this parity (0 or 1) is complete."""
    emit("mbarrier_wait_parity", barrier_argument("T.mbarrier_wait_parity", mbarrier), parity)


def mbarrier_expect_tx(mbarrier: BufferLike, tx: Value) -> None:
    """Let a barrier expect ``tx`` more bytes from asynchronous copies."""
    emit("mbarrier_expect_tx", barrier_argument("T.mbarrier_expect_tx", mbarrier), tx)


def mbarrier_arrive_expect_tx(mbarrier: BufferLike, tx: Value) -> None:
    """Arrive at a barrier that expects ``tx`` more bytes from asynchronous copies."""
    emit("mbarrier_arrive_expect_tx", barrier_argument("T.mbarrier_arrive_expect_tx", mbarrier), tx)


def ptx_arrive_cluster_barrier(mbarrier: BufferLike, cta_id: Value) -> None:
    """Arrive at the barrier of another block of the cluster."""
    function = "T.ptx_arrive_cluster_barrier"
    buffer = mbarrier.buffer if isinstance(mbarrier, Load) else mbarrier
    if isinstance(buffer, Buffer) and buffer.scope == "shared.barrier":
        invalid(function, "mbarrier", "a barrier from T.alloc_cluster_barrier", f"{buffer.name} from T.alloc_barrier")
    emit("ptx_arrive_cluster_barrier", mbarrier, cta_id)


def cp_async_barrier_noinc(barrier: BufferLike) -> None:
    """Let a barrier complete when the ``cp.async`` copies of this thread so far are done."""
    emit("cp_async_barrier_noinc", barrier_argument("T.cp_async_barrier_noinc", barrier, "barrier"))


# --- asynchronous copies and products -------------------------------------------------------------------------------


def ptx_commit_group() -> None:
    """Close a group of ``cp.async`` copies."""
    emit("ptx_commit_group")


def ptx_wait_group(num: Value) -> None:
    """Wait until at most ``num`` groups of ``cp.async`` copies are under way."""
    number = const_int(num)
    if number is not None and number < 0:
        invalid("T.ptx_wait_group", "num", "0 or more", str(number))
    emit("ptx_wait_group", num)


def wait_wgmma(id: Value) -> None:
    """Wait until at most ``id`` groups of ``wgmma`` products are under way."""
    emit("wait_wgmma", id)


def warpgroup_arrive() -> None:
    """Fence registers and shared memory before ``wgmma`` products."""
    emit("warpgroup_arrive")


def warpgroup_commit_batch() -> None:
    """Close a group of ``wgmma`` products."""
    emit("warpgroup_commit_batch")


def warpgroup_wait(num_mma: Value) -> None:
    """Wait until at most ``num_mma`` groups of ``wgmma`` products are under way."""
    emit("warpgroup_wait", num_mma)


def warpgroup_fence_operand(
    buffer_or_ptr: BufferLike | Value, offset: Value = 0, num_regs: Value | None = None, dtype: Any = None
) -> None:
    """Keep the registers of an accumulator in place around ``wgmma`` products."""
    emit("warpgroup_fence_operand", buffer_or_ptr, offset, num_regs)


def fence_proxy_async() -> None:
    """Make writes to shared memory visible to asynchronous copies and products."""
    emit("fence_proxy_async")


def ptx_fence_barrier_init() -> None:
    """Make initialised barriers visible to the cluster."""
    emit("ptx_fence_barrier_init")


def tma_store_arrive() -> None:
    """Close a group of stores by the tensor memory accelerator."""
    emit("tma_store_arrive")


def tma_store_wait(count: int = 0, read: bool = True) -> None:
    """Wait until at most ``count`` groups of stores are under way; ``read``: until their source is free again."""
    emit("tma_store_wait", count, attrs=(("read", read),))


def pdl_trigger() -> None:
    """Let the next kernel of the stream start (programmatic dependent launch)."""
    emit("pdl_trigger")


def pdl_sync() -> None:
    """Wait for the kernel before this one in the stream (programmatic dependent launch)."""
    emit("pdl_sync")


def tcgen05_mma_arrive(mbar: BufferLike | Value, arrive_2cta: bool = False) -> None:
    """Let ``mbar`` complete when the ``tcgen05`` products so far are done."""
    emit("tcgen05_mma_arrive", barrier_argument("T.tcgen05_mma_arrive", mbar, "mbar"), attrs=(("2cta", arrive_2cta),))


def tcgen05_before_thread_sync() -> None:
    """Order ``tcgen05`` operations before a barrier of the threads."""
    emit("tcgen05_before_thread_sync")


def tcgen05_after_thread_sync() -> None:
    """Order ``tcgen05`` operations after a barrier of the threads."""
    emit("tcgen05_after_thread_sync")


def deallocate_tmem(tmem: BufferLike) -> None:
    """Free a tile of tensor memory before its block ends."""
    if isinstance(tmem, Buffer) and tmem.scope != "shared.tmem":
        invalid("T.deallocate_tmem", "tmem", "a buffer from T.alloc_tmem", f"{tmem.name} in {tmem.scope}")
    emit("deallocate_tmem", tmem)


# --- clusters -------------------------------------------------------------------------------------------------------


def cluster_sync() -> None:
    """Wait until all threads of the cluster are here."""
    emit("cluster_sync")


def cluster_arrive() -> None:
    """Arrive at the barrier of the cluster."""
    emit("cluster_arrive")


def cluster_arrive_relaxed() -> None:
    """Arrive at the barrier of the cluster without ordering memory."""
    emit("cluster_arrive_relaxed")


def cluster_wait() -> None:
    """Wait at the barrier of the cluster."""
    emit("cluster_wait")


# --- registers of warp groups ---------------------------------------------------------------------------------------


def set_max_nreg(reg_count: Value, is_inc: Value) -> None:
    """Set the registers of a thread of this warp group: ``is_inc`` 1 asks for more, 0 gives some back."""
    emit("set_max_nreg", reg_count, is_inc)


def inc_max_nreg(reg_count: Value) -> None:
    """Ask for registers up to ``reg_count`` for a thread of this warp group."""
    emit("set_max_nreg", reg_count, 1)


def dec_max_nreg(reg_count: Value) -> None:
    """Give registers back down to ``reg_count`` for a thread of this warp group."""
    emit("set_max_nreg", reg_count, 0)


def no_set_max_nreg() -> None:
    """Do not move registers between warp groups."""
    emit("no_set_max_nreg")


def disable_warp_group_reg_alloc() -> None:
    """Do not move registers between warp groups."""
    emit("no_set_max_nreg")


def annotate_producer_reg_dealloc(reg_count: int = 24) -> None:
    """Registers of a thread of the producer warp group."""
    emit("set_max_nreg", reg_count, 0)


def annotate_consumer_reg_alloc(reg_count: int = 240) -> None:
    """Registers of a thread of the consumer warp groups."""
    emit("set_max_nreg", reg_count, 1)
