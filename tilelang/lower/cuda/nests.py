"""Parallel nests: every thread runs its iterations, in vectors where memory allows.

A written ``T.Parallel``, a copy, a fill of memory and a single store are all nests: loops whose iterations layout
inference dealt out to threads and registers. Neighbouring registers become the lanes of a vector where some access to
memory runs on along them; each statement is then lowered as loads, arithmetic lane by lane, and a store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import Interval, prove_le, prove_lt, try_const
from tilelang.ir.expr import Binary, Call, Expr, Load, Select, Var
from tilelang.ir.layout.recover import REGISTER, Guard, is_steady, lanes_of, recover
from tilelang.ir.stmt import Atomic, Copy, Effect, Fill, For, If, Let, Stmt, Store, While
from tilelang.ir.visit import operands, subterms, walk
from tilelang.lower import tir
from tilelang.lower.cuda.kernel import NestFrame
from tilelang.lower.cuda.memory import is_spread
from tilelang.lower.cuda.reducers import once
from tilelang.lower.sums import expression
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.layouts.nest import is_parallel
from tilelang.passes.layouts.spread import partition
from tilelang.passes.nests import updated_reducer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand
    from tilelang.ir.layout.digits import Sum
    from tilelang.ir.layout.fragment import Fragment
    from tilelang.ir.layout.recover import Recovered
    from tilelang.lower.cuda.kernel import KernelLowering

VECTOR_BYTES = 16
MAX_UNROLLED = 16
"""Rounds of a nest without fragments up to which it is unrolled; fragments need constant register numbers."""


@dataclass(frozen=True, slots=True)
class Staging:
    """Half of a copy through registers: the load into them, or the store from them. ``array`` has a place for each
    register of the nest."""

    array: Any
    loads: bool


@dataclass(frozen=True, slots=True)
class ParallelNest:
    """``stmt`` is what layout inference knows the nest by; ``body`` runs for each point of ``extents``.
    ``asynchronous``: its copies from global to shared memory may arrive later. ``staging``: only half of its one store
    is wanted."""

    stmt: Stmt
    loops: tuple[Var, ...]
    extents: tuple[int, ...]
    body: tuple[Stmt, ...]
    asynchronous: bool = False
    staging: Staging | None = None


def written(loop: For) -> ParallelNest:
    """The nest of directly nested ``T.Parallel`` loops."""
    loops: list[Var] = []
    extents: list[int] = []
    body: tuple[Stmt, ...] = (loop,)
    while len(body) == 1 and isinstance(body[0], For) and is_parallel(body[0]):
        inner = body[0]
        for var, start, extent in zip(inner.vars, inner.starts, inner.extents, strict=True):
            number = try_const(extent)
            if number is None:
                raise Unsupported(f"T.Parallel needs constant extents, the extent of {var.name} is not", inner.span)
            if try_const(start) != 0:
                raise Unsupported(f"T.Parallel loops start at 0, {var.name} does not", inner.span)
            loops.append(var)
            extents.append(number)
        body = inner.body
    return ParallelNest(loop, tuple(loops), tuple(extents), body)


def lower_nest(kernel: KernelLowering, nest: ParallelNest) -> list[tir.Stmt]:
    """The code of a nest for one thread."""
    if any(extent == 0 for extent in nest.extents):
        return []
    return NestLowering(kernel, nest).run()


class NestLowering:
    def __init__(self, kernel: KernelLowering, nest: ParallelNest) -> None:
        self.kernel = kernel
        self.nest = nest
        self.first, self.threads = kernel.active(nest.stmt)
        spread = kernel.plan.layouts.loop_of(nest.stmt)
        extents = nest.extents or (1,)
        if self._is_private():
            spread = partition(extents, self._width(extents), 1, replicate=False).replicated(self.threads)
        elif spread is None or not _holds(spread.shape, extents):
            everywhere = self._has_fragments() or isinstance(nest.stmt, Store)
            spread = partition(extents, self._width(extents), self.threads, replicate=everywhere)
        self.spread: Fragment = spread
        found = recover(spread, self.threads)
        if found is not None:
            # The spread of a fragment that is larger than the loop.
            beyond = [
                Guard(dim, extent)
                for dim, extent, whole in zip(found.dims, extents, spread.shape, strict=True)
                if whole > extent
            ]
            found = found._replace(guards=(*found.guards, *beyond))
        if found is None:
            raise Unsupported(
                f"the iterations of this loop have a layout that cannot be inverted: {spread}", nest.stmt.span
            )
        self.recovered: Recovered = found
        self.loops = {var: (number, extents[number]) for number, var in enumerate(nest.loops)}

    def _is_private(self) -> bool:
        """Whether every thread runs all iterations: a copy from or to an array that each has for itself."""
        return isinstance(self.nest.stmt, (Copy, Fill)) and any(
            buffer.is_local and not is_spread(buffer) for buffer in _buffers(self.nest.body)
        )

    def _has_fragments(self) -> bool:
        return any(is_spread(buffer) for buffer in _buffers(self.nest.body))

    def _width(self, extents: tuple[int, ...]) -> int:
        """Lanes for a nest that inference says nothing about: 16 bytes of the narrowest type that divide the rows."""
        bits = [buffer.dtype.total_bits for buffer in _buffers(self.nest.body) if not buffer.is_local]
        width = max(VECTOR_BYTES * 8 // max(bits), 1) if bits else 1
        while width > 1 and extents[-1] % width:
            width //= 2
        return width

    # --- structure ---

    def run(self) -> list[tir.Stmt]:
        kernel, spread = self.kernel, self.spread
        registers = max(spread.register_count, 1)
        width = 1
        probe = NestFrame(self.loops, self.recovered.dims, tir.const(0), self.first)
        outer, kernel.nest = kernel.nest, probe
        ranges = dict(kernel.ranges)
        try:
            for var, (_, extent) in self.loops.items():
                kernel.ranges[var] = _up_to(extent)
            width = self._lanes(registers)
        finally:
            kernel.nest = outer
        rounds = registers // width
        unroll = self._has_fragments() or rounds <= MAX_UNROLLED

        def one_round(index: tir.Expr) -> list[tir.Stmt]:
            base = index * width if width != 1 else index
            return self._round(base, width)

        try:
            return tir.loop(kernel.fresh("i"), rounds, one_round, unroll=unroll)
        finally:
            kernel.ranges = ranges

    def _round(self, base: tir.Expr, width: int) -> list[tir.Stmt]:
        """The iterations of ``width`` neighbouring registers from ``base`` on."""
        frame = NestFrame(self.loops, self.recovered.dims, base, self.first)
        steady = [guard for guard in self.recovered.guards if is_steady(guard.value, REGISTER, width)]
        rest = [guard for guard in self.recovered.guards if guard not in steady]
        with self.kernel.inside(frame):
            conditions = [
                tir.tirx.LT(expression(one.value, self.kernel.value_of), tir.const(one.bound)) for one in steady
            ]
            if rest and width > 1:
                body = self._lane_by_lane(self.nest.body, base, width, rest)
            else:
                conditions += [
                    tir.tirx.LT(expression(one.value, self.kernel.value_of), tir.const(one.bound)) for one in rest
                ]
                body = self.block(self.nest.body, base, width)
        condition = tir.all_of(conditions)
        return body if condition is None or not body else [tir.branch(condition, body)]

    def _lane_by_lane(
        self, body: Sequence[Stmt], base: tir.Expr, width: int, guards: Sequence[Guard] = ()
    ) -> list[tir.Stmt]:
        """Statements that lanes do one after the other."""

        def lane(index: tir.Expr) -> list[tir.Stmt]:
            frame = NestFrame(self.loops, self.recovered.dims, base + index, self.first)
            with self.kernel.inside(frame):
                conditions = [
                    tir.tirx.LT(expression(one.value, self.kernel.value_of), tir.const(one.bound)) for one in guards
                ]
                code = self.block(body, base + index, 1)
            condition = tir.all_of(conditions)
            return code if condition is None else [tir.branch(condition, code)]

        return tir.loop(self.kernel.fresh("lane"), width, lane, unroll=True)

    # --- lanes ---

    def _lanes(self, registers: int) -> int:
        """Neighbouring registers that are taken together: as many as some access to memory allows."""
        most = registers & -registers
        found = 1
        if any(isinstance(stmt, Atomic) and stmt.attr("result") is not None for stmt in walk(tuple(self.nest.body))):
            # What an update gives back is a name that later statements of the same iteration use.
            return 1
        for buffer, indices in _accesses(self.nest.body):
            if buffer.is_shared or buffer.is_global:
                found = max(found, self.lanes_at(buffer, indices, most))
        return found

    def lanes_at(self, buffer: Buffer, indices: Sequence[Operand], most: int) -> int:
        """Lanes of one access that lie side by side and begin at an aligned place."""
        if len(indices) != buffer.rank:
            return 1
        bits = max(buffer.dtype.total_bits, 1)
        if bits > VECTOR_BYTES * 8:
            return 1
        sums = self.kernel.sums(indices)
        total = self.kernel.memory.offset_sum(buffer, sums)
        if total is None:
            return 1
        lanes = lanes_of(total, REGISTER, min(most, VECTOR_BYTES * 8 // bits))
        while lanes > 1 and not self._is_uniform(buffer, indices, sums, lanes):
            lanes //= 2
        return lanes if lanes * bits >= 8 else 1

    def _is_uniform(self, buffer: Buffer, indices: Sequence[Operand], sums: Sequence[Sum], lanes: int) -> bool:
        """Whether all lanes are inside of the tensor or none is."""
        for dim in self.open_dims(buffer, indices):
            if is_steady(sums[dim], REGISTER, lanes):
                continue
            extent = try_const(buffer.shape[dim])
            if extent is None or extent % lanes or lanes_of(sums[dim], REGISTER, lanes) < lanes:
                return False
        return True

    # --- bounds ---

    def open_dims(self, buffer: Buffer, indices: Sequence[Operand]) -> list[int]:
        """The dimensions of a tensor in which an access is not certainly inside."""
        if not buffer.is_global or len(indices) != buffer.rank:
            return []
        ranges = self.kernel.ranges
        return [
            dim
            for dim, (index, extent) in enumerate(zip(indices, buffer.shape, strict=True))
            if not (prove_le(0, index, ranges) and prove_lt(index, extent, ranges))
        ]

    def inside(self, buffer: Buffer, indices: Sequence[Operand]) -> tir.Expr | None:
        """The condition under which an access lies inside of its tensor; ``None`` if it certainly does."""
        conditions: list[tir.Expr] = []
        for dim in self.open_dims(buffer, indices):
            index = self.kernel.index(indices[dim])
            if not prove_le(0, indices[dim], self.kernel.ranges):
                conditions.append(tir.tirx.LE(*tir.alike(tir.const(0), index)))
            if not prove_lt(indices[dim], buffer.shape[dim], self.kernel.ranges):
                conditions.append(tir.tirx.LT(*tir.alike(index, self.kernel.index(buffer.shape[dim]))))
        return tir.all_of(conditions)

    # --- statements ---

    def block(self, body: Sequence[Stmt], base: tir.Expr, width: int) -> list[tir.Stmt]:
        code: list[tir.Stmt] = []
        for stmt in body:
            code += self.kernel.mark(stmt.span)
            code += self._stmt(stmt, base, width)
        return code

    def _stmt(self, stmt: Stmt, base: tir.Expr, width: int) -> list[tir.Stmt]:
        reducer = updated_reducer(stmt)
        code = self._plain(stmt, base, width)
        if reducer is None:
            return code
        condition = once(self.kernel, reducer, self.spread, self.nest.stmt)
        return code if condition is None else [tir.branch(condition, code)]

    def _plain(self, stmt: Stmt, base: tir.Expr, width: int) -> list[tir.Stmt]:
        from tilelang.lower.cuda.statements import lower_scalar_statement

        if isinstance(stmt, Store):
            return StoreLowering(self, stmt, base, width).run()
        if isinstance(stmt, If) and (width == 1 or self._agree(stmt.cond, width)):
            condition = self.kernel.scalars.condition(stmt.cond)
            then, orelse = self.block(stmt.then, base, width), self.block(stmt.orelse, base, width)
            return [tir.branch(condition, then, orelse)] if then or orelse else []
        if isinstance(stmt, For) and not is_parallel(stmt):
            return self._serial(stmt, base, width)
        if isinstance(stmt, Let):
            return self._let(stmt, base, width)
        if width > 1:
            return self._lane_by_lane((stmt,), base, width)
        if isinstance(stmt, While):
            return [tir.tirx.While(self.kernel.scalars.condition(stmt.cond), tir.block(self.block(stmt.body, base, 1)))]
        if isinstance(stmt, (Atomic, Effect)) or not isinstance(stmt, (If, For)):
            return lower_scalar_statement(self.kernel, stmt)
        raise Unsupported(f"{type(stmt).__name__} inside of T.Parallel is not supported", stmt.span)

    def _serial(self, stmt: For, base: tir.Expr, width: int) -> list[tir.Stmt]:
        from tilelang.lower.cuda.statements import lower_loop

        return lower_loop(self.kernel, stmt, lambda body: self.block(body, base, width))

    def _let(self, stmt: Let, base: tir.Expr, width: int) -> list[tir.Stmt]:
        """A name for a value: one register for each lane."""
        kernel = self.kernel
        dtype = stmt.var.dtype
        array, declaration = kernel.memory.temporary(stmt.var.name, kernel.storage(dtype), width)
        code: list[tir.Stmt] = [declaration]

        def lane(index: tir.Expr) -> list[tir.Stmt]:
            return [tir.put(array, index, kernel.scalars.encode(kernel.scalars.lower(stmt.value, dtype), dtype))]

        code += self.each_lane(base, width, lane)
        kernel.scalars.bind_lazily(
            stmt.var, lambda: kernel.scalars.decode(tir.at(array, self._lane_now(base, width)), dtype)
        )
        return code

    def _lane_now(self, base: tir.Expr, width: int) -> tir.Expr:
        """The lane that is being lowered."""
        nest = self.kernel.nest
        assert nest is not None
        return tir.const(0) if width == 1 else nest.register - base

    def each_lane(self, base: tir.Expr, width: int, code: Callable[[tir.Expr], list[tir.Stmt]]) -> list[tir.Stmt]:
        kernel = self.kernel

        def lane(index: tir.Expr) -> list[tir.Stmt]:
            frame = NestFrame(self.loops, self.recovered.dims, base if width == 1 else base + index, self.first)
            with kernel.inside(frame):
                return code(index)

        return tir.loop(kernel.fresh("lane"), width, lane, unroll=True)

    def _agree(self, condition: object, width: int) -> bool:
        """Whether all lanes certainly take the same branch."""
        if isinstance(condition, Binary) and condition.op in ("and", "or"):
            return self._agree(condition.a, width) and self._agree(condition.b, width)
        parts: tuple[Any, ...] = (condition.a, condition.b) if isinstance(condition, Binary) else (condition,)
        if isinstance(condition, Binary) and condition.op in ("<", ">="):
            a, b = self.kernel.sums(parts)
            if is_steady(b, REGISTER, width) and lanes_of(a, REGISTER, width) >= width and _multiple(b, width):
                return True
        return all(is_steady(one, REGISTER, width) for one in self.kernel.sums(parts)) and not any(
            isinstance(term, Load) for part in parts for term in subterms(part)
        )


def _holds(shape: tuple[int, ...], extents: tuple[int, ...]) -> bool:
    return len(shape) == len(extents) and all(whole >= extent for whole, extent in zip(shape, extents, strict=True))


def _multiple(total: Sum, width: int) -> bool:
    return total.base % width == 0 and all(digit.scale % width == 0 for digit in total.digits)


class StoreLowering:
    """One store of a nest, for ``width`` lanes."""

    def __init__(self, nest: NestLowering, stmt: Store, base: tir.Expr, width: int) -> None:
        self.nest = nest
        self.kernel = nest.kernel
        self.stmt = stmt
        self.base = base
        self.width = width
        self.code: list[tir.Stmt] = []
        self._fetched: dict[int, tuple[Any, int]] = {}

    def run(self) -> list[tir.Stmt]:
        stmt = self.stmt
        target = stmt.buffer
        lanes = self._lanes(target, stmt.indices)
        if lanes > 1 and isinstance(stmt.value, Load) and stmt.value.buffer.dtype == target.dtype:
            source = self._lanes(stmt.value.buffer, stmt.value.indices) if self._reads_zero(stmt.value) else 1
            if min(lanes, source) > 1:
                return self._moved(stmt.value, min(lanes, source))
        staged = self.nest.nest.staging
        if staged is None or staged.loads:
            self._fetch()
        if lanes == 1 or staged is not None:
            self.code += self._each(self._store_lane)
            return self.code
        array, declaration = self.kernel.memory.temporary("packed", self.kernel.storage(target.dtype), self.width)
        self.code.append(declaration)
        self.code += self._each(lambda lane: [tir.put(array, lane, self._value())])
        for chunk in range(0, self.width, lanes):
            self.code += self._at_lane(chunk, lambda chunk=chunk: self._store_vector(array, chunk, lanes))
        return self.code

    def _lanes(self, buffer: Buffer, indices: Sequence[Operand]) -> int:
        if self.width == 1 or not (buffer.is_shared or buffer.is_global) or buffer.dtype.bits < 8:
            return 1
        return self.nest.lanes_at(buffer, indices, self.width)

    def _reads_zero(self, load: Load) -> bool:
        """Whether a load outside of its tensor gives zero, which is all that vectors can give."""
        return load.buffer not in self.kernel.safe_values or self.nest.inside(load.buffer, load.indices) is None

    def _each(self, code: Callable[[tir.Expr], list[tir.Stmt]]) -> list[tir.Stmt]:
        return self.nest.each_lane(self.base, self.width, code)

    def _at_lane(self, lane: int, code: Callable[[], list[tir.Stmt]]) -> list[tir.Stmt]:
        frame = NestFrame(
            self.nest.loops, self.nest.recovered.dims, self.base + lane if lane else self.base, self.nest.first
        )
        with self.kernel.inside(frame):
            return code()

    # --- vectors ---

    def _moved(self, load: Load, lanes: int) -> list[tir.Stmt]:
        """Vectors from memory to memory, without a look at what they are."""
        code: list[tir.Stmt] = []
        size = lanes * load.buffer.dtype.total_bits // 8
        for chunk in range(0, self.width, lanes):
            code += self._at_lane(chunk, lambda: self._move_vector(load, size))
        return code

    def _move_vector(self, load: Load, size: int) -> list[tir.Stmt]:
        stmt, memory = self.stmt, self.kernel.memory
        source = tir.address(memory.place(load.buffer).array, memory.offset(load.buffer, load.indices))
        target = tir.address(memory.place(stmt.buffer).array, memory.offset(stmt.buffer, stmt.indices))
        readable = self.nest.inside(load.buffer, load.indices)
        writable = self.nest.inside(stmt.buffer, stmt.indices)
        staging = self.nest.nest.staging
        if staging is not None:
            assert self.kernel.nest is not None
            register = tir.address(staging.array, self.kernel.nest.register)
            if staging.loads:
                target, writable = register, None
            else:
                source, readable = register, None
        if self.nest.nest.asynchronous and size in (4, 8, 16):
            args = (target, source) if readable is None else (target, source, readable)
            code = [tir.run(tir.extern("void", f"tl::cp_async<{size}>", *args))]
        elif readable is None:
            code = [tir.run(tir.extern("void", f"tl::copy<{size}>", target, source))]
        else:
            code = [tir.run(tir.extern("void", f"tl::copy_or_zero<{size}>", target, source, readable))]
        return code if writable is None else [tir.branch(writable, code)]

    def _store_vector(self, array: Any, chunk: int, lanes: int) -> list[tir.Stmt]:
        stmt, memory = self.stmt, self.kernel.memory
        size = lanes * stmt.buffer.dtype.total_bits // 8
        target = tir.address(memory.place(stmt.buffer).array, memory.offset(stmt.buffer, stmt.indices))
        code = [tir.run(tir.extern("void", f"tl::copy<{size}>", target, tir.address(array, tir.const(chunk))))]
        writable = self.nest.inside(stmt.buffer, stmt.indices)
        return code if writable is None else [tir.branch(writable, code)]

    def _fetch(self) -> None:
        """Loads vectors of what the value reads at every iteration. Reads under a condition stay where they are: they
        may be out of bounds when it does not hold."""
        if self.width == 1:
            return
        for load in unconditional_loads(self.stmt.value):
            lanes = self._lanes(load.buffer, load.indices)
            if lanes == 1 or id(load) in self._fetched or not self._reads_zero(load):
                continue
            array, declaration = self.kernel.memory.temporary(
                load.buffer.name, self.kernel.storage(load.buffer.dtype), self.width
            )
            self.code.append(declaration)
            for chunk in range(0, self.width, lanes):
                self.code += self._at_lane(
                    chunk,
                    lambda load=load, array=array, chunk=chunk, lanes=lanes: self._fetch_vector(
                        load, array, chunk, lanes
                    ),
                )
            self._fetched[id(load)] = (array, lanes)

    def _fetch_vector(self, load: Load, array: Any, chunk: int, lanes: int) -> list[tir.Stmt]:
        memory = self.kernel.memory
        size = lanes * load.buffer.dtype.total_bits // 8
        source = tir.address(memory.place(load.buffer).array, memory.offset(load.buffer, load.indices))
        target = tir.address(array, tir.const(chunk))
        readable = self.nest.inside(load.buffer, load.indices)
        if readable is None:
            return [tir.run(tir.extern("void", f"tl::copy<{size}>", target, source))]
        return [tir.run(tir.extern("void", f"tl::copy_or_zero<{size}>", target, source, readable))]

    # --- single lanes ---

    def _value(self) -> tir.Expr:
        """The value of the current lane in the storage type of the target."""
        scalars, dtype = self.kernel.scalars, self.stmt.buffer.dtype
        with scalars.loading(self._load):
            return scalars.encode(scalars.lower(self.stmt.value, dtype), dtype)

    def _load(self, load: Load) -> tir.Expr:
        fetched = self._fetched.get(id(load))
        if fetched is not None:
            nest = self.kernel.nest
            assert nest is not None
            return tir.at(fetched[0], nest.register - self.base)
        return checked_load(self.kernel, self.nest, load)

    def _store_lane(self, lane: tir.Expr) -> list[tir.Stmt]:
        stmt = self.stmt
        staging = self.nest.nest.staging
        if staging is not None:
            assert self.kernel.nest is not None
            register = self.kernel.nest.register
            if staging.loads:
                return [tir.put(staging.array, register, self._value())]
            code = store_element(self.kernel, stmt.buffer, stmt.indices, tir.at(staging.array, register))
            writable = self.nest.inside(stmt.buffer, stmt.indices)
            return code if writable is None else [tir.branch(writable, code)]
        code = store_element(self.kernel, stmt.buffer, stmt.indices, self._value())
        writable = self.nest.inside(stmt.buffer, stmt.indices)
        return code if writable is None else [tir.branch(writable, code)]


def checked_load(kernel: KernelLowering, nest: NestLowering, load: Load) -> tir.Expr:
    """An element in its storage type; outside of the tensor zero, or what ``T.annotate_safe_value`` says."""
    value = kernel.load(load)
    readable = nest.inside(load.buffer, load.indices)
    if readable is None:
        return value
    return tir.tirx.if_then_else(readable, value, kernel.outside(load.buffer))


def store_element(
    kernel: KernelLowering, buffer: Buffer, indices: Sequence[Operand], value: tir.Expr
) -> list[tir.Stmt]:
    """Writes one element, given in its storage type."""
    offset = kernel.memory.offset(buffer, indices)
    array = kernel.memory.place(buffer).array
    if buffer.dtype.bits == 4:
        name = "tl::store_shared_nibble" if buffer.is_global or buffer.is_shared else "tl::store_nibble"
        return [tir.run(tir.extern("void", name, tir.address(array, tir.const(0)), offset, value))]
    return [tir.put(array, offset, value)]


def unconditional_loads(value: object) -> Iterator[Load]:
    """The elements that an expression reads whatever its conditions are."""
    if isinstance(value, Select):
        yield from unconditional_loads(value.cond)
        return
    if isinstance(value, Call) and value.op == "if_then_else":
        yield from unconditional_loads(value.args[0] if value.args else None)
        return
    if isinstance(value, Binary) and value.op in ("and", "or"):
        yield from unconditional_loads(value.a)
        return
    if isinstance(value, Load):
        yield value
        for index in value.indices:
            yield from unconditional_loads(index)
        return
    if isinstance(value, Call):
        for argument in value.args:
            yield from unconditional_loads(argument)
        return
    if isinstance(value, Expr):
        for name in ("a", "b", "value"):
            if hasattr(value, name):
                yield from unconditional_loads(getattr(value, name))


def _buffers(body: Sequence[Stmt]) -> list[Buffer]:
    return list(dict.fromkeys(buffer for buffer, _ in _accesses(body)))


def _accesses(body: Sequence[Stmt]) -> Iterator[tuple[Buffer, Sequence[Operand]]]:
    """Every element that the statements name."""
    for stmt in walk(tuple(body)):
        if isinstance(stmt, Store):
            yield stmt.buffer, stmt.indices
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, Load):
                    yield term.buffer, term.indices


def _up_to(extent: int) -> Interval:
    return Interval(0, extent - 1)
