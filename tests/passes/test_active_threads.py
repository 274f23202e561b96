"""Statements that only some threads of a block run. The bytes were read off upstream 0.1.15 for the same kernels."""

from __future__ import annotations

import pytest
from passes.samples import box, copy, fragment, gemm, loop_var, reduce, shared, tensor, times

from tilelang.ir.dtype import BOOL, FLOAT32, INT32
from tilelang.ir.expr import Binary, Operand, Var
from tilelang.ir.program import Program
from tilelang.ir.stmt import Alloc, If, Launch, Scope, Stmt
from tilelang.passes import LaunchPlan, plan
from tilelang.passes.active_threads import active_threads
from tilelang.targets import resolve

TX = Var(INT32, "tx", "thread")


def compare(op: str, bound: int, index: Operand = TX) -> Binary:
    return Binary(BOOL, op, index, bound)


def plan_of(*body: Stmt, threads: int = 256) -> LaunchPlan:
    launch = Launch((1,), (threads,), (Var(INT32, "bx", "block"),), (TX,), body)
    target = resolve("sm_90")
    assert target is not None
    return plan(Program("kernel", (), (launch,)), launch, target)


def row_sums() -> tuple[Stmt, ...]:
    src, dst = fragment("src", 4, 512), fragment("dst", 4)
    return (
        Alloc(src),
        Alloc(dst),
        copy(tensor("A", 4, 512, of=FLOAT32), src),
        reduce(src, dst, 1),
        copy(dst, tensor("B", 4, of=FLOAT32)),
    )


@pytest.mark.parametrize(
    ("wrap", "scratch"),
    [
        (lambda body: body, 1024),
        (lambda body: (Scope("ws", (0,), body),), 512),
        (lambda body: (Scope("ws", (0, 1), body),), 1024),
        (lambda body: (If(compare("<", 64), body),), 256),
        (lambda body: (If(compare(">=", 128), body),), 512),
        (lambda body: (If(compare("<", 128), (), body),), 512),
        (lambda body: (If(Binary(BOOL, "and", compare(">=", 64), compare("<", 128)), body),), 256),
        (lambda body: (If(compare("==", 1, Binary(INT32, "//", TX, 128)), body),), 1024),
    ],
)  # fmt: skip
def test_scratch_memory_is_for_the_threads_that_run(wrap: object, scratch: int) -> None:
    body = wrap(row_sums())  # type: ignore[operator]  # each takes and returns statements
    assert plan_of(*body).memory.dynamic == scratch


def test_a_gemm_of_one_warp_group() -> None:
    """Two warp groups in the block, one of which multiplies."""
    a, b, c = shared("a", 64, 32), shared("b", 32, 128), fragment("c", 64, 128)
    product = gemm(a, b, c)
    found = plan_of(Alloc(a), Alloc(b), Alloc(c), Scope("ws", (1,), (product,)))
    ((_, split),) = found.partitions
    assert (split.warps, split.instruction) == (4, "wgmma")


def test_ranges_that_are_not_followed_count_as_the_whole_block() -> None:
    k = loop_var("k")
    inner = copy(box(tensor("A", 64), (times(k, 8), 8)), shared("s", 8))
    body = (Scope("ws", (0, 2), (inner,)), Scope("ws", (k,), (inner,)), If(compare("<", 0), (inner,)))
    launch = Launch((1,), (384,), (Var(INT32, "bx", "block"),), (TX,), body)
    assert active_threads(launch, 384).of(inner) == 384
