"""What ``with`` and ``for`` receive from the language: frames that open and close a block of tile IR.

The evaluator drives them: it calls :meth:`Frame.enter`, evaluates the body, and calls :meth:`Frame.exit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang.ir.builder import Builder, LaunchState
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Var, const_int
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.stmt import Attrs, For, Launch, LoopKind, Scope

if TYPE_CHECKING:
    from tilelang.ir.buffer import Dim
    from tilelang.ir.expr import Operand


@dataclass(slots=True)
class Frame:
    """Base of everything that may stand after ``with``."""

    span: Span = field(default=NOWHERE, kw_only=True)

    def enter(self, builder: Builder, names: tuple[str, ...]) -> object:
        """Open the block; ``names`` are the names after ``as``. Returns the value they are bound to."""
        raise NotImplementedError

    def exit(self, builder: Builder) -> None:
        """Close the block and emit its statement."""
        raise NotImplementedError


@dataclass(slots=True)
class LaunchFrame(Frame):
    """``T.Kernel(...)``. Binds one block index, or a tuple of them."""

    grid: tuple[Dim, ...]
    threads: tuple[Dim, ...]
    attrs: Attrs = ()
    _state: LaunchState | None = field(default=None, init=False)
    _outer: LaunchState | None = field(default=None, init=False)

    def enter(self, builder: Builder, names: tuple[str, ...]) -> object:
        block_vars = tuple(
            Var(INT32, names[i] if i < len(names) else f"b{'xyz'[i] if i < 3 else i}", "block", span=self.span)
            for i in range(len(self.grid))
        )
        thread_vars = tuple(
            Var(INT32, f"t{'xyz'[i] if i < 3 else i}", "thread", span=self.span) for i in range(len(self.threads))
        )
        self._outer = builder.launch
        self._state = LaunchState(block_vars, thread_vars, self.threads, self.span)
        builder.launch = self._state
        builder.push()
        return block_vars[0] if len(block_vars) == 1 else block_vars

    def exit(self, builder: Builder) -> None:
        body = builder.pop()
        state = self._state
        assert state is not None, "exit without enter"
        builder.launch = self._outer
        launch = Launch(self.grid, self.threads, state.block_vars, state.thread_vars, body, span=self.span)
        builder.emit(launch if not self.attrs else _with_attrs(launch, self.attrs))


def _with_attrs(launch: Launch, attrs: Attrs) -> Launch:
    return Launch(
        launch.grid,
        launch.threads,
        launch.block_vars,
        launch.thread_vars,
        launch.body,
        span=launch.span,
        attrs=attrs,
    )


@dataclass(slots=True)
class ScopeFrame(Frame):
    """Any other ``with`` form: ``T.ws``, ``T.attr``, ``T.sblock``."""

    op: str
    args: tuple[object, ...] = ()
    value: object = None

    def enter(self, builder: Builder, names: tuple[str, ...]) -> object:
        builder.push()
        return self.value

    def exit(self, builder: Builder) -> None:
        builder.emit(Scope(self.op, self.args, builder.pop(), span=self.span))


@dataclass(slots=True)
class LoopFrame(Frame):
    """``T.serial``, ``T.Parallel``, ``T.Pipelined``, ... Binds one loop index, or a tuple of them."""

    kind: LoopKind
    starts: tuple[Operand, ...]
    extents: tuple[Dim, ...]
    step: Operand = 1
    attrs: Attrs = ()
    _vars: tuple[Var, ...] = field(default=(), init=False)

    def enter(self, builder: Builder, names: tuple[str, ...]) -> object:
        self._vars = tuple(
            Var(INT32, names[i] if i < len(names) else f"i{i}", "loop", span=self.span)
            for i in range(len(self.extents))
        )
        builder.loops.append(self.kind)
        builder.push()
        return self._vars[0] if len(self._vars) == 1 else self._vars

    def exit(self, builder: Builder) -> None:
        body = builder.pop()
        builder.loops.pop()
        builder.emit(
            For(
                self.kind,
                self._vars,
                self.starts,
                self.extents,
                body,
                self.step,
                span=self.span,
                attrs=self.attrs,
            )
        )

    @property
    def trip_count(self) -> int | None:
        """Number of iterations of a one-variable loop, if it is a constant."""
        if len(self.extents) != 1:
            return None
        extent, step = const_int(self.extents[0]), const_int(self.step)
        if extent is None or not step:
            return None
        return max(0, -(-extent // step))
