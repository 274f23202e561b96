"""Two iterations, or two blocks, that touch the same element."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import affine, try_const
from tilelang.ir.arith.affine import Quotient
from tilelang.ir.expr import Var
from tilelang.ir.visit import variables
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tilelang.ir.arith import Ranges
    from tilelang.ir.arith.affine import Affine, Atom
    from tilelang.passes.access.evaluate import Compiled, Point
    from tilelang.passes.access.points import Space
    from tilelang.passes.access.sites import Axis, Site, Sites

    Element = tuple[int, ...]
    Accept = Callable[["Point", "Point"], bool]

MAX_ALIKE = 4
"""Iterations kept for one element. More say nothing new unless all of them write the same value."""
MAX_TRIALS = 64
"""Pairs that are offered to ``accept`` before the question counts as unanswered."""
OUTER_POINTS = 3
"""Points of the loops around that are tried. What goes wrong usually does so in the first."""


class Collision(NamedTuple):
    """``first`` and ``second`` differ in a variable that counts, and both touch ``element``."""

    first: Mapping[Var, int]
    second: Mapping[Var, int]
    element: Element


def collision(
    sites: Sites,
    pair: tuple[Site, Site],
    private: Sequence[Axis],
    differ: frozenset[Var],
    base: Mapping[Var, int],
    accept: Accept,
) -> Collision | None:
    """Two points with the same values outside of ``private`` axes, other values of ``differ`` variables, and the same
    element. Both sites of the pair must run there. ``base``: values of variables that are no axis. None if there is no
    such pair, or none was found."""
    first = _Half.of(sites, pair[0], base)
    second = first if pair[0] is pair[1] else _Half.of(sites, pair[1], base)
    if first is None or second is None:
        return None
    own = frozenset(axis.var for axis in private)
    used = first.used | second.used
    free = (differ - used) & own
    if not free and are_injective(sites.ranges, pair, own, differ):
        return None
    outer = space_of(sites.evaluate, pair[0].axes, used - own, frozenset(base))
    inner = space_of(sites.evaluate, private, (used & own) | free, frozenset(base) | (used - own))
    if outer is None or inner is None:
        return None
    for around in islice(outer.points(base, OUTER_POINTS), OUTER_POINTS):
        found = _search(inner, dict(around), (first, second), differ, free, accept)
        if found is not None:
            return found
    return None


class _Half(NamedTuple):
    """One side of a pair: where it is and when it runs, as functions of a point. What lies outside of the buffer counts
    as nowhere: there the compiler skips the access, or another rule reports it."""

    indices: tuple[Compiled, ...]
    limits: tuple[int | None, ...]
    guards: tuple[tuple[Compiled, bool], ...]
    used: frozenset[Var]

    @staticmethod
    def of(sites: Sites, site: Site, base: Mapping[Var, int]) -> _Half | None:
        if site.indices is None or not site.certain:
            return None
        indices, guards = sites.evaluate.all(site.indices), compiled_guards(sites.evaluate, site.guards)
        if indices is None or guards is None:
            return None
        used = frozenset(var for index in indices for var in index.variables) | guard_variables(guards)
        limits = tuple(try_const(size) for size in site.access.buffer.shape)
        return _Half(indices, limits, guards, used - frozenset(base))

    def element(self, point: Point) -> Element | None:
        if not holds(self.guards, point):
            return None
        try:
            element = tuple(index.at(point) for index in self.indices)
        except Unresolved:
            return None
        return element if is_inside(element, self.limits) else None


def is_inside(element: Element, limits: Sequence[int | None]) -> bool:
    """Whether an element lies in a buffer of these sizes, as far as they are known."""
    return all(at >= 0 and (limit is None or at < limit) for at, limit in zip(element, limits, strict=True))


def _search(
    inner: Space, base: Point, halves: tuple[_Half, _Half], differ: frozenset[Var], free: frozenset[Var], accept: Accept
) -> Collision | None:
    first, second = halves
    seen: dict[Element, list[Point]] = {}
    trials = 0
    for point in inner.points(base, free=free, ends=False):
        element = first.element(point)
        if element is None:
            continue
        alike = seen.setdefault(element, [])
        if first is second:
            for other in alike:
                if _differ(other, point, differ):
                    trials += 1
                    if accept(other, point):
                        return Collision(dict(other), dict(point), element)
            if trials > MAX_TRIALS:
                return None
        if len(alike) < MAX_ALIKE:
            alike.append(dict(point))
    if first is second:
        return None
    for point in inner.points(base, free=free, ends=False):
        element = second.element(point)
        for other in seen.get(element, ()) if element is not None else ():
            if _differ(other, point, differ):
                trials += 1
                if accept(other, point):
                    return Collision(dict(other), dict(point), element or ())
        if trials > MAX_TRIALS:
            return None
    return None


def _differ(one: Point, other: Point, differ: frozenset[Var]) -> bool:
    return any(one.get(var) != other.get(var) for var in differ)


# --- without enumeration --------------------------------------------------------------------------------------------


def are_injective(ranges: Ranges, pair: tuple[Site, Site], own: frozenset[Var], differ: frozenset[Var]) -> bool:
    """Whether different values of ``differ`` certainly mean different elements. Sound, not complete."""
    one, other = pair[0].indices or (), pair[1].indices or ()
    forms = [affine(index) for index in one]
    if pair[0] is not pair[1]:
        if any(_apart(a, b, ranges) for a, b in zip(one, other, strict=False)):
            return True
        if [affine(index) for index in other] != forms:
            return False
    found = _single(differ & own, ranges)
    for form in forms:
        found |= determined(form, ranges, own)
    return differ & own <= found


def _apart(a: object, b: object, ranges: Ranges) -> bool:
    one, other = affine(a).range(ranges), affine(b).range(ranges)
    return (one.hi is not None and other.lo is not None and one.hi < other.lo) or (
        other.hi is not None and one.lo is not None and other.hi < one.lo
    )


def _single(names: frozenset[Var], ranges: Ranges) -> set[Var]:
    """Variables with one value."""
    return {var for var in names if var in ranges and ranges[var].value is not None}


def determined(form: Affine, ranges: Ranges, own: frozenset[Var], reach: int = 0) -> set[Var]:
    """The private variables that the value of a form determines, given the others: as digits of a number, each
    coefficient is larger than what all smaller digits add up to. The value is known up to ``reach``."""
    digits: list[tuple[int, int, Var]] = []
    for product, factor in form.terms.items():
        atoms = [atom for atom, _ in product]
        if not any(_mentions(atom, own) for atom in atoms):
            continue
        ((atom, power),) = product if len(product) == 1 else ((None, 0),)
        span = ranges.get(atom) if isinstance(atom, Var) and power == 1 else None
        if span is None or span.lo is None or span.hi is None or not isinstance(atom, Var):
            return set()
        digits.append((abs(factor), span.hi - span.lo, atom))
    digits.sort(key=lambda digit: digit[0])
    for weight, length, _ in digits:
        if length and weight <= reach:
            return set()
        reach += weight * length
    return {var for _, _, var in digits}


def _mentions(atom: Atom, own: frozenset[Var]) -> bool:
    return any(var in own for var in _variables_of(atom))


def _variables_of(atom: Atom) -> Iterator[object]:
    if isinstance(atom, Var):
        yield atom
    elif isinstance(atom, Quotient):
        for form in (atom.numerator, atom.divisor):
            yield from _variables_in(form)
    else:
        yield from variables(atom.expr)


def _variables_in(form: Affine) -> Iterator[object]:
    for product in form.terms:
        for atom, _ in product:
            yield from _variables_of(atom)
