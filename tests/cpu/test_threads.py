"""Code written for each thread: pieces between barriers, exchanges of warps, branches that threads take differently."""

from __future__ import annotations

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.live.errors import CompileError

RNG = np.random.default_rng(1)


@tilelang.jit(target="cpu")
def block_sum(n: int, threads: int):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), T.float32], out: T.Tensor[(T.ceildiv(n, threads),), T.float32]):
        with T.Kernel(T.ceildiv(n, threads), threads=threads) as bx:
            tx = T.get_thread_binding()
            shared = T.alloc_shared((threads,), T.float32)
            shared[tx] = T.if_then_else(bx * threads + tx < n, A[bx * threads + tx], 0)
            T.sync_threads()
            for step in T.serial(5):
                half = 16 >> step
                if tx < half:
                    shared[tx] = shared[tx] + shared[tx + half]
                T.sync_threads()
            if tx == 0:
                out[bx] = shared[0]

    return kernel


def test_a_tree_of_additions_needs_every_barrier() -> None:
    a = RNG.standard_normal(1000).astype(np.float32)
    out = np.full(32, np.nan, np.float32)
    block_sum(1000, 32)(a, out)
    padded = np.zeros(1024, np.float32)
    padded[:1000] = a
    np.testing.assert_allclose(out, padded.reshape(32, 32).sum(axis=1), rtol=1e-5, atol=1e-5)


@tilelang.jit(out_idx=[-1], target="cpu")
def neighbours(threads: int):
    @T.prim_func
    def kernel(A: T.Tensor[(threads,), T.int32], B: T.Tensor[(threads,), T.int32]):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            shared = T.alloc_shared((threads,), T.int32)
            mine = T.alloc_local((2,), T.int32)
            mine[0] = A[tx] * 2
            shared[tx] = mine[0]
            T.sync_threads()
            mine[1] = shared[(tx + 1) % threads]
            T.sync_threads()
            shared[tx] = mine[0] + mine[1]
            T.sync_threads()
            B[tx] = shared[threads - 1 - tx]

    return kernel


def test_private_memory_lives_across_barriers() -> None:
    a = RNG.integers(-50, 50, 64).astype(np.int32)
    expected = (2 * a + 2 * np.roll(a, -1))[::-1]
    np.testing.assert_array_equal(neighbours(64)(a), expected)


@tilelang.jit(out_idx=[-1], target="cpu")
def shuffled(op: str, delta: int, width: int = 32):
    @T.prim_func
    def kernel(A: T.Tensor[(64,), T.float32], B: T.Tensor[(64,), T.float32]):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            if op == "xor":
                B[tx] = T.shfl_xor(A[tx], delta)
            elif op == "down":
                B[tx] = T.shfl_down(A[tx], delta, width)
            elif op == "up":
                B[tx] = T.shfl_up(A[tx], delta, width)
            else:
                B[tx] = T.shfl_sync(A[tx], delta, width)

    return kernel


@pytest.mark.parametrize(
    ("op", "delta", "width"),
    [("xor", 1, 32), ("xor", 16, 32), ("down", 3, 32), ("down", 3, 8), ("up", 5, 16), ("sync", 7, 32), ("sync", 2, 4)],
)
def test_shuffles(op: str, delta: int, width: int) -> None:
    a = RNG.standard_normal(64).astype(np.float32)
    lanes = np.arange(64)
    base, own = lanes - lanes % width, lanes % width
    source = {
        "xor": lanes ^ delta,
        "down": np.where(own + delta < width, lanes + delta, lanes),
        "up": np.where(own >= delta, lanes - delta, lanes),
        "sync": base + delta % width,
    }[op]
    np.testing.assert_array_equal(shuffled(op, delta, width)(a), a[source])


