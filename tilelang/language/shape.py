"""Other shapes and types of the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Dim
from tilelang.ir.builder import current
from tilelang.ir.dtype import VOID
from tilelang.ir.expr import Call, const_int
from tilelang.ir.printer import text_of
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.ir.views import covers
from tilelang.language.arith import binary
from tilelang.language.context import describe, here, invalid, target_name
from tilelang.language.dtypes import to_dtype
from tilelang.language.tensors import to_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.dtype import DType
    from tilelang.language.values import BufferLike, DTypeLike, Shape, Tile, Value


def reshape(src: BufferLike, shape: Shape) -> Tile:
    """The memory of ``src`` with another shape of the same number of elements; nothing moves."""
    return _alias("T.reshape", src, shape, None, None)


def view(
    src: BufferLike, shape: Shape | None = None, dtype: DTypeLike | None = None, strides: Shape | None = None
) -> Tile:
    """The memory of ``src`` with another shape or element type of the same number of bits; nothing moves.

    A shape or type that is left out is that of ``src``. ``strides`` count elements.
    """
    return _alias("T.view", src, shape, dtype, strides)


def _alias(function: str, src: object, shape: object, dtype: object, strides: object) -> Any:
    if not isinstance(src, Buffer):
        if not isinstance(src, Unknown):
            invalid(function, "src", "a buffer", describe(src))
        return UNKNOWN
    extents: tuple[Dim, ...] = src.shape if shape is None else to_shape(function, shape)
    element: DType = src.dtype if dtype is None else to_dtype(function, dtype)
    steps = None if strides is None else to_shape(function, strides, "strides")
    made = Buffer(target_name(src.name), extents, element, src.scope, steps, src, span=here())
    builder = current()
    if builder is not None:
        if not covers(made, src):
            text = f"{_described(made)} does not cover {_described(src)}"
            notes = ((f"`{src.name}` is {_shape(src)}", src.span),)
            builder.problem("reshape-size-mismatch", function=function, message=text, notes=notes)
        # The new buffer stands among the attributes: making a view reads and writes nothing.
        call = Call(VOID, function.removeprefix("T."), (), (("view", made),), span=builder.site.span)
        builder.emit(Effect(call, span=builder.site.span))
    return made


def _described(buffer: Buffer) -> str:
    count = buffer.element_count()
    size = f" of {count * buffer.dtype.total_bits:,} bits".replace(",", " ") if count is not None else ""
    return f"{_shape(buffer)} {buffer.dtype}{size}"


def _shape(buffer: Buffer) -> str:
    dims = [text_of(const_int(dim) or dim) for dim in buffer.shape]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"


def index_to_coordinates(index: Value, shape: Sequence[Value]) -> Any:
    """The coordinates of element number ``index`` of a row-major array of this shape."""
    coordinates: list[object] = []
    rest: object = index
    for extent in reversed(to_shape("T.index_to_coordinates", shape)):
        coordinates.append(binary("%", rest, extent, here()))
        rest = binary("//", rest, extent, here())
    return coordinates[::-1]
