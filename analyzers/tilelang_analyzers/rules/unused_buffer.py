"""A buffer is allocated but never read.

## What it does
Reports shared memory, fragments and local arrays that no statement reads. Accumulating into a buffer counts as a read.

## Why is this bad?
The memory is wasted, and shared memory counts against the budget of the block. Often a later statement uses the wrong
buffer.

## Example
```python
b_tile = T.alloc_shared((32, 64), "float16")
T.copy(B[k * 32, 0], b_tile)
T.gemm(a_tile, a_tile, acc)
```

## Use instead
```python
T.gemm(a_tile, b_tile, acc)
```

## Fix safety
The fix removes the allocation of a buffer that nothing mentions. It is safe: the kernel computes the same without it.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from tilelang.diagnostics import Edit, Fix, Severity
from tilelang.ir.span import Span
from tilelang.ir.stmt import Alloc
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._uses import uses

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="language", severity=Severity.INFO, fixable=True)

_DATA_SCOPES = ("shared", "shared.dyn", "shared.tmem", "local.fragment", "local", "local.var")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    if not ctx.program.complete:
        return
    read: set[Buffer] = set()
    written: set[Buffer] = set()
    for found in ctx.shared(uses).values():
        for access in found:
            (read if access.reads else written).add(access.buffer.root)
    for stmt in ctx.walk():
        if isinstance(stmt, Alloc) and stmt.buffer.scope in _DATA_SCOPES and stmt.buffer not in read:
            buffer = stmt.buffer
            message = f"`{buffer.name}` is {'written but ' if buffer in written else ''}never read"
            ctx.report(stmt.span, message, fix=None if buffer in written else _without(ctx, stmt))


def _without(ctx: InstanceContext, alloc: Alloc) -> Fix | None:
    """The removal of an allocation that is a statement on lines of its own, without comments, if nothing else in the
    file has the buffer's name."""
    place, name = alloc.span, alloc.buffer.name
    tree = ctx.syntax_tree(place.path)
    before = ctx.snippet(Span(place.path, place.line, 0, place.line, place.col))
    after = ctx.snippet(Span(place.path, place.end_line, place.end_col, place.end_line + 1, 0))
    if tree is None or before.strip() != f"{name} =" or after.strip() or "#" in ctx.snippet(place):
        return None
    mentions = ctx.shared(_mentions)
    if place.path not in mentions:
        mentions[place.path] = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    if mentions[place.path][name] != 1:
        return None
    lines = Span(place.path, place.line, 0, place.end_line + 1, 0)
    return Fix(f"Remove `{name}`", (Edit(lines, ""),), safe=True)


def _mentions(ctx: InstanceContext) -> dict[str, Counter[str]]:
    """How often each name occurs in a file, filled as files are asked for."""
    return {}
