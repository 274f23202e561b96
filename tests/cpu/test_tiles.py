"""Tile operations against NumPy: copies, fills, reductions, scans, atomics, over types, tails and boxes."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from cpu.numbers import array, close, stored

import tilelang
import tilelang.language as T

RNG = np.random.default_rng(2)
FLOATS = ("float16", "float32", "float64", "bfloat16")
NUMBERS = (*FLOATS, "float8_e4m3fn", "float8_e5m2", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


# --- copies -----------------------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1], target="cpu")
def through_tiles(m: int, n: int, source: str, target: str, block_m: int = 16, block_n: int = 32):
    @T.prim_func
    def kernel(A: T.Tensor[(m, n), source], B: T.Tensor[(m, n), target]):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=64) as (bx, by):
            tile = T.alloc_shared((block_m, block_n), source)
            inner = T.alloc_fragment((block_m, block_n), target)
            T.copy(A[by * block_m, bx * block_n], tile)
            T.copy(tile, inner)
            T.copy(inner, B[by * block_m, bx * block_n])

    return kernel


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [(16, 32), (33, 45)])
def test_copies_keep_every_value(dtype: str, shape: tuple[int, int]) -> None:
    a = array(RNG, shape, dtype)
    got = through_tiles(*shape, dtype, dtype)(a)
    assert stored(got).tobytes() == stored(a).tobytes()


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", [*FLOATS, "float8_e4m3fn", "float8_e5m2", "int32", "int8"])
def test_copies_convert(source: str, target: str) -> None:
    a = array(RNG, (20, 36), source, scale=20)
    got = through_tiles(20, 36, source, target)(a)
    expected = np.trunc(a.astype(np.float64)) if target.startswith("int") else a.astype(np.float64)
    close(got, expected, target)


@pytest.mark.parametrize("offset", [1, 2, 3, 5])
def test_arrays_may_begin_anywhere(offset: int) -> None:
    base = array(RNG, (33 * 45 + offset,), "float32")
    a = base[offset:].reshape(33, 45)
    np.testing.assert_array_equal(through_tiles(33, 45, "float32", "float32")(a), a)


@tilelang.jit(target="cpu")
def boxes():
    @T.prim_func
    def kernel(A: T.Tensor[(4, 24, 40), T.float32], B: T.Tensor[(24, 40), T.float32]):
        with T.Kernel(2, threads=32) as bx:
            tile = T.alloc_shared((2, 8, 16), T.float32)
            T.copy(A[bx + 1, 4:12, 10:26], tile[1, :, :])
            T.copy(tile[1, 2:6, 4:12], B[bx * 8 : bx * 8 + 4, 3:11])

    return kernel


def test_boxes_of_tensors_and_tiles() -> None:
    a = array(RNG, (4, 24, 40), "float32")
    got = np.zeros((24, 40), np.float32)
    boxes()(a, got)
    expected = np.zeros((24, 40), np.float32)
    for block in range(2):
        expected[block * 8 : block * 8 + 4, 3:11] = a[block + 1, 6:10, 14:22]
    np.testing.assert_array_equal(got, expected)


@tilelang.jit(out_idx=[-1], target="cpu")
def transposed(m: int, n: int):
    @T.prim_func
    def kernel(A: T.Tensor[(m, n), T.float16], B: T.Tensor[(n, m), T.float16]):
        with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 16), threads=32) as (bx, by):
            tile = T.alloc_shared((16, 16), T.float16)
            turned = T.alloc_shared((16, 16), T.float16)
            T.copy(A[by * 16, bx * 16], tile)
            T.transpose(tile, turned)
            T.copy(turned, B[bx * 16, by * 16])

    return kernel


def test_transpose() -> None:
    a = array(RNG, (37, 20), "float16")
    np.testing.assert_array_equal(transposed(37, 20)(a), a.T)


@tilelang.jit(out_idx=[-1], target="cpu")
def outside(value: float):
    """Reads beyond the end give zero, or the value that the kernel asks for."""

    @T.prim_func
    def kernel(A: T.Tensor[(10,), T.float32], B: T.Tensor[(2, 16), T.float32]):
        with T.Kernel(1, threads=32):
            T.annotate_safe_value({A: value})
            tile = T.alloc_shared((16,), T.float32)
            T.copy(A[4], tile)
            T.copy(tile, B[0, 0:16])
            for i in T.Parallel(16):
                B[1, i] = A[i - 3]

    return kernel


@pytest.mark.parametrize("value", [0.0, 7.5])
def test_reads_outside_of_a_tensor(value: float) -> None:
    a = array(RNG, (10,), "float32")
    got = outside(value)(a)
    np.testing.assert_array_equal(got[0], [*a[4:], *[np.float32(value)] * 10])
    np.testing.assert_array_equal(got[1], [*[np.float32(value)] * 3, *a, *[np.float32(value)] * 3])


@tilelang.jit(target="cpu")
def rows(strided: bool):
    m, n, stride = T.dynamic("m"), T.dynamic("n"), T.dynamic("stride")

    @T.prim_func
    def kernel(A: T.StridedTensor[(m, n), (stride, 1), T.float32], B: T.Tensor[(m, n), T.float32]):
        with T.Kernel(T.ceildiv(m, 4), threads=32) as bx:
            for i, j in T.Parallel(4, 64):
                if bx * 4 + i < m and j < n:
                    B[bx * 4 + i, j] = A[bx * 4 + i, j] + 1

    return kernel


def test_strides_and_sizes_of_the_call() -> None:
    base = array(RNG, (11, 80), "float32")
    for width in (40, 64):
        a = base[:, :width]
        got = np.full((11, width), np.nan, np.float32)
        rows(True)(a, got)
        np.testing.assert_array_equal(got, a + 1)


# --- fills and reductions ---------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1], target="cpu")
def filled(dtype: str, value: float):
    @T.prim_func
    def kernel(B: T.Tensor[(3, 8), dtype]):
        with T.Kernel(1, threads=32):
            tile = T.alloc_fragment((3, 8), dtype)
            T.fill(tile, value)
            T.clear(tile[1, :])
            T.copy(tile, B)

    return kernel


@pytest.mark.parametrize("dtype", NUMBERS)
def test_fills(dtype: str) -> None:
    got = filled(dtype, 3)()
    expected = np.full((3, 8), 3.0)
    expected[1] = 0
    close(got, expected, dtype)


@tilelang.jit(target="cpu")
def reduced(op: str, shape: tuple[int, ...], dim: int, dtype: str, clear: bool, scope: str, accumulate: str):
    rest = tuple(extent for place, extent in enumerate(shape) if place != dim)

    @T.prim_func
    def kernel(A: T.Tensor[shape, dtype], B: T.Tensor[rest, accumulate]):
        with T.Kernel(1, threads=64):
            tile = T.alloc_fragment(shape, dtype) if scope == "fragment" else T.alloc_shared(shape, dtype)
            out = T.alloc_fragment(rest, accumulate)
            T.copy(A, tile)
            T.copy(B, out)
            T.reduce(tile, out, op, dim, clear)
            T.copy(out, B)

    return kernel


NUMPY_REDUCTIONS = {
    "sum": lambda a, axis: a.sum(axis=axis),
    "max": lambda a, axis: a.max(axis=axis),
    "min": lambda a, axis: a.min(axis=axis),
    "abssum": lambda a, axis: np.abs(a).sum(axis=axis),
    "absmax": lambda a, axis: np.abs(a).max(axis=axis),
}
COMBINE = {"sum": np.add, "abssum": np.add, "max": np.maximum, "absmax": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("op", sorted(NUMPY_REDUCTIONS))
@pytest.mark.parametrize(("shape", "dim"), [((5, 48), 1), ((5, 48), 0), ((3, 7), 1), ((3, 4, 24), 1)])
@pytest.mark.parametrize("clear", [True, False])
def test_reductions(op: str, shape: tuple[int, ...], dim: int, clear: bool) -> None:
    a = array(RNG, shape, "float32")
    rest = tuple(extent for place, extent in enumerate(shape) if place != dim)
    before = array(RNG, rest, "float32")
    got = before.copy()
    reduced(op, shape, dim, "float32", clear, "fragment", "float32")(a, got)
    expected = NUMPY_REDUCTIONS[op](a.astype(np.float64), dim)
    if not clear:
        expected = COMBINE[op](expected, before)
    close(got, expected, "float32", terms=shape[dim])


@pytest.mark.parametrize(
    ("dtype", "accumulate"),
    [("float16", "float16"), ("float16", "float32"), ("bfloat16", "float32"), ("float64", "float64")],
)
@pytest.mark.parametrize("scope", ["fragment", "shared"])
def test_reductions_over_types(dtype: str, accumulate: str, scope: str) -> None:
    a = array(RNG, (4, 32), dtype)
    got = array(RNG, (4,), accumulate)
    reduced("sum", (4, 32), 1, dtype, True, scope, accumulate)(a, got)
    close(got, a.astype(np.float64).sum(axis=1), accumulate, terms=32)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int8"])
def test_reductions_of_integers(dtype: str) -> None:
    a = array(RNG, (6, 16), dtype)
    for op, function in (("max", np.max), ("min", np.min)):
        got = array(RNG, (6,), dtype)
        reduced(op, (6, 16), 1, dtype, True, "fragment", dtype)(a, got)
        np.testing.assert_array_equal(got, function(a, axis=1))
    for op, ufunc in (("bitand", np.bitwise_and), ("bitor", np.bitwise_or), ("bitxor", np.bitwise_xor)):
        got = array(RNG, (6,), dtype)
        reduced(op, (6, 16), 1, dtype, True, "fragment", dtype)(a, got)
        np.testing.assert_array_equal(got, ufunc.reduce(a, axis=1))


@tilelang.jit(out_idx=[-1], target="cpu")
def largest(n: int, propagate: bool):
    @T.prim_func
    def kernel(A: T.Tensor[(2, n), T.float32], B: T.Tensor[(2, 2), T.float32]):
        with T.Kernel(1, threads=32):
            tile = T.alloc_fragment((2, n), T.float32)
            out = T.alloc_fragment((2,), T.float32)
            T.copy(A, tile)
            T.reduce_max(tile, out, dim=1, nan_propagate=propagate)
            T.copy(out, B[0, :])
            T.reduce_min(tile, out, dim=1, nan_propagate=propagate)
            T.copy(out, B[1, :])

    return kernel


@pytest.mark.parametrize("n", [7, 64])
def test_nan_in_extrema(n: int) -> None:
    a = array(RNG, (2, n), "float32")
    a[0, n // 2] = np.nan
    np.testing.assert_array_equal(largest(n, False)(a), [np.nanmax(a, axis=1), np.nanmin(a, axis=1)])
    np.testing.assert_array_equal(largest(n, True)(a), [np.max(a, axis=1), np.min(a, axis=1)])


@tilelang.jit(out_idx=[-1], target="cpu")
def scanned(op: str, shape: tuple[int, ...], dim: int, reverse: bool, dtype: str, scope: str):
    @T.prim_func
    def kernel(A: T.Tensor[shape, dtype], B: T.Tensor[shape, dtype]):
        with T.Kernel(1, threads=32):
            tile = T.alloc_shared(shape, dtype) if scope == "shared" else T.alloc_fragment(shape, dtype)
            T.copy(A, tile)
            if op == "cumsum":
                T.cumsum(tile, dim=dim, reverse=reverse)
            else:
                T.cummax(tile, dim=dim, reverse=reverse)
            T.copy(tile, B)

    return kernel


@pytest.mark.parametrize("op", ["cumsum", "cummax"])
@pytest.mark.parametrize(("shape", "dim"), [((40,), 0), ((5, 20), 1), ((5, 20), 0)])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("scope", ["shared", "fragment"])
def test_scans(op: str, shape: tuple[int, ...], dim: int, reverse: bool, scope: str) -> None:
    a = array(RNG, shape, "float32")
    wide = a.astype(np.float64)
    ufunc = np.add if op == "cumsum" else np.maximum
    expected = np.flip(ufunc.accumulate(np.flip(wide, dim), axis=dim), dim) if reverse else ufunc.accumulate(wide, dim)
    close(scanned(op, shape, dim, reverse, "float32", scope)(a), expected, "float32", terms=shape[dim])


# --- atomics ----------------------------------------------------------------------------------------------------


@tilelang.jit(target="cpu")
def histogram(n: int, dtype: str):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), T.int32], H: T.Tensor[(16,), dtype]):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < n:
                    T.atomic_add(H[A[bx * 64 + i]], 1)

    return kernel


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", "float16", "uint32"])
def test_blocks_add_to_one_tensor(dtype: str) -> None:
    a = RNG.integers(0, 16, 5000).astype(np.int32)
    h = np.zeros(16, dtype)
    histogram(5000, dtype)(a, h)
    np.testing.assert_array_equal(h, np.bincount(a, minlength=16).astype(dtype))


@tilelang.jit(target="cpu")
def extremes(n: int, dtype: str):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), dtype], out: T.Tensor[(2,), dtype], old: T.Tensor[(n,), dtype]):
        with T.Kernel(n, threads=1) as bx:
            for _ in T.Parallel(1):
                T.atomic_max(out[0], A[bx])
                T.atomic_min(out[1], A[bx])
                old[bx] = T.atomic_add(out[0], 0, return_prev=True)

    return kernel


@pytest.mark.parametrize("dtype", ["int32", "float32", "bfloat16"])
def test_atomic_extremes(dtype: str) -> None:
    a = array(RNG, (200,), dtype)
    out = np.zeros(2, a.dtype)
    old = np.zeros(200, a.dtype)
    extremes(200, dtype)(a, out, old)
    assert float(out[0]) == max(0, a.astype(np.float64).max())
    assert float(out[1]) == min(0, a.astype(np.float64).min())
    assert set(old.astype(np.float64)) <= {0.0, *a.astype(np.float64)}


@tilelang.jit(target="cpu")
def added_tiles(dtype: str):
    @T.prim_func
    def kernel(A: T.Tensor[(8, 40), dtype], B: T.Tensor[(40,), dtype]):
        with T.Kernel(8, threads=32) as bx:
            tile = T.alloc_shared((64,), dtype)
            T.copy(A[bx, 0:64], tile)
            T.atomic_add(B[0:64], tile)

    return kernel


def test_tiles_are_added_within_the_tensor() -> None:
    a = array(RNG, (8, 40), "float32")
    b = np.zeros(40, np.float32)
    added_tiles("float32")(a, b)
    close(b, a.astype(np.float64).sum(axis=0), "float32", terms=8)


# --- reducers ---------------------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1], target="cpu")
def deferred(op: Literal["sum", "max", "min"], in_place: bool):
    @T.prim_func
    def kernel(A: T.Tensor[(3, 8, 40), T.float32], B: T.Tensor[(8,), T.float32]):
        with T.Kernel(1, threads=128):
            tile = T.alloc_fragment((8, 40), T.float32)
            if in_place:
                total = T.alloc_reducer((8,), T.float32, op=op, replication="all")
                T.clear(total)
                for step in T.serial(3):
                    T.copy(A[step, :, :], tile)
                    for i, j in T.Parallel(8, 40):
                        total[i] += tile[i, j]
                T.finalize_reducer(total)
                T.copy(total, B)
            else:
                parts = T.alloc_reducer((8,), T.float32, op=op)
                result = T.alloc_fragment((8,), T.float32)
                T.reducer_init(parts)
                for step in T.serial(3):
                    T.copy(A[step, :, :], tile)
                    for i, j in T.Parallel(8, 40):
                        T.reducer_update(parts[i], tile[i, j])
                T.finalize_reducer(parts, result)
                T.copy(result, B)

    return kernel


@pytest.mark.parametrize(("op", "in_place"), [("sum", True), ("sum", False), ("max", False), ("min", False)])
def test_reducers(op: Literal["sum", "max", "min"], in_place: bool) -> None:
    a = array(RNG, (3, 8, 40), "float32")
    expected = NUMPY_REDUCTIONS[op](a.astype(np.float64), (0, 2))
    close(deferred(op, in_place)(a), expected, "float32", terms=120)
