"""Launches, indices of blocks and threads, loops."""

from __future__ import annotations

from typing import Any

import pytest
from language.program import complaint, kernel, kinds, only, outside, statements

import tilelang.language as T
from tilelang.ir.builder import Builder
from tilelang.ir.dtype import INT32, INT64
from tilelang.ir.expr import Binary, Var
from tilelang.ir.stmt import Effect, For, Jump, Launch
from tilelang.ir.unknown import UNKNOWN


def run(builder: Builder, frame: Any, *names: str) -> Any:
    """Enter a loop frame, leave it at once, and give what its names are bound to."""
    bound = frame.enter(builder, names)
    frame.exit(builder)
    return bound


def test_a_launch() -> None:
    n = Var(INT32, "n", "dim")
    with kernel(T.ceildiv(n, 128), 4, threads=256) as builder:
        assert T.get_block_bindings()[1].name == "by"
        assert T.get_thread_binding().kind == "thread"
        assert T.get_thread_extent() == 256
        assert T.get_block_extent(1) == 4
        # The launch names one dimension of threads; the index along another one is 0.
        assert T.get_thread_binding(1) == 0
        assert T.get_thread_extents() == (256, 1, 1)
    launch = only(builder, Launch)
    assert launch.threads == (256,)
    assert isinstance(launch.grid[0], Binary)
    assert launch.grid[1] == 4
    assert [var.name for var in launch.block_vars] == ["bx", "by"]
    assert launch.attr("launcher") == "Kernel"
    assert launch.attr("default_threads") is None
    assert builder.problems == []


def test_128_threads_by_default() -> None:
    with kernel(1) as builder:
        pass
    assert only(builder, Launch).threads == (128,)
    assert only(builder, Launch).attr("default_threads") is True


def test_threads_in_several_dimensions() -> None:
    with kernel(1, threads=(32, 4)) as builder:
        x, y, z = T.get_thread_bindings()
    assert (x.name, y.name, z) == ("tx", "ty", 0)
    assert only(builder, Launch).threads == (32, 4)


TEXT: Any = "8"


@pytest.mark.parametrize("threads", [0, -128, (32, 0)])
def test_threads_are_positive(threads: object) -> None:
    with kernel(1, threads=threads) as builder:
        pass
    assert kinds(builder) == ["invalid-block-threads"]


@pytest.mark.parametrize(
    ("grid", "options", "text"),
    [
        ((1, 1, 1, 1), {}, "blocks: must be at most three extents, not 4 extents"),
        (("8",), {}, "blocks: must be integers, not '8'"),
        ((1,), {"threads": 1.5}, "threads: must be an integer or up to three of them, not 1.5"),
        ((1,), {"cluster_dims": "2"}, "cluster_dims: must be an integer or up to three of them, not '2'"),
    ],
)
def test_wrong_launches(grid: tuple[object, ...], options: dict[str, object], text: str) -> None:
    with kernel(*grid, **options) as builder:
        pass
    assert text in complaint(builder)


def test_clusters() -> None:
    with kernel(4, cluster_dims=2) as builder:
        pass
    assert only(builder, Launch).attr("cluster_dims") == (2, 1, 1)
    with kernel(4, cluster_dims=(1, 1, 1)) as builder:
        pass
    assert only(builder, Launch).attr("cluster_dims") is None


def test_unknown_threads_are_silent() -> None:
    with kernel(UNKNOWN, threads=UNKNOWN) as builder:
        pass
    assert builder.problems == []


def test_indices_outside_a_launch() -> None:
    with outside() as builder:
        assert T.get_thread_binding() is UNKNOWN
    assert kinds(builder) == ["kernel-outside-context"]


def test_what_has_a_meaning_outside_a_launch() -> None:
    with outside() as builder:
        T.alloc_global((4,), "float32")
        T.call_extern("int32", "f")
        T.sync_threads()
        T.assume(Var(INT32, "n", "dim"))
    assert builder.problems == []


def test_a_launch_of_cuda_source() -> None:
    with outside() as builder:
        T.CUDASourceCodeKernel(4, threads=64, source_code_or_path="__global__ void main_kernel() {}")
    launch = only(builder, Launch)
    assert (launch.grid, launch.threads) == ((4,), (64,))
    assert not only(builder, Effect).modelled
    with outside() as builder:
        T.CUDASourceCodeKernel(4, source_code_or_path=" ")
    assert "source_code_or_path: must be CUDA source or a path" in complaint(builder)


