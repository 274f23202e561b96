"""Points of an iteration space: values of block, thread and loop variables that the program certainly reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.expr import Var
from tilelang.passes.access.evaluate import Compiled, Unresolved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tilelang.passes.access.evaluate import Evaluator, Point
    from tilelang.passes.access.sites import Axis, Guard

MAX_POINTS = 4096
"""Points looked at for one question. A thousand take about a millisecond; tiles of 64 x 64 are covered whole."""


class Dimension(NamedTuple):
    """One axis with compiled bounds."""

    axis: Axis
    start: Compiled
    extent: Compiled
    step: int


class Space(NamedTuple):
    """The axes that a question depends on, outermost first."""

    dimensions: tuple[Dimension, ...]

    @property
    def variables(self) -> frozenset[Var]:
        return frozenset(dimension.axis.var for dimension in self.dimensions)

    def is_within(self, base: Mapping[Var, int], budget: int) -> bool:
        """Whether :meth:`points` gives every point of the space: the axes do not depend on each other, and there are
        at most ``budget`` points."""
        total = 1
        for dimension in self.dimensions:
            if not dimension.extent.variables <= base.keys():
                return False
            try:
                total *= max(1, -(-dimension.extent.at(dict(base)) // dimension.step))
            except Unresolved:
                return False
        return total <= budget

    def points(
        self, base: Mapping[Var, int], budget: int = MAX_POINTS, free: Collection[Var] = (), *, ends: bool = True
    ) -> Iterator[Point]:
        """Points of the space, at most about ``budget``, with the values of ``base`` for what lies outside. Where an
        axis is too long, its first values are taken, and with ``ends`` the last one. Of variables in ``free`` three
        values are enough. The mapping is reused: copy it to keep it."""
        point: Point = dict(base)
        whole = frozenset(free) | (self.variables if ends else frozenset[Var]())
        return _enumerate(self.dimensions, 0, point, _caps(self.dimensions, point, budget, free), whole)


def space_of(
    evaluate: Evaluator, axes: Sequence[Axis], needed: Collection[Var], given: Collection[Var] = ()
) -> Space | None:
    """The axes that ``needed`` variables come from, and those that their bounds depend on. Variables in ``given`` have
    a value already. None if a variable has no axis, or an axis no bounds that can be computed."""
    wanted = set(needed) - set(given)
    dimensions: list[Dimension] = []
    for axis in reversed(axes):
        if axis.var not in wanted:
            continue
        start, extent = evaluate(axis.start), evaluate(axis.extent)
        if start is None or extent is None or axis.step is None:
            return None
        wanted.discard(axis.var)
        wanted |= (start.variables | extent.variables) - set(given)
        dimensions.append(Dimension(axis, start, extent, axis.step))
    return None if wanted else Space(tuple(reversed(dimensions)))


def holds(guards: Iterable[tuple[Compiled, bool]], point: Point) -> bool:
    """Whether all conditions have their value at a point. A condition without a value there does not hold."""
    try:
        return all(bool(cond.at(point)) == wanted for cond, wanted in guards)
    except Unresolved:
        return False


def compiled_guards(evaluate: Evaluator, guards: Iterable[Guard]) -> tuple[tuple[Compiled, bool], ...] | None:
    """The conditions as functions of a point; None if one of them cannot be computed."""
    found: list[tuple[Compiled, bool]] = []
    for guard in guards:
        cond = evaluate(guard.cond)
        if cond is None:
            return None
        found.append((cond, guard.holds))
    return tuple(found)


def guard_variables(guards: Iterable[tuple[Compiled, bool]]) -> frozenset[Var]:
    """All variables that the conditions mention."""
    return frozenset(var for cond, _ in guards for var in cond.variables)


def _enumerate(
    dimensions: tuple[Dimension, ...], depth: int, point: Point, caps: Sequence[int], ends: Collection[Var]
) -> Iterator[Point]:
    if depth == len(dimensions):
        yield point
        return
    dimension = dimensions[depth]
    try:
        start, extent = dimension.start.at(point), dimension.extent.at(point)
    except Unresolved:
        return
    count = -(-extent // dimension.step)
    for number in _steps(count, caps[depth], dimension.axis.var in ends):
        point[dimension.axis.var] = start + number * dimension.step
        yield from _enumerate(dimensions, depth + 1, point, caps, ends)


def _steps(count: int, cap: int, ends: bool) -> Iterator[int]:
    """The first ``cap`` of ``count`` steps; with ``ends`` the last of them is replaced by the last of all."""
    if count <= cap or not ends:
        yield from range(min(count, cap))
    else:
        yield from range(cap - 1)
        yield count - 1


def _caps(dimensions: tuple[Dimension, ...], base: Point, budget: int, free: Collection[Var]) -> list[int]:
    """How many values each axis may take so that there are about ``budget`` points."""
    caps: list[int] = []
    for dimension in dimensions:
        try:
            count = max(1, -(-dimension.extent.at(base) // dimension.step))
            caps.append(min(count, 3) if dimension.axis.var in free else count)
        except (KeyError, Unresolved):
            caps.append(32)  # the bounds depend on another axis: triangular loops are short
    total = 1
    for cap in caps:
        total *= cap
    while total > budget and max(caps, default=0) > 2:
        longest = caps.index(max(caps))
        shorter = max(2, min(caps[longest] // 2, caps[longest] - 1))
        total = total // caps[longest] * shorter
        caps[longest] = shorter
    return caps
