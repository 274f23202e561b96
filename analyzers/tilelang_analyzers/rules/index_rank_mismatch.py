"""A buffer is indexed with too many or too few indices.

## What it does
Compares the number of indices in `A[...]` with the number of dimensions of `A`, in element accesses, assignments and
the regions of tile operations. An index may be a slice, but no index may be left out.

## Why is this bad?
The kernel does not compile. In a copy, a missing index is usually the batch.

## Example
```python
A: T.Tensor((8, 512, 512), "float16")
T.copy(A[by * 64, k * 32], tile)
```

## Use instead
```python
T.copy(A[bz, by * 64, k * 32], tile)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load
from tilelang.ir.stmt import Store
from tilelang.ir.visit import operands, subterms
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._dims import has_known_rank
from tilelang_analyzers.rules._text import declarations, plural, shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    seen: set[tuple[Span, Buffer]] = set()
    for stmt in ctx.walk():
        for buffer, count, span in _indexed(stmt):
            if count == buffer.rank or (span, buffer) in seen or not has_known_rank(buffer):
                continue
            seen.add((span, buffer))
            ctx.report(
                span,
                f"`{buffer.name}` has {plural(buffer.rank, 'dimension')} {shape(ctx, buffer.shape)} "
                f"but is indexed with {plural(count, 'index')}",
                notes=declarations(ctx, [buffer]),
            )


def _indexed(stmt: Stmt) -> Iterator[tuple[Buffer, int, Span]]:
    """Every place where a statement indexes a buffer, with the number of indices."""
    if isinstance(stmt, Store):
        yield stmt.buffer, len(stmt.indices), stmt.span
    for value in operands(stmt):
        for term in subterms(value):
            if isinstance(term, Load) or (isinstance(term, Region) and term.indices is not None):
                yield term.buffer, len(term.indices or ()), term.span
