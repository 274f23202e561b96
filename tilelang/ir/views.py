"""Whether another shape of the same memory is as large as the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import prove_ne
from tilelang.ir.dtype import INT64
from tilelang.ir.expr import Binary, Var

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand


def covers(view: Buffer, source: Buffer) -> bool:
    """False if a view certainly has more or fewer bits than what it views."""
    return not prove_ne(_bits(view), _bits(source))


def _bits(buffer: Buffer) -> Operand | None:
    """The size of a buffer; None if its shape or type is not known."""
    if not buffer.dtype.is_known or not is_ranked(buffer):
        return None
    bits: Operand = buffer.dtype.total_bits
    for extent in buffer.shape:
        bits = Binary(INT64, "*", bits, extent)
    return bits


def is_ranked(buffer: Buffer) -> bool:
    """Whether the number of dimensions is known; an unknown shape stands as one unknown extent."""
    dims = buffer.shape
    return len(dims) > 1 or (len(dims) == 1 and not (isinstance(dims[0], Var) and dims[0].kind == "unknown"))
