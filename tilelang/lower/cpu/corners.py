"""Checks in front of a nest in place of checks inside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.arith import affine, prove_le, prove_lt, try_const
from tilelang.ir.expr import Expr, Load, Var
from tilelang.ir.stmt import Atomic, For, Let, Store
from tilelang.ir.visit import operands, subterms, walk
from tilelang.lower import tir
from tilelang.lower.cpu.boxes import binary, plus
from tilelang.lower.tir import tirx

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.expr import Operand
    from tilelang.ir.stmt import Stmt
    from tilelang.lower.cpu.kernel import BlockLowering
    from tilelang.lower.cpu.nests import Nest


class Corners:
    """The accesses of a nest whose indices run evenly with its loops. ``even``: their identities, as
    :attr:`BlockLowering.assumed` has them."""

    def __init__(self, kernel: BlockLowering, nest: Nest) -> None:
        self._kernel = kernel
        self._tops: dict[Var, tuple[Operand, Operand]] = {}
        for number, (var, extent) in enumerate(zip(nest.loops, nest.extents, strict=True)):
            start = nest.starts[number] if nest.starts else 0
            self._tops[var] = (start, plus(start, binary("-", extent, 1)))
        self._fixed: set[Var] = set()
        for stmt in walk(nest.body):
            if isinstance(stmt, For) and try_const(stmt.step) == 1:
                for var, start, extent in zip(stmt.vars, stmt.starts, stmt.extents, strict=True):
                    first, length = try_const(start), try_const(extent)
                    if first is not None and length is not None and length > 0:
                        self._tops[var] = (first, first + length - 1)
                    else:
                        self._fixed.add(var)
            elif isinstance(stmt, For):
                self._fixed.update(stmt.vars)
            elif isinstance(stmt, Let):
                self._fixed.add(stmt.var)
            elif isinstance(stmt, Atomic):
                result = stmt.attr("result")
                if isinstance(result, Var):
                    self._fixed.add(result)
        self._nest = nest
        self.even: set[int] = set()

    def conditions(self) -> list[tir.Expr]:
        """What makes all even accesses fall inside of their buffers."""
        found: list[tir.Expr] = []
        seen: list[tuple[Operand, Operand]] = []
        for buffer, indices in accesses_of(self._nest.body):
            dims = self._kernel.open_dims(buffer, indices)
            if not dims or id(indices) in self.even:
                continue
            forms = [self._signs(indices[dim]) for dim in dims]
            if None in forms:
                continue
            self.even.add(id(indices))
            for dim, signs in zip(dims, forms, strict=True):
                pair = (indices[dim], buffer.shape[dim])
                if signs is None or any(pair[0] == a and pair[1] == b for a, b in seen):
                    continue
                seen.append(pair)
                found += self._check(indices[dim], buffer.shape[dim], signs)
        return found

    def _signs(self, index: Operand) -> Mapping[Var, int] | None:
        """In which direction an index runs with each loop; ``None`` if that is not the same everywhere or not known in
        front of the nest."""
        form = affine(index, self._kernel.ranges)
        signs: dict[Var, int] = {}
        for product, factor in form.terms.items():
            for atom, power in product:
                if isinstance(atom, Var):
                    if atom in self._fixed:
                        return None
                    if atom in self._tops:
                        if len(product) != 1 or power != 1:
                            return None
                        signs[atom] = factor
                elif self._moves(atom):
                    return None
        if any(isinstance(term, Load) for term in subterms(index)):
            return None
        return signs

    def _moves(self, atom: object) -> bool:
        """Whether a part that is no variable may change inside of the nest."""
        inside = (*self._tops, *self._fixed)
        return any(_mentions(atom, var) for var in inside)

    def _check(self, index: Operand, extent: Operand, signs: Mapping[Var, int]) -> list[tir.Expr]:
        kernel = self._kernel
        found: list[tir.Expr] = []
        for lowest in (True, False):
            for var, (low, high) in self._tops.items():
                rising = signs.get(var, 1) > 0
                kernel.scalars.bind(var, kernel.integer(low if rising == lowest else high, _kind(kernel, var)))
            value = kernel.integer(index, "int64")
            if lowest:
                if not prove_le(0, index, kernel.ranges):
                    found.append(tirx.LE(tir.const(0, "int64"), value))
            elif not prove_lt(index, extent, kernel.ranges):
                found.append(tirx.LT(value, kernel.integer(extent, "int64")))
            for var in self._tops:
                kernel.scalars.unbind(var)
        return found


def _kind(kernel: BlockLowering, var: Var) -> str:
    return kernel.scalars.compute(var.dtype)


def _mentions(atom: object, var: Var) -> bool:
    """Whether an atom of an affine form, of whatever kind, has a variable in it."""
    if atom is var:
        return True
    if isinstance(atom, Expr):
        return any(term is var for term in subterms(atom))
    parts: list[Any] = [getattr(atom, name) for name in ("expr", "numerator", "divisor", "args") if hasattr(atom, name)]
    for part in parts:
        for one in cast("tuple[Any, ...]", part) if isinstance(part, tuple) else (part,):
            if isinstance(one, Expr) and any(term is var for term in subterms(one)):
                return True
            terms = getattr(one, "terms", None)
            if terms is not None and any(_mentions(inner, var) for product in terms for inner, _ in product):
                return True
    return False


def accesses_of(body: Sequence[Stmt]) -> Iterator[tuple[Buffer, tuple[Operand, ...]]]:
    """Every element that the statements name."""
    for stmt in walk(tuple(body)):
        if isinstance(stmt, Store):
            yield stmt.buffer, stmt.indices
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, Load):
                    yield term.buffer, term.indices
