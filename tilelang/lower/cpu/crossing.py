"""Exchanges between threads: shuffles, votes and reductions of warps and blocks.

An exchange is two pieces of code: every thread computes what it gives, then every thread takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.lower import tir
from tilelang.lower.cpu.reductions import combined, neutral
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.expr import Call
    from tilelang.lower.cpu.kernel import BlockLowering
    from tilelang.lower.cpu.masks import Mask

WARP = 32


def exchange(kernel: BlockLowering, call: Call, mask: Mask | None) -> list[tir.Stmt]:
    """The first piece; the value of the call is known behind it. Values do not change if the statement that has the
    call is lowered in a loop over threads later."""
    threads = kernel.thread_count(call.span)
    is_vote = call.op in _VOTES
    given_type = "uint8" if is_vote else kernel.scalars.compute(call.dtype)
    if call.op in ("match_any_sync", "match_all_sync"):
        given_type = tir.type_of(_value(kernel, call, tir.const(0)))
    stored = "uint8" if given_type == "bool" else given_type
    given = kernel.memory.array("given", stored, threads)
    absent = tir.const(1 if call.op in ("all_sync", "syncthreads_and") else 0, stored)

    def give(thread: tir.Expr) -> list[tir.Stmt]:
        value = _value(kernel, call, thread, vote=is_vote)
        value = kernel.scalars.convert(value, stored)
        if mask is not None:
            value = tirx.if_then_else(mask.holds(thread), value, absent)
        return [kernel.put(given, thread, value)]

    code = kernel.loop("thread", threads, give)
    taken, more = _TAKERS[call.op](kernel, call, given, threads, mask)
    kernel.crossed[id(call)] = _reader(kernel, call, taken)
    return code + more


def _value(kernel: BlockLowering, call: Call, thread: tir.Expr, *, vote: bool = False) -> tir.Expr:
    with kernel.in_thread(thread):
        return kernel.scalars.condition(call.args[0]) if vote else kernel.scalars.lower(call.args[0])


def _reader(kernel: BlockLowering, call: Call, taken: Callable[[tir.Expr], tir.Expr]) -> Callable[[], tir.Expr]:
    compute = kernel.scalars.compute(call.dtype)

    def read() -> tir.Expr:
        if kernel.thread is None:
            raise Unsupported(f"T.{call.op} is used where the threads work together", call.span)
        value = taken(kernel.thread)
        if compute == "bool" and tir.type_of(value) != "bool":
            return tirx.NE(value, tir.const(0, tir.type_of(value)))
        return kernel.scalars.convert(value, compute)

    return read


def _taking(read: Callable[[tir.Expr], tir.Expr]) -> Callable[[tir.Expr], tir.Expr]:
    """What a thread takes, by its number."""
    return read


def _shuffle(kernel: BlockLowering, call: Call, given: Any, threads: int, mask: Mask | None) -> Any:
    """The value of another lane; of the own one where the other is outside of the group."""
    where = kernel.memory.array("lane", "int32", threads)

    def other(thread: tir.Expr) -> list[tir.Stmt]:
        with kernel.in_thread(thread):
            lane = kernel.integer(call.args[1])
            width = kernel.integer(call.args[2]) if len(call.args) > 2 else tir.const(WARP)
        own = tirx.truncmod(thread, width)
        base = thread - own
        if call.op == "shfl_sync":
            found = base + tirx.bitwise_and(lane, width - tir.const(1))
        elif call.op == "shfl_xor":
            moved = tirx.bitwise_xor(tirx.truncmod(thread, tir.const(WARP)), lane)
            found = thread - tirx.truncmod(thread, tir.const(WARP)) + moved
        elif call.op == "shfl_down":
            found = tirx.Select(tirx.LT(own + lane, width), thread + lane, thread)
        else:
            found = tirx.Select(tirx.GE(own - lane, tir.const(0)), thread - lane, thread)
        inside = tirx.And(tirx.LE(tir.const(0), found), tirx.LT(found, tir.const(threads)))
        return [kernel.put(where, thread, tirx.Select(inside, found, thread))]

    code = kernel.loop("thread", threads, other)
    return _taking(lambda thread: tir.at(given, tir.at(where, thread))), code


def _warps(op: str) -> Any:
    """One result for each warp, from all its lanes."""

    def take(kernel: BlockLowering, call: Call, given: Any, threads: int, mask: Mask | None) -> Any:
        dtype = str(given.dtype)
        count = -(-threads // WARP)
        results = kernel.memory.array("results", dtype, count)
        start = tir.const(neutral(op, dtype), dtype)

        def warp(number: tir.Expr) -> list[tir.Stmt]:
            def lane(index: tir.Expr) -> list[tir.Stmt]:
                place = number * tir.const(WARP) + index
                add = kernel.put(results, number, combined(op, tir.at(results, number), tir.at(given, place)))
                conditions = [tirx.LT(place, tir.const(threads))] if threads % WARP else []
                if mask is not None:
                    conditions.append(mask.holds(place))
                condition = tir.all_of(conditions)
                return [add if condition is None else tir.branch(condition, [add])]

            return [kernel.put(results, number, start), *kernel.loop("lane", WARP, lane)]

        code = kernel.loop("warp", count, warp)
        return _taking(lambda thread: tir.at(results, tirx.truncdiv(thread, tir.const(WARP)))), code

    return take


def _block(op: str) -> Any:
    """One result for the block: whether, or for how many threads, a predicate holds."""

    def take(kernel: BlockLowering, call: Call, given: Any, threads: int, mask: Mask | None) -> Any:
        total = kernel.memory.array("total", "int32", 1)
        start = 1 if op == "min" else 0

        def one(thread: tir.Expr) -> list[tir.Stmt]:
            value = tirx.Cast("int32", tir.at(given, thread))
            return [kernel.put(total, 0, combined(op, tir.at(total, tir.const(0)), value))]

        code = [kernel.put(total, 0, tir.const(start)), *kernel.loop("thread", threads, one)]
        return _taking(lambda thread: tir.at(total, tir.const(0))), code

    return take


def _lanes(same: bool) -> Any:
    """A word for each thread with a bit for each lane: of those whose predicate holds, or (``same``) that gave the same
    value as this one."""

    def take(kernel: BlockLowering, call: Call, given: Any, threads: int, mask: Mask | None) -> Any:
        words = kernel.memory.array("words", "uint32", threads)

        def thread_word(thread: tir.Expr) -> list[tir.Stmt]:
            base = thread - tirx.truncmod(thread, tir.const(WARP))

            def lane(index: tir.Expr) -> list[tir.Stmt]:
                place = base + index
                if same:
                    holds = tirx.EQ(tir.at(given, place), tir.at(given, thread))
                else:
                    holds = tirx.NE(tir.at(given, place), tir.const(0, str(given.dtype)))
                conditions = [tirx.LT(place, tir.const(threads))] if threads % WARP else []
                if mask is not None:
                    conditions.append(mask.holds(place))
                bit = tirx.shift_left(tir.const(1, "uint32"), tirx.Cast("uint32", index))
                add = kernel.put(words, thread, tirx.bitwise_or(tir.at(words, thread), bit))
                found = tir.branch(holds, [add])
                condition = tir.all_of(conditions)
                return [found if condition is None else tir.branch(condition, [found])]

            return [kernel.put(words, thread, tir.const(0, "uint32")), *kernel.loop("lane", WARP, lane)]

        code = kernel.loop("thread", threads, thread_word)
        if call.op != "match_all_sync":
            return _taking(lambda thread: tir.at(words, thread)), code
        if threads % WARP or mask is not None:
            raise Unsupported("T.match_all_sync needs whole warps on the CPU", call.span)
        every = tir.const(0xFFFFFFFF, "uint32")
        return _taking(
            lambda thread: tirx.Select(tirx.EQ(tir.at(words, thread), every), every, tir.const(0, "uint32"))
        ), code

    return take


_VOTES = frozenset(
    (
        *("any_sync", "all_sync", "ballot_sync", "ballot"),
        *("syncthreads_count", "syncthreads_and", "syncthreads_or"),
    )
)
_TAKERS: dict[str, Callable[..., Any]] = {
    "shfl_sync": _shuffle,
    "shfl_xor": _shuffle,
    "shfl_down": _shuffle,
    "shfl_up": _shuffle,
    "warp_reduce_sum": _warps("sum"),
    "warp_reduce_max": _warps("max"),
    "warp_reduce_min": _warps("min"),
    "warp_reduce_bitand": _warps("bitand"),
    "warp_reduce_bitor": _warps("bitor"),
    "any_sync": _warps("bitor"),
    "all_sync": _warps("min"),
    "ballot_sync": _lanes(same=False),
    "ballot": _lanes(same=False),
    "match_any_sync": _lanes(same=True),
    "match_all_sync": _lanes(same=True),
    "syncthreads_count": _block("sum"),
    "syncthreads_and": _block("min"),
    "syncthreads_or": _block("max"),
}
