"""Canonical forms of integer expressions.

An expression becomes a constant plus a sum of ``coefficient * atom * atom ...``. Atoms are variables, floor
quotients of canonical forms, other pure operations on them, and one fresh :class:`Unique` for every part whose
value is not determined (a read of memory, a call, an unknown value, a type that wraps around). ``a % b`` is
``a - b * (a // b)``, so quotients and remainders of one division cancel. Equal forms mean equal values in every
environment; different forms mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import TYPE_CHECKING

from tilelang.ir.arith.interval import UNBOUNDED, Interval, Ranges, interval_of, range_of_var, type_range
from tilelang.ir.arith.terms import is_exact_integer, postorder
from tilelang.ir.expr import Binary, Cast, Const, Expr, Select, Unary, Var, const_int, is_comparison

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TERMS = 48
"""Forms with more terms become one atom: kernels index with a handful, and products multiply."""
MAX_DEPTH = 24
"""Forms with divisions nested deeper become one atom. Hashing and bounding a form recurse this far at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Unique:
    """A value that equals nothing but itself. ``expr`` is where it came from."""

    expr: object


@dataclass(frozen=True, slots=True)
class Quotient:
    """``numerator // divisor`` after everything divisible was taken out."""

    numerator: Affine
    divisor: Affine

    @property
    def depth(self) -> int:
        return 1 + max(self.numerator.depth, self.divisor.depth)


@dataclass(frozen=True, slots=True)
class Pure:
    """Any other operation whose value depends on its operands only. ``expr`` is one expression that has this value."""

    op: str
    args: tuple[Affine, ...]
    expr: object = field(compare=False)

    @property
    def depth(self) -> int:
        return 1 + max(arg.depth for arg in self.args)


Atom = Var | Quotient | Pure | Unique
Monomial = frozenset[tuple[Atom, int]]
"""A product of atoms with their powers; powers are positive."""


@dataclass(frozen=True, slots=True)
class Affine:
    """``const + sum(coefficient * product)``. Invariant: no coefficient is zero."""

    terms: Mapping[Monomial, int]
    const: int = 0
    depth: int = field(init=False, compare=False, default=0)
    """How deep divisions and other operations nest inside."""

    def __post_init__(self) -> None:
        inner = [atom.depth for product in self.terms for atom, _ in product if isinstance(atom, (Quotient, Pure))]
        object.__setattr__(self, "depth", max(inner, default=0))

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.const))

    @property
    def is_const(self) -> bool:
        return not self.terms

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for product, factor in other.terms.items():
            total = terms.pop(product, 0) + factor
            if total:
                terms[product] = total
        return Affine(terms, self.const + other.const)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Affine:
        if factor == 0:
            return ZERO
        return Affine({product: value * factor for product, value in self.terms.items()}, self.const * factor)

    def __mul__(self, other: Affine) -> Affine:
        if self.is_const:
            return other.scaled(self.const)
        if other.is_const:
            return self.scaled(other.const)
        result = other.scaled(self.const)
        for product, factor in self.terms.items():
            terms = {_product(product, with_product): factor * value for with_product, value in other.terms.items()}
            if other.const:
                terms[product] = factor * other.const
            result = result + Affine(terms)
        return result

    def range(self, ranges: Ranges) -> Interval:
        """Bounds by adding up the bounds of the terms, remainders ``n - d * (n // d)`` taken together."""
        remainders, rest = split_remainders(self)
        total = Interval(rest.const, rest.const)
        for factor, numerator, divisor in remainders:
            total = total + numerator.range(ranges).floormod(Interval(divisor, divisor)).scaled(factor)
        for product, factor in rest.terms.items():
            span = Interval(1, 1)
            for atom, power in product:
                base = range_of_atom(atom, ranges)
                for _ in range(power):
                    span = span * base
            total = total + span.scaled(factor)
        return total


ZERO = Affine({})
ONE = Affine({}, 1)


def constant(number: int) -> Affine:
    return Affine({}, number)


