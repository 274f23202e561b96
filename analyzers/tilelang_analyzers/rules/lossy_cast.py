"""A store or copy narrows a value without saying so.

## What it does
Reports assignments and copies that turn a floating-point value into an integer, an integer into a narrower or unsigned
one, a 64-bit float into a smaller one, or any wider type into an 8-bit or smaller float, where no cast is written.
Storing float32 as float16 or bfloat16 is the normal end of a kernel and is not reported.

## Why is this bad?
The value is rounded, cut off or wraps around. Written as `T.cast(value, dtype)` it is visible.

## Example
```python
count = T.alloc_local((1,), "int32")
count[0] = x * 0.5
```

## Use instead
```python
count[0] = T.cast(x * 0.5, "int32")
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang.ir.expr import dtype_of
from tilelang.ir.stmt import Copy, Store
from tilelang_analyzers.rule import define

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.dtype import DType
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="dtype", severity=Severity.INFO)


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if isinstance(stmt, Store):
            source, target = dtype_of(stmt.value), stmt.buffer
        elif isinstance(stmt, Copy):
            source, target = stmt.src.buffer.dtype, stmt.dst.buffer
        else:
            continue
        if source is not None and _narrows(source, target):
            ctx.report(stmt.span, f"a {source} value is stored in `{target.name}` as {target.dtype} without a cast")


def _narrows(source: DType, target: Buffer) -> bool:
    to = target.dtype
    if not (source.is_known and to.is_known) or "custom" in (source.kind, to.kind) or to.is_bool or source.is_bool:
        return False
    if source.is_float and to.is_integer:
        return True
    if source.is_integer and to.is_integer:
        return to.bits < source.bits or (source.is_signed and not to.is_signed and to.bits <= source.bits)
    if source.is_float and to.is_float:
        return to.bits < source.bits and (source.bits == 64 or to.bits <= 8)
    return False