def test_a_launch_by_dimensions() -> None:
    with outside() as builder:
        blocks: Any = T.launch_thread("blockIdx.x", 16)
        bx = blocks.enter(builder, ("bx",))
        threads: Any = T.thread_binding(128, thread="threadIdx.x")
        tx = threads.enter(builder, ("tx",))
        T.alloc_shared((4,), "float16")
        threads.exit(builder)
        blocks.exit(builder)
    launch = only(builder, Launch)
    assert (launch.grid, launch.threads) == ((16,), (128,))
    assert (launch.block_vars, launch.thread_vars) == ((bx,), (tx,))
    assert builder.problems == []
    assert builder.launch is None


def test_a_thread_loop_inside_a_launch() -> None:
    with kernel() as builder:
        run(builder, T.thread_binding(0, 32, "threadIdx.x"), "t")
    loop = only(builder, For)
    assert (loop.kind, loop.extents, loop.attr("thread")) == ("thread", (32,), "threadIdx.x")


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (T.serial, "serial"),
        (T.Serial, "serial"),
        (T.unroll, "unroll"),
        (T.Unroll, "unroll"),
        (T.vectorized, "vectorized"),
        (T.Vectorized, "vectorized"),
        (T.Pipelined, "pipelined"),
    ],
)
def test_bounds_of_loops(function: Any, kind: str) -> None:
    with kernel() as builder:
        i = run(builder, function(8), "i")
        run(builder, function(2, 8), "j")
    first, second = statements(builder, For)
    assert (first.kind, first.starts, first.extents) == (kind, (0,), (8,))
    assert (second.starts, second.extents) == ((2,), (6,))
    assert (i.name, i.dtype) == ("i", "int32")


def test_steps() -> None:
    with kernel() as builder:
        frame = T.serial(0, 10, 3)
        run(builder, frame)
    assert only(builder, For).step == 3
    assert frame.trip_count == 4
    with kernel() as builder:
        run(builder, T.serial(0, 10, 0))
    assert "step: must be a number other than 0, not 0" in complaint(builder)


def test_loop_indices_have_the_type_of_their_bound() -> None:
    with kernel() as builder:
        assert run(builder, T.serial(Var(INT64, "n", "dim")), "i").dtype == "int64"


def test_nests() -> None:
    with kernel() as builder:
        i, j = run(builder, T.Parallel(64, 32, coalesced_width=4), "i", "j")
        run(builder, T.grid(2, 3, 4))
    parallel, grid = statements(builder, For)
    assert (parallel.kind, parallel.vars, parallel.extents) == ("parallel", (i, j), (64, 32))
    assert parallel.attr("coalesced_width") == 4
    assert (grid.kind, grid.extents) == ("serial", (2, 3, 4))


def test_pipelines() -> None:
    with kernel() as builder:
        run(builder, T.Pipelined(8, num_stages=3))
        run(builder, T.Pipelined(8, order=[1, 0], stage=[0, 1]))
        run(builder, T.Pipelined(8, num_stages=3, annotations={"num_stages": 2}))
    first, second, third = statements(builder, For)
    assert (first.attr("num_stages"), first.attr("order")) == (3, None)
    assert (second.attr("num_stages"), second.attr("order"), second.attr("stage")) == (0, (1, 0), (0, 1))
    assert third.attr("num_stages") == 2


def test_persistent_loops() -> None:
    with kernel() as builder:
        run(builder, T.Persistent([8, 4], 108, T.get_block_binding()), "bx", "by")
    loop = only(builder, For)
    assert (loop.kind, loop.extents, loop.attr("wave_size"), loop.attr("group_size")) == ("persistent", (8, 4), 108, 8)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: T.unroll(4, explicit=True, unroll_factor=2), "unroll_factor: must be left out if explicit=True"),
        (T.Parallel, "extents: must be one or more extents, not none"),
        (lambda: T.serial(TEXT), "must be an integer, not '8'"),
        (lambda: T.serial(8.0), "must be an integer, not 8.0"),
        (lambda: T.Pipelined(8, num_stages=TEXT), "num_stages: must be an integer, not '8'"),
    ],
)
def test_wrong_loops(call: Any, text: str) -> None:
    with kernel() as builder:
        call()
    assert text in complaint(builder)


def test_leaving_a_loop() -> None:
    with kernel() as builder:
        T.loop_break()
        T.continue_loop()
    assert [jump.kind for jump in statements(builder, Jump)] == ["break", "continue"]
