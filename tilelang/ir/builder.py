"""The builder that language functions emit into while a kernel is evaluated.

The evaluator sets ``site`` before each call of a language function, so an operation finds its own span and the
span of each argument here. Outside a kernel there is no current builder.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang.ir.problem import Problem
from tilelang.ir.span import NOWHERE, Span

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang.ir.stmt import Block, Stmt


@dataclass(frozen=True, slots=True)
class CallSite:
    """Where a language function is called. ``args`` gives the span of each argument by parameter name;
    ``target_name`` is the Python name that the result is assigned to, which names buffers and variables."""

    span: Span = NOWHERE
    args: Mapping[str, Span] = field(default_factory=dict[str, Span])
    target_name: str | None = None

    def arg(self, name: str) -> Span:
        """The span of one argument, or of the whole call if it was not written."""
        return self.args.get(name, self.span)


@dataclass(slots=True)
class LaunchState:
    """The kernel launch that is being built."""

    block_vars: tuple[Var, ...]
    thread_vars: tuple[Var, ...]
    threads: tuple[object, ...]
    span: Span
    grid: tuple[object, ...] = ()


class Builder:
    """Collects statements and problems of one program.

    Invariant: ``_bodies`` is never empty; its last entry is the block being filled.
    """

    def __init__(self) -> None:
        self.site = CallSite()
        self.problems: list[Problem] = []
        self.complete = True
        self.launch: LaunchState | None = None
        self.loops: list[str] = []
        """Kinds of the loops around the current statement, outermost first."""
        self.outputs: list[Buffer] = []
        """``T.empty`` tensors, in order of creation."""
        self.func_attrs: dict[str, object] = {}
        self._bodies: list[list[Stmt]] = [[]]

    @property
    def span(self) -> Span:
        """The span of the call that is being evaluated."""
        return self.site.span

    def emit(self, stmt: Stmt) -> None:
        """Append one statement to the current block."""
        self._bodies[-1].append(stmt)

    def push(self) -> None:
        """Open a nested block."""
        self._bodies.append([])

    def pop(self) -> Block:
        """Close the innermost nested block and return it."""
        assert len(self._bodies) > 1, "pop without push"
        return tuple(self._bodies.pop())

    def body(self) -> Block:
        """The outermost block as built so far."""
        return tuple(self._bodies[0])

    def problem(
        self,
        kind: str,
        span: Span | None = None,
        *,
        notes: tuple[tuple[str, Span], ...] = (),
        **data: object,
    ) -> None:
        """Record a fact for the rule named ``kind``; at the current call unless ``span`` is given."""
        self.problems.append(Problem(kind, span or self.site.span, data, notes))


_current: list[Builder] = []


def current() -> Builder | None:
    """The builder of the program being evaluated, or ``None`` outside a kernel."""
    return _current[-1] if _current else None


@contextmanager
def building(builder: Builder) -> Generator[Builder]:
    """Make ``builder`` current for a ``with`` block. Nests: a macro or a factory may build inside another."""
    _current.append(builder)
    try:
        yield builder
    finally:
        _current.pop()
