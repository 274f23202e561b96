"""Where the elements of a buffer lie: a map from its indices to an index of its memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from tilelang.ir.layout.digits import ZERO, Digit, Input, Sum, const, normal, of, substitute, table, text

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]

AXES = "ijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Layout:
    """``outputs`` has one sum per dimension of the memory, over the dimensions of ``shape``. Units are elements."""

    shape: Shape
    outputs: tuple[Sum, ...]

    @property
    def output_shape(self) -> Shape:
        """The extents of the memory, in elements: one more than the greatest index."""
        return tuple(one.high + 1 for one in self.outputs)

    def at(self, index: Sequence[int]) -> Shape:
        """Where one element lies."""
        point: dict[object, int] = dict(enumerate(index))
        return tuple(one.at(point) for one in self.outputs)

    def linear(self) -> Sum:
        """The place of an element as one number, the last dimension of the memory fastest."""
        total = ZERO
        for one, extent in zip(self.outputs, self.output_shape, strict=True):
            total = total * extent + one
        return total

    def table(self) -> Shape:
        """The places of all elements as single numbers, in row-major order of the elements."""
        return table(self.linear(), self.shape)

    @property
    def size(self) -> int:
        """Elements of memory that the buffer takes, gaps included."""
        return prod(self.output_shape)

    def is_injective(self) -> bool:
        """Whether no two elements share a place."""
        return is_compact(self.shape, self.outputs) or len(set(self.table())) == prod(self.shape)

    def is_bijective(self) -> bool:
        """Whether it is injective and leaves no gaps."""
        return self.size == prod(self.shape) and self.is_injective()

    def same_as(self, other: Layout) -> bool:
        """Whether two layouts are the same function into a memory of the same shape."""
        if self == other:
            return True
        if self.shape != other.shape or self.output_shape != other.output_shape:
            return False
        return self.table() == other.table()

    def compose(self, indices: Sequence[Sum]) -> tuple[Sum, ...]:
        """The outputs for indices that are sums themselves."""
        values: dict[object, Sum] = dict(enumerate(indices))
        return tuple(substitute(one, values) for one in self.outputs)

    def then(self, other: Layout) -> Layout:
        """This layout followed by another one on its memory."""
        return Layout(self.shape, other.compose(self.outputs))

    def inverse(self) -> Layout | None:
        """The layout from places to elements; ``None`` unless it is bijective and made of plain digits."""
        found = invert(self.shape, self.outputs)
        return None if found is None else Layout(self.output_shape, found)

    def repeat(self, dim: int, factor: int) -> Layout:
        """``factor`` copies side by side along ``dim``, told apart by a new first dimension of the memory."""
        dim %= len(self.shape)
        extent = self.shape[dim]
        whole = of(dim, extent * factor)
        values: dict[object, Sum] = {dim: whole % extent}
        outputs = tuple(substitute(one, values) for one in self.outputs)
        return Layout(replaced(self.shape, dim, extent * factor), (whole // extent, *outputs))

    def expand(self, leading: Shape) -> Layout:
        """The same layout for each index of new leading dimensions."""
        if not leading:
            return self
        outputs = tuple(shifted(one, len(leading)) for one in self.outputs)
        return Layout(leading + self.shape, (*(of(dim, extent) for dim, extent in enumerate(leading)), *outputs))

    def reshape(self, shape: Shape, bits: int = 1, new_bits: int = 1) -> Layout | None:
        """The layout of a view of the same storage, whose elements may have another width.

        ``None`` if the sizes disagree, or if elements that become one wider element do not lie side by side.
        """
        if prod(self.shape) * bits != prod(shape) * new_bits:
            return None
        outputs = viewed(self.shape, self.outputs, shape, bits, new_bits)
        return None if outputs is None else Layout(shape, outputs)

    def __str__(self) -> str:
        names = ", ".join(AXES[: len(self.shape)])
        return f"({names}) -> ({', '.join(text(one, axis_name) for one in self.outputs)})"


def axis_name(key: object) -> str:
    """How an input is written: dimensions by letters, the replica as ``rep``, parameters by their own names."""
    if isinstance(key, int):
        return AXES[key] if key >= 0 else "rep"
    return str(getattr(key, "name", key))


def row_major(shape: Sequence[int]) -> Shape:
    """The strides of a dense array."""
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides)) if shape else ()


def flat_index(shape: Sequence[int]) -> Sum:
    """The row-major number of an element."""
    total = ZERO
    for dim, (extent, stride) in enumerate(zip(shape, row_major(shape), strict=True)):
        total += of(dim, extent) * stride
    return total


def linear_layout(shape: Shape) -> Layout:
    """Row-major order in one dimension."""
    return Layout(shape, (flat_index(shape),))


def replaced(shape: Shape, dim: int, extent: int) -> Shape:
    return (*shape[:dim], extent, *shape[dim + 1 :])


def shifted(total: Sum, count: int) -> Sum:
    """A sum over dimensions that moved ``count`` places to the right."""
    keys = {one.key for one in total.inputs() if isinstance(one.key, int) and one.key >= 0}
    extents = {one.key: one.extent for one in total.inputs()}
    return substitute(total, {key: of(key + count, extents[key]) for key in keys})


@lru_cache(maxsize=1024)
def viewed(
    shape: Shape, outputs: tuple[Sum, ...], new_shape: Shape, bits: int, new_bits: int
) -> tuple[Sum, ...] | None:
    """Outputs over the indices of a view. The last output counts elements of the buffer's own width."""
    flat = flat_index(new_shape)
    if bits == new_bits:
        return _over_flat(shape, outputs, flat)
    if bits > new_bits:
        if bits % new_bits:
            return None
        factor = bits // new_bits
        inner = _over_flat(shape, outputs, flat // factor)
        return (*inner[:-1], inner[-1] * factor + flat % factor)
    if new_bits % bits:
        return None
    factor = new_bits // bits
    first = _over_flat(shape, outputs, flat * factor)
    lane = of("lane", factor)
    each = _over_flat(shape, outputs, flat * factor + lane)
    slot = first[-1] // factor
    expected = (*first[:-1], slot * factor + lane)
    # Differences, because the order of digits of other sources says nothing.
    if any(a - b != ZERO for a, b in zip(each, expected, strict=True)):
        return None
    return (*first[:-1], slot)


def _over_flat(shape: Shape, outputs: tuple[Sum, ...], flat: Sum) -> tuple[Sum, ...]:
    values: dict[object, Sum] = {}
    for dim, (extent, stride) in enumerate(zip(shape, row_major(shape), strict=True)):
        value = flat // stride
        values[dim] = value % extent if dim else value
    return tuple(substitute(one, values) for one in outputs)


# --- structure ------------------------------------------------------------------------------------------------


def is_mixed_radix(total: Sum) -> bool:
    """Whether the digits of a sum never overlap: each scale is at least what all smaller digits reach."""
    reach = 1
    for digit in sorted(total.digits, key=lambda digit: digit.scale):
        if digit.scale < reach:
            return False
        reach = digit.scale * (digit.extent - 1) + reach
    return not total.base


def is_compact(shape: Sequence[int], outputs: Sequence[Sum]) -> bool:
    """Whether plain digits of all inputs make up the outputs without overlap; then the map is injective. False says
    nothing. Inputs are dimension numbers."""
    pieces: dict[object, list[Digit]] = {}
    for one in outputs:
        if not is_mixed_radix(one):
            return False
        for digit in one.digits:
            if not isinstance(digit.source, Input) or not isinstance(digit.source.key, int):
                return False
            pieces.setdefault(digit.source.key, []).append(digit)
    for dim, extent in enumerate(shape):
        reach = 1
        for digit in sorted(pieces.get(dim, ()), key=lambda digit: digit.lower):
            if digit.lower != reach:
                return False
            reach *= digit.extent
        if reach < extent:
            return False
    return True


@lru_cache(maxsize=1024)
def invert(shape: Shape, outputs: tuple[Sum, ...]) -> tuple[Sum, ...] | None:
    """Each input as a sum over the outputs, whose keys are their numbers. ``None`` unless the map is bijective and made
    of plain digits."""
    if not is_compact(shape, outputs) or prod(one.high + 1 for one in outputs) != prod(shape):
        return None
    found: list[list[Digit]] = [[] for _ in shape]
    for number, one in enumerate(outputs):
        place = Input(number, one.high + 1)
        for digit in one.digits:
            assert isinstance(digit.source, Input)
            assert isinstance(digit.source.key, int)
            found[digit.source.key].append(Digit(place, digit.scale, digit.extent, digit.lower))
    return tuple(normal(digits) if digits else const(0) for digits in found)
