"""Walks over the tile IR."""

from __future__ import annotations

from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Operand, Var
from tilelang.ir.visit import subterms, variables


def test_shared_terms_come_once() -> None:
    x: Operand = Var(INT32, "x")
    for _ in range(60):
        x = Binary(INT32, "+", x, x)
    assert sum(isinstance(term, Binary) for term in subterms(x)) == 60


def test_variables_repeat() -> None:
    x, y = Var(INT32, "x"), Var(INT32, "y")
    assert list(variables(Binary(INT32, "+", x, Binary(INT32, "*", y, x)))) == [x, y, x]