def of_atom(atom: Atom) -> Affine:
    return Affine({frozenset(((atom, 1),)): 1})


def _product(a: Monomial, b: Monomial) -> Monomial:
    powers: dict[Atom, int] = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return frozenset(powers.items())


def split_remainders(form: Affine) -> tuple[tuple[tuple[int, Affine, int], ...], Affine]:
    """Writes a form as ``sum(factor * (numerator % divisor)) + rest``; returns the triples and the rest."""
    found: list[tuple[int, Affine, int]] = []
    for product, factor in form.terms.items():
        atom = _single(product)
        if not isinstance(atom, Quotient) or not atom.divisor.is_const or factor % atom.divisor.const:
            continue
        times = -factor // atom.divisor.const
        if form.terms.get(product) == factor and _contains(form, atom.numerator, times):
            found.append((times, atom.numerator, atom.divisor.const))
            form = form - atom.numerator.scaled(times) - Affine({product: factor})
    return tuple(found), form


def _contains(form: Affine, part: Affine, times: int) -> bool:
    return all(form.terms.get(product) == factor * times for product, factor in part.terms.items())


def _single(product: Monomial) -> Atom | None:
    """The atom of a product that is just one atom."""
    if len(product) != 1:
        return None
    ((atom, power),) = product
    return atom if power == 1 else None


def range_of_atom(atom: Atom, ranges: Ranges) -> Interval:
    if isinstance(atom, Var):
        return range_of_var(atom, ranges)
    if isinstance(atom, Quotient):
        return atom.numerator.range(ranges).floordiv(atom.divisor.range(ranges))
    if isinstance(atom, Pure):
        if atom.op in ("min", "max"):
            low, high = (arg.range(ranges) for arg in atom.args)
            join = low.minimum(high) if atom.op == "min" else low.maximum(high)
            return join.intersect(interval_of(atom.expr, ranges))
        return interval_of(atom.expr, ranges)
    return interval_of(atom.expr, ranges) if isinstance(atom.expr, Expr) else UNBOUNDED


def affine(value: object, ranges: Ranges | None = None) -> Affine:
    """The canonical form of an operand. ``ranges`` lets quotients by a constant vanish where the numerator is known
    to be small; forms are then equal only under these ranges."""
    within: Ranges = {} if ranges is None else ranges
    known: dict[int, Affine] = {}
    for term in postorder(value):
        form = _form(term, known, within)
        small = len(form.terms) <= MAX_TERMS and form.depth <= MAX_DEPTH
        known[id(term)] = form if small else of_atom(Unique(term))
    return known[id(value)]


def _form(term: object, known: Mapping[int, Affine], ranges: Ranges) -> Affine:
    number = const_int(term) if isinstance(term, (int, Const)) else None
    if number is not None:
        return constant(number)
    if isinstance(term, Var) and is_exact_integer(term):
        return of_atom(term)
    if isinstance(term, Var) and term.kind != "unknown" and term.dtype.is_bool:
        return of_atom(term)
    if isinstance(term, Cast):
        return _cast(term, known[id(term.value)], ranges)
    if isinstance(term, Unary) and term.op == "-" and is_exact_integer(term):
        return known[id(term.a)].scaled(-1)
    if isinstance(term, Unary) and term.op == "not":
        return _pure("not", term, (known[id(term.a)],))
    if isinstance(term, Select) and is_exact_integer(term):
        return _select(term, known)
    if isinstance(term, Binary):
        return _binary(term, known[id(term.a)], known[id(term.b)], ranges)
    return of_atom(Unique(term))


def _cast(term: Cast, inner: Affine, ranges: Ranges) -> Affine:
    """A cast keeps the value if the value fits; otherwise it may wrap."""
    if not is_exact_integer(term):
        return of_atom(Unique(term))
    source = term.value
    if isinstance(source, Expr) and is_exact_integer(source):
        widens = source.dtype.bits <= term.dtype.bits and source.dtype.is_signed == term.dtype.is_signed
        span = inner.range(ranges)
        fits = span.lo is not None and span.lo >= 0 and span.hi is not None and span.hi < 1 << (term.dtype.bits - 1)
        if widens or fits:
            return inner
    return inner if inner.is_const and 0 <= inner.const < 1 << 31 else of_atom(Unique(term))


