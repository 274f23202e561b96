"""Ranges of the variables that are in scope somewhere in a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith.affine import affine
from tilelang.ir.arith.interval import UNBOUNDED, Interval, Ranges, interval_of
from tilelang.ir.arith.prove import bounds
from tilelang.ir.expr import const_int

if TYPE_CHECKING:
    from tilelang.ir.expr import Operand, Var
    from tilelang.ir.stmt import For, Launch, Let


def launch_ranges(launch: Launch) -> dict[Var, Interval]:
    """Ranges of the block and thread indices of a launch."""
    pairs = (
        *zip(launch.block_vars, launch.grid, strict=False),
        *zip(launch.thread_vars, launch.threads, strict=False),
    )
    return {var: _index_range(0, extent, 1, {}) for var, extent in pairs}


def loop_ranges(loop: For, outer: Ranges) -> dict[Var, Interval]:
    """``outer`` and the ranges of the variables of a loop, as they are inside its body."""
    ranges = dict(outer)
    for var, start, extent in zip(loop.vars, loop.starts, loop.extents, strict=False):
        ranges[var] = _index_range(start, extent, const_int(loop.step), outer)
    return ranges


def let_ranges(let: Let, outer: Ranges) -> dict[Var, Interval]:
    """``outer`` and the range of a bound scalar, as they are after it. ``below`` among its attributes is a limit that
    is known besides: the scalar is not negative and less than that."""
    below = let.attr("below")
    if isinstance(below, int):
        return {**outer, let.var: Interval(0, below - 1)}
    return {**outer, let.var: bounds(let.value, outer)}


def _index_range(start: Operand, extent: Operand, step: int | None, outer: Ranges) -> Interval:
    """Values of a loop index that runs from ``start`` up to, not including, ``start + extent``. What both have in
    common cancels, so ``lo`` to ``lo + (hi - lo)`` ends below ``hi``."""
    if step is None or step <= 0:
        return UNBOUNDED
    first = interval_of(start, outer)
    end = (affine(start, outer) + affine(extent, outer)).range(outer)
    length = interval_of(extent, outer)
    tops = [end.hi] if end.hi is not None else []
    if first.hi is not None and length.hi is not None:
        tops.append(first.hi + max(length.hi, 1))
    if not tops:
        return Interval(first.lo)
    # The body runs only if the loop is not empty, so its index is at least the least start.
    top = min(tops) - 1
    return Interval(first.lo, top if first.lo is None else max(top, first.lo))
