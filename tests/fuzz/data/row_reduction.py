"""Row sums of exponentials: macros, reductions, and tests that give the sizes."""

import pytest

import tilelang
import tilelang.language as T


@T.macro
def exponentials(tile, peak, rows, cols):
    for i, j in T.Parallel(rows, cols):
        tile[i, j] = T.exp2((tile[i, j] - peak[i]) * 1.44269504)


@tilelang.jit(out_idx=-1)
def row_sums(M, N, rows=4):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            tile = T.alloc_fragment((rows, N), "float32")
            peak = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], tile)
            T.fill(peak, -T.infinity("float32"))
            T.reduce_max(tile, peak, dim=1, clear=False)
            exponentials(tile, peak, rows, N)
            T.reduce_sum(tile, total, dim=1)
            T.copy(total, Y[bx * rows])

    return kernel


@pytest.mark.parametrize("M", [64, 100])
@pytest.mark.parametrize(("N", "rows"), [(128, 4), (1024, 1)])
def test_row_sums(M, N, rows):
    assert row_sums(M, N, rows=rows) is not None