def _select(term: Select, known: Mapping[int, Affine]) -> Affine:
    cond, then, other = known[id(term.cond)], known[id(term.then)], known[id(term.other)]
    if cond.is_const:
        return then if cond.const else other
    return then if then == other else _pure("select", term, (cond, then, other))


def _binary(term: Binary, a: Affine, b: Affine, ranges: Ranges) -> Affine:
    op = term.op
    if is_comparison(op):
        return _comparison(term, a, b, ranges)
    if not is_exact_integer(term):
        return of_atom(Unique(term))
    if op in ("+", "-", "*"):
        return _sum_or_product(term, a, b, ranges)
    if op in ("//", "%") and b != ZERO:
        whole = quotient(a, b, ranges)
        return whole if op == "//" else a - b * whole
    if op in ("truncdiv", "truncmod") and b != ZERO and _is_natural(a, ranges) and _is_natural(b, ranges):
        whole = quotient(a, b, ranges)
        return whole if op == "truncdiv" else a - b * whole
    if op == "<<" and b.is_const and 0 <= b.const < 63:
        return a.scaled(1 << b.const)
    if op == ">>" and b.is_const and 0 <= b.const < 63:
        return quotient(a, constant(1 << b.const), ranges)
    if op == "&" and b.is_const and b.const >= 0 and b.const & (b.const + 1) == 0:
        step = constant(b.const + 1)
        return a - step * quotient(a, step, ranges)
    if op in ("min", "max"):
        return _extremum(term, a, b, ranges)
    if op in ("&", "|", "^", "<<", ">>", "truncdiv", "truncmod"):
        return _pure(op, term, (a, b))
    if op == "**" and b.is_const and 0 <= b.const <= 4:
        result = ONE
        for _ in range(b.const):
            result = result * a
        return result
    return of_atom(Unique(term))


def _sum_or_product(term: Binary, a: Affine, b: Affine, ranges: Ranges) -> Affine:
    if term.op == "*":
        if (len(a.terms) + 1) * (len(b.terms) + 1) > 4 * MAX_TERMS:
            return of_atom(Unique(term))
        exact = a * b
    else:
        exact = a + b if term.op == "+" else a - b
    # Unsigned arithmetic wraps around on purpose (hashes, random numbers), signed arithmetic must not.
    if term.dtype.is_signed or exact.range(ranges).within(type_range(term.dtype)):
        return exact
    return _pure(term.op, term, (a, b))


def _pure(op: str, term: Expr, args: tuple[Affine, ...]) -> Affine:
    if all(arg.is_const for arg in args):
        folded = _fold(op, args[0].const, args[-1].const)
        if folded is not None:
            return constant(folded)
    if op in _COMMUTATIVE and hash(args[1]) < hash(args[0]):
        args = args[::-1]
    return of_atom(Pure(op, args, term))


_COMMUTATIVE = frozenset(("min", "max", "&", "|", "^", "==", "!=", "and", "or"))


def _fold(op: str, a: int, b: int) -> int | None:
    if op == "&":
        return a & b
    if op == "|":
        return a | b
    if op == "^":
        return a ^ b
    return int(not a) if op == "not" else None


def _is_natural(form: Affine, ranges: Ranges) -> bool:
    low = form.range(ranges).lo
    return low is not None and low >= 0


def _extremum(term: Binary, a: Affine, b: Affine, ranges: Ranges) -> Affine:
    gap = (a - b).range(ranges)
    smaller, larger = (a, b) if term.op == "min" else (b, a)
    if gap.hi is not None and gap.hi <= 0:
        return smaller
    if gap.lo is not None and gap.lo >= 0:
        return larger
    return _pure(term.op, term, (a, b))


