"""A device program: parameters and one or more launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Var
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.stmt import Block, Launch
from tilelang.ir.visit import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

Param = Buffer | Var


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """What one ``@T.prim_func`` or one eager ``@tilelang.jit`` call builds.

    ``params`` are tensors and scalars in source order; ``outputs`` are the ``T.empty`` tensors an eager kernel
    returns. ``complete`` is False if part of the body could not be followed; rules that need the whole body
    (reads before writes, unused buffers) stay silent then. ``attrs``: function attributes.
    """

    name: str
    params: tuple[Param, ...]
    body: Block
    outputs: tuple[Buffer, ...] = ()
    complete: bool = True
    attrs: tuple[tuple[str, object], ...] = ()
    span: Span = field(default=NOWHERE, repr=False, kw_only=True)

    def launches(self) -> Iterator[Launch]:
        """Every device kernel of the program, in source order."""
        return (stmt for stmt in walk(self.body) if isinstance(stmt, Launch))
