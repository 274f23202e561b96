"""Nests of loops over whole tiles: ``T.Parallel``, copies and fills.

Accesses that may fall outside of a buffer are checked. Where the indices run evenly with the loops, one check of the
corners in front of the nest replaces the checks inside: the nest exists twice then, and the one without checks is what
LLVM vectorises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilelang.ir.arith import Interval, bounds, try_const
from tilelang.ir.expr import Cast, Const, Expr, Load, Var
from tilelang.ir.stmt import Atomic, For, Store
from tilelang.ir.visit import walk
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import binary, box_of, indices_of, long_extents, loops_for, plus
from tilelang.lower.cpu.corners import Corners
from tilelang.lower.cpu.jumps import jumps_of
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.buffer import Dim, Region
    from tilelang.ir.expr import Operand
    from tilelang.ir.stmt import Block, Copy, Fill, Stmt
    from tilelang.lower.cpu.boxes import Box
    from tilelang.lower.cpu.kernel import BlockLowering


@dataclass(frozen=True, slots=True)
class Nest:
    """``body`` runs for each point of ``extents``. ``stmt`` is where it comes from."""

    stmt: Stmt
    loops: tuple[Var, ...]
    extents: tuple[Dim, ...]
    body: Block
    starts: tuple[Operand, ...] = ()


# --- what is a nest ---------------------------------------------------------------------------------------------


def written_nest(kernel: BlockLowering, loop: For) -> Nest:
    """Directly nested ``T.Parallel`` loops."""
    loops: list[Var] = []
    extents: list[Dim] = []
    starts: list[Operand] = []
    body: Block = (loop,)
    while len(body) == 1 and isinstance(body[0], For) and body[0].kind == "parallel":
        inner = body[0]
        loops += inner.vars
        extents += inner.extents
        starts += inner.starts
        body = inner.body
    if kernel.thread is not None:
        _require_private(kernel, loop, body)
    if jumps_of(body):
        raise Unsupported("T.Parallel cannot be left early", loop.span)
    return Nest(loop, tuple(loops), tuple(extents), body, tuple(starts))


def _require_private(kernel: BlockLowering, loop: For, body: Block) -> None:
    """A parallel loop that each thread would run as a whole may only write what is the thread's own."""
    for stmt in walk(body):
        target = stmt.buffer if isinstance(stmt, Store) else stmt.dst.buffer if isinstance(stmt, Atomic) else None
        if target is not None and not target.is_local:
            raise Unsupported(
                f"T.Parallel writes {target.name} and uses values that differ by thread; the CPU needs T.serial",
                loop.span,
            )


def copy_nest(stmt: Copy) -> Nest:
    """A copy: a loop for each extent above 1, of the box that lies nearer to the registers."""
    if stmt.op in ("im2col", "c2d_im2col"):
        return _windows(stmt)
    if stmt.op not in ("copy", "async_copy", "tma_copy", "transpose"):
        raise Unsupported(f"T.{stmt.op} is not supported on the CPU", stmt.span)
    source, target = box_of(stmt.src), box_of(stmt.dst)
    if stmt.op == "transpose":
        return _transposed(stmt, source, target)
    base = source if _level(stmt.src) >= _level(stmt.dst) else target
    extents = tuple(long_extents(base))
    loops = loops_for(extents)
    read = indices_of(source, loops, extents, stmt.src)
    write = indices_of(target, loops, extents, stmt.dst)
    return Nest(stmt, loops, extents, (_store(stmt, read, write),))


def _transposed(stmt: Copy, source: Box, target: Box) -> Nest:
    """The last two dimensions change places."""
    extents = tuple(extent for _, extent in target)
    loops = loops_for(extents)
    write = tuple(plus(start, loop) for (start, _), loop in zip(target, loops, strict=True))
    turned = (*loops[:-2], loops[-1], loops[-2])
    read = tuple(plus(start, loop) for (start, _), loop in zip(source, turned, strict=True))
    return Nest(stmt, loops, extents, (_store(stmt, read, write),))


