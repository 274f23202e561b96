"""Allocations: buffers, scopes, names and what the call alone can get wrong."""

from __future__ import annotations

from typing import Any

import pytest
from language.program import HERE, complaint, kernel, kinds, only, outside, statements

import tilelang.language as T
from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import CallSite
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Const, Var
from tilelang.ir.stmt import Alloc
from tilelang.ir.unknown import UNKNOWN

WRONG: Any = 3
TEXT: Any = "mean"


@pytest.mark.parametrize(
    ("function", "scope"),
    [
        (T.alloc_shared, "shared.dyn"),
        (T.alloc_fragment, "local.fragment"),
        (T.alloc_local, "local"),
        (T.alloc_global, "global"),
        (T.alloc_tmem, "shared.tmem"),
    ],
)
def test_scope_shape_and_dtype(function: object, scope: str) -> None:
    with kernel() as builder:
        buffer = function((64, 32), T.float16)  # type: ignore[operator]
    assert (buffer.scope, buffer.shape, buffer.dtype) == (scope, (64, 32), "float16")
    assert buffer.nbytes() == 4096
    assert only(builder, Alloc).buffer is buffer
    assert builder.problems == []


def test_the_python_name_is_the_name() -> None:
    with kernel() as builder:
        builder.site = CallSite(HERE, target_name="A_shared")
        assert T.alloc_shared((4,), "float32").name == "A_shared"
        assert T.alloc_shared((4,), "float32").span == HERE


def test_one_extent_and_bool_tiles() -> None:
    with kernel():
        assert T.alloc_fragment(128, T.float32).shape == (128,)
        # Upstream keeps bool tiles in static shared memory.
        assert T.alloc_shared((8,), T.bool).scope == "shared"


def test_unknown_extents_and_types_are_silent() -> None:
    with kernel() as builder:
        buffer = T.alloc_shared((UNKNOWN, 32), UNKNOWN)
    assert isinstance(buffer.shape[0], Var)
    assert buffer.shape[0].kind == "unknown"
    assert not buffer.dtype.is_known
    assert builder.problems == []


def test_symbolic_extents_are_kept_for_the_rules() -> None:
    n = Var(INT32, "n", "dim")
    with kernel() as builder:
        assert T.alloc_shared((n, 32), "float16").shape == (n, 32)
    assert builder.problems == []


def test_an_allocation_outside_a_launch_goes_on() -> None:
    with outside() as builder:
        buffer = T.alloc_shared((4,), "float16")
    assert isinstance(buffer, Buffer)
    assert kinds(builder) == ["kernel-outside-context"]
    assert builder.problems[0].data["function"] == "T.alloc_shared"
    assert T.alloc_shared((4,), "float16").shape == (4,)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: T.alloc_shared((64, 1.5), "float16"), "shape: must be integers, not 1.5"),
        (lambda: T.alloc_shared((64,), "flaot16"), "dtype: must be a dtype, not 'flaot16'"),
        (lambda: T.alloc_shared((64,), "float16", scope=WRONG), "scope: must be the name of a memory scope, not 3"),
        (lambda: T.alloc_tmem((128,), "float32"), "shape: must be two or more extents, not 1 extent"),
        (lambda: T.alloc_barrier(TEXT), "arrive_count: must be a number of threads"),
        (lambda: T.alloc_reducer((8,), "float32", op=TEXT), "op: must be one of sum, max, min"),
        (lambda: T.alloc_reducer((8,), "float32", op="bitor"), "dtype: must be an integer dtype for op='bitor'"),
        (lambda: T.alloc_reducer((8,), "float32", replication="some"), "replication: must be 'all' or 'none'"),
    ],
)
def test_wrong_arguments(call: object, text: str) -> None:
    with kernel() as builder:
        call()  # type: ignore[operator]
    assert text in complaint(builder)


class TestVar:
    def test_forms(self) -> None:
        with kernel() as builder:
            plain = T.alloc_var("int32")
            T.alloc_var("int32", 1)
            T.alloc_var("int32", "local.var")
            T.alloc_var(T.float32, 1.0, "local.var")
            T.alloc_var("int32", "local.var", init=3)
        assert (plain.shape, plain.scope, plain.is_var) == ((1,), "local.var", True)
        assert [alloc.init for alloc in statements(builder, Alloc)] == [None, 1, None, 1.0, 3]
        assert builder.problems == []

    def test_a_dtype_is_no_scope(self) -> None:
        with kernel() as builder:
            T.alloc_var(T.ptr, 0)
        assert only(builder, Alloc).buffer.dtype == "int64"

    @pytest.mark.parametrize(
        ("call", "text"),
        [
            (lambda: T.alloc_var("int32", 1, init=2), "init: must be given once, not given twice"),
            (lambda: T.alloc_var("int32", 1, 2), "scope: must be the name of a memory scope, not 2"),
            (lambda: T.alloc_var("int32", 1, "local", 3), "args: must be at most an initial value and a scope"),
            (lambda: T.alloc_var("uint8", 256), "init: must be in the range of uint8, 0 to 255, not 256"),
            (lambda: T.alloc_var("int8", init=-129), "init: must be in the range of int8, -128 to 127, not -129"),
        ],
    )
    def test_wrong_arguments(self, call: object, text: str) -> None:
        with kernel() as builder:
            call()  # type: ignore[operator]
        assert text in complaint(builder)

    def test_values_of_unknown_size_are_silent(self) -> None:
        with kernel() as builder:
            T.alloc_var("uint8", Var(INT32, "x"))
            T.alloc_var("uint8", UNKNOWN)
            T.alloc_var("float16", Const(INT32, 10**6))
        assert builder.problems == []


def test_barriers_keep_their_counts() -> None:
    with kernel():
        one, many = T.alloc_barrier(128), T.alloc_cluster_barrier([64] * 3)
    assert (one.shape, one.scope, one.dtype, one.attr("arrive_counts")) == ((1,), "shared.barrier", "uint64", (128,))
    assert (many.shape, many.scope, many.attr("arrive_counts")) == ((3,), "shared.cluster_barrier", (64, 64, 64))


def test_reducers_keep_their_operation() -> None:
    with kernel():
        assert T.alloc_reducer((8,), "float32", op="max").attr("reducer") == "max"
        assert T.alloc_reducer((8,), "float32", replication="all").scope == "local.fragment"
