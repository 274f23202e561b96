"""Legal IR passes, each kind of illegal IR is named."""

from __future__ import annotations

import pytest
from passes.samples import F16, copy, fragment, loop_var, matmul, program, reduce, serial, shared

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Load, Var
from tilelang.ir.program import Program
from tilelang.ir.spec import Stage, check
from tilelang.ir.stmt import Alloc, Atomic, Fill, For, Jump, Launch, Let, Scope, Stmt, Store

TILE, X = shared("tile", 8), fragment("x", 8)
II, JJ = loop_var("i"), loop_var("j")


def test_legal_programs() -> None:
    assert check(matmul(), "built") == []
    assert check(matmul(), "opened") != [], "hand-built statements have no span"


def in_kernel(*body: Stmt) -> Program:
    return program((TILE, X), *body)


NESTED = Launch((1,), (32,), (Var(INT32, "c", "block"),), (Var(INT32, "t", "thread"),), ())


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (in_kernel(For("serial", (II, JJ), (0,), (4,), ())), "loop with 2 variables, 1 starts, 1 extents"),
        (in_kernel(For("pipelined", (II, JJ), (0, 0), (4, 4), ())), "pipelined loop over several variables"),
        (in_kernel(For("serial", (II,), (0,), (4,), (), 0)), "loop with step 0"),
        (in_kernel(serial(II, 4), serial(II, 4)), "i is bound twice"),
        (in_kernel(Store(TILE, (II,), 0)), "loop variable i used out of its scope"),
        (in_kernel(Let(Var(INT32, "n", "loop"), 1)), "n is a loop variable, bound as let"),
        (in_kernel(NESTED), "launch inside a launch"),
        (in_kernel(Jump("break")), "break outside a loop"),
        (in_kernel(Alloc(TILE)), "tile is allocated twice"),
        (in_kernel(copy(shared("ghost", 8), X)), "ghost used without an allocation"),
        (in_kernel(Fill(Region(TILE, None, (0, 0), (8,)), 0)), "box of tile with 2 starts for 1 dimensions"),
        (in_kernel(Fill(Region(TILE, None, (0,), (8, 8)), 0)), "box of tile: 1 starts, 2 extents"),
        (program((Buffer("odd", (8,), F16, "shared.odd"),)), "odd in unknown scope 'shared.odd'"),
        (program((Buffer("thin", (8, 8), F16, "shared", (8,)),)), "thin has 2 dimensions and 1 strides"),
    ],
)
def test_violations(made: Program, text: str) -> None:
    assert text in check(made, "built")


@pytest.mark.parametrize("stage", ["frontend", "opened"])
def test_boxes_are_resolved_after_the_frontend(stage: Stage) -> None:
    made = in_kernel(Fill(Region(TILE, (0,), (), None), 0))
    assert any("is not resolved" in text for text in check(made, stage))
    assert not any("is not resolved" in text for text in check(made, "built"))


def test_opened_programs_have_no_reduction_of_shared_memory() -> None:
    made = in_kernel(reduce(TILE, X, 0))
    assert "reduction of shared memory" in check(made, "opened")
    assert "reduction of shared memory" not in check(made, "frontend")


def test_an_incomplete_program_may_use_what_it_never_allocates() -> None:
    made = in_kernel(copy(shared("ghost", 8), X))
    partial = Program(made.name, made.params, made.body, complete=False)
    assert check(partial, "built") == []


def test_what_a_plain_with_binds_stays_bound() -> None:
    n = Var(INT32, "n", "let")
    block = Scope("ws_op", (), (Let(n, 1), Alloc(shared("late", 8))))
    assert check(in_kernel(block, Store(TILE, (n,), 0)), "built") == []


def test_an_operation_may_bind_its_result() -> None:
    n = Var(INT32, "n", "let")
    exchange = Atomic("load", Load(F16, TILE, (0,)), None, attrs=(("result", n),))
    assert check(in_kernel(exchange, Store(TILE, (n,), 0)), "built") == []
