"""Loop nests that spread work over threads, with every access in terms of the loops.

A nest is written (``T.Parallel``) or implied by a tile operation. Loops are numbered from the outside; all start at 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import loop_ranges, prove_le, prove_lt, try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import BOOL, INT32
from tilelang.ir.expr import Binary, Call, Cast, Expr, Load, Operand, Select, Unary, Var, is_comparison
from tilelang.ir.stmt import Atomic, Copy, Effect, For, If, Let, Stmt, Store, While
from tilelang.ir.visit import children, operands, subterms
from tilelang.passes.layouts.indices import Indexing
from tilelang.passes.nests import is_reducer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.ir.arith import Interval, Ranges
    from tilelang.ir.dtype import DType
    from tilelang.ir.layout.digits import Sum


MAX_EXTENT = 1 << 24
"""No loop of a tile is longer; one that says so is not followed."""


class Access(NamedTuple):
    """One use of a buffer inside a nest."""

    buffer: Buffer
    indices: tuple[Sum, ...]
    writes: bool


class Limit(NamedTuple):
    """Something that lanes of a vector must agree on, or a type that limits their number. ``kind``: ``condition``,
    ``call``, ``cast``, ``atomic``. ``values`` are the same in all lanes, of ``signs`` it is enough that none or all are
    negative. ``bits``: the widest type of a cast, the type of an atomic."""

    kind: str
    values: tuple[Sum, ...] = ()
    bits: int = 0
    signs: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class Nest:
    """``extents`` of the loops. ``inner``: serial loops inside, by variable. ``accesses`` in the order of execution.
    ``innermost``: the key and extent of the loop that is vectorised. ``statements``: whether the body has more than
    one. ``open``: some value is not known. ``source``: the statement that the nest comes from."""

    source: Stmt
    extents: tuple[int, ...]
    accesses: tuple[Access, ...]
    indexing: Indexing
    limits: tuple[Limit, ...] = ()
    inner: frozenset[Var] = frozenset()
    innermost: tuple[object, int] | None = None
    statements: bool = False
    open: bool = False

    @property
    def rank(self) -> int:
        return len(self.extents)

    def fragments(self) -> tuple[Buffer, ...]:
        """The fragments that the nest touches, in order of their first use."""
        return tuple(dict.fromkeys(one.buffer for one in self.accesses if is_spread(one.buffer)))

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """All buffers that may have a layout."""
        return tuple(dict.fromkeys(one.buffer for one in self.accesses if not one.buffer.is_global))

    def uses(self, buffer: Buffer) -> tuple[Access, ...]:
        return tuple(one for one in self.accesses if one.buffer is buffer)


def is_spread(buffer: Buffer) -> bool:
    """Whether layout inference spreads a buffer over threads: fragments, but not reducers that are being updated."""
    return buffer.is_fragment and not is_reducer(buffer)


def is_parallel(loop: For) -> bool:
    """Whether threads share the iterations of a loop: ``T.Parallel``, and ``T.parallel`` of TVM script."""
    return loop.kind == "parallel" or loop.attr("parallel") is True


class Surroundings(NamedTuple):
    """What is known where a nest stands: ranges of variables, and values of names bound before it."""

    ranges: Mapping[Var, Interval]
    bound: Mapping[Var, Operand]


def written_nest(loop: For, around: Surroundings) -> Nest | None:
    """The nest of directly nested ``T.Parallel`` loops; ``None`` if an extent is not a number or a loop does not start
    at 0."""
    loops: list[tuple[Var, int]] = []
    body: tuple[Stmt, ...] = (loop,)
    ranges: Ranges = around.ranges
    while len(body) == 1 and isinstance(body[0], For) and is_parallel(body[0]):
        inner = body[0]
        for var, start, extent in zip(inner.vars, inner.starts, inner.extents, strict=True):
            number = try_const(extent)
            if number is None or not 0 < number <= MAX_EXTENT or try_const(start) != 0:
                return None
            loops.append((var, number))
        ranges = loop_ranges(inner, ranges)
        body = inner.body
    reader = _Reader({var: (number, extent) for number, (var, extent) in enumerate(loops)}, ranges, around.bound)
    reader.block(body)
    last = reader.innermost or (len(loops) - 1, loops[-1][1])
    return Nest(
        loop,
        tuple(extent for _, extent in loops),
        tuple(reader.accesses),
        reader.indexing,
        tuple(reader.limits),
        frozenset(reader.inner),
        last,
        reader.count > 1,
        reader.open,
    )


def single_store(store: Store, around: Surroundings) -> Nest:
    """The nest of a store outside of parallel loops: one iteration, which runs where its fragments are."""
    reader = _Reader({}, around.ranges, around.bound)
    reader.block((store,))
    return Nest(store, (1,), tuple(reader.accesses), reader.indexing, tuple(reader.limits), open=reader.open)


def single_copy(copy: Copy, around: Surroundings) -> Nest:
    """The nest of a copy of one element: one iteration."""
    reader = _Reader({}, around.ranges, around.bound)
    for region, writes in ((copy.dst, True), (copy.src, False)):
        reader.access(region.buffer, region.mins, writes=writes)
    return Nest(copy, (1,), tuple(reader.accesses), reader.indexing)


@dataclass(slots=True)
class _Reader:
    """Collects what the body of a nest does."""

    loops: dict[Var, tuple[int, int]]
    ranges: Ranges
    bound: Mapping[Var, Operand]
    accesses: list[Access] = field(default_factory=list["Access"])
    limits: list[Limit] = field(default_factory=list["Limit"])
    inner: set[Var] = field(default_factory=set["Var"])
    innermost: tuple[object, int] | None = None
    count: int = 0
    open: bool = False

    @property
    def indexing(self) -> Indexing:
        return Indexing(self.loops, self.ranges)

    def block(self, body: Sequence[Stmt]) -> None:
        for stmt in body:
            self._stmt(stmt)

    def _stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, Let):
            self.bound = {**self.bound, stmt.var: stmt.value}
            self._value(stmt.value)
            return
        if not isinstance(stmt, (If, For, While)):
            self.count += 1
        if isinstance(stmt, Store):
            if not is_reducer(stmt.buffer):
                self.access(stmt.buffer, stmt.indices, writes=True)
            self._value(stmt.value)
            self._conversion(stmt.value, stmt.buffer.dtype)
            for index in stmt.indices:
                self._value(index)
            return
        if isinstance(stmt, If):
            self._condition(stmt.cond)
        elif isinstance(stmt, For):
            self._enter(stmt)
        elif isinstance(stmt, Atomic):
            self._atomic(stmt)
            return
        elif isinstance(stmt, Effect) and stmt.call.op == "reducer_update":
            for argument in stmt.call.args[1:]:
                self._value(argument)
            return
        for value in operands(stmt):
            self._value(value)
        for body in children(stmt):
            self.block(body)

    def _enter(self, loop: For) -> None:
        self.ranges = loop_ranges(loop, self.ranges)
        for var, extent in zip(loop.vars, loop.extents, strict=True):
            self.inner.add(var)
            self.innermost = (var, try_const(extent) or 0)

    def _atomic(self, stmt: Atomic) -> None:
        self.limits.append(Limit("atomic", bits=stmt.dst.buffer.dtype.total_bits))
        for part in (stmt.dst, stmt.value):
            if isinstance(part, (Load, Expr)):
                self._value(part)
            elif isinstance(part, Region):
                self.access(part.buffer, part.mins, writes=False)

    def _conversion(self, value: object, dtype: DType) -> None:
        """A value that is converted, by a cast or because its type differs from the other operand's."""
        if isinstance(value, Expr) and value.dtype != dtype and value.dtype.is_known and dtype.is_known:
            self.limits.append(Limit("cast", bits=max(dtype.total_bits, value.dtype.total_bits)))

    def _condition(self, cond: object) -> None:
        self.limits.append(_condition(cond, self.indexing))

    def access(self, buffer: Buffer, indices: Sequence[object], *, writes: bool) -> None:
        self.accesses.append(Access(buffer, tuple(map(self.indexing.sum_of, indices)), writes))

    def _value(self, value: object, seen: frozenset[Var] = frozenset()) -> None:
        for term in subterms(value):
            if isinstance(term, Load):
                self.access(term.buffer, term.indices, writes=False)
            elif isinstance(term, Cast):
                self._conversion(term.value, term.dtype)
            elif isinstance(term, Binary) and not is_comparison(term.op):
                self._conversion(term.a, term.dtype)
                self._conversion(term.b, term.dtype)
            elif isinstance(term, Select):
                self._condition(term.cond)
            elif isinstance(term, Call) and term.op not in VECTOR_CALLS:
                places = (load for load in subterms(term.args) if isinstance(load, Load))
                sums = [self.indexing.sum_of(index) for load in places for index in load.indices]
                self.limits.append(Limit("call", tuple(sums)))
            elif isinstance(term, Region):
                self.access(term.buffer, term.mins, writes=False)
            elif isinstance(term, Var):
                self.open |= term.kind == "unknown"
                if term in self.bound and term not in seen:
                    self._value(self.bound[term], seen | {term})


