"""An element access lies outside its buffer.

## What it does
Reports `buf[i]` where an index certainly leaves the buffer. For shared memory, fragments and local arrays one iteration
is enough, if nothing guards the access: no condition around it, no `T.if_then_else`, constant loop bounds. The message
names the values that lead there. Accesses to tensors in global memory are guarded by the compiler at the edges, so
there only accesses that are outside in every block and iteration are reported. An index that is always negative counts
from the end; one that is negative in some iterations does not.

## Why is this bad?
The access reads or overwrites memory of something else.

## Example
```python
buf = T.alloc_shared((128,), "float32")
for i in T.serial(128):
    buf[i + 1] = 0
```

## Use instead
```python
for i in T.serial(127):
    buf[i + 1] = 0
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import Interval, affine, bounds
from tilelang.ir.arith.interval import interval_of
from tilelang.ir.expr import Binary, Call, Load, Select, Var, const_int
from tilelang.ir.stmt import Block, If, Jump, Scope, Store, While
from tilelang.ir.visit import children, operands, subterms, walk
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules._text import declarations, number, shape
from tilelang_analyzers.rules.out_of_bounds_region import index_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Stmt
    from tilelang_analyzers.rule import InstanceContext

RULE = define(__name__, __doc__, group="bounds")


class Element(NamedTuple):
    """One element access; ``guarded`` if a condition may skip it."""

    buffer: Buffer
    indices: tuple[object, ...]
    span: Span
    guarded: bool


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    ranges = ctx.shared(index_ranges)
    seen: set[Span] = set()
    for element in _elements(ctx.program.body, guarded=False):
        if element.span in seen or len(element.indices) != element.buffer.rank:
            continue
        for axis, index in enumerate(element.indices):
            limit = const_int(element.buffer.shape[axis])
            reached = _outside(element, index, limit, ranges)
            if reached is None:
                continue
            seen.add(element.span)
            at, values = reached
            ctx.report(
                element.span,
                f"index {number(at)} is outside dimension {axis} of `{element.buffer.name}` "
                f"{shape(ctx, element.buffer.shape)}{_values(values)}",
                notes=declarations(ctx, [element.buffer]),
                data={"index": at, "axis": axis},
            )
            break


def _elements(block: Block, guarded: bool) -> Iterator[Element]:
    # A loop that may be left early does not reach all of its iterations.
    guarded = guarded or any(isinstance(stmt, Jump) for stmt in walk(block))
    for stmt in block:
        yield from _accesses(stmt, guarded)
        conditional = isinstance(stmt, (If, While, Scope))
        for body in children(stmt):
            yield from _elements(body, guarded or conditional)


def _accesses(stmt: Stmt, guarded: bool) -> Iterator[Element]:
    if isinstance(stmt, Store):
        yield Element(stmt.buffer, stmt.indices, stmt.span, guarded)
    for value in operands(stmt):
        choice = any(
            isinstance(term, (Select, Call)) or (isinstance(term, Binary) and term.op in ("and", "or"))
            for term in subterms(value)
        )
        for term in subterms(value):
            if isinstance(term, Load):
                yield Element(term.buffer, term.indices, term.span, guarded or choice)


def _outside(
    element: Element, index: object, limit: int | None, ranges: Mapping[Var, Interval]
) -> tuple[int, dict[str, int]] | None:
    """An index outside of ``0 <= index < limit`` that is certainly reached, and the values of the variables there."""
    span = interval_of(index, ranges)
    if limit is not None and span.within(Interval(0, limit - 1)):
        return None
    if limit is None:
        return None
    span = bounds(index, ranges)
    if span.hi is not None and span.hi < 0:
        # An index that is always negative counts from the end.
        return (span.hi, {}) if span.hi < -limit and not element.guarded else None
    if span.lo is not None and span.lo >= limit:
        return (span.lo, {}) if not element.guarded else None
    if element.guarded or element.buffer.is_global:
        return None
    too_low, too_high = span.lo is not None and span.lo < 0, span.hi is not None and span.hi >= limit
    if not (too_low or too_high):
        return None
    values = _extreme(index, ranges, highest=too_high)
    end = span.hi if too_high else span.lo
    return None if values is None or end is None else (end, values)


def _extreme(index: object, ranges: Mapping[Var, Interval], *, highest: bool) -> dict[str, int] | None:
    """Where an index is largest or smallest. None unless it is a sum of independent variables with known ranges, for
    which that value is reached."""
    values: dict[str, int] = {}
    for product, factor in affine(index, ranges).terms.items():
        if len(product) != 1:
            return None
        ((atom, power),) = product
        span = ranges.get(atom) if isinstance(atom, Var) and power == 1 else None
        end = None if span is None else (span.hi if (factor > 0) == highest else span.lo)
        if end is None or not isinstance(atom, Var):
            return None
        values[atom.name] = end
    return values


def _values(values: Mapping[str, int]) -> str:
    return ", for " + ", ".join(f"{name} = {value}" for name, value in values.items()) if values else ""
