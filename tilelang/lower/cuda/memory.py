"""Where the elements of each buffer are: parameters, the arena of shared memory, registers.

Every buffer becomes a flat TIRX buffer. Tiles in shared memory are views of one dynamic array at the offsets of the
shared-memory plan; fragments are arrays of registers, numbered by their layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.layout.digits import Sum, of, substitute
from tilelang.ir.layout.fragment import Fragment
from tilelang.ir.layout.layout import Layout, row_major
from tilelang.lower import tir
from tilelang.lower.cuda.reducers import check_read
from tilelang.lower.sums import expression
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.copy_path import strides_of
from tilelang.passes.nests import is_reducer
from tilelang.passes.smem_plan import storage_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand
    from tilelang.lower.cuda.kernel import KernelLowering
    from tilelang.passes.smem_plan import Allocation

MAX_INT32 = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A buffer in memory. ``array`` is flat, in storage elements. ``size``: elements of one version."""

    array: Any
    size: int | None = None


def is_spread(buffer: Buffer) -> bool:
    """Whether a buffer lies in registers of several threads: fragments, and the partial results of reducers."""
    return buffer.is_fragment or buffer.scope == "local.reducer"


class Memory:
    """Declares buffers when they are first used."""

    def __init__(self, kernel: KernelLowering) -> None:
        self._kernel = kernel
        self._placed: dict[Buffer, Placed] = {}
        self._arena: Any = None
        self.declarations: list[tir.Stmt] = []
        self._slots: dict[Buffer, Allocation] = {
            slot.buffer: slot for slot in kernel.plan.memory.allocations if slot.buffer is not None
        }
        self.dynamic_bytes = kernel.plan.memory.dynamic or 0

    # --- declarations ---

    def place(self, buffer: Buffer) -> Placed:
        found = self._placed.get(buffer)
        if found is None:
            found = self._place(buffer)
            self._placed[buffer] = found
        return found

    def add_param(self, buffer: Buffer, data: Any) -> None:
        """A tensor that comes with the launch."""
        dtype = self._kernel.storage(buffer.dtype)
        array = tir.tirx.decl_buffer((tir.const(MAX_INT32),), dtype, f"{data.name}_", data=data)
        self.declarations.append(tir.tirx.DeclBuffer(array, data=data))
        self._placed[buffer] = Placed(array)

    def add_pointee(self, buffer: Buffer, address: Any) -> list[tir.Stmt]:
        """A tensor at an address that is not the type of pointer to its elements."""
        dtype = self._kernel.storage(buffer.dtype)
        data = tir.pointer(self._kernel.name_of(buffer), dtype)
        array = tir.tirx.decl_buffer((tir.const(MAX_INT32),), dtype, f"{data.name}_", data=data)
        self._placed[buffer] = Placed(array)
        return [tir.tirx.Bind(data, tir.as_pointer(address, dtype)), tir.tirx.DeclBuffer(array, data=data)]

    def _place(self, buffer: Buffer) -> Placed:
        if buffer.is_global:
            if buffer.root is not buffer:
                return self._view(buffer, self.place(buffer.root))
            raise Unsupported(f"the tensor {buffer.name} is no parameter of this kernel", buffer.span)
        if buffer.is_shared:
            return self._shared(buffer)
        if buffer.root is not buffer:
            return self._view(buffer, self.place(buffer.root))
        if is_spread(buffer) or buffer.is_local:
            return self._registers(buffer)
        if buffer.scope in ("shared.barrier", "shared.cluster_barrier"):
            return self._barriers(buffer)
        raise Unsupported(f"memory of scope {buffer.scope} is not supported on {self._kernel.target.arch}", buffer.span)

    def _view(self, buffer: Buffer, root: Placed) -> Placed:
        dtype = self._kernel.storage(buffer.dtype)
        data = tir.tirx.buffer_data(root.array)
        array = tir.tirx.decl_buffer(
            (tir.const(MAX_INT32),), dtype, self._kernel.name_of(buffer), data=data, scope=root.array.scope()
        )
        self.declarations.append(tir.tirx.DeclBuffer(array, data=data))
        size = None if root.size is None else self._elements(buffer)
        return Placed(array, size)

    @property
    def arena(self) -> Any:
        """All dynamic shared memory of the block, as bytes."""
        if self._arena is None:
            size = max(self.dynamic_bytes, 1)
            self._arena = tir.tirx.decl_buffer((size,), "uint8", "smem", scope="shared.dyn")
            self.declarations.append(tir.tirx.AllocBuffer(self._arena))
        return self._arena

    def scratch(self, name: str, offset: int, elements: int, dtype: str, width: int) -> Any:
        """An array at an offset of the arena, in bytes; ``width``: bytes of an element."""
        data = tir.tirx.buffer_data(self.arena)
        array = tir.tirx.decl_buffer(
            (elements,), dtype, name, data=data, elem_offset=offset // width, scope="shared.dyn"
        )
        self.declarations.append(tir.tirx.DeclBuffer(array, data=data))
        return array

    def exchange(self, name: str, elements: int, dtype: str) -> Any:
        """A static array in shared memory."""
        array = tir.tirx.decl_buffer((elements,), dtype, name, scope="shared")
        self.declarations.append(tir.tirx.AllocBuffer(array))
        return array

    def _shared(self, buffer: Buffer) -> Placed:
        slot = self._slots.get(buffer.root)
        if slot is None:
            raise Unsupported(f"the shared tile {buffer.name} is not in the memory plan", buffer.span)
        elements = self._elements(buffer)
        if elements is None or slot.bytes is None:
            raise Unsupported(f"the shared tile {buffer.name} has no constant size", buffer.span)
        dtype, name = self._kernel.storage(buffer.dtype), self._kernel.name_of(buffer)
        each = slot.bytes // slot.copies
        if not slot.dynamic:
            if buffer.root is not buffer:
                return self._view(buffer, self.place(buffer.root))
            array = tir.tirx.decl_buffer((elements * slot.copies,), dtype, name, scope="shared")
            self.declarations.append(tir.tirx.AllocBuffer(array))
            return Placed(array, elements)
        width = storage_bytes(buffer.dtype, 1)
        offset = slot.offset or 0
        return Placed(self.scratch(name, offset, slot.bytes // width, dtype, width), each // width)

    def _registers(self, buffer: Buffer) -> Placed:
        dtype, name = self._kernel.storage(buffer.dtype), self._kernel.name_of(buffer)
        layout = self._kernel.layout(buffer) if is_spread(buffer) else None
        if isinstance(layout, Fragment):
            size: int | None = layout.register_count
        else:
            size = self._elements(buffer)
        if size is None:
            raise Unsupported(f"{buffer.name} has no constant size", buffer.span)
        copies = self._kernel.plan.versions.get(buffer.root, 1)
        if buffer.dtype.bits == 4:
            size = (size + 1) // 2
        array = tir.tirx.decl_buffer((max(size, 1) * copies,), dtype, name, scope="local")
        self.declarations.append(tir.tirx.AllocBuffer(array))
        return Placed(array, size)

    def _barriers(self, buffer: Buffer) -> Placed:
        elements = self._elements(buffer) or 1
        array = tir.tirx.decl_buffer((elements,), "uint64", self._kernel.name_of(buffer), scope="shared")
        self.declarations.append(tir.tirx.AllocBuffer(array))
        return Placed(array, elements)

    def temporary(self, name: str, dtype: str, elements: int) -> tuple[Any, tir.Stmt]:
        """A small array of registers, with the statement that declares it."""
        array = tir.tirx.decl_buffer((elements,), dtype, self._kernel.fresh(name), scope="local")
        return array, tir.tirx.AllocBuffer(array)

    @staticmethod
    def _elements(buffer: Buffer) -> int | None:
        sizes = [try_const(extent) for extent in buffer.shape]
        return None if any(size is None for size in sizes) else prod(size for size in sizes if size is not None)

    # --- places of elements ---

    def offset(self, buffer: Buffer, indices: Sequence[Operand]) -> tir.Expr:
        """The number of an element in the array of its buffer."""
        if len(indices) != buffer.rank:
            raise Unsupported(f"{buffer.name} has {buffer.rank} dimensions, {len(indices)} indices given", buffer.span)
        kernel = self._kernel
        if is_spread(buffer):
            layout = kernel.layout(buffer)
            if isinstance(layout, Fragment):
                if is_reducer(buffer) and kernel.nest is not None:
                    check_read(kernel, buffer, layout, kernel.sums(indices))
                return self._versioned(buffer, kernel.fragment_register(layout, indices))
        if buffer.is_shared:
            layout = kernel.layout(buffer)
            if isinstance(layout, Layout):
                values: dict[object, tir.Expr] = {dim: kernel.index(index) for dim, index in enumerate(indices)}
                return self._versioned(buffer, expression(layout.linear(), lambda key: values[key]))
        total: tir.Expr | None = None
        wide = buffer.is_global and not self._is_small(buffer)
        for index, stride in zip(indices, strides_of(buffer), strict=True):
            number = try_const(stride)
            value = kernel.index(index)
            if wide:
                value = tir.tirx.Cast("int64", value)
            if number != 1:
                factor = tir.const(number, "int64" if wide else "int32") if number is not None else kernel.index(stride)
                value = value * (tir.tirx.Cast("int64", factor) if wide and number is None else factor)
            total = value if total is None else total + value
        return self._versioned(buffer, tir.const(0) if total is None else total)

    def _is_small(self, buffer: Buffer) -> bool:
        """Whether 32 bits number every element."""
        sizes = [try_const(extent) for extent in buffer.shape]
        strides = [try_const(stride) for stride in strides_of(buffer)]
        if None in sizes or None in strides:
            return False
        return sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) <= MAX_INT32  # type: ignore[operator]  # no None left

    def _versioned(self, buffer: Buffer, offset: tir.Expr) -> tir.Expr:
        """``offset`` in the copy of a staged buffer that the current iteration uses."""
        version = self._kernel.version(buffer)
        if version is None:
            return offset
        size = self.place(buffer).size or 0
        return version * tir.const(size) + offset

    def offset_sum(self, buffer: Buffer, indices: Sequence[Sum]) -> Sum | None:
        """The number of an element as a digit sum over the inputs of its indices, without the version; ``None`` for an
        array whose strides are no numbers."""
        layout = self._kernel.layout(buffer)
        values: dict[object, Sum] = dict(enumerate(indices))
        if buffer.is_shared and isinstance(layout, Layout):
            return substitute(layout.linear(), values)
        if is_spread(buffer) and isinstance(layout, Fragment):
            total = of("none", 1)
            for one, extent in zip(layout.index_of(indices), layout.registers, strict=True):
                total = total * extent + one
            return total
        strides = strides_of(buffer) if buffer.is_global else row_major([try_const(e) or 1 for e in buffer.shape])
        total = of("none", 1)
        for index, stride in zip(indices, strides, strict=True):
            number = try_const(stride)
            if number is None:
                return None
            total += index * number
        return total