VECTOR_CALLS = frozenset(
    (
        *("exp", "exp2", "exp10", "erf", "tanh", "sigmoid", "log", "log2", "log10", "log1p", "sqrt", "rsqrt"),
        *("sin", "cos", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2"),
        *("floor", "ceil", "round", "nearbyint", "trunc", "abs", "fabs", "isnan", "isinf", "isfinite", "fma"),
        *("pow", "power", "copysign", "fmod", "hypot", "ldexp", "nextafter", "popcount", "clz", "reinterpret"),
        *("likely", "if_then_else", "max_value", "min_value", "infinity"),
    )
)
"""Calls that work on vectors as on elements."""


def _condition(cond: object, indexing: Indexing) -> Limit:
    """What lanes must agree on so that a condition holds for all or none of them."""
    if isinstance(cond, Binary) and cond.op in ("and", "or"):
        a, b = _condition(cond.a, indexing), _condition(cond.b, indexing)
        return Limit("condition", a.values + b.values, signs=a.signs + b.signs)
    if isinstance(cond, Unary) and cond.op == "not":
        return _condition(cond.a, indexing)
    if not isinstance(cond, Binary) or not is_comparison(cond.op):
        return Limit("condition", (indexing.sum_of(cond),))
    a, b = indexing.sum_of(cond.a), indexing.sum_of(cond.b)
    if cond.op in ("==", "!="):
        return Limit("condition", (a, b))
    return Limit("condition", signs=(a - b if cond.op in ("<", ">=") else b - a,))


# --- nests that tile operations imply -------------------------------------------------------------------------


def implied_nest(stmt: Copy | Atomic, around: Surroundings) -> Nest | None:
    """The nest of a tile operation: a loop for each extent above 1 of the box that lies nearest to the registers.
    ``None`` if there is no loop or the boxes do not match."""
    source, target = (stmt.src, stmt.dst) if isinstance(stmt, Copy) else (stmt.value, stmt.dst)
    if not isinstance(source, Region) or not isinstance(target, Region):
        return None
    boxes = [_box(region) for region in (source, target)]
    if boxes[0] is None or boxes[1] is None:
        return None
    base = boxes[0] if _level(source.buffer) >= _level(target.buffer) else boxes[1]
    extents = tuple(extent for _, extent in base if extent != 1)
    if not extents or any(sum(extent != 1 for _, extent in box or ()) != len(extents) for box in boxes):
        return None
    loops = tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(extents)))
    ranges = dict(around.ranges)
    for var, extent in zip(loops, extents, strict=True):
        ranges |= loop_ranges(For("parallel", (var,), (0,), (extent,), ()), {})
    indexing = Indexing({var: (number, extents[number]) for number, var in enumerate(loops)}, ranges)
    accesses: list[Access] = []
    limits: list[Limit] = []
    for region, box in ((target, boxes[1]), (source, boxes[0])):
        indices = _indices(box or [], loops)
        accesses.append(Access(region.buffer, tuple(map(indexing.sum_of, indices)), region is target))
        limits += _bounds_checks(region, box or [], indices, indexing, ranges)
    if isinstance(stmt, Atomic):
        limits.append(Limit("atomic", bits=target.buffer.dtype.total_bits))
        accesses[0] = accesses[0]._replace(writes=False)
    elif source.buffer.dtype != target.buffer.dtype:
        limits.append(Limit("cast", bits=max(source.buffer.dtype.total_bits, target.buffer.dtype.total_bits)))
    # Indices that read a fragment read it in every thread.
    for region in (source, target):
        for term in subterms(region.indices or ()):
            if isinstance(term, Load) or (isinstance(term, Var) and term in around.bound):
                bound = around.bound[term] if isinstance(term, Var) else term
                for load in subterms(bound):
                    if isinstance(load, Load):
                        places = tuple(map(indexing.sum_of, load.indices))
                        accesses.append(Access(load.buffer, places, writes=False))
    last = (len(extents) - 1, extents[-1])
    return Nest(stmt, extents, tuple(accesses), indexing, tuple(limits), innermost=last)


