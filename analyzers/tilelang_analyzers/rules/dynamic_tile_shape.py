"""The extent of a tile is not a compile-time constant.

## What it does
Reports allocations, operands of `T.gemm`, and `T.Parallel` loops over fragments with an extent that is known only when
the kernel runs: a `T.dynamic` size, a scalar parameter of the kernel, or an index. Shared memory whose size depends on
a `T.dynamic` size alone is an info: it can be launched, but its budget cannot be checked.

## Why is this bad?
Tiles live in registers and shared memory, which are laid out while the kernel is compiled.

## Example
```python
n = T.dynamic("n")
tile = T.alloc_fragment((64, n), "float32")
```

## Use instead
```python
tile = T.alloc_fragment((64, 128), "float32")
for j in T.serial(T.ceildiv(n, 128)):
    T.copy(A[by * 64, j * 128], tile)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang.ir.access import accesses
from tilelang.ir.expr import Load, const_int
from tilelang.ir.stmt import Alloc, For, Gemm
from tilelang.ir.visit import variables, walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._runtime import IN_KERNEL, runtime_var
from tilelang_analyzers.rules._text import shape

if TYPE_CHECKING:
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Var
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="shape")

_TILES = ("shared", "shared.dyn", "shared.tmem", "local.fragment", "local")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    multiplied = {
        region.buffer.root for stmt in ctx.walk() if isinstance(stmt, Gemm) for region in (stmt.a, stmt.b, stmt.c)
    }
    reported: set[Buffer] = set()
    for stmt in ctx.walk():
        if isinstance(stmt, Alloc) and stmt.buffer.scope in _TILES:
            var = runtime_var(ctx, stmt.buffer.shape)
            if var is not None:
                reported.add(stmt.buffer)
                _report_allocation(ctx, stmt.buffer, var, stmt.buffer in multiplied)
        elif isinstance(stmt, Gemm):
            _check_gemm(ctx, stmt, reported)
        elif isinstance(stmt, For) and stmt.kind == "parallel":
            _check_loop(ctx, stmt)


def _report_allocation(ctx: InstanceContext, buffer: Buffer, var: Var, multiplied: bool) -> None:
    launchable = buffer.is_shared and var.kind not in IN_KERNEL and not multiplied
    ctx.report(
        buffer.span,
        f"`{buffer.name}` {shape(ctx, buffer.shape)} depends on `{var.name}`, which "
        + (
            "is known only at launch: its shared memory is not checked" if launchable else "is no compile-time constant"
        ),
        notes=_origin(var),
        severity=Severity.INFO if launchable else None,
    )


def _check_gemm(ctx: InstanceContext, gemm: Gemm, reported: set[Buffer]) -> None:
    for region in (gemm.a, gemm.b, gemm.c):
        var = None if region.buffer.root in reported else runtime_var(ctx, region.extents or ())
        if var is not None:
            message = f"T.{gemm.op}: the size of `{ctx.text(region)}` depends on `{var.name}`, which is no constant"
            ctx.report(gemm.span, message, notes=_origin(var))
            return


def _check_loop(ctx: InstanceContext, loop: For) -> None:
    """A loop whose indices address a fragment needs constant bounds, since each thread gets its share of it."""
    dynamic = {
        var: bound
        for var, extent, start in zip(loop.vars, loop.extents, loop.starts, strict=False)
        if (bound := runtime_var(ctx, (extent, start))) is not None and const_int(extent) is None
    }
    for stmt in walk(loop.body) if dynamic else ():
        for access in accesses(stmt):
            if not access.buffer.is_fragment or not isinstance(access.place, Load):
                continue
            for index, bound in dynamic.items():
                if index in variables(access.place):
                    ctx.report(
                        loop.span,
                        f"the T.Parallel index `{index.name}` addresses the fragment "
                        f"`{access.buffer.name}`, but its bound `{bound.name}` is no compile-time constant",
                        notes=[Note(f"`{access.buffer.name}` is accessed here", access.span), *_origin(bound)],
                    )
                    return


def _origin(var: Var) -> list[Note]:
    return [Note(f"`{var.name}` is made here", var.span)] if var.span.line else []
