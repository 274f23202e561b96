"""What compiling one instance for one target gave, for rules and tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tilelang.ir.visit import walk
from tilelang_analyzers.results import CompiledResult

if TYPE_CHECKING:
    from tilelang.backends.compiling import Outcome
    from tilelang.frontend.instance import Instance
    from tilelang.ir.span import Span
    from tilelang.targets import Target
    from tilelang_analyzers.compiling import Compiler


class Compiled:
    """Figures by launch, and where the machine code spills."""

    def __init__(self, compiler: Compiler, instance: Instance, target: Target, outcome: Outcome) -> None:
        self._compiler = compiler
        self._instance = instance
        self._target = target
        artifact = outcome.artifact
        self._kernels = () if artifact is None else artifact.kernels

    @property
    def results(self) -> tuple[CompiledResult, ...]:
        """The figures of each launch, in their order; empty if there is no code."""
        return tuple(
            CompiledResult(
                "ok",
                kernel.resources.registers,
                kernel.resources.spill_stores,
                kernel.resources.spill_loads,
                kernel.resources.stack,
                kernel.dynamic_shared,
                kernel.resources.static_shared,
            )
            for kernel in self._kernels
        )

    def result_of(self, launch: int) -> CompiledResult:
        """The figures of one launch."""
        found = self.results
        return found[launch] if launch < len(found) else CompiledResult("failed")

    def spilled_lines(self) -> tuple[tuple[Span, int], ...]:
        """Statements whose machine code uses local memory, with the instructions that do; those with most first."""
        listing = self._compiler.sass(self._instance, self._target)
        counts: Counter[Span] = Counter()
        for place in listing.mapped_places if listing is not None else ():
            assert listing is not None
            used = listing.mix_of(place.path, place.line).classes.get("local", 0)
            span = self._statement_at(place.path, place.line)
            if used and span is not None:
                counts[span] += used
        return tuple(counts.most_common())

    def _statement_at(self, path: str, line: int) -> Span | None:
        """The largest statement that begins on a line."""
        body = walk(self._instance.program.body)
        found = [stmt.span for stmt in body if stmt.span.path == path and stmt.span.line == line]
        return max(found, key=lambda span: (span.end_line, span.end_col), default=None)