Box = list[tuple[Operand, int]]


def _box(region: Region) -> Box | None:
    """Start and extent for each dimension; ``None`` if an extent is not a number."""
    if not region.is_resolved or region.extents is None:
        return None
    numbers = [try_const(extent) for extent in region.extents]
    if any(number is None or not 0 < number <= MAX_EXTENT for number in numbers):
        return None
    return [(start, number) for start, number in zip(region.mins, numbers, strict=True) if number is not None]


def _level(buffer: Buffer) -> int:
    """How near to the registers a memory is."""
    if buffer.scope in ("local.fragment", "local"):
        return 2
    return 1 if buffer.is_shared or buffer.scope == "shared.tmem" else 0


def _indices(box: Box, loops: Sequence[Var]) -> list[Operand]:
    moving = iter(loops)
    return [
        start if extent == 1 else next(moving) if start == 0 else Binary(INT32, "+", start, next(moving))
        for start, extent in box
    ]


def _bounds_checks(
    region: Region, box: Box, indices: Sequence[Operand], indexing: Indexing, ranges: Ranges
) -> list[Limit]:
    """The conditions that guard accesses that may lie outside of a buffer."""
    checks: list[Limit] = []
    for (_, extent), index, size in zip(box, indices, region.buffer.shape, strict=True):
        if extent == 1:
            continue
        if not prove_lt(index, size, ranges):
            checks.append(_condition(Binary(BOOL, "<", index, size), indexing))
        if not prove_le(0, index, ranges):
            checks.append(_condition(Binary(BOOL, ">=", index, 0), indexing))
    return checks
