"""Evaluating indices at points, and the points of a space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import BOOL, INT32, dtype
from tilelang.ir.expr import Binary, Cast, Const, Load, Select, Unary, Var
from tilelang.ir.span import NOWHERE
from tilelang.passes.access.evaluate import Evaluator, Unresolved
from tilelang.passes.access.points import compiled_guards, holds, space_of
from tilelang.passes.access.sites import Axis, Guard

II, J, N = Var(INT32, "i", "loop"), Var(INT32, "j", "loop"), Var(INT32, "n", "let")
EVALUATE = Evaluator({N: Binary(INT32, "*", II, 3)})


def plus(a: object, b: object) -> Binary:
    return Binary(INT32, "+", a, b)  # type: ignore[arg-type]  # operands


@given(st.integers(-50, 50), st.integers(1, 9))
def test_operations_are_those_of_python(a: int, b: int) -> None:
    point = {II: a, J: b}
    for op, expected in (("+", a + b), ("-", a - b), ("*", a * b), ("//", a // b), ("%", a % b), ("min", min(a, b))):
        compiled = EVALUATE(Binary(INT32, op, II, J))
        assert compiled is not None
        assert compiled.at(point) == expected
    truncated = EVALUATE(Binary(INT32, "truncdiv", II, J))
    assert truncated is not None
    assert truncated.at(point) == int(a / b)


def test_selection_negation_and_bound_names() -> None:
    chosen = EVALUATE(Select(INT32, Binary(BOOL, "<", II, 2), Unary(INT32, "-", II), N))
    assert chosen is not None
    assert chosen.variables == {II}
    assert [chosen.at({II: value}) for value in (0, 1, 2)] == [0, -1, 6]


@pytest.mark.parametrize(
    "value",
    [Load(INT32, Buffer("s", (4,), INT32), (0,)), Const(dtype("float32"), 1.5), Var(INT32, "p", "param"), "text"],
)
def test_what_memory_holds_has_no_value(value: object) -> None:
    assert EVALUATE(value) is None


def test_no_value_at_one_point() -> None:
    divided, narrow = EVALUATE(Binary(INT32, "//", 8, II)), EVALUATE(Cast(dtype("int8"), II))
    assert divided is not None
    assert narrow is not None
    with pytest.raises(Unresolved):
        divided.at({II: 0})
    with pytest.raises(Unresolved):
        narrow.at({II: 200})


def axis(var: Var, start: object, extent: object, step: int | None = 1) -> Axis:
    return Axis(var, "serial", start, extent, step, NOWHERE)  # type: ignore[arg-type]  # operands


def test_points_of_dependent_loops() -> None:
    space = space_of(EVALUATE, [axis(II, 0, 3), axis(J, II, plus(II, 1), 2)], {J})
    assert space is not None
    found = [(point[II], point[J]) for point in space.points({})]
    assert found == [(0, 0), (1, 1), (2, 2), (2, 4)]


def test_long_axes_keep_their_ends() -> None:
    space = space_of(EVALUATE, [axis(II, 0, 10_000)], {II})
    assert space is not None
    values = [point[II] for point in space.points({}, 16)]
    assert len(values) <= 16
    assert (values[0], values[-1]) == (0, 9_999)
    assert not space.is_within({}, 16)
    assert [point[II] for point in space.points({}, 4, ends=False)] == [0, 1, 2, 3]


def test_no_space_without_bounds() -> None:
    assert space_of(EVALUATE, [], {II}) is None
    assert space_of(EVALUATE, [axis(II, 0, 8, None)], {II}) is None
    assert space_of(EVALUATE, [axis(II, 0, Var(INT32, "m", "param"))], {II}) is None
    assert space_of(EVALUATE, [], {II}, {II}) is not None


def test_conditions() -> None:
    guards = compiled_guards(EVALUATE, [Guard(Binary(BOOL, "<", II, 4), True, NOWHERE), Guard(J, False, NOWHERE)])
    assert guards is not None
    assert holds(guards, {II: 3, J: 0})
    assert not holds(guards, {II: 4, J: 0})
    assert not holds(guards, {II: 3, J: 1})
    assert compiled_guards(EVALUATE, [Guard("text", True, NOWHERE)]) is None
