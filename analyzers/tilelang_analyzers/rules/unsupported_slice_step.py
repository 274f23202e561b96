"""A slice of a buffer has a step.

## What it does
Reports `A[0:64:2]` and `A[:, ::2]` on buffers.

## Why is this bad?
A region is a dense box. Releases of the language differ in what they do with a step: some refuse it, some ignore it and
copy the wrong elements.

## Example
```python
T.copy(pairs[:, 0::2], even)
```

## Use instead
```python
for i, j in T.Parallel(32, 64):
    even[i, j] = pairs[i, 2 * j]
```

## Fix safety
The fix turns a copy of known sizes into the loop. It is unsafe: a loop does not clip what lies outside a tensor, as a
copy does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.buffer import Region
from tilelang.ir.expr import Slice
from tilelang.ir.stmt import Copy
from tilelang.ir.visit import operands, subterms
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._dims import is_stepped
from tilelang_analyzers.rules._strides import loop_for

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape", fixable=True)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, Region) and is_stepped(term):
                    step = next(
                        ctx.text(index.step) for index in term.indices or () if isinstance(index, Slice) and index.step
                    )
                    ctx.report(
                        term.span,
                        f"a slice of `{term.buffer.name}` has the step {step}; a region is a dense box",
                        notes=[Note("write a T.Parallel loop that computes the index instead")],
                        fix=loop_for(ctx, stmt) if isinstance(stmt, Copy) else None,
                    )
