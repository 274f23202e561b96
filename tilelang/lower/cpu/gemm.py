"""Matrix products of tiles: a block of the accumulator in vector registers, one outer product for each step along K.

Operands that are not in the type of the arithmetic, or whose rows do not run along N, are brought into that form once
for each product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Region
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import box_of
from tilelang.lower.dtypes import compute_of, storage_of
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.copy_path import strides_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Gemm
    from tilelang.lower.cpu.kernel import BlockLowering

ROWS = 4
VECTOR_BYTES = 64
"""Rows and bytes of the accumulator that are in registers at a time: 8 of the 16 registers of 32 bytes that AVX2 has.
One Zen 3 core gave 45 GFLOP/s in float32 with 4 x 64, where OpenBLAS gave 79; 6 x 64, 4 x 128 and 12 x 32 spill
and gave about half."""
PANEL_ROWS = 32
"""Rows of the result from which on B is worth being laid out in the order in which it is read."""

PLAIN = ("gemm", "gemm_v1", "gemm_v2", "wgmma_gemm", "tcgen05_gemm")


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in memory. ``start`` is the number of its first element; ``row`` and ``column`` are distances."""

    array: Any
    start: tir.Expr
    row: tir.Expr | int
    column: tir.Expr | int
    dtype: DType | None
    """``None``: of the type of the arithmetic."""
    panel: int = 0
    """Columns that lie together, all rows of them, before the next columns; 0 for a plain matrix of rows."""

    def at(self, i: tir.Expr, j: tir.Expr) -> tir.Expr:
        if self.panel:
            width = tir.const(self.panel)
            assert isinstance(self.column, int), "the distance of panels"
            return tirx.truncdiv(j, width) * tir.const(self.column) + i * width + tirx.truncmod(j, width)
        return self.start + _scaled(i, self.row) + _scaled(j, self.column)


def _scaled(index: tir.Expr, by: tir.Expr | int) -> tir.Expr:
    if isinstance(by, int):
        return index if by == 1 else index * tir.const(by, tir.type_of(index))
    return index * by


def lower_gemm(kernel: BlockLowering, stmt: Gemm) -> list[tir.Stmt]:
    """The code of one product of tiles."""
    if stmt.op not in PLAIN or any(isinstance(value, Region) for _, value in stmt.attrs):
        raise Unsupported(f"T.{stmt.op} is not supported on the CPU; use T.gemm", stmt.span)
    if stmt.c.buffer.is_global:
        raise Unsupported(f"T.gemm adds up in a tile; {stmt.c.buffer.name} is a tensor", stmt.c.span)
    m, n = _extents(stmt.c)
    rows, depth = _extents(stmt.a)[:: -1 if stmt.trans_a else 1]
    inner, columns = _extents(stmt.b)[:: -1 if stmt.trans_b else 1]
    if (rows, columns) != (m, n) or depth != inner:
        raise Unsupported(
            f"T.gemm of {rows}x{depth} and {inner}x{columns} into {m}x{n}: the sizes do not fit", stmt.span
        )
    compute = _arithmetic(stmt)
    code: list[tir.Stmt] = []
    a, more = _operand(kernel, stmt.a, compute, transposed=stmt.trans_a, dense_rows=False)
    code += more
    panel = _lanes(compute) if m >= PANEL_ROWS and n % _lanes(compute) == 0 else 0
    b, more = _operand(kernel, stmt.b, compute, transposed=stmt.trans_b, dense_rows=True, panel=panel)
    code += more
    c, before, after = _accumulator(kernel, stmt.c, compute)
    clear = stmt.clear_accum
    product = _Product(kernel, a, b, c, depth, compute)
    if clear is True or try_const(clear) == 1:
        return [*code, *before, *product.run(m, n, cleared=True), *after]
    code += before
    if clear is not False and try_const(clear) != 0:
        zero = _zeroed(kernel, c, m, n, compute)
        code.append(tir.branch(kernel.scalars.condition(clear), zero))
    return [*code, *product.run(m, n, cleared=False), *after]


def _arithmetic(stmt: Gemm) -> str:
    dtype = stmt.c.buffer.dtype
    if dtype.is_integer:
        return str(dtype) if dtype.bits >= 32 else "int32"
    return compute_of(dtype)


