"""An element offset does not fit the 32-bit index arithmetic.

## What it does
Follows the constant leading indices of accesses to global memory. If their part of the element offset is above
2 147 483 647, it cannot be represented. Indices that contain block, thread or loop variables are widened to 64 bits by
the compiler where that is needed, so they are not reported.

## Why is this bad?
Constant offsets are folded in 32 bits: the result wraps around to another element, or the kernel does not compile.

## Example
```python
X: T.Tensor((65536, 65536), "int8")
Y[i] = X[65535, i]
```

## Use instead
Pass the part of the tensor that the kernel needs, or make the row a run-time value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Region
from tilelang.ir.expr import Const, Load, Slice, const_int
from tilelang.ir.stmt import Store
from tilelang.ir.visit import operands, subterms
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import declarations, number, shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds")

INT32_MAX = 2**31 - 1


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[Span] = set()
    for stmt in ctx.walk():
        for buffer, indices, span in _accesses(stmt):
            offset = _constant_offset(buffer, indices)
            if offset > INT32_MAX and span not in seen:
                seen.add(span)
                ctx.report(
                    span,
                    f"the constant indices of `{buffer.name}` {shape(ctx, buffer.shape)} give the element offset "
                    f"{number(offset)}, above {number(INT32_MAX)}",
                    notes=declarations(ctx, [buffer]),
                    data={"need": offset, "have": INT32_MAX},
                )


def _accesses(stmt: Stmt) -> Iterator[tuple[Buffer, Sequence[object], Span]]:
    if isinstance(stmt, Store) and stmt.buffer.is_global:
        yield stmt.buffer, stmt.indices, stmt.span
    for value in operands(stmt):
        for term in subterms(value):
            if isinstance(term, (Load, Region)) and term.buffer.is_global and term.indices is not None:
                yield term.buffer, term.indices, term.span


def _constant_offset(buffer: Buffer, indices: Sequence[object]) -> int:
    """The element offset of the leading constant indices; 0 for strided buffers and symbolic extents."""
    if buffer.strides is not None or len(indices) != buffer.rank:
        return 0
    offset = 0
    for axis, index in enumerate(indices):
        start = index.start if isinstance(index, Slice) else index
        number, extent = const_int(0 if start is None else start), const_int(buffer.shape[axis])
        if number is None or extent is None or (isinstance(start, Const) and start.dtype.bits > 32):
            # A variable joins the sum before the remaining extents multiply it, in 64 bits if need be.
            return 0 if axis == 0 else _scaled(offset, buffer, axis)
        offset = offset * extent + number if axis else number
    return offset


def _scaled(offset: int, buffer: Buffer, axis: int) -> int:
    """``offset`` counted in elements of dimension ``axis``."""
    extent = const_int(buffer.shape[axis])
    return 0 if extent is None else offset * extent
