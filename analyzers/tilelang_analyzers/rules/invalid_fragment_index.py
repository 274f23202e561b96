"""A `T.Parallel` loop needs registers of other threads.

## What it does
Reports a fragment that one `T.Parallel` loop accesses at two different places, or at a constant index other than 0 in
some dimension, and a `T.alloc_local` array that is indexed by the loop's variable.

## Why is this bad?
A fragment is spread over the threads, and each thread runs the iterations of the elements that it holds; it cannot see
the others. A local array is private to each thread, so the iterations that other threads run have no part in it. The
kernel does not compile.

## Example
```python
row = T.alloc_fragment((128,), "float32")
for i in T.Parallel(128):
    Y[i] = row[i] + row[(i + 1) % 128]
```

## Use instead
```python
row = T.alloc_shared((128,), "float32")
for i in T.Parallel(128):
    Y[i] = row[i] + row[(i + 1) % 128]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Note
from tilelang.ir.expr import Binary, Cast, Select, Unary, Var, const_int
from tilelang.ir.stmt import For, Store
from tilelang.ir.visit import loads, operands, variables, walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._ranges import index_ranges
from tilelang_analyzers.rules._text import declarations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.arith import Interval
    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext, TargetContext

    Access = tuple[Buffer, tuple[Operand, ...], Span]

RULE = define(__name__, __doc__, group="layout")

MAX_DEPTH = 40
"""Indices of real kernels are nested a few levels; this is a guard."""


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    covered: set[int] = set()
    for stmt in ctx.walk():
        if isinstance(stmt, For) and stmt.kind == "parallel" and id(stmt) not in covered:
            inner = [each for each in walk(stmt.body) if isinstance(each, For) and each.kind == "parallel"]
            covered.update(map(id, inner))
            _check_nest(ctx, stmt, frozenset(var for loop in (stmt, *inner) for var in loop.vars))


@RULE.check_target
def check_constants(ctx: TargetContext) -> None:
    """Whether a constant index is refused depends on what else lays out the fragment."""
    for launch in ctx.launches:
        conflict = ctx.plan(launch).layouts.conflict
        if conflict is not None and conflict.reason == "constant-index" and conflict.stmt is not None:
            ctx.report(
                conflict.stmt.span,
                f"`{conflict.buffer.name}` is accessed at a constant index other than 0 in a T.Parallel loop",
                notes=declarations(ctx, [conflict.buffer]),
            )


def _check_nest(ctx: InstanceContext, loop: For, indices: frozenset[Var]) -> None:
    first: dict[Buffer, Access] = {}
    reported: set[Buffer] = set()
    for access in (access for stmt in walk(loop.body) for access in _accesses(stmt)):
        buffer, place, span = access
        if buffer in reported:
            continue
        if buffer.scope == "local" and indices.intersection(variables(place)):
            reported.add(buffer)
            message = f"`{buffer.name}` is private to each thread but indexed by the T.Parallel loop"
            notes = (*declarations(ctx, [buffer]), Note("the T.Parallel loop starts here", loop.span))
            ctx.report(span, message, notes=notes)
        elif buffer.is_fragment:
            earlier = first.setdefault(buffer, access)
            if _differ(earlier[1], place, ctx.shared(index_ranges)):
                reported.add(buffer)
                one, other = (ctx.text(indices) for indices in (earlier[1], place))
                ctx.report(
                    span,
                    f"the fragment `{buffer.name}` is accessed at {one} and at {other} in one T.Parallel loop",
                    notes=(Note("the other access is here", earlier[2]), *declarations(ctx, [buffer])),
                )


def _accesses(stmt: Stmt) -> Iterator[Access]:
    if isinstance(stmt, Store):
        yield stmt.buffer, stmt.indices, stmt.span
    for value in operands(stmt):
        for load in loads(value):
            yield load.buffer, load.indices, load.span


def _differ(one: tuple[Operand, ...], other: tuple[Operand, ...], ranges: Mapping[Var, Interval]) -> bool:
    """Whether two places are certainly not always the same: in some iteration their indices have other values."""
    if len(one) != len(other):
        return False
    used = {var for var in variables((one, other)) if isinstance(var, Var)}
    return any(
        (x := _value(a, point)) is not None and (y := _value(b, point)) is not None and x != y
        for point in _points(used, ranges)
        for a, b in zip(one, other, strict=True)
    )


def _points(used: set[Var], ranges: Mapping[Var, Interval]) -> Iterator[Mapping[Var, int]]:
    """Some iterations: all variables at their start, and each of them alone at its second and last value."""
    known = {var: span for var in used if (span := ranges.get(var)) is not None and span.lo is not None}
    start = {var: span.lo for var, span in known.items() if span.lo is not None}
    yield start
    for var, span in known.items():
        for value in {min(start[var] + 1, start[var] if span.hi is None else span.hi), span.hi} - {None}:
            if value is not None:
                yield {**start, var: value}


def _value(operand: object, point: Mapping[Var, int], depth: int = MAX_DEPTH) -> int | None:
    """An integer expression at one point; None if it depends on anything else, or is nested too deeply."""
    number = const_int(operand)
    if number is not None or depth == 0:
        return number
    if isinstance(operand, Var):
        return point.get(operand)
    if isinstance(operand, Cast):
        return _value(operand.value, point, depth - 1) if operand.dtype.is_integer else None
    if isinstance(operand, Select):
        chosen = _value(operand.cond, point, depth - 1)
        return None if chosen is None else _value(operand.then if chosen else operand.other, point, depth - 1)
    if isinstance(operand, Unary):
        inner = _value(operand.a, point, depth - 1)
        return None if inner is None or operand.op != "-" else -inner
    if isinstance(operand, Binary):
        a, b = _value(operand.a, point, depth - 1), _value(operand.b, point, depth - 1)
        return None if a is None or b is None else _combine(operand.op, a, b)
    return None


def _combine(op: str, a: int, b: int) -> int | None:
    if op in ("//", "%") and b > 0 and a >= 0:
        return a // b if op == "//" else a % b
    return {"+": a + b, "-": a - b, "*": a * b, "min": min(a, b), "max": max(a, b)}.get(op)