@tilelang.jit(out_idx=[-1], target="cpu")
def warp_totals(threads: int):
    @T.prim_func
    def kernel(A: T.Tensor[(threads,), T.float32], B: T.Tensor[(4, threads), T.float32]):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            B[0, tx] = T.warp_reduce_sum(A[tx])
            B[1, tx] = T.warp_reduce_max(A[tx])
            total = T.alloc_var(T.float32)
            total = A[tx]
            for step in T.serial(5):
                total = total + T.shfl_xor(total, 16 >> step)
            B[2, tx] = total
            B[3, tx] = T.warp_reduce_min(A[tx]) + T.warp_reduce_max(A[tx])

    return kernel


def test_reductions_of_warps() -> None:
    a = RNG.standard_normal(96).astype(np.float32)
    got = warp_totals(96)(a)
    rows = a.reshape(3, 32)
    np.testing.assert_allclose(got[0], np.repeat(rows.sum(axis=1), 32), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got[1], np.repeat(rows.max(axis=1), 32))
    np.testing.assert_allclose(got[2], np.repeat(rows.sum(axis=1), 32), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got[3], np.repeat(rows.min(axis=1) + rows.max(axis=1), 32))


@tilelang.jit(out_idx=[-1], target="cpu")
def votes():
    @T.prim_func
    def kernel(A: T.Tensor[(64,), T.int32], B: T.Tensor[(6, 64), T.int64]):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            B[0, tx] = T.any_sync(A[tx] > 90)
            B[1, tx] = T.all_sync(A[tx] > 10)
            B[2, tx] = T.cast(T.ballot(A[tx] > 50), T.int64)
            count = T.syncthreads_count(A[tx] > 50)
            B[3, tx] = count
            every = T.syncthreads_and(A[tx] >= 0)
            some = T.syncthreads_or(A[tx] > 1000)
            B[4, tx] = every
            B[5, tx] = some

    return kernel


def test_votes() -> None:
    a = RNG.integers(0, 100, 64).astype(np.int32)
    got = votes()(a)
    rows = a.reshape(2, 32)
    bits = [sum(int(value > 50) << lane for lane, value in enumerate(row)) for row in rows]
    np.testing.assert_array_equal(got[0] != 0, np.repeat((rows > 90).any(axis=1), 32))
    np.testing.assert_array_equal(got[1] != 0, np.repeat((rows > 10).all(axis=1), 32))
    np.testing.assert_array_equal(got[2], np.repeat(bits, 32))
    assert set(got[3]) == {(a > 50).sum()}
    assert all(got[4] != 0)
    assert not any(got[5])


@tilelang.jit(out_idx=[-1], target="cpu")
def uneven(n: int):
    """Threads leave their loops at different iterations, with no barrier inside."""

    @T.prim_func
    def kernel(A: T.Tensor[(n,), T.int32], B: T.Tensor[(n,), T.int32]):
        with T.Kernel(1, threads=n):
            tx = T.get_thread_binding()
            value = T.alloc_var(T.int32)
            steps = T.alloc_var(T.int32)
            value = A[tx]
            steps = 0
            while value != 1:
                if value % 2 == 0:  # noqa: SIM108  # a branch of the kernel
                    value = value // 2
                else:
                    value = value * 3 + 1
                steps = steps + 1
            B[tx] = steps

    return kernel


def test_each_thread_runs_its_own_loop() -> None:
    a = np.arange(1, 33, dtype=np.int32)

    def steps(value: int) -> int:
        count = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        return count

    np.testing.assert_array_equal(uneven(32)(a), [steps(int(value)) for value in a])


@tilelang.jit(out_idx=[-1], target="cpu")
def returning():
    @T.prim_func
    def kernel(A: T.Tensor[(64,), T.float32], B: T.Tensor[(64,), T.float32]):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            shared = T.alloc_shared((64,), T.float32)
            shared[tx] = A[tx]
            B[tx] = -1
            T.sync_threads()
            if tx >= 32:
                T.thread_return()
            B[tx] = shared[tx + 32]

    return kernel


def test_threads_that_return_do_nothing_more() -> None:
    a = RNG.standard_normal(64).astype(np.float32)
    np.testing.assert_array_equal(returning()(a), np.concatenate([a[32:], np.full(32, -1, np.float32)]))


