"""Atomic updates of memory: of one element, or of every element of a tile.

An element is named with as many indices as the buffer has dimensions; a buffer or a box is a tile, and so is an element
beside a tile. ``memory_order``: relaxed, consume, acquire, release, acq_rel or seq_cst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.builder import current
from tilelang.ir.expr import Expr, Load, Operand, Var
from tilelang.ir.stmt import Atomic
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand
from tilelang.language.context import (
    describe,
    in_launch,
    invalid,
    is_unknown,
    merged,
    opaque_effect,
    refused,
    target_name,
)
from tilelang.language.regions import expect_region, resolve_pair, single, to_region, with_extents

if TYPE_CHECKING:
    from tilelang.ir.dtype import DType
    from tilelang.ir.stmt import Attrs, Tile
    from tilelang.language.values import Annotations, BufferLike, Scalar, Value

_ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
_LOAD_ORDERS = ("relaxed", "consume", "acquire", "seq_cst")
_STORE_ORDERS = ("relaxed", "release", "seq_cst")


def atomic_add(
    dst: BufferLike,
    value: Value | BufferLike,
    memory_order: str | None = None,
    return_prev: bool = False,
    use_tma: bool = False,
    annotations: Annotations = None,
) -> Any:
    """Add ``value`` to ``dst``. ``return_prev``: give the old value of an element. ``use_tma``: tiles on sm_90."""
    attrs = merged(annotations, use_tma=use_tma)
    return _update("T.atomic_add", "add", dst, value, memory_order, return_prev, attrs)


def atomic_max(
    dst: BufferLike,
    value: Value | BufferLike,
    memory_order: str | None = None,
    return_prev: bool = False,
    annotations: Annotations = None,
) -> Any:
    """Set ``dst`` to the larger of itself and ``value``. ``return_prev``: give the old value of an element."""
    return _update("T.atomic_max", "max", dst, value, memory_order, return_prev, merged(annotations))


def atomic_min(
    dst: BufferLike,
    value: Value | BufferLike,
    memory_order: str | None = None,
    return_prev: bool = False,
    annotations: Annotations = None,
) -> Any:
    """Set ``dst`` to the smaller of itself and ``value``. ``return_prev``: give the old value of an element."""
    return _update("T.atomic_min", "min", dst, value, memory_order, return_prev, merged(annotations))


def atomic_or(dst: BufferLike, value: Value, memory_order: str | None = None) -> None:
    """Set the bits of an element that ``value`` has. Elements only."""
    if isinstance(dst, (Buffer, Region)) and not _is_var(dst):
        invalid("T.atomic_or", "dst", "an element of a buffer", describe(dst))
    _update("T.atomic_or", "or", dst, value, memory_order, False, ())


def atomic_addx2(dst: BufferLike, value: BufferLike, return_prev: bool = False) -> Any:
    """Add two neighbouring elements at once, starting at ``dst`` and ``value``."""
    return _vector("T.atomic_addx2", 2, dst, value, return_prev)


def atomic_addx4(dst: BufferLike, value: BufferLike, return_prev: bool = False) -> Any:
    """Add four neighbouring elements at once, starting at ``dst`` and ``value``. ``float32``, sm_90 and later."""
    return _vector("T.atomic_addx4", 4, dst, value, return_prev)


def atomic_load(src: BufferLike, memory_order: str = "seq_cst") -> Scalar:
    """The value of an element. ``memory_order``: relaxed, consume, acquire or seq_cst."""
    _check_order("T.atomic_load", memory_order, _LOAD_ORDERS)
    return _element("T.atomic_load", "load", src, None, True, (("memory_order", memory_order),), argument="src")


def atomic_store(dst: BufferLike, src: Value, memory_order: str = "seq_cst") -> None:
    """Set an element. ``memory_order``: relaxed, release or seq_cst."""
    _check_order("T.atomic_store", memory_order, _STORE_ORDERS)
    _element("T.atomic_store", "store", dst, src, False, (("memory_order", memory_order),))


def _is_var(value: object) -> bool:
    return isinstance(value, Buffer) and value.is_var


def _check_order(function: str, order: object, allowed: tuple[str, ...]) -> None:
    if order is not None and not is_unknown(order) and order not in allowed:
        name = function.removeprefix("T.")
        message = f"{name} does not support memory_order {describe(order)}, only {', '.join(allowed)}"
        refused(function, "memory_order", message)


def _update(
    function: str, op: str, dst: object, value: object, memory_order: object, return_prev: object, attrs: Attrs
) -> Any:
    _check_order(function, memory_order, _ORDERS)
    if memory_order is not None:
        attrs += (("memory_order", memory_order),)
    tiles = isinstance(value, (Buffer, Region)) and not _is_var(value)
    if not tiles and (isinstance(dst, (Load, Unknown)) or _is_var(dst)):
        return _element(function, op, dst, value, return_prev, attrs)
    builder = in_launch(function)
    target = expect_region(function, "dst", dst)
    if target is None:
        opaque_effect(f"atomic_{op}", to_region(value))
        return UNKNOWN
    if return_prev is True:
        invalid(function, "return_prev", "False for a tile", "True")
    addend = to_region(value)
    if addend is not None and (tiles or isinstance(value, Load)):
        source: Operand | Tile | None = addend
        if tiles:
            source, target = resolve_pair(addend, target)
        elif target.extents is not None:
            source = with_extents(addend, target.extents)
    else:
        found = operand(value)
        source = None if isinstance(found, Unknown) else found
    if source is None:
        opaque_effect(f"atomic_{op}", target, mode="update")
    elif builder is not None:
        builder.emit(Atomic(op, single(target), source, span=builder.site.span, attrs=attrs))
    return UNKNOWN if return_prev else None


def _element(
    function: str,
    op: str,
    dst: object,
    value: object,
    return_prev: object,
    attrs: Attrs,
    *,
    argument: str = "dst",
    lanes: int = 1,
) -> Any:
    builder = current()
    place = _place(function, argument, dst)
    found = None if value is None else operand(value)
    if place is None or isinstance(found, Unknown):
        opaque_effect(f"atomic_{op}", to_region(dst), mode="update")
        return UNKNOWN
    if builder is None:
        return UNKNOWN
    span = builder.site.span
    if not return_prev:
        builder.emit(Atomic(op, place, found, span=span, attrs=attrs))
        return None
    dtype: DType = place.dtype if isinstance(place, Load) else place.buffer.dtype
    result = Var(dtype.with_lanes(lanes) if dtype.is_known else dtype, target_name("previous"), "let", span=span)
    builder.emit(Atomic(op, place, found, span=span, attrs=(*attrs, ("result", result))))
    return result


def _place(function: str, argument: str, dst: object) -> Load | Region | None:
    """The element that an atomic acts on. A whole buffer stands for its first element."""
    if isinstance(dst, Load):
        return dst
    region = to_region(dst)
    if region is None:
        if not is_unknown(dst) and not isinstance(dst, Expr):
            invalid(function, argument, "an element of a buffer", describe(dst))
        return None
    if isinstance(dst, Buffer):
        return Load(dst.dtype, dst, (0,) * dst.rank, span=region.span)
    return region


def _vector(function: str, lanes: int, dst: object, value: object, return_prev: object) -> Any:
    op = f"addx{lanes}"
    source = to_region(value)
    if source is None and not is_unknown(value) and not isinstance(value, Expr):
        invalid(function, "value", "an element of a buffer", describe(value))
    builder = current()
    place = _place(function, "dst", dst)
    if place is None or (source is None and isinstance(operand(value), Unknown)):
        opaque_effect(f"atomic_{op}", to_region(dst), mode="update")
        return UNKNOWN
    if builder is None:
        return UNKNOWN
    given = value if isinstance(value, (Load, Region)) else source
    span = builder.site.span
    if not return_prev:
        builder.emit(Atomic(op, place, given, span=span))
        return None
    dtype = place.dtype if isinstance(place, Load) else place.buffer.dtype
    result = Var(dtype.with_lanes(lanes) if dtype.is_known else dtype, target_name("previous"), "let", span=span)
    builder.emit(Atomic(op, place, given, span=span, attrs=(("result", result),)))
    return result
