"""Setting all elements of a tile to one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.stmt import Fill
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, in_launch, invalid, merged, opaque_effect
from tilelang.language.regions import expect_region, single

if TYPE_CHECKING:
    from tilelang.language.values import Annotations, BufferLike, Value


def fill(buffer: BufferLike, value: Value, annotations: Annotations = None) -> None:
    """Set every element of a buffer or a box to ``value``, converted to the element type."""
    _fill("T.fill", buffer, value, annotations)


def clear(buffer: BufferLike, annotations: Annotations = None) -> None:
    """Set every element of a buffer or a box to 0."""
    _fill("T.clear", buffer, 0, annotations)


def _fill(function: str, buffer: object, value: object, annotations: object) -> None:
    builder = in_launch(function)
    region = expect_region(function, "buffer", buffer)
    if region is None:
        opaque_effect("fill")
        return
    region = single(region)
    filler = operand(value)
    if isinstance(filler, Unknown):
        if not isinstance(value, Unknown):
            invalid(function, "value", "a number", describe(value))
        opaque_effect("fill", region, mode="write")
    elif builder is not None:
        builder.emit(Fill(region, filler, span=builder.site.span, attrs=merged(annotations)))
