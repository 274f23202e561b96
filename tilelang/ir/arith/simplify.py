"""Shorter expressions of the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith.affine import Affine, Atom, Monomial, Pure, Quotient, affine, split_remainders
from tilelang.ir.arith.terms import is_exact_integer, postorder
from tilelang.ir.dtype import INT32, DType
from tilelang.ir.expr import Binary, Expr, Var
from tilelang.ir.printer import text_of

if TYPE_CHECKING:
    from tilelang.ir.arith.interval import Ranges
    from tilelang.ir.expr import Operand


def simplify(value: Operand, ranges: Ranges | None = None) -> Operand:
    """``value`` in a shorter form if one is found, else unchanged. An integer expression that has one value becomes a
    plain number. Types stay: the result of an ``int64`` expression is ``int64``."""
    if not isinstance(value, Expr) or not (is_exact_integer(value) or value.dtype.is_bool):
        return value
    form = affine(value, ranges)
    if form.is_const:
        return form.const if is_exact_integer(value) else bool(form.const)
    if value.dtype.is_bool:
        return value
    shorter = to_expr(form, value.dtype)
    return shorter if _size(shorter) < _size(value) else value


def to_expr(form: Affine, dtype: DType = INT32) -> Operand:
    """An expression with the value of a form; added terms come before subtracted ones."""
    remainders, rest = split_remainders(form)
    parts: list[tuple[int, Operand]] = [(factor, _term(product, dtype)) for product, factor in rest.terms.items()]
    parts += [
        (factor, Binary(dtype, "%", to_expr(numerator, dtype), divisor)) for factor, numerator, divisor in remainders
    ]
    total: Operand | None = None
    for factor, term in sorted(parts, key=lambda part: part[0] < 0):
        scaled = term if abs(factor) == 1 else Binary(dtype, "*", term, abs(factor))
        if total is None:
            total = scaled if factor > 0 else Binary(dtype, "*", term, factor)
        else:
            total = Binary(dtype, "+" if factor > 0 else "-", total, scaled)
    if total is None:
        return rest.const
    if rest.const:
        return Binary(dtype, "+" if rest.const > 0 else "-", total, abs(rest.const))
    return total


def _term(product: Monomial, dtype: DType) -> Operand:
    result: Operand | None = None
    # A set has another order in each run; reports must not.
    factors = sorted(((_atom(atom, dtype), power) for atom, power in product), key=lambda pair: text_of(pair[0]))
    for factor, power in factors:
        for _ in range(power):
            result = factor if result is None else Binary(dtype, "*", result, factor)
    return 1 if result is None else result


def _atom(atom: Atom, dtype: DType) -> Operand:
    if isinstance(atom, Var):
        return atom
    if isinstance(atom, Quotient):
        return Binary(dtype, "//", to_expr(atom.numerator, dtype), to_expr(atom.divisor, dtype))
    if isinstance(atom, Pure) and atom.op in ("min", "max"):
        a, b = (to_expr(arg, dtype) for arg in atom.args)
        return Binary(dtype, atom.op, a, b)
    assert isinstance(atom.expr, Expr), "only expressions become opaque atoms of integer forms"
    return atom.expr


def _size(value: object) -> int:
    return sum(1 for _ in postorder(value))