def _windows(stmt: Copy) -> Nest:
    """The windows of a convolution over an NHWC tensor: rows are output pixels, columns kernel positions and channels.
    Pixels outside of the image are zero."""
    image, tile = stmt.src.buffer, stmt.dst.buffer
    numbers = [try_const(stmt.attr(name)) for name in ("kernel", "stride", "dilation", "pad")]
    rows, columns = (try_const(extent) for extent in tile.shape[-2:])
    if image.rank != 4 or None in numbers or rows is None or columns is None:
        raise Unsupported("T.im2col needs a tensor of 4 dimensions and constant sizes", stmt.span)
    kernel, stride, dilation, pad = (number or 0 for number in numbers)
    _, height, width, channels = image.shape
    i, j = loops_for((rows, columns))
    pixel = plus(i, binary("*", stmt.attr("nhw_step", 0), rows))
    place = plus(j, binary("*", stmt.attr("c_step", 0), columns))

    def outputs(size: Operand) -> Operand:
        return binary("+", binary("//", binary("+", size, 2 * pad - dilation * (kernel - 1) - 1), stride), 1)

    def source(output: Operand, offset: Operand) -> Operand:
        return binary("-", binary("+", binary("*", output, stride), binary("*", offset, dilation)), pad)

    across, down = outputs(width), outputs(height)
    whole = binary("*", down, across)
    row = binary("//", binary("%", pixel, whole), across)
    read = (
        binary("//", pixel, whole),
        source(row, binary("//", place, binary("*", kernel, channels))),
        source(binary("%", pixel, across), binary("%", binary("//", place, channels), kernel)),
        binary("%", place, channels),
    )
    leading = tuple(stmt.dst.mins[:-2]) if stmt.dst.mins else (0,) * (tile.rank - 2)
    return Nest(stmt, (i, j), (rows, columns), (_store(stmt, read, (*leading, i, j)),))


def _store(stmt: Copy, read: tuple[Operand, ...], write: tuple[Operand, ...]) -> Store:
    value: Expr = Load(stmt.src.buffer.dtype, stmt.src.buffer, read, span=stmt.span)
    if stmt.src.buffer.dtype != stmt.dst.buffer.dtype:
        value = Cast(stmt.dst.buffer.dtype, value, span=stmt.span)
    return Store(stmt.dst.buffer, write, value, span=stmt.span)


def _level(region: Region) -> int:
    """How near to the registers a buffer is."""
    return 0 if region.buffer.is_global else 1 if region.buffer.is_shared else 2


def fill_nest(stmt: Fill) -> Nest:
    """Every element of a box gets one value."""
    buffer = stmt.dst.buffer
    box = box_of(stmt.dst)
    extents = tuple(extent for _, extent in box)
    loops = loops_for(extents)
    indices = tuple(plus(start, loop) for (start, _), loop in zip(box, loops, strict=True))
    value = stmt.value if isinstance(stmt.value, Expr) else Const(buffer.dtype, stmt.value)
    return Nest(stmt, loops, extents, (Store(buffer, indices, value, span=stmt.span),))


# --- the code of a nest -----------------------------------------------------------------------------------------


def lower_nest(kernel: BlockLowering, nest: Nest) -> list[tir.Stmt]:
    """The loops, once or twice."""
    if any(try_const(extent) == 0 for extent in nest.extents):
        return []
    ranges = {
        var: _range(kernel, start, extent)
        for var, start, extent in zip(nest.loops, nest.starts or (0,) * len(nest.loops), nest.extents, strict=True)
    }
    with kernel.ranging(ranges):
        checks = Corners(kernel, nest)
        conditions = checks.conditions()
        if not conditions:
            return _loops(kernel, nest)
        careful = _loops(kernel, nest)
        outer = set(kernel.assumed)
        kernel.assumed |= checks.even
        fast = _loops(kernel, nest)
        kernel.assumed = outer
    inside = tir.all_of(conditions)
    assert inside is not None, "there are conditions"
    return [tir.branch(inside, fast, careful)]


def _range(kernel: BlockLowering, start: Operand, extent: Dim) -> Interval:
    first, length = bounds(start, kernel.ranges), bounds(extent, kernel.ranges)
    top = None if first.hi is None or length.hi is None else first.hi + max(length.hi, 1) - 1
    return Interval(first.lo, top)


def _loops(kernel: BlockLowering, nest: Nest, depth: int = 0) -> list[tir.Stmt]:
    from tilelang.lower.cpu.statements import lower_block

    if depth == len(nest.loops):
        outer, kernel.parallel = kernel.parallel, True
        try:
            return lower_block(kernel, nest.body)
        finally:
            kernel.parallel = outer
    var, extent = nest.loops[depth], nest.extents[depth]
    kind = kernel.scalars.compute(var.dtype)
    start = nest.starts[depth] if nest.starts else 0

    def one(index: tir.Expr) -> list[tir.Stmt]:
        value = index if try_const(start) == 0 else kernel.integer(start, kind) + index
        kernel.scalars.bind(var, value)
        try:
            return _loops(kernel, nest, depth + 1)
        finally:
            kernel.scalars.unbind(var)

    number = try_const(extent)
    return kernel.loop(var.name, number if number is not None else kernel.integer(extent, kind), one)
