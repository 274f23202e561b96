"""Operands of matrix instructions: from shared memory through ``ldmatrix`` or element by element, or in registers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Sum, of
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.recover import lanes_of
from tilelang.lower import tir
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Region
    from tilelang.lower.cuda.instructions import MatrixInstruction
    from tilelang.lower.cuda.kernel import KernelLowering

ROW_BITS = 128
"""``ldmatrix`` reads rows of 16 bytes."""

Index = "tir.Expr | int"


class Operand(ABC):
    """One operand of a gemm. Tiles are numbered by their place among the rows (or columns) of a warp."""

    needs_constant_depth = False
    in_registers = False

    copy = 0
    """Which set of registers is in use: a set is filled while another is multiplied."""

    @abstractmethod
    def declare(self, tiles: int, copies: int = 1) -> list[tir.Stmt]:
        """Registers for the tiles of one step along K, ``copies`` times."""

    @abstractmethod
    def fetch(self, base: tir.Expr, offsets: Sequence[int], depth: tir.Expr | int) -> list[tir.Stmt]:
        """Brings the tiles of one step into registers. ``base``: first row of the warp."""

    @abstractmethod
    def pointer(self, tile: tir.Expr | int, depth: tir.Expr | int) -> tir.Expr:
        """Where the registers of a tile are."""


def operand_of(
    kernel: KernelLowering, region: Region, one: MatrixInstruction, *, is_a: bool, k_last: bool, lane: tir.Expr
) -> Operand:
    """``k_last``: K is the last dimension of the buffer."""
    if region.buffer.is_fragment:
        return _Registers(kernel, region, one, is_a=is_a, k_last=k_last)
    if region.buffer.is_shared:
        return _Shared(kernel, region, one, is_a=is_a, k_last=k_last, lane=lane)
    raise Unsupported(
        f"an operand of T.gemm is in shared memory or in a fragment, {region.buffer.name} is not", region.span
    )


def place_of(kernel: KernelLowering, region: Region, place: Sequence[tir.Expr]) -> tir.Expr:
    """The number of an element of a box whose last two dimensions are given relative to its start."""
    from tilelang.lower.sums import expression

    buffer = region.buffer
    starts = [kernel.index(start) for start in region.mins]
    indices = [*starts[:-2], *(_added(start, each) for start, each in zip(starts[-2:], place, strict=True))]
    layout = kernel.layout(buffer)
    from tilelang.ir.layout.layout import Layout, row_major

    if isinstance(layout, Layout):
        offset = expression(layout.linear(), lambda key: indices[key])  # type: ignore[index]  # keys are dimensions
    else:
        shape = [try_const(extent) or 1 for extent in buffer.shape]
        offset = tir.const(0)
        for index, stride in zip(indices, row_major(shape), strict=True):
            offset = offset + index * stride
    version = kernel.version(buffer)
    if version is not None:
        offset = version * tir.const(kernel.memory.place(buffer).size or 0) + offset
    return offset


def _added(a: tir.Expr, b: tir.Expr) -> tir.Expr:
    return b if tir.is_const(a, 0) else a + b


class _Shared(Operand):
    def __init__(
        self,
        kernel: KernelLowering,
        region: Region,
        one: MatrixInstruction,
        *,
        is_a: bool,
        k_last: bool,
        lane: tir.Expr,
    ) -> None:
        self.kernel = kernel
        self.region = region
        self.one = one
        self.is_a = is_a
        self.k_last = k_last
        self.lane = lane
        self.bits = region.buffer.dtype.bits
        self.upper = one.upper_rows if is_a else 1
        self.size = self.upper * one.upper_depths * one.pack if not one.wide else 4
        self.array: Any = None
        self.tiles = 0

    def declare(self, tiles: int, copies: int = 1) -> list[tir.Stmt]:
        dtype = self.kernel.storage(self.region.buffer.dtype)
        self.tiles = tiles
        size = self.size * tiles * copies
        if self.bits == 4:
            size //= 2
        self.array, declaration = self.kernel.memory.temporary("a" if self.is_a else "b", dtype, size)
        return [declaration]

    def pointer(self, tile: tir.Expr | int, depth: tir.Expr | int) -> tir.Expr:
        size = self.size // 2 if self.bits == 4 else self.size
        place = tile * size + self.copy * self.tiles * size
        return tir.address(self.array, tir.const(place) if isinstance(place, int) else place)

    def fetch(self, base: tir.Expr, offsets: Sequence[int], depth: tir.Expr | int) -> list[tir.Stmt]:
        if self._by_rows():
            return self._matrices(base, offsets, depth)
        if self.bits == 4:
            raise Unsupported("4-bit operands of T.gemm need K as the last dimension", self.region.span)
        return self._elements(base, offsets, depth)

    # --- ldmatrix ---

    def _by_rows(self) -> bool:
        """Whether the buffer has what ``ldmatrix`` reads: rows of 16 bytes along its last dimension."""
        if self.one.wide or (not self.k_last and self.bits != 16):
            return False
        unit = ROW_BITS // self.bits
        buffer = self.region.buffer
        shape = [try_const(extent) for extent in buffer.shape]
        starts = [try_const(start) for start in self.region.mins[-1:]]
        if None in shape or shape[-1] % unit or starts[0] is None or starts[0] % unit:  # type: ignore[operator]  # no None left
            return False
        indices: list[Sum] = [of(dim, extent or 1) for dim, extent in enumerate(shape)]
        last = len(shape) - 1
        total = self.kernel.memory.offset_sum(buffer, indices)
        return total is not None and lanes_of(total, last, unit) == unit

    def _matrices(self, base: tir.Expr, offsets: Sequence[int], depth: tir.Expr | int) -> list[tir.Stmt]:
        """Four matrices of 8 rows by 16 bytes at a time: an A tile, or two B tiles."""
        one, kernel = self.one, self.kernel
        per_tile = self.upper * one.upper_depths
        group = max(4 // per_tile, 1)
        code: list[tir.Stmt] = []
        step = _step(offsets)
        if step is not None and len(offsets) % group == 0 and len(offsets) > group:
            return tir.loop(
                kernel.fresh("m" if self.is_a else "n"),
                len(offsets) // group,
                lambda index: [
                    self._load(base + offsets[0] + index * (step * group), step, group, index * group, depth)
                ],
                unroll=True,
            )
        place = 0
        while place < len(offsets):
            count = group
            while count > 1 and (place + count > len(offsets) or _step(offsets[place : place + count]) is None):
                count //= 2
            inner = _step(offsets[place : place + count]) or 0
            code.append(self._load(base + offsets[place], inner, count, place, depth))
            place += count
        return code

    def _load(self, row: tir.Expr, step: int, count: int, tile: tir.Expr | int, depth: tir.Expr | int) -> tir.Stmt:
        """Loads ``count`` tiles that are ``step`` rows apart."""
        one = self.one
        matrices = count * self.upper * one.upper_depths
        unit = ROW_BITS // self.bits
        matrix = tir.tirx.shift_right(self.lane, tir.const(3))
        if matrices < 4:
            matrix = tir.tirx.bitwise_and(matrix, tir.const(matrices - 1))
        inner = tir.tirx.bitwise_and(self.lane, tir.const(7))
        # In the order of the registers: rows within a tile first for A; depth first, then tiles, for B.
        if self.is_a:
            upper_row, rest = _split(matrix, self.upper)
            upper_depth, number = _split(rest, one.upper_depths)
        else:
            upper_depth, number = _split(matrix, one.upper_depths)
            upper_row = tir.const(0)
        across = row if self.upper == 1 else row + upper_row * 8
        if count > 1:
            across = across + number * step
        along = upper_depth * unit + depth
        trans = not self.k_last
        place = (along + inner, across) if trans else (across + inner, along)
        source = tir.address(
            self.kernel.memory.place(self.region.buffer).array, place_of(self.kernel, self.region, place)
        )
        suffix = "_trans" if trans else ""
        return tir.run(tir.extern("void", f"tl::ldmatrix_x{matrices}{suffix}", self.pointer(tile, depth), source))

    # --- element by element ---

    def _elements(self, base: tir.Expr, offsets: Sequence[int], depth: tir.Expr | int) -> list[tir.Stmt]:
        code: list[tir.Stmt] = []
        for tile, offset in enumerate(offsets):
            for register in range(self.size):
                row, k = self._lane_place(register)
                place = (base + row + offset, k + depth)
                place = place if self.k_last else (place[1], place[0])
                value = tir.at(
                    self.kernel.memory.place(self.region.buffer).array, place_of(self.kernel, self.region, place)
                )
                number = (self.copy * self.tiles + tile) * self.size + register
                code.append(tir.put(self.array, tir.const(number), value))
        return code

    def _lane_place(self, register: int) -> tuple[tir.Expr, tir.Expr]:
        """Row (or column) and depth of one register of the current lane, inside of a tile."""
        one, lane = self.one, self.lane
        if one.wide:
            low, high = _bits(lane, 0, 2), _bits(lane, 4, 1)
            if self.is_a:
                return low + high * 4 + _bits(lane, 2, 1) * 8, tir.const(register)
            return low + high * 8 + _bits(lane, 3, 1) * 4, tir.const(register)
        element, rest = register % one.pack, register // one.pack
        upper_row, upper_depth = rest % self.upper, rest // self.upper
        row = tir.tirx.shift_right(lane, tir.const(2)) + upper_row * 8
        return row, tir.tirx.bitwise_and(lane, tir.const(3)) * one.pack + (element + upper_depth * 4 * one.pack)


def _bits(value: tir.Expr, low: int, count: int) -> tir.Expr:
    shifted = tir.tirx.shift_right(value, tir.const(low)) if low else value
    return tir.tirx.bitwise_and(shifted, tir.const((1 << count) - 1))


def _split(value: tir.Expr, extent: int) -> tuple[tir.Expr, tir.Expr]:
    """Remainder and quotient by a power of two."""
    if extent == 1:
        return tir.const(0), value
    bits = extent.bit_length() - 1
    return _bits(value, 0, bits), tir.tirx.shift_right(value, tir.const(bits))


def _step(offsets: Sequence[int]) -> int | None:
    """The distance of numbers that are evenly spaced."""
    if len(offsets) == 1:
        return 0
    step = offsets[1] - offsets[0]
    return step if all(b - a == step for a, b in pairwise(offsets)) else None


class _Registers(Operand):
    """A fragment that has the layout of the instruction. Registers are the same in all warps."""

    needs_constant_depth = True
    in_registers = True

    def __init__(
        self, kernel: KernelLowering, region: Region, one: MatrixInstruction, *, is_a: bool, k_last: bool
    ) -> None:
        layout = kernel.layout(region.buffer)
        if not isinstance(layout, Fragment) or one.wide:
            raise Unsupported(f"the operand {region.buffer.name} cannot be in a fragment here", region.span)
        self.kernel = kernel
        self.region = region
        self.one = one
        self.is_a = is_a
        self.k_last = k_last
        self.layout = layout
        self.array: Any = kernel.memory.place(region.buffer).array
        self.gathered: Any = None
        self.offsets: tuple[int, ...] = ()
        self.upper = one.upper_rows if is_a else 1
        self.size = self.upper * one.upper_depths * one.pack

    def declare(self, tiles: int, copies: int = 1) -> list[tir.Stmt]:
        return []

    def _registers(self, offset: int, depth: int) -> list[int]:
        """The registers of lane 0 of a tile, in the order of the instruction."""
        one = self.one
        found: list[int] = []
        for register in range(self.size):
            element, rest = register % one.pack, register // one.pack
            upper_row, upper_depth = rest % self.upper, rest // self.upper
            place = (offset + upper_row * 8, depth + element + upper_depth * 4 * one.pack)
            total = 0
            index = self._start(place if self.k_last else place[::-1])
            for at, extent in zip(self.layout.register_at(index), self.layout.registers, strict=True):
                total = total * extent + at
            found.append(total)
        return found

    def _start(self, place: tuple[int, ...]) -> tuple[int, ...]:
        starts = [try_const(start) for start in self.region.mins]
        if None in starts:
            raise Unsupported(f"the box of {self.region.buffer.name} must begin at a constant", self.region.span)
        known = [start for start in starts if start is not None]
        return (*known[:-2], known[-2] + place[0], known[-1] + place[1])

    def fetch(self, base: tir.Expr, offsets: Sequence[int], depth: tir.Expr | int) -> list[tir.Stmt]:
        self.offsets = tuple(offsets)
        assert isinstance(depth, int)
        orders = [self._registers(offset, depth) for offset in offsets]
        if all(order == list(range(order[0], order[0] + self.size)) for order in orders):
            self.gathered = None
            return []
        dtype = self.kernel.storage(self.region.buffer.dtype)
        self.gathered, declaration = self.kernel.memory.temporary("operand", dtype, self.size * len(offsets))
        moves = [
            tir.put(self.gathered, tir.const(tile * self.size + number), tir.at(self.array, tir.const(register)))
            for tile, order in enumerate(orders)
            for number, register in enumerate(order)
        ]
        return [declaration, *moves]

    def pointer(self, tile: tir.Expr | int, depth: tir.Expr | int) -> tir.Expr:
        assert isinstance(tile, int)
        assert isinstance(depth, int)
        if self.gathered is not None:
            return tir.address(self.gathered, tir.const(tile * self.size))
        return tir.address(self.array, tir.const(self._registers(self.offsets[tile], depth)[0]))