def _extents(region: Region) -> tuple[int, int]:
    """Rows and columns of a box. Dimensions before the last two have one element."""
    box = box_of(region)
    numbers = [try_const(extent) for _, extent in box]
    if None in numbers or len(numbers) < 2:
        raise Unsupported(f"T.gemm needs tiles of constant size, {region.buffer.name} has none", region.span)
    known = [number for number in numbers if number is not None]
    if any(number != 1 for number in known[:-2]):
        raise Unsupported(f"T.gemm takes matrices; the box of {region.buffer.name} has more dimensions", region.span)
    return known[-2], known[-1]


def _matrix(kernel: BlockLowering, region: Region) -> tuple[Matrix, list[tir.Stmt]]:
    """A box as it lies in memory."""
    buffer = region.buffer
    start, code = kernel.named("start", kernel.memory.offset(buffer, [start for start, _ in box_of(region)]))
    kind = tir.type_of(start)
    row, column = (
        number if (number := try_const(stride)) is not None else kernel.integer(stride, kind)
        for stride in strides_of(buffer)[-2:]
    )
    return Matrix(kernel.memory.place(buffer).array, start, row, column, buffer.dtype), code


def _operand(
    kernel: BlockLowering, region: Region, compute: str, *, transposed: bool, dense_rows: bool, panel: int = 0
) -> tuple[Matrix, list[tir.Stmt]]:
    """An operand in the type of the arithmetic. ``dense_rows``: its rows must lie side by side."""
    matrix, code = _matrix(kernel, region)
    height, width = _extents(region)
    if transposed:
        matrix = Matrix(matrix.array, matrix.start, matrix.column, matrix.row, matrix.dtype)
        height, width = width, height
    buffer = region.buffer
    same = storage_of("cpu", buffer.dtype) == compute and buffer.dtype.bits != 4
    inside = not buffer.is_global
    if same and inside and not panel and (not dense_rows or matrix.column == 1):
        return matrix, code
    array = kernel.memory.array(f"{buffer.name}_", compute, height * width)
    packed = Matrix(array, tir.const(0), width, height * panel if panel else 1, None, panel)
    # Reads run along what lies side by side in memory.
    outer, inner = (width, height) if transposed else (height, width)

    def one(x: tir.Expr, y: tir.Expr) -> list[tir.Stmt]:
        i, j = (y, x) if transposed else (x, y)
        value = _element(kernel, region, matrix, i, j, transposed=transposed)
        return [kernel.put(array, packed.at(i, j), kernel.scalars.convert(value, compute))]

    code += kernel.loop("i", outer, lambda x: kernel.loop("j", inner, lambda y: one(x, y)))
    return packed, code


def _element(
    kernel: BlockLowering, region: Region, matrix: Matrix, i: tir.Expr, j: tir.Expr, *, transposed: bool
) -> tir.Expr:
    """One element of an operand in its compute type; zero outside of a tensor."""
    buffer = region.buffer
    value = kernel.scalars.decode(kernel.memory.read(buffer, matrix.at(i, j)), buffer.dtype)
    if not buffer.is_global:
        return value
    place = (j, i) if transposed else (i, j)
    checks: list[tir.Expr] = []
    for start, index, extent in zip(region.mins[-2:], place, buffer.shape[-2:], strict=True):
        at = kernel.integer(start, "int64") + tirx.Cast("int64", index)
        checks += [tirx.LE(tir.const(0, "int64"), at), tirx.LT(at, kernel.integer(extent, "int64"))]
    inside = tir.all_of(checks)
    return tirx.if_then_else(inside, value, tir.const(0, tir.type_of(value)))


def _accumulator(kernel: BlockLowering, region: Region, compute: str) -> tuple[Matrix, list[tir.Stmt], list[tir.Stmt]]:
    """The accumulator in the type of the arithmetic, with the code that brings it there and back."""
    matrix, code = _matrix(kernel, region)
    buffer = region.buffer
    if storage_of("cpu", buffer.dtype) == compute and matrix.column == 1:
        return matrix, code, []
    height, width = _extents(region)
    array = kernel.memory.array(f"{buffer.name}_", compute, height * width)
    wide = Matrix(array, tir.const(0), width, 1, None)

    def load(i: tir.Expr, j: tir.Expr) -> list[tir.Stmt]:
        value = kernel.scalars.decode(kernel.memory.read(buffer, matrix.at(i, j)), buffer.dtype)
        return [kernel.put(array, wide.at(i, j), kernel.scalars.convert(value, compute))]

    def store(i: tir.Expr, j: tir.Expr) -> list[tir.Stmt]:
        value = kernel.scalars.convert(tir.at(array, wide.at(i, j)), compute_of(buffer.dtype))
        return [kernel.memory.write(buffer, matrix.at(i, j), kernel.scalars.encode(value, buffer.dtype))]

    def each(body: Callable[[tir.Expr, tir.Expr], list[tir.Stmt]]) -> list[tir.Stmt]:
        return kernel.loop("i", height, lambda i: kernel.loop("j", width, lambda j: body(i, j)))

    return wide, [*code, *each(load)], each(store)


