"""Floor divisions in the extents of grids and loops, and the elements that they leave out.

Extents reach the tile IR as numbers, so the division is read from the source and evaluated with the values of the
instance. A division that rounds down is a fact about a tensor only if the tensor's accesses say so: the
index that runs over the extent must step through a dimension of the divided size, and no access may reach its end.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import affine, bounds
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, const_int
from tilelang_analyzers.rules._ranges import index_ranges
from tilelang_analyzers.rules._source import Names, call_at, span_of
from tilelang_analyzers.rules._uses import uses as table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.expr import Var
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import InstanceContext


class Floor(NamedTuple):
    """``size // step`` as written at ``span``; ``dividend`` and ``divisor`` are the texts of its parts."""

    size: int
    step: int
    dividend: str
    divisor: str
    span: Span

    @property
    def rest(self) -> int:
        return self.size % self.step

    @property
    def text(self) -> str:
        return f"{self.dividend} // {self.divisor}"


class Tail(NamedTuple):
    """The last ``floor.rest`` elements of one dimension of a tensor that no access reaches."""

    floor: Floor
    tensor: Buffer
    axis: int

    @property
    def message(self) -> str:
        floor = self.floor
        return (
            f"`{floor.text}` rounds {floor.size} / {floor.step} down: the last {floor.rest} of {floor.size} elements "
            f"in dimension {self.axis} of `{self.tensor.name}` are left out"
        )


def tails(ctx: InstanceContext, call: Span, variables: Mapping[int, Var]) -> Iterator[Tail]:
    """What the floor divisions among the arguments of one call leave out. ``variables``: the index that runs over each
    positional argument."""
    for position, floor in _floors(ctx, call):
        var = variables.get(position)
        if var is None or floor.rest == 0:
            continue
        tensor = _left_out(ctx, var, floor)
        if tensor is not None:
            yield Tail(floor, *tensor)


def _floors(ctx: InstanceContext, call: Span) -> Iterator[tuple[int, Floor]]:
    """The positional arguments of a call that are floor divisions, directly or through a name."""
    found = call_at(ctx, call)
    if found is None:
        return
    node, functions = found
    if not any(isinstance(argument, (ast.BinOp, ast.Name)) for argument in node.args):
        return
    names = Names(ctx, functions)
    for position, argument in enumerate(node.args):
        division = names.definition(argument)
        if not isinstance(division, ast.BinOp) or not isinstance(division.op, ast.FloorDiv):
            continue
        size, step = names.value(division.left), names.value(division.right)
        if size is not None and step is not None and size > step > 0:
            dividend, divisor = ast.unparse(division.left), ast.unparse(division.right)
            yield position, Floor(size, step, dividend, divisor, span_of(call.path, division))


def _left_out(ctx: InstanceContext, var: Var, floor: Floor) -> tuple[Buffer, int] | None:
    """A tensor with a dimension of the divided size that ``var`` steps through and whose end nothing reaches. Tensors
    that the kernel writes come first."""
    reach = ctx.shared(_reaches)
    stepped = [
        (tensor, axis)
        for (tensor, axis), uses in reach.items()
        if const_int(tensor.shape[axis]) == floor.size
        and any(_coefficient(start, var) == floor.step for start, _ in uses)
        and all(top is not None and top < floor.size - 1 for _, top in uses)
    ]
    written = ctx.shared(_written)
    return min(stepped, key=lambda found: found[0] not in written, default=None)


def _coefficient(index: object, var: Var) -> int:
    return affine(index).terms.get(frozenset(((var, 1),)), 0)


Uses = dict[tuple[Buffer, int], list[tuple[object, "int | None"]]]


def _reaches(ctx: InstanceContext) -> Uses:
    """For each dimension of each tensor parameter: the start of every access, and the largest index it can reach, None
    if that is not known."""
    tensors = [*(param for param in ctx.program.params if isinstance(param, Buffer)), *ctx.program.outputs]
    uses: Uses = {(tensor, axis): [] for tensor in tensors for axis in range(tensor.rank)}
    ranges = ctx.shared(index_ranges)
    for found in ctx.shared(table).values():
        for access in found:
            tensor, place = access.buffer.root, access.place
            for axis in range(tensor.rank):
                if (tensor, axis) not in uses:
                    continue
                start: object = None
                extent: int | None = None
                if access.buffer is tensor and isinstance(place, Load) and len(place.indices) == tensor.rank:
                    start, extent = place.indices[axis], 1
                elif access.buffer is tensor and isinstance(place, Region) and place.is_resolved:
                    start, extent = place.mins[axis], const_int((place.extents or ())[axis])
                top = bounds(start, ranges).hi if extent is not None else None
                uses[tensor, axis].append((start, None if top is None or extent is None else top + extent - 1))
    return uses


def _written(ctx: InstanceContext) -> set[Buffer]:
    return {access.buffer.root for found in ctx.shared(table).values() for access in found if access.writes}


def round_up(ctx: InstanceContext, call: Span, floor: Floor) -> tuple[Span, str] | None:
    """The edit that writes the division as ``T.ceildiv``."""
    module = ctx.snippet(call).partition("(")[0].rpartition(".")[0]
    return (floor.span, f"{module}.ceildiv({floor.dividend}, {floor.divisor})") if module else None