def _comparison(term: Binary, a: Affine, b: Affine, ranges: Ranges) -> Affine:
    op = term.op
    integers = all(
        isinstance(side, int) or (isinstance(side, Expr) and (is_exact_integer(side) or side.dtype.is_bool))
        for side in (term.a, term.b)
    )
    if not integers:
        return of_atom(Unique(term))
    if op in ("and", "or"):
        if a.is_const and b.is_const:
            return constant(int(bool(a.const and b.const) if op == "and" else bool(a.const or b.const)))
        return _pure(op, term, (a, b))
    gap = (a - b).range(ranges)
    verdict = _decide(op, gap)
    return _pure(op, term, (a, b)) if verdict is None else constant(int(verdict))


def _decide(op: str, gap: Interval) -> bool | None:
    """The truth of ``a op b`` from the range of ``a - b``."""
    below = gap.hi is not None and gap.hi < 0
    above = gap.lo is not None and gap.lo > 0
    at_most = gap.hi is not None and gap.hi <= 0
    at_least = gap.lo is not None and gap.lo >= 0
    if op in ("==", "!="):
        if gap.value == 0:
            return op == "=="
        return op == "!=" if below or above else None
    yes, no = {
        "<": (below, at_least),
        "<=": (at_most, above),
        ">": (above, at_most),
        ">=": (at_least, below),
    }[op]
    return True if yes else False if no else None


def quotient(a: Affine, b: Affine, ranges: Ranges) -> Affine:
    """``a // b`` rounded down, with everything that is a multiple of ``b`` taken out of the division."""
    if not b.is_const:
        if a == b:
            # Only where b is not zero; where it is, the program has no value to disagree with.
            return ONE
        return of_atom(Quotient(a, b))
    divisor = b.const
    if divisor < 0:
        a, divisor = a.scaled(-1), -divisor
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for product, factor in a.terms.items():
        if factor // divisor:
            whole[product] = factor // divisor
        if factor % divisor:
            rest[product] = factor % divisor
    taken = Affine(whole, a.const // divisor)
    if not rest:
        return taken
    remainder = Affine(rest, a.const % divisor)
    span = remainder.range(ranges)
    if span.lo is not None and span.hi is not None and span.lo // divisor == span.hi // divisor:
        return taken + constant(span.lo // divisor)
    # floor((g * t + r) / (g * d)) == floor(t / d) if 0 <= r < g
    for common in sorted({gcd(divisor, factor) for factor in rest.values()} - {1}, reverse=True):
        low = Affine({p: f for p, f in rest.items() if f % common}, remainder.const % common)
        if low.range(ranges).within(Interval(0, common - 1)):
            high = Affine({p: f // common for p, f in rest.items() if not f % common}, remainder.const // common)
            return taken + _nested(high, divisor // common, ranges)
    return taken + _nested(remainder, divisor, ranges)


def _nested(numerator: Affine, divisor: int, ranges: Ranges) -> Affine:
    """Rewrites ``(x // a + c) // d`` as ``(x + a * c) // (a * d)``."""
    if len(numerator.terms) == 1:
        ((product, factor),) = numerator.terms.items()
        atom = _single(product)
        if factor == 1 and isinstance(atom, Quotient) and atom.divisor.is_const:
            inner = atom.divisor.const
            return quotient(atom.numerator + constant(numerator.const * inner), constant(inner * divisor), ranges)
    return of_atom(Quotient(numerator, constant(divisor)))


def atoms(form: Affine) -> tuple[Atom, ...]:
    """Every atom of a form, those inside quotients and operations included."""
    found: list[Atom] = []
    stack = [form]
    while stack:
        for product in stack.pop().terms:
            for atom, _ in product:
                found.append(atom)
                if isinstance(atom, Quotient):
                    stack += (atom.numerator, atom.divisor)
                elif isinstance(atom, Pure):
                    stack += atom.args
    return tuple(found)


def is_determined(form: Affine) -> bool:
    """Whether a form depends on named variables only."""
    return not any(isinstance(atom, Unique) for atom in atoms(form))
