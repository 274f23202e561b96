"""Running sums and maxima of a tile along one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import const_int
from tilelang.ir.stmt import Scan
from tilelang.language.context import describe, in_launch, invalid, is_unknown, merged, opaque_effect
from tilelang.language.regions import expect_region, single

if TYPE_CHECKING:
    from tilelang.language.values import Annotations, BufferLike


def cumsum(
    src: BufferLike, dst: BufferLike | None = None, dim: int = 0, reverse: bool = False, annotations: Annotations = None
) -> None:
    """Running sum of ``src`` along ``dim`` into ``dst``, of the same shape; in place without ``dst``.

    A fragment goes through a shared tile of its shape. ``reverse``: from the end to the start.
    """
    _scan("cumsum", src, dst, dim, reverse, annotations)


def cummax(
    src: BufferLike, dst: BufferLike | None = None, dim: int = 0, reverse: bool = False, annotations: Annotations = None
) -> None:
    """Running maximum of ``src`` along ``dim`` into ``dst``, of the same shape; in place without ``dst``."""
    _scan("cummax", src, dst, dim, reverse, annotations)


def _scan(op: str, src: object, dst: object, dim: object, reverse: object, annotations: object) -> None:
    function = f"T.{op}"
    builder = in_launch(function)
    source = expect_region(function, "src", src)
    target = source if dst is None else expect_region(function, "dst", dst)
    axis = const_int(dim)
    if axis is None and not is_unknown(dim):
        invalid(function, "dim", "an integer", describe(dim))
    if source is None or target is None or axis is None:
        for region, mode in ((source, "read"), (target, "write")):
            if region is not None:
                opaque_effect(op, region, mode=mode)
        return
    rank = source.buffer.rank
    if -rank <= axis < 0:
        axis += rank
    if builder is not None:
        span = builder.site.span
        builder.emit(Scan(op, single(source), single(target), axis, reverse, span=span, attrs=merged(annotations)))
