"""Statements of the tile IR. The whole list fits on one screen; every node has a span.

Bodies are tuples of statements. Nodes are frozen: passes return new trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tilelang.ir.buffer import Buffer, Dim, Region
from tilelang.ir.expr import Call, Load, Operand, Var
from tilelang.ir.span import NOWHERE, Span

Attrs = tuple[tuple[str, object], ...]
Block = tuple["Stmt", ...]
Tile = Region | Load
LoopKind = Literal["serial", "unroll", "parallel", "pipelined", "vectorized", "persistent", "thread"]


@dataclass(frozen=True, slots=True)
class Stmt:
    """Base of all statements."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)
    attrs: Attrs = field(default=(), kw_only=True)

    def attr(self, name: str, default: object = None) -> object:
        """The value of one annotation of this statement (``num_stages``, ``coalesced_width``, ...)."""
        return next((value for key, value in self.attrs if key == name), default)


# --- memory ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Alloc(Stmt):
    """``T.alloc_*``; ``init`` is the initial value of a ``T.alloc_var``."""

    buffer: Buffer
    init: Operand | None = None


@dataclass(frozen=True, slots=True)
class Store(Stmt):
    """``buffer[indices] = value``; also an assignment to a ``T.alloc_var`` (indices ``(0,)``)."""

    buffer: Buffer
    indices: tuple[Operand, ...]
    value: Operand


@dataclass(frozen=True, slots=True)
class Let(Stmt):
    """A Python name bound to a value that reads memory or has an effect."""

    var: Var
    value: Operand


# --- tile operations ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copy(Stmt):
    """``op``: ``copy``, ``async_copy``, ``tma_copy``, ``transpose``, ``im2col`` or another opaque copy form."""

    src: Region
    dst: Region
    op: str = "copy"


@dataclass(frozen=True, slots=True)
class Fill(Stmt):
    """``T.fill``; ``T.clear`` is a fill with 0."""

    dst: Region
    value: Operand


@dataclass(frozen=True, slots=True)
class Gemm(Stmt):
    """``c += op(a) @ op(b)``. ``op``: ``gemm``, ``wgmma_gemm``, ``tcgen05_gemm``, ``gemm_sp``, ..."""

    a: Region
    b: Region
    c: Region
    trans_a: bool = False
    trans_b: bool = False
    policy: str = "Square"
    clear_accum: object = False
    op: str = "gemm"


@dataclass(frozen=True, slots=True)
class Reduce(Stmt):
    """``op``: sum, max, min, abssum, absmax, bitand, bitor, bitxor, any, all."""

    op: str
    src: Region
    dst: Region
    dim: int
    clear: object = True


@dataclass(frozen=True, slots=True)
class Scan(Stmt):
    """``op``: cumsum or cummax. Without a destination the scan is in place (``dst`` is ``src``)."""

    op: str
    src: Region
    dst: Region
    dim: int
    reverse: object = False


@dataclass(frozen=True, slots=True)
class Atomic(Stmt):
    """``op``: add, max, min, or, addx2, addx4, load, store. ``dst`` is an element or a box."""

    op: str
    dst: Tile
    value: Operand | Tile | None


# --- control --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class For(Stmt):
    """A loop nest of one kind. ``starts`` and ``extents`` have one entry per variable; ``steps`` is 1 unless
    ``T.serial``/``T.unroll`` gave one. ``attrs`` of a pipelined loop: ``num_stages``, ``order``, ``stage``."""

    kind: LoopKind
    vars: tuple[Var, ...]
    starts: tuple[Operand, ...]
    extents: tuple[Dim, ...]
    body: Block
    step: Operand = 1


@dataclass(frozen=True, slots=True)
class While(Stmt):
    cond: Operand
    body: Block


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """A branch on a run-time value. Branches on Python values are decided while evaluating."""

    cond: Operand
    then: Block
    orelse: Block = ()


@dataclass(frozen=True, slots=True)
class Launch(Stmt):
    """``with T.Kernel(...)``: one device kernel. ``threads`` has one extent per thread dimension; ``block_vars`` and
    ``thread_vars`` are the indices. ``attrs``: ``cluster_dims``, ``prelude``, ``launcher``, ``default_threads``."""

    grid: tuple[Dim, ...]
    threads: tuple[Dim, ...]
    block_vars: tuple[Var, ...]
    thread_vars: tuple[Var, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Scope(Stmt):
    """A named region: ``T.ws(...)``, ``T.attr``, ``T.sblock`` and other ``with`` forms that do not launch."""

    op: str
    args: tuple[object, ...]
    body: Block


# --- everything else ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect(Stmt):
    """A call kept for its effect: barriers, fences, asserts, prints, annotations, element atomics with a result,
    and every operation that is known by name but not modelled (``modelled`` is False then)."""

    call: Call
    modelled: bool = True


@dataclass(frozen=True, slots=True)
class Jump(Stmt):
    """``break``, ``continue`` or ``return`` under a run-time condition."""

    kind: str
