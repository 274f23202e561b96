"""What ``with`` and ``for`` receive from the language: frames that open and close a block of tile IR.

The evaluator drives them: it calls :meth:`Frame.enter`, evaluates the body, and calls :meth:`Frame.exit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.builder import Builder, LaunchState
from tilelang.ir.dtype import INT32, DType
from tilelang.ir.expr import Expr, Var, const_int
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.stmt import Attrs, For, Launch, LoopKind, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    if TYPE_CHECKING:
        # What a type checker sees in ``with T.Kernel(...) as (bx, by)`` and ``for i, j in T.Parallel(...)``.
        def __enter__(self) -> Any: ...
        def __exit__(self, *exc: object) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...


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
        self._state = LaunchState(block_vars, thread_vars, self.threads, self.span, self.grid)
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
            Var(_index_dtype(extent), names[i] if i < len(names) else f"i{i}", "loop", span=self.span)
            for i, extent in enumerate(self.extents)
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


def _index_dtype(extent: Dim) -> DType:
    """A loop index has the integer type of its extent; numbers are ``int32``."""
    return extent.dtype if isinstance(extent, Expr) and extent.dtype.is_integer else INT32


@dataclass(slots=True)
class ThreadLaunch(LaunchState):
    """A launch that grows: ``T.launch_thread`` and ``T.thread_binding`` add one dimension each."""


@dataclass(slots=True)
class ThreadFrame(LoopFrame):
    """``T.launch_thread`` and ``T.thread_binding``: one dimension of a launch, in a ``with`` or a ``for`` statement.

    The outermost one opens the launch and closes it with all dimensions that were added inside. Inside a ``T.Kernel``
    it is a loop of kind ``thread``.
    """

    tag: str = "threadIdx.x"
    _owned: ThreadLaunch | None = field(default=None, init=False)
    _loop: bool = field(default=False, init=False)

    def enter(self, builder: Builder, names: tuple[str, ...]) -> object:
        launch = builder.launch
        if launch is not None and not isinstance(launch, ThreadLaunch):
            self._loop = True
            self.attrs = (*self.attrs, ("thread", self.tag))
            return LoopFrame.enter(self, builder, names)
        if launch is None:
            launch = self._owned = ThreadLaunch((), (), (), self.span)
            builder.launch = launch
            builder.push()
        is_block = self.tag.startswith("blockIdx")
        name = names[0] if names else self.tag
        var = Var(INT32, name, "block" if is_block else "thread", span=self.span)
        if is_block:
            launch.block_vars += (var,)
            launch.grid += self.extents
        else:
            launch.thread_vars += (var,)
            launch.threads += self.extents
        return var

    def exit(self, builder: Builder) -> None:
        if self._loop:
            LoopFrame.exit(self, builder)
        elif self._owned is not None:
            launch = self._owned
            builder.launch = None
            grid, threads = cast("tuple[Dim, ...]", launch.grid), cast("tuple[Dim, ...]", launch.threads)
            attrs: Attrs = (("launcher", "launch_thread"),)
            body = builder.pop()
            builder.emit(
                Launch(grid, threads, launch.block_vars, launch.thread_vars, body, span=self.span, attrs=attrs)
            )
