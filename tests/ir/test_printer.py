"""The text of tile IR."""

from __future__ import annotations

import pytest
from passes.samples import (
    box,
    copy,
    fragment,
    loop_var,
    matmul,
    pipelined,
    program,
    reduce,
    shared,
    tensor,
    times,
    whole,
)

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import BOOL, FLOAT32, INT32, VOID, dtype
from tilelang.ir.expr import Binary, Call, Cast, Const, Load, Select, Slice, Unary, Var
from tilelang.ir.printer import MAX_LENGTH, print_block, print_program, text_of, text_of_stmt
from tilelang.ir.program import Program
from tilelang.ir.span import Span
from tilelang.ir.stmt import Alloc, Atomic, Effect, Fill, If, Jump, Let, Scan, Scope, Stmt, Store, While

II, JJ = Var(INT32, "i", "loop"), Var(INT32, "j", "loop")
LESS = Binary(BOOL, "<", II, 4)
A = tensor("A", 64, 64)


def op(a: object, name: str, b: object) -> Binary:
    return Binary(INT32, name, a, b)  # type: ignore[arg-type]  # operands of the tests


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (op(op(II, "+", 1), "*", 2), "(i + 1) * 2"),
        (op(II, "-", op(JJ, "-", 1)), "i - (j - 1)"),
        (op(op(II, "-", JJ), "-", 1), "i - j - 1"),
        (op(op(II, "//", 4), "%", 8), "i // 4 % 8"),
        (op(II, "max", op(JJ, "min", 3)), "max(i, min(j, 3))"),
        (op(II, "**", op(JJ, "**", 2)), "i ** j ** 2"),
        (op(Unary(INT32, "-", II), "**", 2), "(-i) ** 2"),
        (op(-3, "*", II), "-3 * i"),
        (Binary(BOOL, "and", LESS, Unary(BOOL, "not", Binary(BOOL, "==", II, 0))), "i < 4 and not i == 0"),
        (Cast(FLOAT32, op(II, "+", 1)), "float32(i + 1)"),
        (Const(dtype("float16"), 0.5), "float16(0.5)"),
        (Select(INT32, LESS, II, 0), "i if i < 4 else 0"),
        (op(Select(INT32, LESS, II, 0), "+", 1), "(i if i < 4 else 0) + 1"),
        (Load(A.dtype, A, (II, op(JJ, "+", 1))), "A[i, j + 1]"),
        (Call(FLOAT32, "exp2", (II,), (("fast", True),)), "exp2(i, fast=True)"),
        (Slice(0, None, 2), "0::2"),
        (whole(A), "A"),
        (box(A, (times(II, 8), 8), (0, 64)), "A[i * 8:+8, 0:+64]"),
        (box(A, (II, 1), (0, 64)), "A[i, 0:+64]"),
        (Region(A, (II,), (), None), "A[i]"),
        ((1, II), "(1, i)"),
        ((II,), "(i,)"),
        (True, "True"),
        (None, "None"),
    ],
)  # fmt: skip
def test_expressions(value: object, text: str) -> None:
    assert text_of(value) == text


def test_long_and_deep_expressions_are_cut() -> None:
    deep: object = II
    for _ in range(10_000):
        deep = op(deep, "+", JJ)
    assert len(text_of(deep)) <= MAX_LENGTH
    doubling: object = II
    for _ in range(60):
        doubling = op(doubling, "+", doubling)
    assert "…" in text_of(doubling)


@pytest.mark.parametrize(
    ("stmt", "text"),
    [
        (Alloc(shared("t", 8, 8)), "alloc t: float16[8, 8] shared.dyn"),
        (Alloc(Buffer("v", (1,), INT32, "local.var"), 3), "alloc v: int32[1] local.var = 3"),
        (Store(A, (II, 0), 1.5), "A[i, 0] = 1.5"),
        (Let(Var(INT32, "n"), Load(INT32, A, (0, 0))), "let n: int32 = A[0, 0]"),
        (Fill(whole(A), 0), "fill A = 0"),
        (reduce(fragment("x", 4, 8), fragment("y", 4), 1), "reduce sum(dim=1) x -> y"),
        (Scan("cumsum", whole(A), whole(A), 0, True), "scan cumsum(dim=0, reverse=True) A -> A"),
        (Atomic("add", Load(A.dtype, A, (II, JJ)), 1), "atomic add A[i, j], 1"),
        (Effect(Call(VOID, "sync_threads", ())), "sync_threads()"),
        (Effect(Call(VOID, "mystery", (A,)), modelled=False), "mystery(A)  # not modelled"),
        (While(LESS, ()), "while i < 4:"),
        (If(LESS, ()), "if i < 4:"),
        (Scope("ws", (0,), ()), "with ws(0):"),
        (Jump("break"), "break"),
    ],
)
def test_statements(stmt: Stmt, text: str) -> None:
    assert text_of_stmt(stmt) == text


MATMUL = """\
program kernel(A: float16[1024, 1024], B: float16[1024, 1024], C: float16[1024, 1024]):
    launch grid=(bx: 8, by: 8) threads=(tx: 128):
        alloc A_shared: float16[128, 32] shared.dyn
        alloc B_shared: float16[32, 128] shared.dyn
        alloc C_local: float32[128, 128] local.fragment
        alloc C_shared: float16[128, 128] shared.dyn
        fill C_local = 0
        for ko in pipelined(32) @ num_stages=3:
            copy A[0:+128, ko * 32:+32] -> A_shared
            copy B[ko * 32:+32, 0:+128] -> B_shared
            gemm C_local += A_shared @ B_shared
        copy C_local -> C_shared
        copy C_shared -> C[0:+128, 0:+128]
"""


def test_a_whole_program() -> None:
    assert print_program(matmul()) == MATMUL


def test_names_that_clash_get_numbers() -> None:
    first, second = shared("tile", 8), shared("tile", 16)
    block = (Alloc(first), Alloc(second), Fill(whole(second), 0))
    assert print_block(block).splitlines()[-1] == "fill tile_1 = 0"


def test_source_lines_and_incomplete_programs() -> None:
    tile = shared("tile", 8)
    i = loop_var("i")
    body = pipelined(i, 4, 2, copy(tensor("A", 8), tile))
    made = program((tile,), If(Binary(BOOL, "<", 1, 2), (), (Fill(whole(tile), 0),)), body)
    partial = Program("half", (), (Fill(whole(tile), 0, span=Span("k.py", 7, 0, 7, 9)),), complete=False)
    assert print_program(partial, lines=True).splitlines() == [
        "program half():",
        "    # part of the body could not be followed",
        "    fill tile = 0  # line 7",
    ]
    assert "        else:\n            fill tile = 0" in print_program(made)
