"""Floor divisions in the extents of grids and loops, and the elements that they leave out.

Extents reach the tile IR as numbers, so the division is read from the source text of the call and evaluated with the
values of the instance. A division that rounds down is a fact about a tensor only if the tensor's accesses say so: the
index that runs over the extent must step through a dimension of the divided size, and no access may reach its end.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.access import accesses
from tilelang.ir.arith import affine, bounds
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, const_int
from tilelang_analyzers.rules._edits import within
from tilelang_analyzers.rules.out_of_bounds_region import index_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.expr import Var
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import InstanceContext


@dataclass(frozen=True, slots=True)
class Floor:
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


@dataclass(frozen=True, slots=True)
class Tail:
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
    snippet = ctx.snippet(call)
    if "//" not in snippet:
        return
    try:
        tree = ast.parse(f"({snippet})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if not isinstance(tree, ast.Call):
        return
    values = {**ctx.instance.bindings, **ctx.instance.closure}
    for position, node in enumerate(tree.args):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
            continue
        size, step = _value(node.left, values), _value(node.right, values)
        if size is not None and step is not None and size > step > 0:
            lines = f"({snippet})".splitlines(keepends=True)
            # The added parenthesis moves the first line by one character.
            start = _offset(lines, node.lineno, node.col_offset) - 1
            end = _offset(lines, node.end_lineno or 0, node.end_col_offset or 0) - 1
            place = within(call, snippet, start, end)
            yield position, Floor(size, step, ast.unparse(node.left), ast.unparse(node.right), place)


def _offset(lines: list[str], line: int, column: int) -> int:
    """The character offset of a position of :mod:`ast`, whose columns count UTF-8 bytes."""
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def _value(node: ast.expr, values: Mapping[str, object]) -> int | None:
    """An integer expression over names with known values."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.Name):
        return const_int(values.get(node.id))
    if isinstance(node, ast.BinOp):
        a, b = _value(node.left, values), _value(node.right, values)
        if a is None or b is None:
            return None
        if isinstance(node.op, ast.Add):
            return a + b
        if isinstance(node.op, ast.Sub):
            return a - b
        if isinstance(node.op, ast.Mult):
            return a * b
        if isinstance(node.op, ast.FloorDiv) and b:
            return a // b
    return None


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
    for stmt in ctx.walk():
        for access in accesses(stmt):
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
    return {access.buffer.root for stmt in ctx.walk() for access in accesses(stmt) if access.writes}


def round_up(ctx: InstanceContext, call: Span, floor: Floor) -> tuple[Span, str] | None:
    """The edit that writes the division as ``T.ceildiv``."""
    module = ctx.snippet(call).partition("(")[0].rpartition(".")[0]
    return (floor.span, f"{module}.ceildiv({floor.dividend}, {floor.divisor})") if module else None
