"""Copies and fills. Both are nests with one store; a fill of registers needs no thread to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Cast, Const, Expr, Load, Var
from tilelang.ir.stmt import Store
from tilelang.lower import tir
from tilelang.lower.cuda.nests import ParallelNest, lower_nest
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Region
    from tilelang.ir.expr import Operand
    from tilelang.ir.stmt import Copy, Fill
    from tilelang.lower.cuda.kernel import KernelLowering

Box = list[tuple["Operand", int]]


def lower_copy(kernel: KernelLowering, stmt: Copy, *, asynchronous: bool = False) -> list[tir.Stmt]:
    """A copy by the threads of the block. ``asynchronous``: from global to shared memory, it may arrive later; the
    caller waits for it."""
    nest = copy_nest(stmt, asynchronous=asynchronous)
    if stmt.op == "async_copy" and not asynchronous:
        nest = copy_nest(stmt, asynchronous=has_async_copies(kernel))
        code = lower_nest(kernel, nest)
        return [*code, tir.run(tir.extern("void", "tl::cp_async_commit"))] if nest.asynchronous else code
    return lower_nest(kernel, nest)


def has_async_copies(kernel: KernelLowering) -> bool:
    """Whether the target copies from global to shared memory without registers (sm_80 and later)."""
    return (kernel.target.compute_capability or (0, 0)) >= (8, 0)


def copy_nest(stmt: Copy, *, asynchronous: bool = False) -> ParallelNest:
    """A copy as a nest: a loop for each extent above 1, of the box that lies nearer to the registers."""
    if stmt.op == "im2col":
        return _windows(stmt)
    if stmt.op not in ("copy", "async_copy", "tma_copy", "transpose"):
        raise Unsupported(f"T.{stmt.op} is not supported on CUDA yet", stmt.span)
    source, target = box_of(stmt.src), box_of(stmt.dst)
    if stmt.op == "transpose":
        return _transposed(stmt, source, target)
    base = source if _level(stmt.src) >= _level(stmt.dst) else target
    extents = [extent for _, extent in base if extent != 1]
    loops = tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(extents)))
    read = _indices(source, loops, extents, stmt.src)
    write = _indices(target, loops, extents, stmt.dst)
    body = _store(stmt, read, write)
    return ParallelNest(stmt, loops, tuple(extents), (body,), asynchronous=asynchronous)


def _transposed(stmt: Copy, source: Box, target: Box) -> ParallelNest:
    """The last two dimensions change places."""
    extents = [extent for _, extent in target]
    loops = tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(extents)))
    write = [_plus(start, loop) for (start, _), loop in zip(target, loops, strict=True)]
    turned = (*loops[:-2], loops[-1], loops[-2])
    read = [_plus(start, loop) for (start, _), loop in zip(source, turned, strict=True)]
    return ParallelNest(stmt, loops, tuple(extents), (_store(stmt, read, write),))


def _windows(stmt: Copy) -> ParallelNest:
    """The windows of a convolution over an NHWC tensor: rows are output pixels, columns kernel positions and channels.
    Pixels outside of the image are zero."""
    image, tile = stmt.src.buffer, stmt.dst.buffer
    numbers = [try_const(stmt.attr(name)) for name in ("kernel", "stride", "dilation", "pad")]
    rows, columns = (try_const(extent) for extent in tile.shape[-2:])
    if image.rank != 4 or None in numbers or rows is None or columns is None:
        raise Unsupported("T.im2col needs a tensor of 4 dimensions and constant sizes", stmt.span)
    kernel, stride, dilation, pad = (number or 0 for number in numbers)
    steps = [stmt.attr(name, 0) for name in ("nhw_step", "c_step")]
    _, height, width, channels = image.shape
    i, j = Var(INT32, "i", "loop"), Var(INT32, "j", "loop")
    pixel = _plus(i, _binary("*", steps[0], rows))
    place = _plus(j, _binary("*", steps[1], columns))
    across = _outputs(width, kernel, stride, dilation, pad)
    down = _outputs(height, kernel, stride, dilation, pad)
    whole = _binary("*", down, across)

    def source(output: Operand, offset: Operand) -> Operand:
        at = _binary("+", _binary("*", output, stride), _binary("*", offset, dilation))
        return _binary("-", at, pad)

    read = (
        _binary("//", pixel, whole),
        source(_binary("//", _binary("%", pixel, whole), across), _binary("//", place, _binary("*", kernel, channels))),
        source(_binary("%", pixel, across), _binary("%", _binary("//", place, channels), kernel)),
        _binary("%", place, channels),
    )
    leading = tuple(stmt.dst.mins[:-2]) if stmt.dst.mins else (0,) * (tile.rank - 2)
    return ParallelNest(stmt, (i, j), (rows, columns), (_store(stmt, read, (*leading, i, j)),))


def _outputs(size: Operand, kernel: int, stride: int, dilation: int, pad: int) -> Operand:
    """Output pixels along one side of an image."""
    return _binary("+", _binary("//", _binary("+", size, 2 * pad - dilation * (kernel - 1) - 1), stride), 1)


def _binary(op: str, a: object, b: object) -> Operand:
    numbers = try_const(a), try_const(b)
    if numbers[0] is not None and numbers[1] is not None:
        x, y = numbers[0], numbers[1]
        return {"+": x + y, "-": x - y, "*": x * y}.get(op, x // y if op == "//" else x % y if y else 0)
    return Binary(INT32, op, a, b)  # type: ignore[arg-type]  # operands


def _store(stmt: Copy, read: Sequence[Operand], write: Sequence[Operand]) -> Store:
    value: Expr = Load(stmt.src.buffer.dtype, stmt.src.buffer, tuple(read), span=stmt.span)
    if stmt.src.buffer.dtype != stmt.dst.buffer.dtype:
        value = Cast(stmt.dst.buffer.dtype, value, span=stmt.span)
    return Store(stmt.dst.buffer, tuple(write), value, span=stmt.span)


def _level(region: Region) -> int:
    """How near to the registers a buffer is."""
    return 0 if region.buffer.is_global else 1 if region.buffer.is_shared else 2


def box_of(region: Region) -> Box:
    """Start and extent of each dimension. Raises :class:`Unsupported` for an extent that is no number."""
    if not region.is_resolved or region.extents is None:
        raise Unsupported(f"the box of {region.buffer.name} is not known", region.span)
    found: Box = []
    for start, extent in zip(region.mins, region.extents, strict=True):
        number = try_const(extent)
        if number is None:
            raise Unsupported(f"the box of {region.buffer.name} has an extent that is no constant", region.span)
        found.append((start, number))
    return found


def _indices(box: Box, loops: Sequence[Var], extents: Sequence[int], region: Region) -> list[Operand]:
    """An index for each dimension of a box. Its dimensions above 1 are the loops, in order; a box whose extents differ
    from the loops is walked through in row-major order."""
    own = [extent for _, extent in box if extent != 1]
    if own == list(extents):
        running = iter(loops)
        return [start if extent == 1 else _plus(start, next(running)) for start, extent in box]
    total = 1
    for extent in own:
        total *= extent
    count = 1
    for extent in extents:
        count *= extent
    if total != count:
        # Upstream takes the smaller box where one side is larger.
        if len(own) == len(extents):
            running = iter(loops)
            return [start if extent == 1 else _plus(start, next(running)) for start, extent in box]
        raise Unsupported(f"the boxes of a copy have {count} and {total} elements ({region.buffer.name})", region.span)
    flat: Operand = 0
    for loop, extent in zip(loops, extents, strict=True):
        flat = _plus(_times(flat, extent), loop)
    indices: list[Operand] = []
    stride = total
    for start, extent in box:
        if extent == 1:
            indices.append(start)
            continue
        stride //= extent
        part: Operand = Binary(INT32, "//", flat, stride) if stride != 1 else flat
        if stride * extent != total:
            part = Binary(INT32, "%", part, extent)
        indices.append(_plus(start, part))
    return indices


def _plus(a: Operand, b: Operand) -> Operand:
    if isinstance(a, int) and a == 0:
        return b
    return Binary(INT32, "+", a, b)


def _times(a: Operand, factor: int) -> Operand:
    if isinstance(a, int):
        return a * factor
    return Binary(INT32, "*", a, factor)


# --- fills ------------------------------------------------------------------------------------------------------


def lower_fill(kernel: KernelLowering, stmt: Fill) -> list[tir.Stmt]:
    """Every element of a box gets one value. A whole fragment is filled register by register."""
    buffer = stmt.dst.buffer
    whole = stmt.dst.is_whole or _covers(stmt.dst)
    if whole and (buffer.is_fragment or buffer.is_local) and buffer.dtype.bits >= 8:
        value = kernel.scalars.encode(kernel.scalars.lower(stmt.value, buffer.dtype), buffer.dtype)
        placed = kernel.memory.place(buffer)
        size = placed.size
        if size is not None and buffer.root is buffer and kernel.version(buffer) is None:
            return tir.loop(kernel.fresh("i"), size, lambda i: [tir.put(placed.array, i, value)], unroll=True)
    box = box_of(stmt.dst)
    loops = tuple(Var(INT32, "ijklmnop"[number % 8], "loop") for number in range(len(box)))
    indices = tuple(_plus(start, loop) for (start, _), loop in zip(box, loops, strict=True))
    value = stmt.value if isinstance(stmt.value, Expr) else Const(buffer.dtype, stmt.value)
    store = Store(buffer, indices, value, span=stmt.span)
    return lower_nest(kernel, ParallelNest(stmt, loops, tuple(extent for _, extent in box), (store,)))


def _covers(region: Region) -> bool:
    return (
        region.is_resolved
        and region.extents is not None
        and all(try_const(start) == 0 for start in region.mins)
        and all(
            try_const(extent) == try_const(size) is not None
            for extent, size in zip(region.extents, region.buffer.shape, strict=True)
        )
    )
