"""What the checker made of one version of a file, and where in the source each tile, loop and launch is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var
from tilelang.ir.stmt import Alloc, For, Launch
from tilelang.ir.visit import operands, subterms, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.instance import FileAnalysis, Instance
    from tilelang.ir.access import Access
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.memory import Memory
    from tilelang_analyzers.results import FileReport
    from tilelang_analyzers.selection import TargetChoice
    from tilelang_analyzers.sources import Sources
    from tilelang_lsp.files import SourceFile

Place = tuple[int, int]
"""Line and column where a node of the syntax tree starts."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """The result of one check. ``result``, ``sources`` and ``choice`` are None for a file without kernels, and where
    the check failed."""

    file: SourceFile
    report: FileReport
    memory: Memory
    result: FileAnalysis | None = None
    sources: Sources | None = None
    choice: TargetChoice | None = None

    @property
    def instances(self) -> tuple[Instance, ...]:
        return self.result.instances if self.result is not None else ()

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of the file that have instances, in source order."""
        grouped: dict[tuple[int, str], list[Instance]] = defaultdict(list)
        for instance in self.instances:
            if instance.path == self.file.path:
                grouped[instance.line, instance.kernel].append(instance)
        return tuple(Kernel(self, line, name, tuple(found)) for (line, name), found in sorted(grouped.items()))

    def prepare(self) -> Analysis:
        """Read the names of the file now, in the worker's thread: every view asks for them."""
        self.file.names.symbols()
        return self

    def kernel_at(self, line: int) -> Kernel | None:
        """The kernel whose factory or body a line is in."""
        return next((kernel for kernel in self.kernels if kernel.first_line <= line <= kernel.last_line), None)

    def targets(self, instance: Instance) -> tuple[Target, ...]:
        return self.choice.of(instance)[0] if self.choice is not None else ()

    def plan(self, instance: Instance, launch: Launch, target: Target) -> LaunchPlan:
        """The resources of one launch; kept, since every view asks for them."""
        return self.memory.plans(instance)(target, launch)


@dataclass(frozen=True, eq=False)
class Kernel:
    """One kernel of a file with its instances. ``line`` is that of its ``def``."""

    analysis: Analysis
    line: int
    name: str
    instances: tuple[Instance, ...]

    @cached_property
    def lines(self) -> tuple[int, int]:
        """The lines of the top-level statement around the kernel: its factory, decorators included."""
        for top in self.analysis.file.module.body:
            first = min([top.lineno, *(each.lineno for each in getattr(top, "decorator_list", ()))])
            last = top.end_lineno or top.lineno
            if first <= self.line <= last:
                return first, last
        return self.line, self.line

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def last_line(self) -> int:
        return self.lines[1]

    def chosen(self, index: int | None) -> tuple[int, Instance]:
        """The instance that views show: the one that the user picked, else the first that a program certainly makes."""
        if index is not None and 0 <= index < len(self.instances):
            return index, self.instances[index]
        ranked = sorted(
            range(len(self.instances)),
            key=lambda number: (
                self.instances[number].origin == "symbolic",
                not self.instances[number].certain,
                self.instances[number].expected_failure,
            ),
        )
        return ranked[0], self.instances[ranked[0]]


class Map:
    """Where the parts of one instance are in one file: tiles, variables, loops and launches by the place of the node
    that made or names them."""

    def __init__(self, instance: Instance, path: str) -> None:
        self.instance = instance
        self.tiles: dict[Place, Buffer] = {}
        """Allocations and parameters by the call or name, and every use of a tile by its expression."""
        self.allocations: dict[Place, Buffer] = {}
        self.loops: dict[Place, For] = {}
        self.launches: dict[Place, Launch] = {}
        self.statements: dict[int, list[Stmt]] = defaultdict(list)
        self.uses: dict[Buffer, list[Access]] = defaultdict(list)
        """By the allocation behind any view."""
        for param in (*instance.program.params, *instance.program.outputs):
            if isinstance(param, Buffer) and param.span.path == path:
                self.allocations[param.span.line, param.span.col] = param
        for stmt in walk(instance.program.body):
            self._read(stmt, path)
        self.tiles.update(self.allocations)

    def _read(self, stmt: Stmt, path: str) -> None:
        place = (stmt.span.line, stmt.span.col)
        here = stmt.span.path == path
        if here:
            self.statements[stmt.span.line].append(stmt)
            if isinstance(stmt, Alloc):
                self.allocations[place] = stmt.buffer
            elif isinstance(stmt, For):
                self.loops.setdefault(place, stmt)
            elif isinstance(stmt, Launch):
                self.launches.setdefault(place, stmt)
        for access in accesses(stmt):
            self.uses[access.buffer.root].append(access)
        for span, buffer in _mentions(stmt):
            if span.path == path:
                self.tiles.setdefault((span.line, span.col), buffer)

    @cached_property
    def by_name(self) -> dict[str, Buffer]:
        """Tiles by the name in the program, the last allocation of a name."""
        return {buffer.name: buffer for buffer in self.allocations.values()}


def _mentions(stmt: Stmt) -> Iterator[tuple[Span, Buffer]]:
    for access in accesses(stmt):
        if not isinstance(access.place, Buffer):
            yield access.place.span, access.buffer
    for value in operands(stmt):
        for term in subterms(value):
            if isinstance(term, (Load, Region)):
                yield term.span, term.buffer


def loop_variables(stmt: Stmt) -> tuple[Var, ...]:
    """The variables that a loop or launch binds."""
    if isinstance(stmt, For):
        return stmt.vars
    return (*stmt.block_vars, *stmt.thread_vars) if isinstance(stmt, Launch) else ()
