"""Loops of a kernel. Each function returns a :class:`~tilelang.language.frames.LoopFrame` for a ``for`` statement.

A loop index is an ``int32``, or has the integer type of a symbolic bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.builder import current
from tilelang.ir.expr import Expr, Operand, const_int
from tilelang.ir.stmt import Jump
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, here, invalid, is_unknown, merged
from tilelang.language.frames import LoopFrame
from tilelang.language.regions import difference, unknown_var

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.ir.stmt import Attrs, LoopKind
    from tilelang.language.values import Value


def _bound(function: str, value: object, argument: str) -> Operand:
    found = operand(value)
    if isinstance(found, bool) or not isinstance(found, (int, Expr)):
        if not is_unknown(value) and not isinstance(found, bool):
            invalid(function, argument, "an integer", describe(value))
        return unknown_var(here()) if not isinstance(found, bool) else int(found)
    if isinstance(found, Expr) and found.dtype.is_float:
        invalid(function, argument, "an integer", describe(found))
    return found


def _loop(
    function: str, kind: LoopKind, start: object, stop: object, step: object = None, attrs: Attrs = ()
) -> LoopFrame:
    if stop is None:
        start, stop = 0, start
    first, last = _bound(function, start, "start"), _bound(function, stop, "stop")
    stride: Operand = 1
    if step is not None:
        stride = _bound(function, step, "step")
        if const_int(stride) == 0:
            invalid(function, "step", "a number other than 0", "0")
            stride = 1
    return LoopFrame(kind, (first,), (difference(last, first),), stride, attrs, span=here())


def serial(
    start: Value, stop: Value | None = None, step: Value | None = None, *, annotations: dict[str, Any] | None = None
) -> LoopFrame:
    """A loop that every thread runs in order, with the bounds of ``range``. The step is not 0."""
    return _loop("T.serial", "serial", start, stop, step, merged(annotations))


def Serial(
    start: Value, stop: Value | None = None, step: Value | None = None, *, annotations: dict[str, Any] | None = None
) -> LoopFrame:
    """Another name of :func:`serial`."""
    return serial(start, stop, step, annotations=annotations)


def unroll(
    start: Value,
    stop: Value | None = None,
    step: Value | None = None,
    *,
    explicit: bool = False,
    unroll_factor: int | None = None,
    annotations: dict[str, Any] | None = None,
) -> LoopFrame:
    """A loop that is unrolled: by the compiler if ``explicit``, else by the CUDA compiler, ``unroll_factor`` times."""
    attrs = merged(annotations, explicit=explicit or None, unroll_factor=unroll_factor)
    named = dict(attrs)
    whole = explicit is True or named.get("pragma_unroll_explicit") is True
    factor = unroll_factor if unroll_factor is not None else named.get("pragma_unroll_factor")
    if whole and factor is not None and not isinstance(factor, Unknown):
        invalid("T.unroll", "unroll_factor", "left out if explicit=True", describe(factor))
    return _loop("T.unroll", "unroll", start, stop, step, attrs)


def Unroll(
    start: Value,
    stop: Value | None = None,
    step: Value | None = None,
    *,
    explicit: bool = False,
    unroll_factor: int | None = None,
    annotations: dict[str, Any] | None = None,
) -> LoopFrame:
    """Another name of :func:`unroll`."""
    return unroll(start, stop, step, explicit=explicit, unroll_factor=unroll_factor, annotations=annotations)


def vectorized(start: Value, stop: Value | None = None, *, annotations: dict[str, Any] | None = None) -> LoopFrame:
    """A loop that becomes one vector operation of a thread."""
    return _loop("T.vectorized", "vectorized", start, stop, None, merged(annotations))


def Vectorized(start: Value, stop: Value | None = None, *, annotations: dict[str, Any] | None = None) -> LoopFrame:
    """Another name of :func:`vectorized`."""
    return vectorized(start, stop, annotations=annotations)


def parallel(start: Value, stop: Value | None = None, *, annotations: dict[str, Any] | None = None) -> LoopFrame:
    """A parallel loop of the host or the CPU, as TVM script has it. For the threads of a block see :func:`Parallel`."""
    return _loop("T.parallel", "serial", start, stop, None, (("parallel", True), *merged(annotations)))


def Parallel(
    *extents: Any,
    coalesced_width: int | None = None,
    loop_layout: Any = None,
    prefer_async: bool | None = None,
    annotations: dict[str, Any] | None = None,
) -> LoopFrame:
    """A loop nest that the threads of the block share: ``for i, j in T.Parallel(M, N)``.

    ``coalesced_width``: elements that one thread takes at a time. ``loop_layout``: a ``T.Fragment`` that says which
    thread runs which iteration. ``prefer_async``: copy with ``cp.async`` outside pipelined loops too.
    """
    attrs = merged(
        annotations, coalesced_width=coalesced_width, loop_layout=loop_layout, prefer_async=prefer_async or None
    )
    return _nest("T.Parallel", "parallel", extents, attrs)


def grid(*extents: Any) -> LoopFrame:
    """A nest of serial loops: ``for i, j in T.grid(M, N)``."""
    return _nest("T.grid", "serial", extents, ())


def _nest(function: str, kind: LoopKind, extents: Iterable[object], attrs: Attrs) -> LoopFrame:
    bounds = tuple(difference(_bound(function, extent, "extents"), 0) for extent in extents)
    if not bounds:
        invalid(function, "extents", "one or more extents", "none")
    return LoopFrame(kind, (0,) * len(bounds), bounds, 1, attrs, span=here())


def Pipelined(
    start: Value,
    stop: Value | None = None,
    num_stages: int = 0,
    order: Sequence[int] | None = None,
    stage: Sequence[int] | None = None,
    annotations: dict[str, Any] | None = None,
) -> LoopFrame:
    """A loop whose copies run ahead of the work that uses them, ``num_stages`` iterations deep.

    Shared tiles that are filled in the loop are kept ``num_stages`` times. ``order`` and ``stage`` schedule the
    statements of the body by hand, one number for each statement. Attributes: ``num_stages``, ``order``, ``stage``.
    """
    attrs: Attrs = (("num_stages", num_stages),)
    for name, entries in (("order", order), ("stage", stage)):
        if isinstance(entries, (tuple, list)):
            if entries:
                attrs += ((name, tuple(cast("Iterable[object]", entries))),)
        elif entries is not None:
            attrs += ((name, entries),)
    if not isinstance(num_stages, (int, Expr, Unknown)):  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.Pipelined", "num_stages", "an integer", describe(num_stages))
    return _loop("T.Pipelined", "pipelined", start, stop, None, _override(attrs, annotations))


def Persistent(
    domain: Sequence[Value],
    wave_size: Value,
    index: Value,
    group_size: Value | None = 8,
    num_stages: int = 0,
    *,
    annotations: dict[str, Any] | None = None,
) -> LoopFrame:
    """A loop in which a block takes one tile of ``domain`` after another: ``for bx, by in T.Persistent([M, N], ...)``.

    ``wave_size``: blocks that run at a time. ``index``: the number of this block. ``group_size``: tiles of the last
    dimension that are taken together, for the L2 cache.
    """
    attrs: Attrs = (("wave_size", wave_size), ("index", index), ("group_size", group_size), ("num_stages", num_stages))
    given: object = domain
    extents = cast("Iterable[object]", given) if isinstance(given, (tuple, list)) else (given,)
    return _nest("T.Persistent", "persistent", extents, _override(attrs, annotations))


def _override(attrs: Attrs, annotations: object) -> Attrs:
    return tuple((dict(attrs) | dict(merged(annotations))).items())


def loop_break() -> None:
    """Leave the innermost loop under a run-time condition."""
    _jump("break")


def break_loop(span: object = None) -> None:
    """Another name of :func:`loop_break`."""
    _jump("break")


def continue_loop(span: object = None) -> None:
    """Go on with the next iteration under a run-time condition."""
    _jump("continue")


def _jump(kind: str) -> None:
    builder = current()
    if builder is not None:
        builder.emit(Jump(kind, span=builder.site.span))
