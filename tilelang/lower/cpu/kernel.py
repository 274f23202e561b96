"""One launch as one function of the CPU: a parallel loop over blocks around the code of a block.

:class:`BlockLowering` is the state that all parts of the lowering share: values of variables, places of buffers, the
thread whose code is being lowered, and what is known of the accesses around it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import launch_ranges, prove_le, prove_lt, try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Var
from tilelang.ir.span import NOWHERE
from tilelang.ir.visit import operands, subterms, walk
from tilelang.lower import tir
from tilelang.lower.cpu.memory import Memory
from tilelang.lower.cpu.variance import Variance
from tilelang.lower.safe_values import safe_values
from tilelang.lower.scalar import ScalarLowering
from tilelang.lower.signature import identifier
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported
from tilelang.lower.workspaces import workspaces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from tilelang.ir.arith import Interval
    from tilelang.ir.expr import Call, Load, Operand
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Launch, Stmt
    from tilelang.lower.cpu.jumps import Jumps


class BlockLowering:
    """The state of the lowering of one launch. ``names``: the sizes and scalars of the program. ``files`` collects the
    paths of the sources; generated code names them by number."""

    def __init__(self, program: Program, launch: Launch, names: Mapping[Var, str], files: list[str]) -> None:
        self.program = program
        self.launch = launch
        self.files = files
        self.ranges: dict[Var, Interval] = dict(launch_ranges(launch))
        self.variance = Variance(program, launch)
        self.thread: tir.Expr | None = None
        """The number of the thread whose code is being lowered; ``None`` for code that runs once for the block."""
        self.parallel = False
        """Whether the code is the body of a parallel nest."""
        self.assumed: set[int] = set()
        """Accesses, by the identity of their indices, that a check in front of them found inside."""
        self.crossed: dict[int, Callable[[], tir.Expr]] = {}
        """Values of calls that exchange values between threads, by identity of the call."""
        self.jumps: list[Jumps] = []
        self._taken: set[str] = set()
        self._span: Any = None
        self.scalars = ScalarLowering("cpu", self.load, self._call)
        self.memory = Memory(self)
        self.params: list[tuple[Any, Buffer | Var]] = []
        self.safe_values = safe_values(launch)
        self._declare_params(names)

    # --- parameters and names ---

    def _declare_params(self, names: Mapping[Var, str]) -> None:
        used = _mentioned(self.launch.body, (*self.launch.grid, *self.launch.threads))
        for buffer in (*self.program.params, *workspaces_of(self.program)):
            if isinstance(buffer, Buffer) and buffer in used:
                data = tir.pointer(self.fresh(buffer.name), _pointed(buffer))
                self.memory.add_param(buffer, data)
                self.params.append((data, buffer))
                for extent in (*buffer.shape, *(buffer.strides or ())):
                    used.update(term for term in subterms(extent) if isinstance(term, Var))
        for buffer in _made_tensors(used):
            # The pointer comes once for each tensor that begins there: a pointer has the type of its elements.
            data = tir.pointer(self.fresh(buffer.name), _pointed(buffer))
            self.memory.add_param(buffer, data)
            pointer = buffer.attr("data")
            assert isinstance(pointer, Var)
            self.params.append((data, pointer))
            used.update(term for extent in (*buffer.shape, *(buffer.strides or ())) for term in subterms(extent))
        for var, name in names.items():
            if var in used and var.dtype.kind != "handle":
                self._declare_scalar(var, name)

    def _declare_scalar(self, var: Var, name: str) -> None:
        """Numbers come in the widest type of their kind."""
        wire = "float64" if var.dtype.is_float else "int64"
        value = tir.var(self.fresh(name), wire)
        self.params.append((value, var))
        compute = self.scalars.compute(var.dtype)
        if compute == "bool":
            self.scalars.bind(var, tirx.NE(value, tir.const(0, wire)))
            return
        self.scalars.bind(var, self.scalars.convert(value, compute))

    def fresh(self, name: str) -> str:
        """A name that the function does not have yet."""
        base, count = identifier(name), 1
        found = base
        while found in self._taken:
            found, count = f"{base}_{count}", count + 1
        self._taken.add(found)
        return found

    # --- source positions ---

    @contextmanager
    def at(self, span: Span) -> Generator[None, None, None]:
        """What is built inside comes from this place. Columns carry the number of the file, since the debug information
        that TVM writes knows one file only."""
        if span is NOWHERE or not span.line:
            yield
            return
        outer = self._span
        if span.path not in self.files:
            self.files.append(span.path)
        number = self.files.index(span.path) + 1
        source = tir.tvm.ir.SourceName("kernel")
        self._span = tir.tvm.ir.Span(source, span.line, span.line, number, number)
        try:
            yield
        finally:
            self._span = outer

    def put(self, array: Any, index: tir.Expr | int, value: tir.Expr) -> tir.Stmt:
        """A store that knows its source line."""
        place = tir.const(index) if isinstance(index, int) else index
        return tirx.BufferStore(array, value, [place], span=self._span)

    def loop(
        self,
        name: str,
        extent: int | tir.Expr,
        body: Callable[[tir.Expr], Sequence[tir.Stmt]],
        kind: Any = tirx.ForKind.SERIAL,
    ) -> list[tir.Stmt]:
        """A loop from 0; one of a single iteration is just its body."""
        if isinstance(extent, int):
            if extent <= 0:
                return []
            if extent == 1:
                return list(body(tir.const(0)))
            extent = tir.const(extent)
        index = tir.var(self.fresh(name), tir.type_of(extent))
        inner = body(index)
        return [tirx.For(index, tir.const(0, tir.type_of(extent)), extent, kind, tir.block(inner), span=self._span)]

    # --- values ---

    def integer(self, operand: Operand | Any, kind: str = "int32") -> tir.Expr:
        """An integer operand in an integer type of TIRX."""
        number = try_const(operand)
        if number is not None:
            return tir.const(number, kind)
        return self.scalars.convert(self.scalars.lower(operand), kind)

    def named(self, name: str, value: tir.Expr) -> tuple[tir.Expr, list[tir.Stmt]]:
        """A value that is computed once, where the statement stands."""
        if isinstance(value, (tirx.IntImm, tirx.FloatImm, tirx.Var)):
            return value, []
        array, declaration = self.memory.temporary(name, tir.type_of(value), 1)
        return tir.at(array, tir.const(0)), [declaration, self.put(array, 0, value)]

    def load(self, load: Load) -> tir.Expr:
        """An element in its storage type; outside of its buffer zero, or what ``T.annotate_safe_value`` says."""
        buffer = load.buffer
        value = self.memory.read(buffer, self.memory.offset(buffer, load.indices))
        inside = self.inside(buffer, load.indices)
        if inside is None:
            return value
        safe = self.safe_values.get(buffer)
        other = (
            tir.const(0, tir.type_of(value))
            if safe is None
            else self.scalars.encode(self.scalars.lower(safe, buffer.dtype), buffer.dtype)
        )
        return tirx.if_then_else(inside, value, other)

    def store(self, buffer: Buffer, indices: Sequence[Operand], value: tir.Expr) -> list[tir.Stmt]:
        """Sets an element, given in its storage type, if it is inside of its buffer."""
        code = [self.memory.write(buffer, self.memory.offset(buffer, indices), value)]
        inside = self.inside(buffer, indices)
        return code if inside is None else [tir.branch(inside, code)]

    def open_dims(self, buffer: Buffer, indices: Sequence[Operand]) -> list[int]:
        """The dimensions in which an access is not certainly inside of its buffer."""
        if len(indices) != buffer.rank or id(indices) in self.assumed:
            return []
        return [
            dim
            for dim, (index, extent) in enumerate(zip(indices, buffer.shape, strict=True))
            if not (prove_le(0, index, self.ranges) and prove_lt(index, extent, self.ranges))
        ]

    def inside(self, buffer: Buffer, indices: Sequence[Operand]) -> tir.Expr | None:
        """The condition under which an access lies inside of its buffer; ``None`` if it certainly does."""
        conditions: list[tir.Expr] = []
        for dim in self.open_dims(buffer, indices):
            conditions += self.between(indices[dim], indices[dim], buffer.shape[dim])
        return tir.all_of(conditions)

    def between(self, low: Operand, high: Operand, extent: Operand) -> list[tir.Expr]:
        """``0 <= low`` and ``high < extent``, without what is certain."""
        conditions: list[tir.Expr] = []
        if not prove_le(0, low, self.ranges):
            conditions.append(tirx.LE(tir.const(0, "int64"), self.integer(low, "int64")))
        if not prove_lt(high, extent, self.ranges):
            conditions.append(tirx.LT(self.integer(high, "int64"), self.integer(extent, "int64")))
        return conditions

    def _call(self, call: Call) -> tir.Expr | None:
        crossed = self.crossed.get(id(call))
        if crossed is not None:
            return crossed()
        from tilelang.lower.cpu.effects import block_call

        return block_call(self, call)

    # --- threads ---

    def thread_count(self, span: Span = NOWHERE) -> int:
        """Threads of the block. Raises :class:`Unsupported` if that is no constant."""
        total = 1
        for extent in self.launch.threads:
            number = try_const(extent)
            if number is None:
                raise Unsupported("code that differs by thread needs a constant number of threads", span)
            total *= number
        return total

    def differs(self, buffer: Buffer) -> bool:
        """Whether each thread has a copy of its own of a buffer."""
        return self.variance.of_buffer(buffer)

    def own_thread(self, buffer: Buffer) -> tir.Expr:
        """The thread whose copy the current code uses."""
        if self.thread is None:
            raise Unsupported(
                f"{buffer.name} differs by thread, and is used where the threads work together", buffer.span
            )
        return self.thread

    @contextmanager
    def in_thread(self, thread: tir.Expr) -> Generator[None, None, None]:
        """Lower code of one thread."""
        outer, self.thread = self.thread, thread
        stride = 1
        for var, extent in zip(self.launch.thread_vars, self.launch.threads, strict=False):
            count = try_const(extent) or 1
            value = tirx.truncdiv(thread, tir.const(stride)) if stride > 1 else thread
            if len(self.launch.threads) > 1:
                value = tirx.truncmod(value, tir.const(count))
            self.scalars.bind(var, value)
            stride *= count
        for loop, axis in self.variance.thread_loops:
            names = self.launch.thread_vars
            if axis < len(names):
                self.scalars.bind(loop, self.scalars.lower(names[axis]))
            else:
                self.scalars.bind(loop, tir.const(0))
        try:
            yield
        finally:
            self.thread = outer
            for var in (*self.launch.thread_vars, *(loop for loop, _ in self.variance.thread_loops)):
                self.scalars.unbind(var)

    @contextmanager
    def ranging(self, ranges: Mapping[Var, Interval]) -> Generator[None, None, None]:
        """Lower code in which more is known of variables."""
        outer, self.ranges = self.ranges, {**self.ranges, **ranges}
        try:
            yield
        finally:
            self.ranges = outer


def _made_tensors(used: Iterable[object]) -> list[Buffer]:
    """The tensors that ``T.make_tensor`` makes of pointer parameters, in source order."""
    found = [
        buffer
        for buffer in used
        if isinstance(buffer, Buffer) and buffer.root is buffer and isinstance(buffer.attr("data"), Var)
    ]
    return sorted(
        (buffer for buffer in found if getattr(buffer.attr("data"), "kind", "") == "param"),
        key=lambda buffer: (buffer.span.line, buffer.span.col, buffer.name),
    )


def _pointed(buffer: Buffer) -> str:
    from tilelang.lower.dtypes import storage_of

    return storage_of("cpu", buffer.dtype)


def _mentioned(body: Iterable[Stmt], extents: Iterable[object]) -> set[object]:
    """Every buffer and variable that a launch mentions, the allocations behind views included."""
    found: set[object] = set()
    for extent in extents:
        found.update(term for term in subterms(extent) if isinstance(term, Var))
    for stmt in walk(tuple(body)):
        places = [getattr(stmt, name) for name in ("buffer", "var") if hasattr(stmt, name)]
        for value in (*places, *operands(stmt), *(value for _, value in stmt.attrs)):
            for term in subterms(value):
                if isinstance(term, Var):
                    found.add(term)
                buffer = term if isinstance(term, Buffer) else getattr(term, "buffer", None)
                if isinstance(buffer, Buffer):
                    found.update((buffer, buffer.root))
                    for extent in (*buffer.shape, *(buffer.strides or ())):
                        found.update(inner for inner in subterms(extent) if isinstance(inner, Var))
    return found
