"""Matrix products of tiles against NumPy: types, transposes, sizes, tails, boxes, clearing."""

from __future__ import annotations

import numpy as np
import pytest
from cpu.numbers import array, close

import tilelang
import tilelang.language as T

RNG = np.random.default_rng(3)


@tilelang.jit(out_idx=[-1], target="cpu")
def product(
    shape: tuple[int, int, int],
    dtype: str,
    accumulate: str,
    trans_a: bool = False,
    trans_b: bool = False,
    blocks: tuple[int, int, int] = (32, 32, 32),
):
    m, n, k = shape
    block_m, block_n, block_k = blocks
    tile_a = (block_k, block_m) if trans_a else (block_m, block_k)
    tile_b = (block_n, block_k) if trans_b else (block_k, block_n)

    @T.prim_func
    def kernel(
        A: T.Tensor[((k, m) if trans_a else (m, k)), dtype],
        B: T.Tensor[((n, k) if trans_b else (k, n)), dtype],
        C: T.Tensor[(m, n), accumulate],
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a_tile = T.alloc_shared(tile_a, dtype)
            b_tile = T.alloc_shared(tile_b, dtype)
            acc = T.alloc_fragment((block_m, block_n), accumulate)
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                if trans_a:
                    T.copy(A[step * block_k, by * block_m], a_tile)
                else:
                    T.copy(A[by * block_m, step * block_k], a_tile)
                if trans_b:
                    T.copy(B[bx * block_n, step * block_k], b_tile)
                else:
                    T.copy(B[step * block_k, bx * block_n], b_tile)
                T.gemm(a_tile, b_tile, acc, transpose_A=trans_a, transpose_B=trans_b)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def operands(shape: tuple[int, int, int], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    m, n, k = shape
    return array(RNG, (m, k), dtype), array(RNG, (k, n), dtype)


def wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.int64) if a.dtype.kind in "iu" else a.astype(np.float64)


@pytest.mark.parametrize(
    ("dtype", "accumulate"),
    [
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("float8_e4m3fn", "float32"),
        ("float8_e5m2", "float32"),
        ("int8", "int32"),
        ("uint8", "int32"),
    ],
)
@pytest.mark.parametrize("shape", [(64, 32, 64), (45, 37, 50)])
def test_types(dtype: str, accumulate: str, shape: tuple[int, int, int]) -> None:
    a, b = operands(shape, dtype)
    close(product(shape, dtype, accumulate)(a, b), wide(a) @ wide(b), accumulate, terms=shape[2])


@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_transposes(trans_a: bool, trans_b: bool, dtype: str) -> None:
    a, b = operands((40, 36, 33), dtype)
    given = np.ascontiguousarray(a.T) if trans_a else a, np.ascontiguousarray(b.T) if trans_b else b
    got = product((40, 36, 33), dtype, "float32", trans_a, trans_b)(*given)
    close(got, wide(a) @ wide(b), "float32", terms=33)


@pytest.mark.parametrize("blocks", [(16, 16, 16), (7, 5, 3), (1, 8, 4), (13, 48, 10), (64, 24, 8)])
def test_sizes_of_tiles(blocks: tuple[int, int, int]) -> None:
    a, b = operands((50, 60, 20), "float32")
    close(
        product((50, 60, 20), "float32", "float32", False, False, blocks)(a, b), wide(a) @ wide(b), "float32", terms=20
    )


def test_an_accumulator_of_16_bits_is_rounded_for_each_product() -> None:
    a, b = operands((32, 32, 64), "float16")
    got = product((32, 32, 64), "float16", "float16")(a, b)
    close(got, wide(a) @ wide(b), "float16", terms=64)


@tilelang.jit(out_idx=[-1], target="cpu")
def cleared(constant: bool):
    @T.prim_func
    def kernel(
        A: T.Tensor[(4, 16, 16), T.float32], B: T.Tensor[(4, 16, 16), T.float32], C: T.Tensor[(16, 16), T.float32]
    ):
        with T.Kernel(1, threads=32):
            a_tiles = T.alloc_shared((2, 16, 16), T.float32)
            b_tile = T.alloc_shared((16, 16), T.float32)
            acc = T.alloc_fragment((16, 16), T.float32)
            T.fill(acc, 1000)
            for step in T.serial(4):
                T.copy(A[step, :, :], a_tiles[step % 2, :, :])
                T.copy(B[step, :, :], b_tile)
                if constant:
                    T.gemm(a_tiles[step % 2, :, :], b_tile, acc, clear_accum=True)
                else:
                    T.gemm(a_tiles[step % 2, :, :], b_tile, acc, clear_accum=step == 0)
            T.copy(acc, C)

    return kernel


@pytest.mark.parametrize("constant", [True, False])
def test_clearing_and_boxes_of_tiles(constant: bool) -> None:
    a, b = array(RNG, (4, 16, 16), "float32"), array(RNG, (4, 16, 16), "float32")
    each = [wide(x) @ wide(y) for x, y in zip(a, b, strict=True)]
    close(cleared(constant)(a, b), each[-1] if constant else np.sum(each, axis=0), "float32", terms=64)


@tilelang.jit(out_idx=[-1], target="cpu")
def chained():
    """The result of a product is the operand of the next, rounded on the way."""

    @T.prim_func
    def kernel(A: T.Tensor[(32, 16), T.bfloat16], B: T.Tensor[(16, 32), T.bfloat16], C: T.Tensor[(32, 32), T.float32]):
        with T.Kernel(1, threads=64):
            a_tile = T.alloc_shared((32, 16), T.bfloat16)
            b_tile = T.alloc_shared((16, 32), T.bfloat16)
            first = T.alloc_fragment((32, 32), T.float32)
            rounded = T.alloc_fragment((32, 32), T.bfloat16)
            second = T.alloc_fragment((32, 32), T.float32)
            right = T.alloc_shared((32, 32), T.bfloat16)
            T.copy(A, a_tile)
            T.copy(B, b_tile)
            T.clear(first)
            T.gemm(a_tile, b_tile, first)
            T.copy(first, rounded)
            T.copy(first, right)
            T.clear(second)
            T.gemm(rounded, right, second)
            T.copy(second, C)

    return kernel


def test_products_in_a_row() -> None:
    a, b = array(RNG, (32, 16), "bfloat16"), array(RNG, (16, 32), "bfloat16")
    rounded = wide((a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype))
    got = chained()(a, b)
    np.testing.assert_allclose(got, rounded @ rounded, rtol=2e-2, atol=2e-1 * 4)
