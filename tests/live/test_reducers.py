# pyright: reportInvalidTypeForm=false, reportArgumentType=false, reportUndefinedVariable=false, reportCallIssue=false
"""The order of the operations on a reducer is checked where the kernel is made, in programs and files alike."""

from __future__ import annotations

from typing import Any

import pytest

import tilelang.language as T
from tilelang.live.errors import CompileError


def kernel(body: Any):
    """A kernel that sums 8 values the way ``body(values, acc, result)`` does."""

    @T.prim_func
    def main(A: T.Tensor((8,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=128):
            values = T.alloc_fragment((8,), "float32")
            T.copy(A, values)
            acc = T.alloc_reducer((1,), "float32", op="sum")
            result = T.alloc_fragment((1,), "float32")
            body(values, acc, result)
            T.copy(result, B)

    return main


@T.macro
def add(values, acc):
    for i in T.Parallel(8):
        T.reducer_update(acc[0], values[i])


@T.macro
def plain(values, acc, result):
    T.reducer_init(acc, 1.0)
    add(values, acc)
    T.finalize_reducer(acc, result)


@T.macro
def each_iteration(values, acc, result):
    for _ in T.serial(4):
        T.reducer_init(acc)
        add(values, acc)
        T.finalize_reducer(acc, result)


@T.macro
def closed_under_a_condition(values, acc, result):
    T.reducer_init(acc)
    add(values, acc)
    if values[0] < 0:
        T.finalize_reducer(acc, result)


@T.macro
def in_either_branch(values, acc, result):
    if values[0] < 0:
        T.reducer_init(acc, 1.0)
        add(values, acc)
        T.finalize_reducer(acc, result)
    else:
        T.reducer_init(acc, 2.0)
        add(values, acc)
        T.finalize_reducer(acc, result)


@T.macro
def older(values, acc, result):
    T.clear(acc)
    for i in T.Parallel(8):
        acc[0] += values[i]
    T.finalize_reducer(acc)
    T.copy(acc, result)


@pytest.mark.parametrize("body", [plain, each_iteration, closed_under_a_condition, in_either_branch, older])
def test_what_is_allowed(body: Any):
    assert kernel(body).program.complete


@T.macro
def no_init(values, acc, result):
    add(values, acc)
    T.finalize_reducer(acc, result)


@T.macro
def twice(values, acc, result):
    T.reducer_init(acc)
    T.reducer_init(acc)
    add(values, acc)
    T.finalize_reducer(acc, result)


@T.macro
def open_at_the_end(values, acc, result):
    T.reducer_init(acc)
    add(values, acc)
    T.clear(result)


@T.macro
def read_early(values, acc, result):
    T.reducer_init(acc)
    add(values, acc)
    result[0] = acc[0]
    T.finalize_reducer(acc, result)


@T.macro
def stored(values, acc, result):
    T.reducer_init(acc)
    for i in T.Parallel(8):
        acc[0] += values[i]
    T.finalize_reducer(acc, result)


@T.macro
def by_one_thread(values, acc, result):
    T.reducer_init(acc)
    T.reducer_update(acc[0], values[0])
    T.finalize_reducer(acc, result)


@T.macro
def closed_in_a_loop(values, acc, result):
    T.reducer_init(acc)
    for _ in T.serial(4):
        add(values, acc)
        T.finalize_reducer(acc, result)


@T.macro
def closed_behind_the_loop(values, acc, result):
    for _ in T.serial(4):
        T.reducer_init(acc)
        add(values, acc)
    T.finalize_reducer(acc, result)


@T.macro
def of_another_type(values, acc, result):
    T.reducer_init(acc, T.float16(1.0))
    add(values, acc)
    T.finalize_reducer(acc, result)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (no_init, "`acc` is used before T.reducer_init"),
        (twice, "double T.reducer_init of `acc`"),
        (open_at_the_end, "`acc` is never finalized"),
        (read_early, "illegal read of reducer `acc`"),
        (stored, "illegal store to reducer `acc`"),
        (by_one_thread, "`acc` is updated outside any T.Parallel loop"),
        (closed_in_a_loop, "not in the scope of its T.reducer_init"),
        (closed_behind_the_loop, "not in the scope of its T.reducer_init"),
        (of_another_type, "init is float16, which does not match reducer `acc` of float32"),
    ],
)
def test_what_is_refused(body: Any, text: str):
    with pytest.raises(CompileError) as caught:
        kernel(body)
    assert text in str(caught.value)
    assert len(caught.value.diagnostics) == 1
