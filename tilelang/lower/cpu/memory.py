"""Where the elements of each buffer are.

Every buffer is a flat array in its plain row-major order: parameters come with the launch, everything else belongs to
the block. Of a buffer whose content differs from thread to thread there is one copy for each thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.lower import tir
from tilelang.lower.dtypes import storage_of
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.copy_path import strides_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand
    from tilelang.lower.cpu.kernel import BlockLowering

MAX_INT32 = 2**31 - 1
ON_CHIP = ("shared", "shared.dyn", "local.fragment", "local", "local.var", "local.reducer", "shared.tmem")
BARRIERS = ("shared.barrier", "shared.cluster_barrier")


@dataclass(frozen=True, slots=True)
class Placed:
    """A buffer in memory. ``array`` is flat, in storage elements. ``copy``: elements of the copy of one thread, 0 for a
    buffer that the threads share."""

    array: Any
    copy: int = 0


def storage_bytes(dtype: str) -> int:
    """Bytes of an element of a storage type."""
    return max(tir.tvm.runtime.DataType(dtype).itemsize, 1) if dtype != "handle" else 8


class Memory:
    """Declares buffers when they are first used; ``declarations`` go to the beginning of the block."""

    def __init__(self, kernel: BlockLowering) -> None:
        self._kernel = kernel
        self._placed: dict[Buffer, Placed] = {}
        self.declarations: list[tir.Stmt] = []
        self.inputs: list[tir.Stmt] = []
        """Declarations of parameters, which go before the loop over blocks."""

    def add_param(self, buffer: Buffer, data: Any) -> None:
        """A tensor that comes with the launch. User arrays may begin anywhere."""
        dtype = storage_of("cpu", buffer.dtype)
        array = tirx.decl_buffer(
            (tir.const(MAX_INT32),), dtype, f"{data.name}_", data=data, data_alignment=storage_bytes(dtype)
        )
        self.inputs.append(tirx.DeclBuffer(array, data=data))
        self._placed[buffer] = Placed(array)

    def place(self, buffer: Buffer) -> Placed:
        found = self._placed.get(buffer)
        if found is None:
            found = self._placed[buffer] = self._place(buffer)
        return found

    def _place(self, buffer: Buffer) -> Placed:
        if buffer.root is not buffer:
            return self._view(buffer, self.place(buffer.root))
        if buffer.is_global and buffer.attr("data") is not None:
            raise Unsupported(f"the address of {buffer.name} is computed; the CPU needs a parameter", buffer.span)
        if buffer.is_global:
            raise Unsupported(f"the tensor {buffer.name} is no parameter of this kernel", buffer.span)
        if buffer.scope in BARRIERS:
            raise Unsupported(f"the barrier {buffer.name} is read as memory, which no CPU has", buffer.span)
        if buffer.scope not in ON_CHIP:
            raise Unsupported(f"memory of scope {buffer.scope} is not supported on the CPU", buffer.span)
        count = self._count(buffer)
        copies = self._kernel.thread_count(buffer.span) if self._kernel.differs(buffer) else 1
        dtype = storage_of("cpu", buffer.dtype)
        array, declaration = self.temporary(buffer.name, dtype, max(count, 1) * copies)
        self.declarations.append(declaration)
        return Placed(array, max(count, 1) if copies > 1 or self._kernel.differs(buffer) else 0)

    def _view(self, buffer: Buffer, root: Placed) -> Placed:
        dtype = storage_of("cpu", buffer.dtype)
        data = tirx.buffer_data(root.array)
        alignment = storage_bytes(dtype) if buffer.is_global else 64
        array = tirx.decl_buffer(
            (tir.const(MAX_INT32),),
            dtype,
            self._kernel.fresh(buffer.name),
            data=data,
            data_alignment=alignment,
            scope=root.array.scope(),
        )
        (self.inputs if buffer.is_global else self.declarations).append(tirx.DeclBuffer(array, data=data))
        copy = root.copy * storage_bytes(str(root.array.dtype)) // storage_bytes(dtype)
        return Placed(array, copy)

    def _count(self, buffer: Buffer) -> int:
        """Storage elements of one copy."""
        sizes = [try_const(extent) for extent in buffer.shape]
        if None in sizes:
            raise Unsupported(f"{buffer.name} has no constant size", buffer.span)
        strides = [try_const(stride) for stride in strides_of(buffer)]
        count = prod(size for size in sizes if size is not None)
        if buffer.strides is not None and None not in strides:
            count = 1 + sum(((size or 1) - 1) * (stride or 0) for size, stride in zip(sizes, strides, strict=True))
        return (count + 1) // 2 if buffer.dtype.bits == 4 else count

    def temporary(self, name: str, dtype: str, elements: int) -> tuple[Any, tir.Stmt]:
        """An array of the block, with the statement that declares it."""
        array = tirx.decl_buffer((elements,), dtype, self._kernel.fresh(name), data_alignment=64)
        return array, tirx.AllocBuffer(array)

    def array(self, name: str, dtype: str, elements: int) -> Any:
        """An array that lives as long as the block."""
        array, declaration = self.temporary(name, dtype, elements)
        self.declarations.append(declaration)
        return array

    # --- places of elements ---

    def offset(self, buffer: Buffer, indices: Sequence[Operand]) -> tir.Expr:
        """The number of an element among the elements of its buffer, that of 4-bit elements in half bytes."""
        if len(indices) != buffer.rank:
            raise Unsupported(f"{buffer.name} has {buffer.rank} dimensions, {len(indices)} indices given", buffer.span)
        kernel = self._kernel
        kind = "int32" if self.is_small(buffer) else "int64"
        total: tir.Expr | None = None
        for index, stride in zip(indices, strides_of(buffer), strict=True):
            number = try_const(stride)
            value = kernel.integer(index, kind)
            if number != 1:
                value = value * (tir.const(number, kind) if number is not None else kernel.integer(stride, kind))
            total = value if total is None else total + value
        total = tir.const(0) if total is None else total
        placed = self.place(buffer)
        if placed.copy:
            each = placed.copy * 2 if buffer.dtype.bits == 4 else placed.copy
            total = kernel.own_thread(buffer) * tir.const(each) + total
        return total

    @staticmethod
    def is_small(buffer: Buffer) -> bool:
        """Whether 32 bits number every element."""
        if not buffer.is_global:
            return True
        sizes = [try_const(extent) for extent in buffer.shape]
        strides = [try_const(stride) for stride in strides_of(buffer)]
        if None in sizes or None in strides:
            return False
        return sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) <= MAX_INT32  # type: ignore[operator]  # no None left

    def read(self, buffer: Buffer, offset: tir.Expr) -> tir.Expr:
        """An element in its storage type; a 4-bit one in the low half of a byte."""
        array = self.place(buffer).array
        if buffer.dtype.bits != 4:
            return tir.at(array, offset)
        byte = tir.at(array, tirx.shift_right(offset, tir.const(1, tir.type_of(offset))))
        return tirx.bitwise_and(tirx.shift_right(byte, self._half(offset)), tir.const(15, "uint8"))

    def write(self, buffer: Buffer, offset: tir.Expr, value: tir.Expr) -> tir.Stmt:
        """Sets an element, given in its storage type."""
        array = self.place(buffer).array
        if buffer.dtype.bits != 4:
            return self._kernel.put(array, offset, value)
        place = tirx.shift_right(offset, tir.const(1, tir.type_of(offset)))
        shift = self._half(offset)
        kept = tirx.bitwise_and(tir.at(array, place), tirx.bitwise_not(tirx.shift_left(tir.const(15, "uint8"), shift)))
        return self._kernel.put(array, place, tirx.bitwise_or(kept, tirx.shift_left(value, shift)))

    @staticmethod
    def _half(offset: tir.Expr) -> tir.Expr:
        odd = tirx.bitwise_and(offset, tir.const(1, tir.type_of(offset)))
        return tirx.Cast("uint8", odd * tir.const(4, tir.type_of(offset)))
