"""``T.gemm`` on tensor cores through ``mma.sync``, and without them where the types ask for it.

Each warp walks over its part of the accumulator in tiles of the instruction. Which tiles these are, and in which
registers, follows from the accumulator's fragment, so one routine serves every way in which warps share a block.
Operands come from shared memory through ``ldmatrix`` where rows of 16 bytes lie side by side, element by element
otherwise, or from registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Sum, of, substitute
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.recover import REGISTER, THREAD, recover
from tilelang.ir.stmt import Fill
from tilelang.lower import tir
from tilelang.lower.cuda.instructions import MatrixInstruction, instruction_for
from tilelang.lower.cuda.operands import Operand, operand_of
from tilelang.lower.sums import expression
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.stmt import Gemm
    from tilelang.lower.cuda.kernel import KernelLowering

WARP = 32


def lower_gemm(kernel: KernelLowering, stmt: Gemm) -> list[tir.Stmt]:
    """The code of one gemm, for the threads that run it."""
    from tilelang.lower.cuda.copies import lower_fill

    if stmt.op not in ("gemm", "wgmma_gemm", "gemm_v1", "gemm_v2"):
        raise Unsupported(f"T.{stmt.op} is not supported on {kernel.target.arch} yet", stmt.span)
    if not stmt.c.buffer.is_fragment:
        raise Unsupported("the accumulator of T.gemm must be a fragment", stmt.span)
    code: list[tir.Stmt] = []
    if stmt.clear_accum is not False:
        clear = lower_fill(kernel, Fill(stmt.c, 0, span=stmt.span))
        always = stmt.clear_accum is True or try_const(stmt.clear_accum) == 1
        if always:
            code += clear
        elif try_const(stmt.clear_accum) != 0:
            code.append(tir.branch(kernel.scalars.condition(stmt.clear_accum), clear))
    return [*code, *GemmLowering(kernel, stmt).run()]


@dataclass(frozen=True, slots=True)
class WarpTile:
    """The part of one warp.

    ``row`` and ``column``: where it begins, over the number of the warp. ``rows``, ``columns``:
    offsets of its tiles of instructions. ``places``: the first accumulator register of each, row by row."""

    row: Sum
    column: Sum
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]


class GemmLowering:
    def __init__(self, kernel: KernelLowering, stmt: Gemm) -> None:
        self.kernel = kernel
        self.stmt = stmt
        self.first, self.threads = kernel.active(stmt)
        layout = kernel.layout(stmt.c.buffer)
        if not isinstance(layout, Fragment):
            raise Unsupported(f"the layout of the accumulator {stmt.c.buffer.name} is not known", stmt.span)
        self.layout = layout
        self.capability = kernel.target.compute_capability or (0, 0)
        extents = stmt.a.extents or stmt.a.buffer.shape
        depth = try_const(extents[-2 if stmt.trans_a else -1])
        if depth is None:
            raise Unsupported("the depth of T.gemm must be a constant", stmt.span)
        self.depth = depth
        self.relative = kernel.thread - self.first if self.first else kernel.thread

    def run(self) -> list[tir.Stmt]:
        a, b, c = (region.buffer for region in (self.stmt.a, self.stmt.b, self.stmt.c))
        found = instruction_for(a.dtype, b.dtype, c.dtype, self.capability)
        if found is not None and self.depth % found.k == 0:
            tile = self._tile(found)
            if tile is not None:
                return self._matrix(found, tile)
        return self._scalar()

    # --- tensor cores ---

    def _tile(self, one: MatrixInstruction) -> WarpTile | None:
        """The part of a warp; ``None`` if the fragment is not made of this instruction's tiles."""
        found = recover(self.layout, self.threads)
        if found is None or found.guards or self.layout.replicate != 1 or len(found.dims) != 2:
            return None
        size = one.accumulators
        count, rest = divmod(self.layout.register_count, size)
        if rest or self.threads % WARP:
            return None
        base: dict[object, Sum] = {THREAD: of("warp", self.threads // WARP) * WARP, REGISTER: of("none", 1)}
        row, column = (substitute(dim, base) for dim in found.dims)
        places: dict[tuple[int, int], int] = {}
        for number in range(count):
            point: dict[object, int] = {THREAD: 0, REGISTER: number * size}
            places[found.dims[0].at(point), found.dims[1].at(point)] = number * size
        rows = tuple(sorted({place[0] for place in places}))
        columns = tuple(sorted({place[1] for place in places}))
        if len(rows) * len(columns) != count or not _is_accumulator(one, found.dims):
            return None
        return WarpTile(row, column, rows, columns, tuple(tuple(places[i, j] for j in columns) for i in rows))

    def _matrix(self, one: MatrixInstruction, tile: WarpTile) -> list[tir.Stmt]:
        found = self.steps(one, tile)
        code = found.declare()
        if found.unrolled:
            for number in range(found.count):
                code += [*found.fetch(number * one.k), *found.multiply(number * one.k)]
            return code
        return [
            *code,
            *tir.loop(
                self.kernel.fresh("k"),
                found.count,
                lambda index: [*found.fetch(index * one.k), *found.multiply(index * one.k)],
                unroll=True,
            ),
        ]

    def matrix_steps(self) -> MatrixSteps | None:
        """The gemm as steps along K that a pipeline may order itself; ``None`` if no tensor core does it, or if its
        operands are not both in shared memory."""
        a, b, c = (region.buffer for region in (self.stmt.a, self.stmt.b, self.stmt.c))
        found = instruction_for(a.dtype, b.dtype, c.dtype, self.capability)
        if found is None or self.depth % found.k or not (a.is_shared and b.is_shared):
            return None
        tile = self._tile(found)
        return None if tile is None else self.steps(found, tile)

    def steps(self, one: MatrixInstruction, tile: WarpTile) -> MatrixSteps:
        kernel, stmt = self.kernel, self.stmt
        warp = tir.tirx.shift_right(self.relative, tir.const(5))
        lane = tir.tirx.bitwise_and(self.relative, tir.const(31))
        row, column = (expression(each, lambda _: warp) for each in (tile.row, tile.column))
        a = operand_of(kernel, stmt.a, one, is_a=True, k_last=not stmt.trans_a, lane=lane)
        b = operand_of(kernel, stmt.b, one, is_a=False, k_last=stmt.trans_b, lane=lane)
        return MatrixSteps(self, one, tile, a, b, row, column)

    def products(
        self, one: MatrixInstruction, tile: WarpTile, a: Operand, b: Operand, accumulator: Any, depth: tir.Expr | int
    ) -> list[tir.Stmt]:
        kernel = self.kernel
        affine = _affine(tile.places)

        def product(m: tir.Expr | int, n: tir.Expr | int) -> tir.Stmt:
            if affine is not None:
                place = affine[0] + m * affine[1] + n * affine[2]
            else:
                assert isinstance(m, int)
                assert isinstance(n, int)
                place = tile.places[m][n]
            place = tir.const(place) if isinstance(place, int) else place
            args = (tir.address(accumulator, place), a.pointer(m, depth), b.pointer(n, depth))
            return tir.run(tir.extern("void", f"tl::{one.name}", *args))

        if affine is None or a.in_registers or b.in_registers:
            return [product(m, n) for m in range(len(tile.rows)) for n in range(len(tile.columns))]
        return tir.loop(
            kernel.fresh("m"),
            len(tile.rows),
            lambda m: tir.loop(kernel.fresh("n"), len(tile.columns), lambda n: [product(m, n)], unroll=True),
            unroll=True,
        )

    # --- no tensor cores ---

    def _scalar(self) -> list[tir.Stmt]:
        """Every thread multiplies out the elements of the accumulator that it has."""
        kernel, stmt = self.kernel, self.stmt
        found = recover(self.layout, self.threads)
        if found is None:
            raise Unsupported(f"the layout of {stmt.c.buffer.name} cannot be inverted", stmt.span)
        for region in (stmt.a, stmt.b):
            if not region.buffer.is_shared:
                raise Unsupported(
                    f"T.gemm of {stmt.a.buffer.dtype} by {stmt.b.buffer.dtype} into {stmt.c.buffer.dtype} has no "
                    f"tensor core instruction on {kernel.target.arch}; without one, {region.buffer.name} must be in "
                    "shared memory",
                    stmt.span,
                )
        accumulator = kernel.memory.place(stmt.c.buffer).array
        dtype = stmt.c.buffer.dtype
        scalars = kernel.scalars

        def element(register: tir.Expr) -> list[tir.Stmt]:
            def value_of(key: object) -> tir.Expr:
                return self.relative if key == THREAD else register

            i, j = (expression(dim, value_of) for dim in found.dims)
            conditions = [tir.tirx.LT(expression(one.value, value_of), tir.const(one.bound)) for one in found.guards]

            def multiply(k: tir.Expr) -> list[tir.Stmt]:
                a = self._element(stmt.a, (k, i) if stmt.trans_a else (i, k))
                b = self._element(stmt.b, (j, k) if stmt.trans_b else (k, j))
                total = scalars.decode(tir.at(accumulator, register), dtype)
                compute = scalars.compute(dtype)
                product = scalars.convert(a, compute) * scalars.convert(b, compute)
                return [tir.put(accumulator, register, scalars.encode(total + product, dtype))]

            body = tir.loop(kernel.fresh("k"), self.depth, multiply)
            condition = tir.all_of(conditions)
            return body if condition is None else [tir.branch(condition, body)]

        return tir.loop(kernel.fresh("i"), self.layout.register_count, element, unroll=True)

    def _element(self, region: Any, place: Sequence[tir.Expr]) -> tir.Expr:
        """An element of an operand in its compute type."""
        from tilelang.lower.cuda.operands import place_of

        kernel = self.kernel
        array = kernel.memory.place(region.buffer).array
        return kernel.scalars.decode(tir.at(array, place_of(kernel, region, place)), region.buffer.dtype)


@dataclass(frozen=True, slots=True)
class MatrixSteps:
    """A gemm of one warp as steps along K."""

    gemm: GemmLowering
    instruction: MatrixInstruction
    tile: WarpTile
    a: Operand
    b: Operand
    row: tir.Expr
    column: tir.Expr

    @property
    def count(self) -> int:
        return self.gemm.depth // self.instruction.k

    @property
    def unrolled(self) -> bool:
        """Whether steps must be written out: register numbers depend on them."""
        return self.a.needs_constant_depth or self.b.needs_constant_depth

    def declare(self, copies: int = 1) -> list[tir.Stmt]:
        """The registers of the operands."""
        return [*self.a.declare(len(self.tile.rows), copies), *self.b.declare(len(self.tile.columns), copies)]

    def use(self, copy: int) -> None:
        """Which set of registers is filled and read from now on."""
        self.a.copy = self.b.copy = copy

    def fetch(self, depth: tir.Expr | int) -> list[tir.Stmt]:
        """Brings the operands of the step at ``depth`` into registers."""
        rows = self.a.fetch(self.row, self.tile.rows, depth)
        return [*rows, *self.b.fetch(self.column, self.tile.columns, depth)]

    def multiply(self, depth: tir.Expr | int) -> list[tir.Stmt]:
        """Multiplies what is in registers."""
        accumulator = self.gemm.kernel.memory.place(self.gemm.stmt.c.buffer).array
        return self.gemm.products(self.instruction, self.tile, self.a, self.b, accumulator, depth)


def _is_accumulator(one: MatrixInstruction, dims: tuple[Sum, ...]) -> bool:
    """Whether lanes and registers of the first tile are those of the instruction."""
    for lane in (0, 1, 4, 5, 31):
        for register in range(one.accumulators):
            point: dict[object, int] = {THREAD: lane, REGISTER: register}
            if (dims[0].at(point), dims[1].at(point)) != _accumulator_at(one, lane, register):
                return False
    return True


def _accumulator_at(one: MatrixInstruction, lane: int, register: int) -> tuple[int, int]:
    if not one.wide:
        return lane // 4 + register // 2 * 8, lane % 4 * 2 + register % 2
    if one.name.endswith("_f16"):
        row = lane % 4 + lane // 16 % 2 * 4 + lane // 4 % 2 * 8
        return row, register % 4 + lane // 8 % 2 * 4 + register // 4 * 8
    row = lane % 2 + register // 2 % 2 * 2 + lane // 16 % 2 * 4 + lane // 4 % 2 * 8
    return row, register % 2 + lane // 2 % 2 * 2 + lane // 8 % 2 * 4 + register // 4 * 8


def _affine(table: Sequence[Sequence[int]]) -> tuple[int, int, int] | None:
    """Base and steps of a table that is linear in both of its indices."""
    base = table[0][0]
    down = table[1][0] - base if len(table) > 1 else 0
    right = table[0][1] - base if len(table[0]) > 1 else 0
    linear = all(value == base + i * down + j * right for i, line in enumerate(table) for j, value in enumerate(line))
    return (base, down, right) if linear else None
