"""Reductions of a tile along one dimension, of a warp, and deferred reductions with a reducer.

``T.reduce_*(buffer, out, dim)``: ``out`` has the shape of ``buffer`` without the dimension, or with extent 1 there; the
rule ``reduce-shape-mismatch`` checks that. Both lie in fragments or in shared memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import BOOL
from tilelang.ir.expr import Call, Expr, Load, const_int
from tilelang.ir.stmt import Reduce
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import (
    describe,
    effect,
    here,
    in_launch,
    invalid,
    is_unknown,
    merged,
    opaque_effect,
    refused,
)
from tilelang.language.regions import expect_region, to_region

if TYPE_CHECKING:
    from tilelang.ir.stmt import Attrs
    from tilelang.language.values import Annotations, BufferLike, Scalar, Value

_KINDS = ("sum", "abssum", "max", "absmax", "min", "bitand", "bitor", "bitxor")
_BITWISE = ("bitand", "bitor", "bitxor")


def reduce_sum(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    annotations: Annotations = None,
) -> None:
    """Sum along ``dim``. ``clear=False`` adds to ``out``. ``batch``: outputs for each exchange between threads."""
    _reduce("T.reduce_sum", "sum", buffer, out, dim, clear, batch, merged(annotations))


def reduce_abssum(
    buffer: BufferLike, out: BufferLike, dim: int = -1, batch: int = 1, annotations: Annotations = None
) -> None:
    """Sum of absolute values along ``dim``."""
    _reduce("T.reduce_abssum", "abssum", buffer, out, dim, True, batch, merged(annotations))


def reduce_max(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: Annotations = None,
) -> None:
    """Largest value along ``dim``. ``clear=False`` includes the value of ``out``. ``nan_propagate``: a NaN wins."""
    _reduce("T.reduce_max", "max", buffer, out, dim, clear, batch, merged(annotations, nan_propagate=nan_propagate))


def reduce_min(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: Annotations = None,
) -> None:
    """Smallest value along ``dim``. ``clear=False`` includes the value of ``out``. ``nan_propagate``: a NaN wins."""
    _reduce("T.reduce_min", "min", buffer, out, dim, clear, batch, merged(annotations, nan_propagate=nan_propagate))


def reduce_absmax(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: Annotations = None,
) -> None:
    """Largest absolute value along ``dim``. ``clear=False`` includes the value of ``out``."""
    attrs = merged(annotations, nan_propagate=nan_propagate)
    _reduce("T.reduce_absmax", "absmax", buffer, out, dim, clear, batch, attrs)


def reduce_bitand(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    annotations: Annotations = None,
) -> None:
    """Bitwise and along ``dim``, of integers."""
    _reduce("T.reduce_bitand", "bitand", buffer, out, dim, clear, batch, merged(annotations))


def reduce_bitor(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    annotations: Annotations = None,
) -> None:
    """Bitwise or along ``dim``, of integers."""
    _reduce("T.reduce_bitor", "bitor", buffer, out, dim, clear, batch, merged(annotations))


def reduce_bitxor(
    buffer: BufferLike,
    out: BufferLike,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    annotations: Annotations = None,
) -> None:
    """Bitwise exclusive or along ``dim``, of integers."""
    _reduce("T.reduce_bitxor", "bitxor", buffer, out, dim, clear, batch, merged(annotations))


def reduce(
    buffer: BufferLike,
    out: BufferLike,
    reduce_type: str,
    dim: int,
    clear: bool,
    batch: int = 1,
    annotations: Annotations = None,
) -> None:
    """The reduction named ``reduce_type``: sum, abssum, max, absmax, min, bitand, bitor or bitxor."""
    if isinstance(reduce_type, Unknown):
        opaque_effect("reduce", buffer, out)
        return
    if reduce_type not in _KINDS:
        invalid("T.reduce", "reduce_type", f"one of {', '.join(_KINDS)}", describe(reduce_type))
    _reduce("T.reduce", str(reduce_type), buffer, out, dim, clear, batch, merged(annotations))


def _reduce(
    function: str, op: str, src: object, dst: object, dim: object, clear: object, batch: object, attrs: Attrs
) -> None:
    builder = in_launch(function)
    source, target = expect_region(function, "buffer", src), expect_region(function, "out", dst)
    attrs += _batch(function, batch)
    axis = const_int(dim)
    if axis is None and not is_unknown(dim):
        invalid(function, "dim", "an integer", describe(dim))
    if source is None or target is None or axis is None:
        if source is not None:
            opaque_effect("reduce", source, mode="read")
        if target is not None:
            opaque_effect("reduce", target, mode="update")
        return
    dtype = target.buffer.dtype
    if op in _BITWISE and dtype.is_known and dtype.is_float:
        invalid(function, "out", "a buffer of integers", f"{target.buffer.name}, of {dtype}")
    rank = source.buffer.rank
    if -rank <= axis < 0:
        axis += rank
    if builder is not None:
        builder.emit(Reduce(op, source, target, axis, clear, span=builder.site.span, attrs=attrs))


def _batch(function: str, batch: object) -> Attrs:
    number = const_int(batch)
    if number is not None and number < 1:
        refused(function, "batch", f"batch must be >= 1, not {number}")
    return () if number == 1 else (("batch", batch),)


# --- reducers -------------------------------------------------------------------------------------------------------


def reducer_init(reducer: BufferLike, init: Value | None = None) -> None:
    """Open an accumulation into a reducer, once and outside ``T.Parallel``. ``init``: a first value."""
    in_launch("T.reducer_init")
    region = expect_region("T.reducer_init", "reducer", reducer)
    first = operand(init) if init is not None else 0
    if region is not None and isinstance(first, Expr):
        given, wanted = value_dtype(first), region.buffer.dtype
        if given.is_known and wanted.is_known and given != wanted:
            text = f"init is {given}, which does not match reducer `{region.buffer.name}` of {wanted}"
            refused("T.reducer_init", "init", text)
    if region is None:
        opaque_effect("reducer_init")
    else:
        effect("reducer_init", region, mode="write", attrs=() if init is None else (("init", init),))


def reducer_update(target: Scalar, value: Value) -> None:
    """Add one contribution to an element of a reducer, ``T.reducer_update(acc[i], x)``, inside ``T.Parallel``."""
    in_launch("T.reducer_update")
    place: object = target
    if not isinstance(place, Load):
        if not is_unknown(place):
            invalid("T.reducer_update", "target", "an element of a reducer", describe(place))
        opaque_effect("reducer_update", place, mode="update")
        return
    addend = operand(value)
    region = to_region(place)
    args = (region,) if isinstance(addend, Unknown) else (region, addend)
    effect("reducer_update", *args, mode="update")


def finalize_reducer(
    reducer: BufferLike, dst: BufferLike | None = None, batch: int = 1, annotations: Annotations = None
) -> None:
    """Close an accumulation: combine the parts of all threads and write the result into the fragment ``dst``.

    Without ``dst`` the older reducer is combined in place. ``batch``: outputs for each exchange of threads.
    """
    function = "T.finalize_reducer"
    in_launch(function)
    attrs = merged(annotations) + _batch(function, batch)
    source = expect_region(function, "reducer", reducer)
    if source is None:
        opaque_effect("finalize_reducer")
        return
    if dst is None:
        effect("finalize_reducer", source, mode="update", attrs=attrs)
        return
    target = expect_region(function, "dst", dst)
    if target is None:
        opaque_effect("finalize_reducer", source, mode="read")
        return
    effect("finalize_reducer", source, mode="read", attrs=attrs)
    effect("reducer_result", target, mode="write")


# --- reductions of a warp -------------------------------------------------------------------------------------------


def _warp(op: str, value: object) -> Any:
    source = operand(value)
    return source if isinstance(source, Unknown) else Call(value_dtype(source), op, (source,), span=here())


def warp_reduce_sum(value: Value) -> Scalar:
    """The sum of ``value`` over the threads of the warp, in every thread; of the type of ``value``."""
    return _warp("warp_reduce_sum", value)


def warp_reduce_max(value: Value) -> Scalar:
    """The largest ``value`` of the threads of the warp, in every thread; of the type of ``value``."""
    return _warp("warp_reduce_max", value)


def warp_reduce_min(value: Value) -> Scalar:
    """The smallest ``value`` of the threads of the warp, in every thread; of the type of ``value``."""
    return _warp("warp_reduce_min", value)


def warp_reduce_bitand(value: Value) -> Scalar:
    """Bitwise and of ``value`` over the threads of the warp, in every thread; of the type of ``value``."""
    return _warp("warp_reduce_bitand", value)


def warp_reduce_bitor(value: Value) -> Scalar:
    """Bitwise or of ``value`` over the threads of the warp, in every thread; of the type of ``value``."""
    return _warp("warp_reduce_bitor", value)


def any_of(buffer: BufferLike) -> Scalar:
    """Whether an element of a buffer, or of a box along its last dimension, is not 0. A ``bool``."""
    return _all_or_any("any_of", buffer)


def all_of(buffer: BufferLike) -> Scalar:
    """Whether no element of a buffer, or of a box along its last dimension, is 0. A ``bool``."""
    return _all_or_any("all_of", buffer)


def _all_or_any(op: str, buffer: object) -> Any:
    function = f"T.{op}"
    if isinstance(buffer, Unknown):
        return UNKNOWN
    if not isinstance(buffer, (Buffer, Region)):
        invalid(function, "buffer", "a buffer or a box of one", describe(buffer))
        return UNKNOWN
    region = to_region(buffer)
    extents = region.extents if region is not None else None
    outer = () if extents is None or isinstance(buffer, Buffer) else extents[:-1]
    if any(const_int(extent) not in (1, None) for extent in outer):
        invalid(function, "buffer", "a box with extent 1 in all dimensions but the last", describe(buffer))
    return Call(BOOL, op, (region,), (("effect", "read"),), span=here())