def _zeroed(kernel: BlockLowering, c: Matrix, m: int, n: int, compute: str) -> list[tir.Stmt]:
    zero = tir.const(0, compute)
    return kernel.loop("i", m, lambda i: kernel.loop("j", n, lambda j: [kernel.put(c.array, c.at(i, j), zero)]))


@dataclass(frozen=True, slots=True)
class _Product:
    kernel: BlockLowering
    a: Matrix
    b: Matrix
    c: Matrix
    depth: int
    compute: str

    def run(self, m: int, n: int, *, cleared: bool) -> list[tir.Stmt]:
        """Blocks of the accumulator; smaller ones at the ends of rows and columns."""
        widest = _lanes(self.compute)
        code: list[tir.Stmt] = []
        for first_column, width, columns in _pieces(n, widest):
            for first_row, height, rows in _pieces(m, ROWS):
                code += self.kernel.loop(
                    "n",
                    columns,
                    lambda j, c=first_column, w=width, r=first_row, h=height, count=rows: self.kernel.loop(
                        "m",
                        count,
                        lambda i: self._block(_moved(i, h, r), h, _moved(j, w, c), w, cleared=cleared),
                    ),
                )
        return code

    def _block(self, row: tir.Expr, height: int, column: tir.Expr, width: int, *, cleared: bool) -> list[tir.Stmt]:
        kernel, compute = self.kernel, self.compute
        sums: list[Any] = []
        code: list[tir.Stmt] = []
        for number in range(height):
            array, declaration = kernel.memory.temporary("sum", compute, width)
            sums.append(array)
            code.append(declaration)
            start = _vector(self.c.array, self.c.at(row + tir.const(number), column), width)
            if cleared:
                start = _broadcast(tir.const(0, compute), width)
            code.append(_put(kernel, array, tir.const(0), width, start))

        def step(k: tir.Expr) -> list[tir.Stmt]:
            line, declaration = kernel.memory.temporary("line", compute, width)
            found = [
                declaration,
                _put(kernel, line, tir.const(0), width, _vector(self.b.array, self.b.at(k, column), width)),
            ]
            for number, array in enumerate(sums):
                one = tir.at(self.a.array, self.a.at(row + tir.const(number), k))
                product = _broadcast(one, width) * _vector(line, tir.const(0), width)
                found.append(_put(kernel, array, tir.const(0), width, _vector(array, tir.const(0), width) + product))
            return found

        code += kernel.loop("k", self.depth, step)
        for number, array in enumerate(sums):
            place = self.c.at(row + tir.const(number), column)
            code.append(_put(kernel, self.c.array, place, width, _vector(array, tir.const(0), width)))
        return code


def _lanes(compute: str) -> int:
    """Columns that are in registers at a time."""
    return VECTOR_BYTES * 8 // int("".join(filter(str.isdigit, compute)))


def _moved(index: tir.Expr, step: int, start: int) -> tir.Expr:
    return index * tir.const(step) + tir.const(start)


def _pieces(total: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Start, size and number of pieces that make up ``total``: whole ones, then halves."""
    start = 0
    while start < total:
        count = (total - start) // size
        if count:
            yield start, size, count
            start += count * size
        size = max(size // 2, 1)


def _place(index: tir.Expr, width: int) -> tir.Expr:
    return index if width == 1 else tirx.Ramp(index, tir.const(1, tir.type_of(index)), width)


def _vector(array: Any, index: tir.Expr, width: int) -> tir.Expr:
    return tirx.BufferLoad(array, [_place(index, width)])


def _broadcast(value: tir.Expr, width: int) -> tir.Expr:
    return value if width == 1 else tirx.Broadcast(value, width)


def _put(kernel: BlockLowering, array: Any, index: tir.Expr, width: int, value: tir.Expr) -> tir.Stmt:
    return kernel.put(array, _place(index, width), value)
