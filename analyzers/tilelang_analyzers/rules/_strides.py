"""A copy with stepped slices as the loop that it stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tilelang.diagnostics import Edit, Fix
from tilelang.ir.expr import Slice, const_int
from tilelang.ir.span import Span
from tilelang_analyzers.rules._source import call_at, span_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Region
    from tilelang.ir.stmt import Copy
    from tilelang_analyzers.rule import InstanceContext

_LOOP_NAMES = ("i", "j", "k", "l", "m", "n")


class Axis(NamedTuple):
    """One index of one side. ``extent`` is None for a plain index, whose text is ``start`` then."""

    start: str
    step: int
    extent: int | None

    def at(self, variable: str) -> str:
        """The index as an expression of a loop variable."""
        scaled = variable if self.step == 1 else f"{self.step} * {variable}"
        return scaled if self.start == "0" else f"{self.start} + {scaled}"


def loop_for(ctx: InstanceContext, copy: Copy) -> Fix | None:
    """Replace ``T.copy`` by ``T.Parallel`` and an assignment; None unless the copy is a statement of its own, both
    sides are written out and have the same numbers of elements."""
    found = call_at(ctx, copy.span)
    if found is None:
        return None
    call, functions = found
    if len(call.args) != 2 or call.keywords or not isinstance(call.func, ast.Attribute) or not functions:
        return None
    source, result = _side(ctx, call.args[0], copy.src), _side(ctx, call.args[1], copy.dst)
    if source is None or result is None or "#" in ctx.snippet(copy.span) or not _stands_alone(ctx, copy.span):
        return None
    extents = [axis.extent for axis in source[1] if axis.extent is not None]
    if not extents or extents != [axis.extent for axis in result[1] if axis.extent is not None]:
        return None
    taken = {node.id for node in ast.walk(functions[0]) if isinstance(node, ast.Name)}
    names = [name for name in _LOOP_NAMES if name not in taken][: len(extents)]
    if len(names) < len(extents):
        return None
    module = ctx.snippet(span_of(copy.span.path, call.func.value))
    head = f"for {', '.join(names)} in {module}.Parallel({', '.join(map(str, extents))}):"
    text = f"{head}\n{_indent(ctx, copy.span)}    {_element(*result, names)} = {_element(*source, names)}"
    return Fix("Copy in a loop over the elements", (Edit(copy.span, text),))


def _side(ctx: InstanceContext, node: ast.expr, region: Region) -> tuple[str, list[Axis]] | None:
    """The buffer as written, and its axes; None if an extent is not known."""
    path = region.span.path
    if isinstance(node, ast.Name):
        sizes = [const_int(extent) for extent in region.buffer.shape]
        axes = [Axis("0", 1, size) for size in sizes if size is not None]
        return (node.id, axes) if region.is_whole and len(axes) == len(sizes) else None
    if not isinstance(node, ast.Subscript) or region.indices is None:
        return None
    written = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not len(written) == len(region.indices) == region.buffer.rank:
        return None
    made: list[Axis] = []
    for text, index, size in zip(written, region.indices, region.buffer.shape, strict=True):
        axis = Axis(ctx.snippet(span_of(path, text)), 1, None)
        if isinstance(index, Slice):
            axis = _sliced(index, const_int(size))
        if axis is None:
            return None
        made.append(axis)
    return ctx.snippet(span_of(path, node.value)), made


def _sliced(index: Slice, size: int | None) -> Axis | None:
    start = 0 if index.start is None else const_int(index.start)
    stop = size if index.stop is None else const_int(index.stop)
    step = 1 if index.step is None else const_int(index.step)
    if start is None or stop is None or step is None or step < 1 or not 0 <= start < stop:
        return None
    return Axis(str(start), step, -(-(stop - start) // step))


def _element(buffer: str, axes: Sequence[Axis], names: Sequence[str]) -> str:
    variables = iter(names)
    return f"{buffer}[{', '.join(axis.start if axis.extent is None else axis.at(next(variables)) for axis in axes)}]"


def _stands_alone(ctx: InstanceContext, span: Span) -> bool:
    before = ctx.snippet(Span(span.path, span.line, 0, span.line, span.col))
    after = ctx.snippet(Span(span.path, span.end_line, span.end_col, span.end_line + 1, 0))
    return not before.strip() and not after.strip()


def _indent(ctx: InstanceContext, span: Span) -> str:
    return ctx.snippet(Span(span.path, span.line, 0, span.line, span.col))
