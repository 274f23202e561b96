"""What legal tile IR is, at each stage, as checks.

Tests run :func:`check` on what the evaluator builds and on what passes return. A violation is a bug of ours, never of
the analysed program: a program that is wrong in itself (a rank that disagrees, an index out of bounds) is legal IR.

Stages: ``built`` is IR of any origin, also built by hand in tests; ``frontend`` is what the evaluator hands over, with
spans and resolved boxes; ``opened`` has no operation left that allocates tiles of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var, const_int
from tilelang.ir.span import NOWHERE
from tilelang.ir.stmt import (
    Alloc,
    For,
    Jump,
    Launch,
    Let,
    LoopKind,
    Reduce,
    Scan,
    Scope,
    Store,
    While,
)
from tilelang.ir.visit import children, operands, subterms

if TYPE_CHECKING:
    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Block, Stmt

Stage = Literal["built", "frontend", "opened"]

SCOPES = frozenset(
    (
        "global",
        "shared",
        "shared.dyn",
        "shared.barrier",
        "shared.cluster_barrier",
        "shared.tmem",
        "local",
        "local.var",
        "local.fragment",
        "local.reducer",
    )
)
LOOP_KINDS = frozenset(get_args(LoopKind))
MAX_VIOLATIONS = 50


def check(program: Program, stage: Stage = "frontend") -> list[str]:
    """Violations as short texts with their line, in source order; at most ``MAX_VIOLATIONS``."""
    checker = _Checker(stage, complete=program.complete)
    known = {param for param in program.params if isinstance(param, Var)}
    buffers = {param for param in program.params if isinstance(param, Buffer)} | set(program.outputs)
    for buffer in buffers:
        checker.buffer(buffer)
    checker.block(program.body, _Context(frozenset(known), frozenset(buffers)))
    return checker.found[:MAX_VIOLATIONS]


class _Context:
    """What encloses a statement: bound variables, allocated buffers, loops and the launch."""

    __slots__ = ("buffers", "in_launch", "loops", "variables")

    def __init__(
        self,
        variables: frozenset[Var],
        buffers: frozenset[Buffer],
        loops: tuple[str, ...] = (),
        in_launch: bool = False,
    ) -> None:
        self.variables = variables
        self.buffers = buffers
        self.loops = loops
        self.in_launch = in_launch

    def inside(self, stmt: Stmt) -> _Context:
        """The context of the body of ``stmt``."""
        if isinstance(stmt, For):
            return _Context(self.variables.union(stmt.vars), self.buffers, (*self.loops, stmt.kind), self.in_launch)
        if isinstance(stmt, While):
            return _Context(self.variables, self.buffers, (*self.loops, "while"), self.in_launch)
        if isinstance(stmt, Launch):
            bound = (*stmt.block_vars, *stmt.thread_vars)
            return _Context(self.variables.union(bound), self.buffers, self.loops, True)
        return self

    def after(self, stmt: Stmt) -> _Context:
        """The context of what follows ``stmt`` in its block. Some operations name the variable of their result."""
        var = stmt.var if isinstance(stmt, Let) else stmt.attr("result")
        if isinstance(var, Var):
            return _Context(self.variables | {var}, self.buffers, self.loops, self.in_launch)
        if isinstance(stmt, Alloc):
            return _Context(self.variables, self.buffers | {stmt.buffer}, self.loops, self.in_launch)
        return self


class _Checker:
    def __init__(self, stage: Stage, *, complete: bool) -> None:
        self.stage = stage
        self.complete = complete
        self.found: list[str] = []
        self.bound: set[Var] = set()
        self.allocated: set[Buffer] = set()

    def report(self, stmt: Stmt | None, text: str) -> None:
        line = f"line {stmt.span.line}: " if stmt is not None and stmt.span is not NOWHERE else ""
        self.found.append(line + text)

    def block(self, block: Block, context: _Context) -> _Context:
        """Checks a block and returns the context at its end. What is bound under a plain ``with`` stays bound."""
        for stmt in block:
            if len(self.found) > MAX_VIOLATIONS:
                break
            self.statement(stmt, context)
            inner = context.inside(stmt)
            for body in children(stmt):
                end = self.block(body, inner)
                if isinstance(stmt, Scope):
                    context = end
            context = context.after(stmt)
        return context

    def statement(self, stmt: Stmt, context: _Context) -> None:
        if self.stage != "built" and stmt.span is NOWHERE:
            self.report(stmt, f"{type(stmt).__name__} without a span")
        for value in operands(stmt):
            self.value(stmt, value, context)
        if isinstance(stmt, Alloc):
            self.alloc(stmt)
        elif isinstance(stmt, Store):
            self.use(stmt, stmt.buffer, context)
        elif isinstance(stmt, For):
            self.loop(stmt)
        elif isinstance(stmt, Launch):
            self.launch(stmt, context)
        elif isinstance(stmt, Let):
            self.bind(stmt, stmt.var, "let")
        elif isinstance(stmt, Jump):
            self.jump(stmt, context)
        if self.stage == "opened":
            self.closed(stmt)

    # --- definitions ---

    def bind(self, stmt: Stmt, var: Var, kind: str) -> None:
        if var.kind != kind:
            self.report(stmt, f"{var.name} is a {var.kind} variable, bound as {kind}")
        if var in self.bound:
            self.report(stmt, f"{var.name} is bound twice")
        self.bound.add(var)

    def alloc(self, stmt: Alloc) -> None:
        self.buffer(stmt.buffer, stmt)
        if stmt.buffer in self.allocated:
            self.report(stmt, f"{stmt.buffer.name} is allocated twice")
        self.allocated.add(stmt.buffer)

    def buffer(self, buffer: Buffer, stmt: Stmt | None = None) -> None:
        if buffer.scope not in SCOPES and not buffer.scope.startswith("local.descriptor"):
            self.report(stmt, f"{buffer.name} in unknown scope {buffer.scope!r}")
        if buffer.strides is not None and len(buffer.strides) != buffer.rank:
            self.report(stmt, f"{buffer.name} has {buffer.rank} dimensions and {len(buffer.strides)} strides")
        for extent in buffer.shape:
            number = const_int(extent)
            if number is not None and number < 0:
                self.report(stmt, f"{buffer.name} has extent {number}")
        if buffer.source is not None and buffer.source.scope != buffer.scope:
            self.report(stmt, f"{buffer.name} views {buffer.source.name} of another scope")

    def loop(self, stmt: For) -> None:
        if stmt.kind not in LOOP_KINDS:
            self.report(stmt, f"unknown kind of loop {stmt.kind!r}")
        counts = {len(stmt.vars), len(stmt.starts), len(stmt.extents)}
        if len(counts) != 1 or 0 in counts:
            sizes = f"{len(stmt.vars)} variables, {len(stmt.starts)} starts, {len(stmt.extents)} extents"
            self.report(stmt, f"loop with {sizes}")
        if stmt.kind == "pipelined" and len(stmt.vars) != 1:
            self.report(stmt, "pipelined loop over several variables")
        if const_int(stmt.step) == 0:
            self.report(stmt, "loop with step 0")
        for var in stmt.vars:
            self.bind(stmt, var, "loop")

    def launch(self, stmt: Launch, context: _Context) -> None:
        if context.in_launch:
            self.report(stmt, "launch inside a launch")
        if len(stmt.block_vars) != len(stmt.grid):
            self.report(stmt, f"{len(stmt.grid)} grid extents, {len(stmt.block_vars)} block indices")
        if stmt.thread_vars and len(stmt.thread_vars) != len(stmt.threads):
            self.report(stmt, f"{len(stmt.threads)} thread extents, {len(stmt.thread_vars)} thread indices")
        for var in stmt.block_vars:
            self.bind(stmt, var, "block")
        for var in stmt.thread_vars:
            self.bind(stmt, var, "thread")

    def jump(self, stmt: Jump, context: _Context) -> None:
        if stmt.kind not in ("break", "continue", "return"):
            self.report(stmt, f"unknown jump {stmt.kind!r}")
        elif stmt.kind != "return" and not context.loops:
            self.report(stmt, f"{stmt.kind} outside a loop")
        elif stmt.kind == "return" and not context.in_launch:
            self.report(stmt, "return outside a launch")

    # --- uses ---

    def value(self, stmt: Stmt, value: object, context: _Context) -> None:
        for term in subterms(value):
            if isinstance(term, Var):
                if term.kind in ("loop", "block", "thread", "let") and term not in context.variables:
                    self.report(stmt, f"{term.kind} variable {term.name} used out of its scope")
            elif isinstance(term, Region):
                self.region(stmt, term, context)
            elif isinstance(term, Load):
                self.use(stmt, term.buffer, context)
            elif isinstance(term, Buffer):
                self.use(stmt, term, context)

    def use(self, stmt: Stmt, buffer: Buffer, context: _Context) -> None:
        """Memory of a block is allocated before it is used; a view counts as what it views."""
        if self.complete and not buffer.is_global and buffer.root not in context.buffers:
            self.report(stmt, f"{buffer.name} used without an allocation")

    def region(self, stmt: Stmt, region: Region, context: _Context) -> None:
        self.use(stmt, region.buffer, context)
        rank = region.buffer.rank
        if len(region.mins) not in (0, rank):
            self.report(stmt, f"box of {region.buffer.name} with {len(region.mins)} starts for {rank} dimensions")
        if region.extents is not None and len(region.extents) != len(region.mins):
            self.report(stmt, f"box of {region.buffer.name}: {len(region.mins)} starts, {len(region.extents)} extents")
        right_rank = region.indices is None or len(region.indices) == rank
        if self.stage != "built" and self.complete and right_rank and not region.mins and rank:
            self.report(stmt, f"box of {region.buffer.name} is not resolved")

    def closed(self, stmt: Stmt) -> None:
        ends = [part for part in operands(stmt) if isinstance(part, Region)]
        if isinstance(stmt, Reduce) and any(region.buffer.is_shared for region in ends):
            self.report(stmt, "reduction of shared memory")
        if isinstance(stmt, Scan) and stmt.src.buffer.is_fragment:
            self.report(stmt, "scan of a fragment")
