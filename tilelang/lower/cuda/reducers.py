"""``T.alloc_reducer``: each thread adds to registers of its own; ``T.finalize_reducer`` combines them.

The partial layout of a reducer says which threads have a part of an element: those are its copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load
from tilelang.ir.layout.digits import Input, Sum, normal, of, substitute
from tilelang.ir.layout.fragment import REP, Fragment
from tilelang.ir.layout.recover import REGISTER, THREAD, Recovered, recover
from tilelang.lower import tir
from tilelang.lower.cuda.combine import Combination
from tilelang.lower.sums import expression
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.expr import Call
    from tilelang.ir.stmt import Effect, Stmt
    from tilelang.lower.cuda.kernel import KernelLowering


def init_reducer(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """Neutral values everywhere; a value to start with goes to one of the copies of each element."""
    buffer, layout = _reducer(kernel, stmt, call)
    combination = _combination(kernel, stmt, buffer)
    scalars = kernel.scalars
    compute = scalars.compute(buffer.dtype)
    value = combination.neutral(compute)
    given: Any = dict(call.attrs).get("init")
    if given is not None:
        start = scalars.convert(scalars.lower(given, buffer.dtype), compute)
        first = tir.all_of(
            tirx.EQ(_place(_thread(kernel, stmt), scale, extent), tir.const(0)) for scale, extent in _copies(layout)
        )
        value = start if first is None else tirx.Select(first, start, value)
    array = kernel.memory.place(buffer).array
    encoded = scalars.encode(value, buffer.dtype)
    return tir.loop(kernel.fresh("i"), layout.register_count, lambda i: [tir.put(array, i, encoded)], unroll=True)


def update_reducer(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """One contribution to an element. What runs in several threads at once counts where :func:`once` holds."""
    target = call.args[0]
    assert isinstance(target, (Load, Region)), "the model of the operation checks the target"
    indices = target.indices if isinstance(target, Load) else target.mins
    buffer = target.buffer
    scalars, dtype = kernel.scalars, buffer.dtype
    array, offset = kernel.memory.place(buffer).array, kernel.memory.offset(buffer, indices)
    compute = scalars.compute(dtype)
    value = scalars.convert(scalars.lower(call.args[1], dtype), compute)
    found = _combination(kernel, stmt, buffer).combined(scalars.decode(tir.at(array, offset), dtype), value)
    return [tir.put(array, offset, scalars.encode(found, dtype))]


def once(kernel: KernelLowering, buffer: Buffer, spread: Fragment, stmt: Stmt) -> tir.Expr | None:
    """The condition that keeps the copies of an iteration from counting more than once, for a loop that is spread like
    ``spread``. Copies that :func:`finalize_reducer` does not put together may all count."""
    layout = kernel.layout(buffer)
    if not isinstance(layout, Fragment):
        raise Unsupported(f"it is not known how the reducer {buffer.name} is spread over threads", stmt.span)
    combined = _copies(layout)
    conditions: list[tir.Expr] = []
    for scale, extent in _copies(spread):
        inside = [one for one in combined if scale < one[0] * one[1] and one[0] < scale * extent]
        if not inside:
            continue
        if len(inside) > 1 or scale < inside[0][0] or scale * extent > inside[0][0] * inside[0][1]:
            raise Unsupported(
                f"the updates of the reducer {buffer.name} overlap in a way that is not supported", stmt.span
            )
        conditions.append(tirx.EQ(_place(_thread(kernel, stmt), scale, extent), tir.const(0)))
    return tir.all_of(conditions)


def finalize_reducer(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """Combines the copies of each element, in place: every thread that has one ends up with the result."""
    buffer, layout = _reducer(kernel, stmt, call)
    scalars, dtype, count = kernel.scalars, buffer.dtype, layout.register_count
    combination = _combination(kernel, stmt, buffer)
    array = kernel.memory.place(buffer).array
    compute = scalars.compute(dtype)
    partial, declaration = kernel.memory.temporary("partial", compute, count)
    kernel.finished_reducer = buffer
    return [
        declaration,
        *tir.loop(
            kernel.fresh("i"),
            count,
            lambda i: [tir.put(partial, i, scalars.decode(tir.at(array, i), dtype))],
            unroll=True,
        ),
        *combination.across(partial, count, compute, _copies(layout)),
        *tir.loop(
            kernel.fresh("i"),
            count,
            lambda i: [tir.put(array, i, scalars.encode(tir.at(partial, i), dtype))],
            unroll=True,
        ),
    ]


def check_read(kernel: KernelLowering, buffer: Buffer, layout: Fragment, sums: Sequence[Sum]) -> None:
    """Raises :class:`Unsupported` where a thread would need an element of a reducer that other threads have."""
    own = _own(layout)
    if own.is_const:
        return
    wanted, here = substitute(own, dict(enumerate(sums))), _own_of_thread(own, kernel.threads)
    if wanted == here:
        return
    nest = kernel.nest
    assert nest is not None, "registers are addressed inside of nests"
    keys = {one.key: one.extent for total in (wanted, here) for one in total.inputs()}
    if set(keys) <= {THREAD, REGISTER} and all(
        wanted.at({THREAD: thread, REGISTER: register}) == here.at({THREAD: thread, REGISTER: register})
        for thread in range(keys.get(THREAD, 1))
        for register in range(keys.get(REGISTER, 1))
    ):
        return
    raise Unsupported(
        f"elements of the reducer {buffer.name} are used in other threads than those that have them; "
        f"take them out with T.finalize_reducer({buffer.name}, fragment)",
        buffer.span,
    )


def reducer_result(kernel: KernelLowering, stmt: Effect, call: Call) -> list[tir.Stmt]:
    """Moves the elements of the reducer that was just finished into a fragment."""
    source = kernel.finished_reducer
    assert source is not None, "the end of a reducer comes right before its result"
    target = _buffer(call.args[0])
    have, want = kernel.layout(source), kernel.layout(target)
    if not isinstance(have, Fragment) or not isinstance(want, Fragment):
        raise Unsupported(f"it is not known how {target.name} is spread over threads", stmt.span)
    threads = kernel.active(stmt)[1]
    back = recover(want, threads)
    if back is None or have.shape != want.shape:
        raise Unsupported(f"the layout of {target.name} cannot be inverted", stmt.span)
    if not _covers(have, want, back, threads):
        return _through_memory(kernel, stmt, source, target, have, back)
    register_of = _flat(have, back)
    thread = _thread(kernel, stmt)
    from_array, to_array = kernel.memory.place(source).array, kernel.memory.place(target).array

    def move(register: tir.Expr) -> list[tir.Stmt]:
        place = expression(register_of, lambda key: thread if key == THREAD else register)
        return [tir.put(to_array, register, tir.at(from_array, place))]

    return tir.loop(kernel.fresh("i"), want.register_count, move, unroll=True)


def _through_memory(
    kernel: KernelLowering, stmt: Effect, source: Buffer, target: Buffer, have: Fragment, back: Recovered
) -> list[tir.Stmt]:
    """Moves elements to threads that do not have them: through an array in shared memory, which the memory plan does
    not count."""
    threads = kernel.active(stmt)[1]
    owned = recover(have, threads)
    if owned is None:
        raise Unsupported(f"the layout of {source.name} cannot be inverted", stmt.span)
    elements = 1
    for extent in have.shape:
        elements *= extent
    exchange = kernel.memory.exchange(kernel.fresh("exchange"), elements, kernel.storage(source.dtype))
    thread = _thread(kernel, stmt)
    from_array, to_array = kernel.memory.place(source).array, kernel.memory.place(target).array

    def flat(found: Recovered, register: tir.Expr) -> tuple[tir.Expr, tir.Expr | None]:
        def value_of(key: object) -> tir.Expr:
            return thread if key == THREAD else register

        place = tir.const(0)
        for dim, extent in zip(found.dims, have.shape, strict=True):
            place = place * extent + expression(dim, value_of)
        guards = tir.all_of(tirx.LT(expression(one.value, value_of), tir.const(one.bound)) for one in found.guards)
        return place, guards

    def publish(register: tir.Expr) -> list[tir.Stmt]:
        place, guards = flat(owned, register)
        code = [tir.put(exchange, place, tir.at(from_array, register))]
        return code if guards is None else [tir.branch(guards, code)]

    def fetch(register: tir.Expr) -> list[tir.Stmt]:
        place, guards = flat(back, register)
        code = [tir.put(to_array, register, tir.at(exchange, place))]
        return code if guards is None else [tir.branch(guards, code)]

    want = kernel.layout(target)
    assert isinstance(want, Fragment), "the caller has looked"
    return [
        kernel.barrier(stmt),
        *tir.loop(kernel.fresh("i"), have.register_count, publish, unroll=True),
        kernel.barrier(stmt),
        *tir.loop(kernel.fresh("i"), want.register_count, fetch, unroll=True),
    ]


# --- layouts ----------------------------------------------------------------------------------------------------


def _flat(layout: Fragment, back: Recovered) -> Sum:
    """The register of a layout that has the element which another layout, seen backwards, has in a register."""
    found = Sum(())
    for one, extent in zip(layout.index_of(back.dims), layout.registers, strict=True):
        found = found * extent + one
    return found


def _covers(have: Fragment, want: Fragment, back: Recovered, threads: int) -> bool:
    """Whether each thread has, in one layout, all elements that it needs in another."""
    own = _own(have)
    wanted, here = substitute(own, dict(enumerate(back.dims))), _own_of_thread(own, threads)
    if wanted == here:
        return have.thread_extent >= threads or want.thread_extent <= have.thread_extent
    for number in range(threads):
        for register in range(want.register_count):
            point: dict[object, int] = {THREAD: number, REGISTER: register}
            if any(one.value.at(point) >= one.bound for one in back.guards):
                continue
            if wanted.at(point) != here.at(point) or number >= have.thread_extent:
                return False
    return True


def _own(layout: Fragment) -> Sum:
    """The part of the number of a thread that an element decides."""
    return normal([digit for digit in layout.thread.digits if not _is_copy(digit.source)], layout.thread.base)


def _own_of_thread(own: Sum, threads: int) -> Sum:
    """The same part, read off the number of a thread."""
    thread, found = of(THREAD, threads), normal([], own.base)
    for digit in own.digits:
        found = found + thread // digit.scale % digit.extent * digit.scale
    return found


def _is_copy(source: Input | Sum) -> bool:
    return isinstance(source, Input) and source.key == REP


def _copies(layout: Fragment) -> list[tuple[int, int]]:
    """The places in the number of the thread that tell the copies of an element apart: scale and extent."""
    return [(digit.scale, digit.extent) for digit in layout.thread.digits if _is_copy(digit.source)]


def _place(thread: tir.Expr, scale: int, extent: int) -> tir.Expr:
    return tirx.truncmod(tirx.truncdiv(thread, tir.const(scale)), tir.const(extent))


# --- operands ---------------------------------------------------------------------------------------------------


def _thread(kernel: KernelLowering, stmt: Stmt) -> tir.Expr:
    """The number of the thread among those that run a statement."""
    first = kernel.active(stmt)[0]
    return kernel.thread - first if first else kernel.thread


def _buffer(value: object) -> Buffer:
    if isinstance(value, Buffer):
        return value
    assert isinstance(value, (Region, Load)), "the model of the operation checks what it is given"
    return value.buffer


def _reducer(kernel: KernelLowering, stmt: Effect, call: Call) -> tuple[Buffer, Fragment]:
    buffer = _buffer(call.args[0])
    layout = kernel.layout(buffer)
    if not isinstance(layout, Fragment):
        raise Unsupported(f"it is not known how the reducer {buffer.name} is spread over threads", stmt.span)
    return buffer, layout


def _combination(kernel: KernelLowering, stmt: Stmt, buffer: Buffer) -> Combination:
    return Combination(kernel, stmt, str(buffer.attr("reducer")), buffer.dtype, "T.finalize_reducer")


EFFECTS = {
    "reducer_init": init_reducer,
    "reducer_update": update_reducer,
    "finalize_reducer": finalize_reducer,
    "reducer_result": reducer_result,
}
