"""`out_idx` names something that is not a result of the kernel.

## What it does
Compares `out_idx` of `@tilelang.jit` or `tilelang.compile` with the parameters of the kernel. Reported are indices
that are out of range or given twice, scalar parameters, and a tensor that the kernel only reads while it writes another
tensor that is not listed. An eager kernel returns its `T.empty` tensors and takes no `out_idx`.

## Why is this bad?
Tensors named by `out_idx` are allocated by the runtime and returned. If that is an input, the caller passes one tensor
too few or gets uninitialised memory back.

## Example
```python
@tilelang.jit(out_idx=[-2])
def matmul(M, N, K):
    @T.prim_func
    def main(A: ..., B: ..., C: ...): ...  # writes C
```

## Use instead
```python
@tilelang.jit(out_idx=[-1])
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.buffer import Buffer
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import listed, plural
from tilelang_analyzers.rules._uses import uses

if TYPE_CHECKING:
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="program")


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    jit, params = ctx.instance.jit, ctx.program.params
    if jit.out_idx is None:
        return
    span = jit.out_idx_span or jit.span
    if ctx.instance.style == "eager" or ctx.program.outputs:
        if jit.out_idx:
            ctx.report(span, "out_idx is given, but the kernel returns its T.empty tensors")
        return
    if not params:
        return
    outside = [index for index in jit.out_idx if not -len(params) <= index < len(params)]
    if outside:
        ctx.report(span, f"out_idx {outside[0]} is out of range: the kernel has {plural(len(params), 'parameter')}")
        return
    chosen = [index % len(params) for index in jit.out_idx]
    if len(set(chosen)) < len(chosen):
        twice = next(index for index in chosen if chosen.count(index) > 1)
        ctx.report(span, f"out_idx names parameter {twice} (`{params[twice].name}`) twice")
        return
    scalars = [params[index] for index in chosen if not isinstance(params[index], Buffer)]
    if scalars:
        ctx.report(span, f"out_idx names `{scalars[0].name}`, which is no tensor", notes=[_declared(scalars[0])])
        return
    _check_direction(ctx, [param for param in (params[index] for index in chosen) if isinstance(param, Buffer)])


def _check_direction(ctx: InstanceContext, outputs: list[Buffer]) -> None:
    """Report an output that the kernel never writes while it writes a tensor that is no output."""
    if not ctx.program.complete:
        return
    written = {access.buffer.root for found in ctx.shared(uses).values() for access in found if access.writes}
    idle = [tensor for tensor in outputs if tensor not in written]
    results = [param for param in ctx.program.params if param in written and param not in outputs]
    if not idle or not results:
        return
    jit = ctx.instance.jit
    names = listed(f"`{result.name}`" for result in results)
    ctx.report(
        jit.out_idx_span or jit.span,
        f"out_idx names `{idle[0].name}`, which the kernel never writes; it writes {names}",
        notes=[_declared(idle[0]), *(_declared(result) for result in results)],
    )


def _declared(param: object) -> Note:
    return Note(f"`{getattr(param, 'name', '?')}` is this parameter", getattr(param, "span", None))