@tilelang.jit(out_idx=[-1], target="cpu")
def breaking():
    """Threads leave a loop with barriers at different iterations."""

    @T.prim_func
    def kernel(lengths: T.Tensor[(32,), T.int32], B: T.Tensor[(32,), T.int32]):
        with T.Kernel(1, threads=32):
            tx = T.get_thread_binding()
            counts = T.alloc_shared((32,), T.int32)
            total = T.alloc_var(T.int32)
            total = 0
            counts[tx] = 0
            for i in T.serial(10):
                if i >= lengths[tx]:
                    break
                counts[tx] = counts[tx] + 1
                T.sync_threads()
                total = total + counts[tx]
            B[tx] = total

    return kernel


def test_threads_leave_a_loop_with_barriers() -> None:
    lengths = RNG.integers(0, 13, 32).astype(np.int32)
    turns = np.minimum(lengths, 10)
    np.testing.assert_array_equal(breaking()(lengths), turns * (turns + 1) // 2)


@tilelang.jit(out_idx=[-1], target="cpu")
def two_dimensions():
    @T.prim_func
    def kernel(A: T.Tensor[(8, 16), T.float32], B: T.Tensor[(16, 8), T.float32]):
        with T.Kernel(1, threads=(16, 8)):
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            tile = T.alloc_shared((8, 16), T.float32)
            tile[ty, tx] = A[ty, tx]
            T.sync_threads()
            B[tx, ty] = tile[ty, tx]

    return kernel


def test_blocks_of_two_dimensions() -> None:
    a = RNG.standard_normal((8, 16)).astype(np.float32)
    np.testing.assert_array_equal(two_dimensions()(a), a.T)


@tilelang.jit(out_idx=[-1], target="cpu")
def partly():
    """A tile operation that some of the threads do, between code of threads."""

    @T.prim_func
    def kernel(A: T.Tensor[(64,), T.float32], B: T.Tensor[(64,), T.float32]):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            tile = T.alloc_shared((64,), T.float32)
            if tx < 64:
                T.copy(A, tile)
            T.sync_threads()
            if tx < 64:
                tile[tx] = tile[tx] * 2
                T.sync_warp()
                B[tx] = tile[63 - tx]

    return kernel


def test_tile_operations_under_a_branch_of_threads() -> None:
    a = RNG.standard_normal(64).astype(np.float32)
    np.testing.assert_array_equal(partly()(a), 2 * a[::-1])


def test_every_thread_adds_atomically() -> None:
    @tilelang.jit(target="cpu")
    def make(threads: int):
        @T.prim_func
        def kernel(B: T.Tensor[(2,), T.int32]):
            with T.Kernel(4, threads=threads):
                tx = T.get_thread_binding()
                T.atomic_add(B[0], 1)
                if tx % 2 == 0:
                    T.atomic_add(B[1], tx)

        return kernel

    out = np.zeros(2, np.int32)
    make(96)(out)
    assert out.tolist() == [4 * 96, 4 * sum(range(0, 96, 2))]


def test_specialised_warps_that_wait_for_each_other_are_refused() -> None:
    @tilelang.jit(target="cpu")
    def make():
        @T.prim_func
        def kernel(A: T.Tensor[(64,), T.float32], B: T.Tensor[(64,), T.float32]):
            with T.Kernel(1, threads=256):
                tile = T.alloc_shared((64,), T.float32)
                full = T.alloc_barrier(1)
                with T.ws(0):
                    T.copy(A, tile)
                    T.barrier_arrive(full)
                with T.ws(1):
                    T.barrier_wait(full, 0)
                    T.copy(tile, B)

        return kernel

    with pytest.raises(CompileError, match="wait for each other"):
        make()


def test_cuda_code_is_refused() -> None:
    @tilelang.jit(target="cpu")
    def make():
        @T.prim_func
        def kernel(B: T.Tensor[(64,), T.float32]):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding()
                B[tx] = T.call_extern("float32", "my_device_function", tx)

        return kernel

    with pytest.raises(CompileError, match=r"test_threads\.py:\d+.*my_device_function is CUDA code"):
        make()
