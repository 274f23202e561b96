"""One launch as one device function.

:class:`KernelLowering` is the state that all parts of the lowering share: the plan, the values of variables, where
buffers are, and the nest that is being lowered.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.arith import launch_ranges, try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Var
from tilelang.ir.layout.digits import Sum, substitute
from tilelang.ir.layout.fragment import fully_replicated
from tilelang.ir.layout.recover import REGISTER, THREAD
from tilelang.ir.span import NOWHERE
from tilelang.ir.stmt import Alloc, Effect, For
from tilelang.ir.visit import operands, subterms, walk
from tilelang.lower import tir
from tilelang.lower.cuda.memory import Memory
from tilelang.lower.dtypes import storage_of
from tilelang.lower.safe_values import safe_values
from tilelang.lower.scalar import ScalarLowering
from tilelang.lower.signature import identifier
from tilelang.lower.sums import expression
from tilelang.lower.unsupported import Unsupported
from tilelang.lower.workspaces import workspaces_of
from tilelang.passes.layouts.indices import Indexing, Opaque, Product
from tilelang.passes.nests import is_reducer
from tilelang.passes.synchronise import Barriers, place_barriers

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from tilelang.ir.arith import Interval
    from tilelang.ir.dtype import DType
    from tilelang.ir.expr import Call, Load, Operand
    from tilelang.ir.layout.fragment import Fragment
    from tilelang.ir.layout.layout import Layout
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang.lower.lines import Lines
    from tilelang.passes import LaunchPlan


WORTH_A_RECIPROCAL = 4
"""Values with one divisor from which on its reciprocal is computed once."""


@dataclass(frozen=True, slots=True)
class NestFrame:
    """The parallel nest around the code that is being lowered. ``loops``: its variables with number and extent.
    ``dims``: each loop as a sum over thread and register. ``register``: the current register number. ``first``: the
    first thread that takes part."""

    loops: Mapping[Var, tuple[int, int]]
    dims: tuple[Sum, ...]
    register: tir.Expr
    first: int = 0


@dataclass(slots=True)
class _Names:
    taken: set[str] = field(default_factory=set[str])

    def unique(self, name: str) -> str:
        base, count = identifier(name), 1
        found = base
        while found in self.taken:
            found, count = f"{base}_{count}", count + 1
        self.taken.add(found)
        return found


_RESERVED = (
    *("smem", "threadIdx", "blockIdx", "blockDim", "gridDim", "int", "float", "half", "double", "char", "short"),
    *("long", "unsigned", "void", "bool", "const", "auto", "register", "static", "struct", "union", "enum", "this"),
    *("for", "while", "do", "if", "else", "switch", "case", "default", "break", "continue", "return", "new", "delete"),
    *("template", "typename", "class", "public", "private", "namespace", "using", "operator", "goto", "signed"),
    *("volatile", "inline", "extern", "sizeof", "true", "false", "tl", "nullptr", "asm", "uint", "uchar", "ushort"),
)
"""Names that mean something in CUDA C++."""


class KernelLowering:
    """The state of the lowering of one launch. ``names``: the sizes and scalars of the program."""

    def __init__(self, program: Program, plan: LaunchPlan, names: Mapping[Var, str], lines: Lines) -> None:
        self.program = program
        self.plan = plan
        self.launch = plan.opened
        self.target = plan.target
        self.lines = lines
        self.ranges: dict[Var, Interval] = dict(launch_ranges(self.launch))
        self.nest: NestFrame | None = None
        self.versions: dict[Buffer, tir.Expr] = {}
        self.threads = 1
        for extent in self.launch.threads:
            number = try_const(extent)
            if number is None:
                raise Unsupported("the number of threads of a block must be a constant", self.launch.span)
            self.threads *= number
        self._names = _Names(set(_RESERVED))
        self.scalars = ScalarLowering("cuda", self.load, self._call, self._divides_many)
        self.memory = Memory(self)
        self.barriers: Barriers = place_barriers(plan, self._thread_loops())
        self.finished_reducer: Buffer | None = None
        self.safe_values = safe_values(self.launch)
        self.helpers: set[str] = set()
        self.sources: list[str] = []
        self.params: list[tuple[Any, Buffer | Var]] = []
        self._thread: tir.Expr = tir.const(0)
        self._pointees: dict[Var, list[Buffer]] = {}
        self._declare_params(names)

    # --- parameters and names ---

    def _declare_params(self, names: Mapping[Var, str]) -> None:
        used = _mentioned(self.launch.body, (*self.launch.grid, *self.launch.threads))
        for tensor in sorted((one for one in used if isinstance(one, Buffer)), key=lambda one: one.name):
            address = tensor.attr("data")
            if isinstance(address, Var):
                self._pointees.setdefault(address, []).append(tensor)
        for param in self.program.params:
            if isinstance(param, Buffer):
                if param not in used:
                    continue
                data = tir.pointer(self.fresh(param.name), self.storage(param.dtype))
                self.memory.add_param(param, data)
                self.params.append((data, param))
                for extent in (*param.shape, *(param.strides or ())):
                    used.update(term for term in subterms(extent) if isinstance(term, Var))
            elif param in used:
                self._declare_scalar(param, param.name)
        for buffer in workspaces_of(self.program):
            if buffer in used:
                data = tir.pointer(self.fresh(buffer.name), self.storage(buffer.dtype))
                self.memory.add_param(buffer, data)
                self.params.append((data, buffer))
        for var, name in names.items():
            if var in used and not any(var is param for _, param in self.params):
                self._declare_scalar(var, name)

    def _thread_loops(self) -> frozenset[Var]:
        """Variables that name a dimension of the launch outside of its ``with`` statement."""
        loops = (stmt for stmt in walk(self.program.body) if isinstance(stmt, For) and stmt.kind == "thread")
        return frozenset(loop.vars[0] for loop in loops if str(loop.attr("thread")).startswith("threadIdx"))

    def _declare_scalar(self, var: Var, name: str) -> None:
        tensors = self._pointees.get(var, [])
        if var.dtype.kind == "handle":
            kinds = {self.storage(tensor.dtype) for tensor in tensors}
            value = tir.pointer(self.fresh(name), kinds.pop() if len(kinds) == 1 else "void")
        else:
            value = tir.var(self.fresh(name), self.storage(var.dtype))
        self.params.append((value, var))
        self.scalars.bind(var, self.scalars.decode(value, var.dtype) if var.dtype.kind != "handle" else value)
        self.memory.declarations += self.tensors_at(var)

    def tensors_at(self, address: Var) -> list[tir.Stmt]:
        """Declarations of the tensors that begin at an address, for where its value is known."""
        value = self.scalars.lower(address)
        return [stmt for tensor in self._pointees.get(address, ()) for stmt in self.memory.add_pointee(tensor, value)]

    def fresh(self, name: str) -> str:
        """A name that the function does not have yet."""
        return self._names.unique(name)

    def name_of(self, buffer: Buffer) -> str:
        return self.fresh(buffer.name)

    @staticmethod
    def storage(dtype: DType) -> str:
        """How elements of a type lie in memory."""
        return storage_of("cuda", dtype)

    # --- layouts and places ---

    def layout(self, buffer: Buffer) -> Layout | Fragment | None:
        layouts = self.plan.layouts
        found = layouts.layout(buffer)
        if found is None and is_reducer(buffer):
            # A reducer of the old style is read in place by any thread, so each has all of it.
            shape = [try_const(extent) for extent in buffer.shape]
            if buffer.is_fragment and None not in shape:
                return fully_replicated(tuple(extent or 0 for extent in shape), self.threads)
            found = layouts.reducers.get(buffer)
        return found

    def version(self, buffer: Buffer) -> tir.Expr | None:
        """The copy of a staged buffer that the current code uses; ``None`` for a buffer with one copy."""
        return self.versions.get(buffer.root)

    def active(self, stmt: Stmt) -> tuple[int, int]:
        """The first thread that runs a statement, and how many do."""
        narrowed = self.barriers.active
        return narrowed.first(stmt), narrowed.of(stmt)

    def _divides_many(self, divisor: object) -> bool:
        """Whether a value is the same along a loop of the parallel nest around the current code."""
        if self.nest is None:
            return False
        own = {term for term in subterms(divisor) if isinstance(term, Var)}
        return any(extent >= WORTH_A_RECIPROCAL for var, (_, extent) in self.nest.loops.items() if var not in own)

    @property
    def thread(self) -> tir.Expr:
        """The number of the thread in its block."""
        return self._thread

    def sums(self, indices: Iterable[Operand]) -> tuple[Sum, ...]:
        """Indices as sums over thread, register and the variables outside of the nest."""
        nest = self.nest
        indexing = Indexing(nest.loops if nest is not None else {}, self.ranges)
        found = tuple(map(indexing.sum_of, indices))
        if nest is None:
            return found
        values: dict[object, Sum] = dict(enumerate(nest.dims))
        return tuple(substitute(one, values) for one in found)

    def fragment_register(self, layout: Fragment, indices: Sequence[Operand]) -> tir.Expr:
        """The number of the register that has an element."""
        sums = self.sums(indices)
        if all(self._is_plain(one) for each in sums for one in each.inputs()):
            outputs = layout.index_of(sums)
            value_of = self.value_of
        else:
            outputs = layout.index
            values = [self.index(index) for index in indices]

            def value_of(key: object) -> tir.Expr:
                assert isinstance(key, int)
                return values[key]

        total: tir.Expr | None = None
        for one, extent in zip(outputs, layout.registers, strict=True):
            part = expression(one, value_of)
            total = part if total is None else total * extent + part
        return tir.const(0) if total is None else total

    @staticmethod
    def _is_plain(one: Any) -> bool:
        return not isinstance(one.key, (Opaque, Product, int))

    def value_of(self, key: object) -> tir.Expr:
        """The value of an input of a sum."""
        nest = self.nest
        if key == THREAD:
            return self.thread - nest.first if nest is not None and nest.first else self.thread
        if key == REGISTER:
            assert nest is not None, "registers are counted inside of nests"
            return nest.register
        assert isinstance(key, Var), f"no value for {key!r}"
        return self.index(key)

    def index(self, operand: Operand | Any) -> tir.Expr:
        """An integer operand as a 32-bit expression where it is one."""
        return self.scalars.lower(operand)

    def outside(self, buffer: Buffer) -> tir.Expr:
        """What a read outside of a tensor gives, in the storage type."""
        value = self.safe_values.get(buffer)
        if value is None:
            return self.scalars.zero(buffer.dtype)
        return self.scalars.encode(self.scalars.lower(value, buffer.dtype), buffer.dtype)

    def load(self, load: Load) -> tir.Expr:
        """An element in its storage type."""
        offset = self.memory.offset(load.buffer, load.indices)
        array = self.memory.place(load.buffer).array
        if load.buffer.dtype.bits == 4:
            return tir.extern(
                self.storage(load.buffer.dtype), "tl::load_nibble", tir.address(array, tir.const(0)), offset
            )
        return tir.at(array, offset)

    def _call(self, call: Call) -> tir.Expr | None:
        from tilelang.lower.cuda.effects import device_call

        return device_call(self, call)

    # --- code ---

    def mark(self, span: Span) -> list[tir.Stmt]:
        """Says which source line the following code comes from."""
        return [] if span is NOWHERE else [self.lines.marker(span)]

    @contextmanager
    def inside(self, nest: NestFrame) -> Generator[None, None, None]:
        """Lower code of a nest."""
        outer, self.nest = self.nest, nest
        bound = tuple(nest.loops)
        for var, (number, _) in nest.loops.items():
            self.scalars.bind(var, expression(nest.dims[number], self.value_of))
        try:
            yield
        finally:
            self.nest = outer
            for var in bound:
                self.scalars.unbind(var)

    @contextmanager
    def using_versions(self, versions: Mapping[Buffer, tir.Expr]) -> Generator[None, None, None]:
        """Lower code of one iteration of a pipelined loop."""
        outer, self.versions = self.versions, {**self.versions, **versions}
        try:
            yield
        finally:
            self.versions = outer

    def barrier(self, stmt: Stmt) -> tir.Stmt:
        """Waits for the threads that run a statement."""
        first, count = self.active(stmt)
        if count == self.threads:
            return tir.run(tir.tirx.op.tvm_storage_sync("shared"))
        return tir.run(tir.extern("void", "tl::sync_threads", tir.const(1 + first // 32 % 15), tir.const(count)))

    # --- the function ---

    def barrier_setup(self) -> list[tir.Stmt]:
        """Barriers that the program allocates are made ready by one thread before anything else."""
        code: list[tir.Stmt] = []
        for stmt in walk(self.launch.body):
            if not isinstance(stmt, Alloc) or stmt.buffer.scope not in ("shared.barrier", "shared.cluster_barrier"):
                continue
            array = self.memory.place(stmt.buffer).array
            counts = cast("tuple[Operand, ...]", stmt.buffer.attr("arrive_counts", (1,)))
            for number, count in enumerate(counts):
                pointer = tir.address(array, tir.const(number))
                code.append(tir.run(tir.extern("void", "tl::barrier_init", pointer, self.index(count))))
        if not code:
            return []
        first = tir.branch(tir.tirx.EQ(self._thread, tir.const(0)), code)
        return [first, tir.run(tir.tirx.op.tvm_storage_sync("shared"))]

    def bind_launch(self, blocks: Sequence[Any], threads: Sequence[Any]) -> None:
        """Gives the indices of the launch their values, rasterised as ``T.use_swizzle`` asks."""
        linear, stride = None, 1
        for value, extent in zip(threads, self.launch.threads, strict=False):
            part = value if stride == 1 else value * stride
            linear = part if linear is None else linear + part
            stride *= try_const(extent) or 1
        self._thread = linear if linear is not None else tir.const(0)
        for var, value in zip(self.launch.thread_vars, threads, strict=False):
            self.scalars.bind(var, value)
        axes = {f"threadIdx.{axis}": value for axis, value in zip("xyz", threads, strict=False)}
        axes |= {f"blockIdx.{axis}": value for axis, value in zip("xyz", blocks, strict=False)}
        for loop in walk(self.program.body):
            if isinstance(loop, For) and loop.kind == "thread":
                self.scalars.bind(loop.vars[0], axes.get(str(loop.attr("thread")), tir.const(0)))
        found = list(blocks)
        swizzle = self._swizzle()
        if swizzle is not None and len(found) >= 2 and len(self.launch.block_vars) >= 2:
            panel, order = swizzle
            grid = [self.index(extent) for extent in self.launch.grid[:2]]
            name = "column" if order == "column" else "row"
            for axis in range(2):
                found[axis] = tir.extern(
                    "int32", f"tl::swizzled_{name}_{'xy'[axis]}", *blocks[:2], *grid, tir.const(panel)
                )
        for var, value in zip(self.launch.block_vars, found, strict=False):
            self.scalars.bind(var, value)

    def _swizzle(self) -> tuple[int, str] | None:
        for stmt in walk(self.launch.body):
            if isinstance(stmt, Effect) and stmt.call.op == "use_swizzle":
                attrs = dict(stmt.call.attrs)
                panel = try_const(attrs.get("panel_size"))
                if panel and attrs.get("enable", True) is not False:
                    return panel, str(attrs.get("order", "row"))
        return None


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
                    address = buffer.root.attr("data")
                    if isinstance(address, Var):
                        found.add(address)
                    for extent in (*buffer.shape, *(buffer.strides or ())):
                        found.update(inner for inner in subterms(extent) if isinstance(inner, Var))
    return found
